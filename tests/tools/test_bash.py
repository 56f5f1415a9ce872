from __future__ import annotations

import asyncio
import os
import re
import resource
import signal
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pexpect
import pytest

from catmem.events import Action, ActionKind
from tests.support.processes import alive
from tests.tools.toolbox import Toolbox

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
async def no_process_is_left(tools: Toolbox) -> AsyncIterator[None]:
    yield
    await tools.built.processes.close()


def took(text: str) -> str:
    """The result without its time."""
    return re.sub(r", \d+\.\d s\]", "]", text)


async def gone(pid: int) -> bool:
    """Whether the process ends within a second."""
    for _ in range(100):
        if not alive(pid):
            return True
        await asyncio.sleep(0.01)
    return False


async def pid_in(path: Path) -> int:
    """The process number that a command writes into a file, once it is there."""
    while not (path.exists() and path.read_text().strip()):  # noqa: ASYNC110 - no event tells
        await asyncio.sleep(0.01)
    return int(path.read_text())


async def test_output_and_status_come_back(tools: Toolbox) -> None:
    output = await tools.output("bash", command="echo out; echo err >&2; echo 你好; exit 3")
    assert took(output.text) == "out\nerr\n你好\n[exit status 3]"
    assert output.is_error
    output = await tools.output("bash", command="true")
    assert took(output.text) == "(no output)\n[exit status 0]"
    assert not output.is_error


async def test_the_plan_shows_the_exact_command(tools: Toolbox) -> None:
    command = "cd x &&\nrm -rf y"
    assert await tools.plan("bash", command=command) == Action(
        "bash", ActionKind.EXECUTE, command, command, session_key=f"bash:{command}"
    )
    assert await tools.refusal("bash", command=" \n") == "The command is empty."
    assert await tools.refusal("bash", command="a\0b") == "The command has a NUL character in it."


async def test_a_signal_is_named(tools: Toolbox) -> None:
    assert took(await tools.call("bash", command="kill -9 $$")) == (
        "(no output)\n[killed by SIGKILL]"
    )


async def test_output_is_shown_while_it_comes(tools: Toolbox) -> None:
    task = asyncio.create_task(tools.call("bash", command="echo one; sleep 0.5; echo two"))
    while not tools.live:  # noqa: ASYNC110 - live output is a list
        await asyncio.sleep(0.01)
    assert not task.done()
    assert tools.live == ["one\n"]
    await task
    assert "".join(tools.live) == "one\ntwo\n"


async def test_a_vanished_start_directory_is_told(tools: Toolbox, workspace: Path) -> None:
    workspace.rmdir()
    assert await tools.refusal("bash", command="true") == (
        f"The command could not be started in {workspace}: No such file or directory."
    )
    workspace.mkdir()


async def test_a_command_too_long_for_the_system_is_told(tools: Toolbox, workspace: Path) -> None:
    assert await tools.refusal("bash", command="echo " + "x" * 4_000_000) == (
        f"The command could not be started in {workspace}: Argument list too long."
    )


@pytest.mark.parametrize(
    "command",
    ["sleep 300 & echo done", "exec 3>&1; sleep 300 & echo done", "nohup sleep 300 & echo done"],
)
async def test_e05_a_background_child_does_not_hold_the_call(tools: Toolbox, command: str) -> None:
    started = time.monotonic()
    text = await tools.call("bash", command=command)
    assert time.monotonic() - started < 2
    match = re.search(
        r"done\n\[exit status 0, \d\.\d s\]\n"
        r"\[still running in the background: \w+ \(pid (\d+)\); ends when the user exits\]$",
        text,
    )
    assert match, text
    pid = int(match[1])
    assert alive(pid)
    started = time.monotonic()
    await tools.built.processes.close()
    assert await gone(pid)
    assert time.monotonic() - started < 1


async def test_e05_a_background_child_that_becomes_another_program_is_ended(
    tools: Toolbox, workspace: Path
) -> None:
    command = "(echo $BASHPID > pid; sleep 0.3; exec sleep 300) & sleep 0.1"
    assert "bash (pid" in await tools.call("bash", command=command)
    await asyncio.sleep(0.5)
    pid = int((workspace / "pid").read_text())
    await tools.built.processes.close()
    assert await gone(pid)


async def test_e05_a_background_server_goes_on_when_it_prints(
    tools: Toolbox, workspace: Path
) -> None:
    command = "(while true; do echo log line; sleep 0.02; done) & echo $! > pid; echo started"
    assert "started\n" in await tools.call("bash", command=command)
    pid = int((workspace / "pid").read_text())
    await asyncio.sleep(0.3)
    assert alive(pid)
    assert "alive" in await tools.call("bash", command=f"kill -0 {pid} && echo alive")
    await tools.built.processes.close()
    assert await gone(pid)


