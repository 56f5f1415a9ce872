from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from catmem.errors import StorageError
from catmem.storage import append_line, lock, read_bytes, write_atomic


def test_write_atomic_keeps_mode_bits_and_makes_new_files_private(tmp_path: Path) -> None:
    directory = tmp_path / "d"
    directory.mkdir()
    new, script = directory / "new", directory / "script"
    script.write_text("old")
    script.chmod(0o755)
    write_atomic(new, b"x")
    write_atomic(script, b"y")
    assert new.stat().st_mode & 0o777 == 0o600
    assert (script.read_bytes(), script.stat().st_mode & 0o777) == (b"y", 0o755)
    assert sorted(path.name for path in directory.iterdir()) == ["new", "script"]


def test_a16_a_full_disk_leaves_the_old_content_and_no_temporary_file(tmp_path: Path) -> None:
    target = tmp_path / "d" / "entry.md"
    target.parent.mkdir()
    target.write_text("old")
    code = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from catmem.errors import StorageError\n"
        "from catmem.storage import write_atomic\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try: write_atomic(Path(sys.argv[1]), b'n' * 5000)\n"
        "except StorageError as error: print(error)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, str(target)], capture_output=True, text=True, check=True
    )
    assert ran.stdout == f"cannot write {target}: File too large\n"
    assert target.read_text() == "old"
    assert list(target.parent.iterdir()) == [target]


def test_append_line_closes_a_line_that_a_crash_left_open(tmp_path: Path) -> None:
    path = tmp_path / "d" / "journal.jsonl"
    append_line(path, "one")
    with path.open("a") as file:
        file.write("half")
    append_line(path, "two")
    assert path.read_text() == "one\nhalf\ntwo\n"
    assert path.stat().st_mode & 0o777 == 0o600


def test_read_bytes_refuses_what_could_hang_or_flood(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "big").write_bytes(b"x" * 100)
    for name in ("fifo", "big", "missing", "."):
        with pytest.raises(StorageError):
            read_bytes(tmp_path / name, 99)
    assert read_bytes(tmp_path / "big", 100) == b"x" * 100


def test_a_lock_is_exclusive_between_processes_and_freed_by_death(tmp_path: Path) -> None:
    path = tmp_path / "state" / "lock"
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom catmem.storage import lock\n"
        "with lock(Path(sys.argv[1]), 1):\n    print('held', flush=True)\n    time.sleep(60)\n"
    )
    holder = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    with pytest.raises(StorageError), lock(path, 0.1):
        pass
    holder.kill()
    holder.wait()
    holder.stdout.close()
    with lock(path, 1):
        pass
