# shellcheck shell=bash
# The environment of catmem: finds a Python, makes .venv, keeps it up to date.
# Sourced by the scripts beside this folder, which set $root to the project's folder first.
# Works with bash 3.2 and the POSIX tools of macOS.
#
# State, all under $root:
#   .venv/NAME.stamp   what the environment NAME ("run", "dev") was installed from; four lines, see fits
#   .venv/unfinished   exists while an installation runs; found later, it means: start over
#   .venv/setup.log    what venv and pip said
#   .venv.old          what was there before, on its way out
#   .venv.lock         held by descriptor 9, so the system frees it whatever happens to its holder

venv="$root/.venv"
log="$venv/setup.log"

say() { printf '%s\n' "$*" >&2; }

fail() {
  say "$*"
  exit 1
}

# Whether .venv holds NAME as pyproject.toml and CATMEM_PYTHON ask for it.
# No Python is started here: this is all that a second start costs.
is_current() {
  [ ! -e "$venv/unfinished" ] && fits "$venv/$1.stamp" && [ "$sum" = "$(cksum <"$root/pyproject.toml")" ]
}

# Whether .venv is as the stamp ($1) says: it stands where it was made (it holds absolute paths),
# its Python was neither removed nor replaced, and CATMEM_PYTHON asks for no other. Sets $sum.
fits() {
  local place base wanted
  [ -f "$1" ] || return 1
  { IFS= read -r sum && IFS= read -r place && IFS= read -r base && IFS= read -r wanted; } <"$1" || return 1
  [ "$place" = "$root" ] && [ "$venv/bin/python" -ef "$base" ] && [ "${CATMEM_PYTHON:-$wanted}" = "$wanted" ]
}

# Sets $python to an interpreter that is new enough, or says in one sentence what to do.
find_python() {
  local name found="" check='import sys; print("%d.%d" % sys.version_info[:2]); sys.exit(sys.version_info < (3, 11))'
  if [ -n "${CATMEM_PYTHON:-}" ]; then
    python=$CATMEM_PYTHON
    version=$("$python" -c "$check" 2>/dev/null) && return
    fail "CATMEM_PYTHON is $CATMEM_PYTHON, which is not a working Python 3.11 or newer: correct it or unset it."
  fi
  for name in python3 python3.14 python3.13 python3.12 python3.11; do
    python=$(command -v "$name") || continue
    version=$("$python" -c "$check" 2>/dev/null) && return
    [ -z "$version" ] || found=" (found only $version)"
  done
  fail "catmem needs Python 3.11 or newer$found: install it (Debian, Ubuntu: sudo apt install python3 python3-venv; macOS: brew install python) or set CATMEM_PYTHON to its path."
}

# One setup at a time: a second one waits here until the first has ended, then finds its work done.
take_lock() {
  { : >>"$root/.venv.lock"; } 2>/dev/null ||
    fail "catmem cannot write to $root, where its environment belongs: make the folder writable or move the project."
  exec 9>>"$root/.venv.lock"
  "$python" -c '
import fcntl, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
try:
    fcntl.flock(9, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    print("Another setup of catmem is running; waiting for it…", file=sys.stderr, flush=True)
    fcntl.flock(9, fcntl.LOCK_EX)
' || fail "catmem could not lock $root/.venv.lock: move the project to a local disk."
}

# Whether packages can be installed into the .venv that is there, as after a change of pyproject.toml.
is_usable() {
  local stamp
  [ ! -e "$venv/unfinished" ] || return 1
  for stamp in "$venv"/*.stamp; do
    [ ! -e "$stamp" ] || fits "$stamp" || return 1
  done
  "$venv/bin/python" -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

# Makes an empty .venv in place of what is there.
make_venv() {
  "$python" -c 'import ensurepip, venv' 2>/dev/null ||
    fail "$python has no venv module: install it (Debian, Ubuntu: sudo apt install python$version-venv) or set CATMEM_PYTHON to another Python."
  say "Setting up catmem (once, about a minute)…"
  # Moved away first: a half deleted .venv could pass for one that works.
  rm -rf "$venv.old"
  [ ! -e "$venv" ] || mv "$venv" "$venv.old"
  mkdir "$venv"
  : >"$venv/unfinished"
  rm -rf "$venv.old"
  "$python" -m venv "$venv" >"$log" 2>&1 </dev/null ||
    fail "The environment could not be made with $python: $(reason); details are in $log."
}

# The line of the log that says most about a failure.
reason() {
  { grep -E '^ *([A-Za-z]*Error|ERROR): ' "$log" || grep . "$log" || echo "is the disk full?"; } |
    tail -n 1
}

# Installs the requirement ($1), relative to $root, with pip.
install() {
  local status=0
  : >"$venv/unfinished"
  (cd "$root" && .venv/bin/python -m pip install --disable-pip-version-check --no-input -e "$1") \
    >"$log" 2>&1 </dev/null || status=$?
  [ "$status" -ne 0 ] || return 0
  # A pip that gave up by itself left the packages as they were; one that was killed did not.
  [ "$status" -gt 128 ] || rm -f "$venv/unfinished"
  if grep -q -i -E 'NewConnectionError|ConnectTimeout|ReadTimeout|connection (error|broken|refused)|name resolution|ProxyError|SSLError|from versions: none' "$log"; then
    fail "catmem's packages could not be downloaded: check the network connection (or pip's proxy and index settings) and run this again; details are in $log."
  fi
  fail "catmem's packages could not be installed: $(reason); details are in $log."
}

# Brings .venv to the state NAME ($1) by installing the requirement ($2); quiet when it is there.
ensure_environment() {
  is_current "$1" && return
  find_python
  take_lock
  if ! is_current "$1"; then
    trap 'say "Interrupted: the next start sets catmem up again."; exit 130' INT
    if is_usable; then
      say "Updating catmem's packages…"
    else
      make_venv
    fi
    install "$2"
    write_stamp "$1"
    rm -f "$venv/unfinished"
    trap - INT
  fi
  exec 9>&-
}

# Says that the environment NAME ($1) is there; another one may hold other packages.
write_stamp() {
  local base
  base=$("$venv/bin/python" -c 'import os, sys; print(os.path.realpath(sys.executable))')
  printf '%s\n' "$(cksum <"$root/pyproject.toml")" "$root" "$base" "${CATMEM_PYTHON:-}" >"$venv/$1.stamp"
}