async def test_e05_a_process_with_a_session_of_its_own_is_left_alone(
    tools: Toolbox, workspace: Path
) -> None:
    started = time.monotonic()
    command = "setsid sh -c 'echo $$ > pid; exec sleep 300' & echo done"
    assert took(await tools.call("bash", command=command)).startswith("done\n[exit status 0]")
    pid = await pid_in(workspace / "pid")
    try:
        await tools.built.processes.close()
        assert time.monotonic() - started < 2
        assert alive(pid)
    finally:
        os.kill(pid, signal.SIGKILL)


async def test_e06_a_timeout_ends_the_whole_group(tools: Toolbox, workspace: Path) -> None:
    started = time.monotonic()
    output = await tools.output(
        "bash",
        command='echo before; bash -c "echo \\$\\$ > pid; sleep 1000; echo"; echo after',
        timeout_seconds=1,
    )
    assert time.monotonic() - started < 2
    assert output.text == (
        "before\n[timed out after 1 s; it and all it started were stopped. If it waited for input: "
        "there is none. If it needs longer: timeout_seconds up to 600, or start it in the "
        "background with &]"
    )
    assert output.is_error
    assert await gone(int((workspace / "pid").read_text()))


async def test_e06_who_ignores_sigterm_is_killed(tools: Toolbox, workspace: Path) -> None:
    started = time.monotonic()
    command = (
        "trap '' TERM; (trap '' TERM; echo $BASHPID > pid; sleep 1000; sleep 1000) & sleep 1000"
    )
    text = await tools.call("bash", command=command, timeout_seconds=1)
    assert text.startswith("(no output)\n[timed out after 1 s;")
    assert time.monotonic() - started < 3.5
    assert await gone(int((workspace / "pid").read_text()))


async def test_e06_jobs_with_groups_of_their_own_are_ended(tools: Toolbox, workspace: Path) -> None:
    command = "set -m; sh -c 'echo $$ > pid; sleep 1000; true' & wait"
    await tools.call("bash", command=command, timeout_seconds=1)
    assert await gone(int((workspace / "pid").read_text()))


async def test_e06_cancelling_leaves_no_process(tools: Toolbox, workspace: Path) -> None:
    command = 'bash -c "echo \\$\\$ > pid; sleep 1000; echo"'
    task = asyncio.create_task(tools.call("bash", command=command))
    pid = await pid_in(workspace / "pid")
    started = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - started < 0.5
    assert not alive(pid)


async def test_e06_cancelling_twice_kills_at_once(tools: Toolbox, workspace: Path) -> None:
    command = "trap '' TERM; echo $$ > pid; while true; do sleep 0.1; done"
    task = asyncio.create_task(tools.call("bash", command=command))
    pid = await pid_in(workspace / "pid")
    started = time.monotonic()
    task.cancel()
    await asyncio.sleep(0.1)
    assert alive(pid)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - started < 1
    assert await gone(pid)


async def test_e06_closing_ends_a_running_command(tools: Toolbox, workspace: Path) -> None:
    command = "bash -c 'echo $$ > pid; sleep 1000; echo'"
    task = asyncio.create_task(tools.call("bash", command=command))
    pid = await pid_in(workspace / "pid")
    await tools.built.processes.close()
    assert took(await task) == "(no output)\n[killed by SIGTERM]"
    assert await gone(pid)


WANTS_INPUT = (
    "[it wanted input or a terminal; there is neither. Use arguments, options such as -y or -m, or "
    "a pipe]"
)


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        ("cat", False),
        ("read line", False),
        ("less f", False),
        (f"{sys.executable} -c 'input()'", True),
        ("echo secret < /dev/tty", True),
        ("git init -q . && git add f && git commit", True),
        ("stty -a < /dev/tty", True),
    ],
)
async def test_e07_a_command_that_waits_for_input_ends_at_once(
    tools: Toolbox, workspace: Path, command: str, hint: bool
) -> None:
    (workspace / "f").write_text("line\n" * 100)
    started = time.monotonic()
    text = await tools.call("bash", command=command)
    assert time.monotonic() - started < 5
    assert text.endswith(WANTS_INPUT) is hint, text


