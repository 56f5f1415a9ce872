"""What may not happen in a test fails that test, even where the code swallows the error."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.support.program import Program

ROOT = Path(__file__).parents[2]
BAD_TESTS = """
import asyncio, json, os, socket, subprocess, sys, urllib.request
from pathlib import Path
import pytest

ADDRESS = ("192.0.2.1", 9)  # reserved for documentation, nobody answers


def test_fine_loopback(model):
    port = int(model().url.rpartition(":")[2])
    for host in ("127.0.0.1", "localhost"):
        socket.create_connection((host, port)).close()

def test_fine_home(home):
    (home / ".catmem").mkdir()
    assert Path.home() == home
    left = [n for n in os.environ if n.endswith("_API_KEY") or n.lower().endswith("_proxy")]
    assert left == []

def test_bad_connect():
    try:
        socket.create_connection(ADDRESS, 0.1)
    except OSError:
        pass

def test_bad_connect_ex():
    with socket.socket() as s:
        try:
            s.connect_ex(ADDRESS)
        except OSError:
            pass

def test_bad_name_lookup():
    try:
        socket.getaddrinfo("example.invalid", 443)
    except OSError:
        pass

def test_bad_asyncio():
    async def reach():
        try:
            await asyncio.open_connection(*ADDRESS)
        except OSError:
            pass
    asyncio.run(reach())

def test_bad_listening_to_everyone():
    with socket.socket() as s:
        try:
            s.bind(("0.0.0.0", 0))
        except OSError:
            pass

def test_bad_child():
    code = "import socket; socket.create_connection(('192.0.2.1', 9), 0.1)"
    done = subprocess.run([sys.executable, "-c", code], stderr=subprocess.PIPE)
    assert done.returncode == 97
    assert b"network guard: socket.getaddrinfo to '192.0.2.1'" in done.stderr

def test_bad_home():
    target = Path(os.environ["CALLERS_HOME"]) / ".catmem"
    target.mkdir()

def post(server, body):
    url = server.url + "/v1/chat/completions"
    headers = {"Authorization": "Bearer x", "Content-Type": "application/json"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    try:
        urllib.request.urlopen(request).close()
    except OSError as error:
        error.close()

def test_bad_unscripted(model):
    post(model(), {"model": "m", "messages": [{"role": "user", "content": "hello"}]})

def test_bad_request(model):
    from tests.support.reply import Reply
    post(model(Reply("x")), {"model": "m", "messages": [{"role": "user", "content": ""}]})
"""


def test_violations_fail_the_test_that_causes_them(tmp_path: Path) -> None:
    file = tmp_path / "test_inner.py"
    file.write_text(BAD_TESTS)
    callers_home = tmp_path / "callers-home"
    callers_home.mkdir()
    env = {
        **os.environ,
        "HOME": str(callers_home),
        "CALLERS_HOME": str(callers_home),
        "OPENAI_API_KEY": "from outside",
        "HTTPS_PROXY": "http://192.0.2.1:3128",
    }
    del env["PYTHONPATH"], env["TESTGUARD_FILE"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-c", os.devnull, "-rA",
         "-p", "no:cacheprovider", f"--rootdir={tmp_path}", f"--basetemp={tmp_path / 'b'}", file],
        cwd=ROOT, env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    errors = set(re.findall(r"^ERROR .*::(\w+)", done.stdout, re.MULTILINE))
    passed = set(re.findall(r"^PASSED .*::(\w+)", done.stdout, re.MULTILINE))
    names = set(re.findall(r"^def (test_\w+)", BAD_TESTS, re.MULTILINE))
    assert passed == names, done.stdout  # the body of each test notices nothing
    assert errors == {name for name in names if "bad" in name}, done.stdout


def test_program_gets_an_environment_built_from_nothing(
    home: Path, workspace: Path, guard_report: Path
) -> None:
    program = Program(home, workspace, guard_report, settings={"CATMEM_UI_LANGUAGE": "zh"})
    assert program.env == {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "Test",
        "GIT_AUTHOR_EMAIL": "test@example.invalid",
        "GIT_COMMITTER_NAME": "Test",
        "GIT_COMMITTER_EMAIL": "test@example.invalid",
        "PYTHONPATH": str(ROOT / "tests/support/guard"),
        "TESTGUARD_FILE": str(guard_report),
        "CATMEM_UI_LANGUAGE": "zh",
    }