@pytest.fixture
def private_repository() -> Iterator[str]:
    """The address of a git server that wants a password."""

    class Locked(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.end_headers()

        def log_message(self, format: str, *arguments: object) -> None:
            """Keep quiet."""

    server = HTTPServer(("127.0.0.1", 0), Locked)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/private.git"
    server.shutdown()
    server.server_close()


async def test_e07_git_does_not_ask_for_a_password(tools: Toolbox, private_repository: str) -> None:
    text = await tools.call("bash", command=f"git clone {private_repository}")
    assert "terminal prompts disabled" in text
    assert text.endswith(WANTS_INPUT)


async def test_e12_cd_does_not_persist_and_says_so(tools: Toolbox, workspace: Path) -> None:
    (workspace / "sub").mkdir()
    (workspace / "a.py").write_text("here\n")
    note = f"[cd does not persist: the next command starts in {workspace} again]"
    assert took(await tools.call("bash", command="cd sub && pwd")) == (
        f"{workspace}/sub\n[exit status 0]\n{note}"
    )
    assert took(await tools.call("bash", command="pwd")) == f"{workspace}\n[exit status 0]"
    assert note not in await tools.call("bash", command="echo cd sub; (cd sub; pwd)")
    assert await tools.call("read_file", path="a.py") == "1\there"
    assert "cd does not persist" in tools.tool("bash").spec.description


async def test_e14_both_ends_of_a_flood_are_kept(tools: Toolbox) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    command = "echo first; yes | head -c 500M; echo last"
    text = await tools.call("bash", command=command)
    assert len(text) < 25_000
    assert text.startswith("first\ny\ny\n")
    assert "y\n[… 524,288,011 bytes in all; the middle is left out …]\ny\n" in text
    assert took(text).endswith("y\ny\nlast\n[exit status 0]")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000
    assert max(len(piece) for piece in tools.live) <= 4000


async def test_e14_a_file_of_some_length_comes_whole(tools: Toolbox, workspace: Path) -> None:
    text = "".join(f"line {number}\n" for number in range(2000))
    (workspace / "log").write_text(text)
    assert took(await tools.call("bash", command="cat log")) == f"{text}[exit status 0]"


async def test_e14_a_flood_without_line_ends_is_bounded(tools: Toolbox) -> None:
    text = await tools.call("bash", command="head -c 200000 /dev/zero | tr '\\0' x")
    assert len(text) < 25_000
    assert "x\n[… 200,000 bytes in all; the middle is left out …]\nx" in text


async def test_e14_a_flood_of_nothing_visible_takes_no_time(tools: Toolbox) -> None:
    started = time.monotonic()
    text = await tools.call("bash", command="head -c 300M /dev/zero; echo end")
    assert took(text) == (
        "[… 314,572,804 bytes in all; the middle is left out …]\nend\n[exit status 0]"
    )
    assert time.monotonic() - started < 10


async def test_e14_progress_bars_collapse_to_their_last_state(tools: Toolbox) -> None:
    bar = "for i in $(seq 20000); do printf '\\r%5d of 20000' $i; done"
    command = f"echo start; {bar}; printf '\\ndone\\r\\n'"
    assert took(await tools.call("bash", command=command)) == (
        "start\n20000 of 20000\ndone\n[exit status 0]"
    )


async def test_e14_control_characters_and_bad_bytes_do_no_harm(tools: Toolbox) -> None:
    command = r"printf 'a\0b \033[31mred\033[0m \xff\xfe caf\xe9 \xe6\xb1'"
    assert took(await tools.call("bash", command=command)) == (
        "ab red \ufffd\ufffd caf\ufffd \ufffd\n[exit status 0]"
    )


async def test_e14_a_character_that_two_reads_cut_is_whole(tools: Toolbox) -> None:
    command = r"printf '\xe6\xb1'; sleep 0.2; printf '\x89\xe5'; sleep 0.2; printf '\xad\x97\n'"
    assert took(await tools.call("bash", command=command)) == "汉字\n[exit status 0]"
    assert "".join(tools.live) == "汉字\n"


async def test_f06_commands_do_not_see_the_api_keys(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "sk-not-for-commands")
    monkeypatch.setenv("MINE", "passed on")
    text = await Toolbox(workspace).call("bash", command="env")
    assert "sk-not-for-commands" not in text
    assert "MINE=passed on\n" in text


async def test_e07_the_terminal_is_out_of_reach(workspace: Path) -> None:
    program = (
        "import asyncio, sys; from pathlib import Path; sys.path.insert(0, sys.argv[1])\n"
        "from tests.tools.toolbox import Toolbox\n"
        "open('/dev/tty', 'w').write('[mine]')\n"
        "call = Toolbox(Path.cwd()).call('bash', command='echo drawn > /dev/tty; tty')\n"
        "Path('result').write_text(asyncio.run(call))"
    )
    root = str(Path(__file__).parents[2])
    child = pexpect.spawn(sys.executable, ["-c", program, root], encoding="utf-8", cwd=workspace)
    child.expect(pexpect.EOF)
    assert child.before == "[mine]"
    assert "not a tty" in (workspace / "result").read_text()
