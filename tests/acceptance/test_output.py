"""What reaches the terminal: foreign text inert and literal, on every kind of terminal."""

from __future__ import annotations

import re
import signal

import pytest

from tests.acceptance.steps import (
    EMPTY,
    NO_PIPELINE,
    answer,
    asked,
    ended,
    enter,
    files,
    finished,
    leave,
    records,
    wait_idle,
)
from tests.support.model_server import ModelServer, StartModel
from tests.support.program import MakeProgram
from tests.support.reply import Reply

MARKUP = "{p}/{t}[/{n}]/read src/[id].tsx [/b] [bold]x[/bold] [/red] :smile:"
ESCAPES = "\x1b[2J\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07\x9b2J\u202eevil\x1b[31mred"


def test_c01_markup_of_the_terminal_library_is_text(
    model: StartModel, program: MakeProgram
) -> None:
    server = model(
        Reply(f"`{MARKUP}`"),
        Reply(tool_calls=[("bash", {"command": f"echo '{MARKUP}'"})]),
        Reply("Done."),
        Reply(status=400, error=("invalid_request_error", f"bad: {MARKUP}")),
    )
    catmem = program(server, **NO_PIPELINE)
    finished(catmem.run("memory", "add", "--name", "odd", "--scope", "user", MARKUP))
    terminal = enter(catmem, cols=160)
    answer(terminal, MARKUP, "bold")
    terminal.say("run it")
    asked(terminal, re.escape(f"echo '{MARKUP}'"))
    terminal.press("y")
    terminal.wait_for(r"^Done\.")
    wait_idle(terminal)
    answer(terminal, "fail", "bad: ")
    answer(terminal, "/memory list", "odd")
    answer(terminal, "/memory show odd", "createdAt|created")
    said = leave(terminal)
    # message, answer, question, result, error, list, show (twice: description and content)
    assert said.count(MARKUP) >= 8, said


def test_c02_escape_sequences_are_inert(model: StartModel, program: MakeProgram) -> None:
    server = model(
        Reply(f"before {ESCAPES} after"),
        Reply(tool_calls=[("read_file", {"path": "evil.txt"})]),
        Reply("Read."),
        Reply(tool_calls=[("bash", {"command": "cat evil.txt"})]),
        Reply("Ran."),
    )
    catmem = program(server, **NO_PIPELINE)
    (catmem.workspace / "evil.txt").write_text(ESCAPES)
    folder = catmem.catmem_home / "memory"
    folder.mkdir(parents=True)
    (folder / "evil.md").write_text(
        f'---\nname: evil\ndescription: "a \\e[2J \\e]52;c;eA==\\a b"\n---\n{ESCAPES}\n'
    )
    terminal = enter(catmem, "--permission-mode", "auto")
    terminal.say("FIRST LINE")
    terminal.wait_for("^before .*after")
    wait_idle(terminal)
    answer(terminal, "read it", r"^Read\.")
    answer(terminal, "run it", r"^Ran\.")
    answer(terminal, "/memory list", "evil")
    answer(terminal, "/memory show evil", "evil")
    leave(terminal)
    raw = bytes(terminal.raw)
    assert b"\x1b]52" not in raw
    assert b"owned\x07" not in raw
    assert b"\x1b[2J" not in raw
    assert "\x9b".encode() not in raw
    assert "\u202e".encode() not in raw
    assert "FIRST LINE" in terminal.transcript


def test_c03_bad_bytes_become_replacement_characters(
    model: StartModel, program: MakeProgram
) -> None:
    server = model(Reply("ok"), Reply("ok"))
    catmem = program(server, **NO_PIPELINE)
    process = catmem.run("-p", "what is this?", stdin=b"bad \xff\xfe bytes \xed\xa0\xbd")
    assert (process.code, process.stdout) == (0, "ok\n")
    sent = "".join(server.chats[0].user_texts)
    assert "\ufffd" in sent
    assert "bytes" in sent
    run = catmem.run("-p", b"path \xff".decode("utf-8", "surrogateescape"))
    assert (run.code, run.stdout) == (0, "ok\n")
    assert "path \ufffd" in "".join(server.chats[1].user_texts)
    assert len(list(records(catmem))) == 6


def test_c04_without_a_terminal_each_line_is_answered(
    model: StartModel, program: MakeProgram
) -> None:
    server = model(
        Reply("One."),
        Reply(tool_calls=[("bash", {"command": "touch never"})]),
        Reply("Two."),
        Reply("From a pipe."),
    )
    catmem = program(server, **NO_PIPELINE)
    run = finished(catmem.run(stdin="a\nb"))
    assert run.stdout.index("One.") < run.stdout.index("Two.")
    assert "\x1b" not in run.stdout + run.stderr
    assert not (catmem.workspace / "never").exists()  # refused, not awaited
    run = finished(catmem.run())  # /dev/null
    assert "\x1b" not in run.stdout + run.stderr
    run = finished(catmem.run("-p", "sum up", stdin="some\nlines\n"))
    assert run.stdout == "From a pipe.\n"
    [text] = server.chats[-1].user_texts
    assert text.startswith("sum up")
    assert "some\nlines" in text


@pytest.mark.parametrize(
    "settings", [{"TERM": "dumb"}, {"NO_COLOR": "1"}], ids=lambda settings: next(iter(settings))
)
def test_c05_a_plain_terminal_has_no_colour_and_is_complete(
    settings: dict[str, str], model: StartModel, program: MakeProgram
) -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n"
    server = model(
        Reply(table), Reply(tool_calls=[("bash", {"command": "touch made"})]), Reply("Ran.")
    )
    catmem = program(server, **NO_PIPELINE, **settings)
    terminal = catmem.terminal(rows=40, cols=60)
    terminal.wait_for(EMPTY, on_screen=True)
    terminal.say("a table")
    terminal.wait_for(r"1 .* 2")
    terminal.wait_for(EMPTY, on_screen=True)
    terminal.say("run it")
    terminal.wait_for("y once")
    terminal.say("y")
    terminal.wait_for(r"^Ran\.")
    assert (catmem.workspace / "made").exists()
    terminal.say("/help")
    terminal.wait_for("/memory")
    terminal.press("ctrl-d")
    ended(terminal)
    assert b"\x1b" not in bytes(terminal.raw)


@pytest.mark.parametrize("cols", [10, 1])
def test_c05_a_window_of_few_columns_still_works(
    cols: int, model: StartModel, program: MakeProgram
) -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n"
    server = model(
        Reply(f"Words.\n\n{table}"),
        Reply(tool_calls=[("write_file", {"path": "made", "content": "x\n"})]),
        Reply("Ran."),
    )
    catmem = program(server, **NO_PIPELINE)
    terminal = catmem.terminal(rows=40, cols=cols)
    terminal.wait_until(lambda terminal: terminal.mode(2004), "the prompt")  # no room for its sign
    terminal.say("hi")
    server.wait_until(lambda server: server.requests and not open_requests(server), "the answer")
    terminal.wait_quiet()
    terminal.say("go")
    server.wait_for_requests(2)
    terminal.wait_quiet(1)
    terminal.press("y", "enter")
    server.wait_for_requests(3)
    terminal.wait_quiet()
    assert (catmem.workspace / "made").read_text() == "x\n"
    terminal.press("ctrl-d")
    ended(terminal)


def open_requests(server: ModelServer) -> bool:
    return any(request.outcome == "open" for request in server.requests)


@pytest.mark.parametrize("encoding", ["ascii", "cp936"])
def test_c06_an_encoding_that_lacks_a_character_replaces_it(
    encoding: str, model: StartModel, program: MakeProgram
) -> None:
    settings = {"LC_ALL": "C", "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", **NO_PIPELINE}
    server = model(Reply("中文 ✓ done"), Reply("中文 ✓ done"), Reply("Fine."))
    catmem = program(server, **settings)
    process = catmem.start("-p", "hi")
    out, err = process.communicate(timeout=30)
    assert process.returncode == 0
    assert out.decode(encoding) == ("?? ok done\n" if encoding == "ascii" else "中文 ok done\n")
    assert b"Traceback" not in err
    terminal = catmem.terminal()
    terminal.wait_for("^> *$", on_screen=True)
    answer(terminal, "hi", "done")
    answer(terminal, "again", r"^Fine\.")
    leave(terminal)


def test_c07_a_paste_of_lines_is_one_message_and_runs_no_command(
    model: StartModel, program: MakeProgram
) -> None:
    release = Reply("Slow words that take their time", stall_after=6)
    server = model(Reply("One."), Reply("Two."), release, Reply("Three."))
    catmem = program(server, **NO_PIPELINE)
    finished(catmem.run("memory", "add", "--name", "kept", "--scope", "user", "a fact"))
    terminal = enter(catmem)
    terminal.type("\x1b[200~/memory clear\r\nand\rmore\x1b[201~")
    terminal.wait_for("more", on_screen=True)
    answer(terminal, "", r"^One\.")
    assert server.chats[0].user_texts[-1] == "/memory clear\nand\nmore"

    big = "\n".join(f"line {number} of many" for number in range(100_000))
    terminal.paste(big)
    terminal.wait_for("100000", on_screen=True, timeout=20)
    terminal.type("what is this?")
    terminal.wait_for("what is this", on_screen=True)
    terminal.press("enter")
    terminal.wait_for(r"^Two\.", timeout=20)
    wait_idle(terminal)
    assert server.chats[1].user_texts[-1] == f"{big}what is this?"

    terminal.say("slowly")
    terminal.wait_for("Slow", on_screen=True)
    terminal.paste("/exit\nnow")
    terminal.wait_for("now", on_screen=True)
    terminal.press("enter")
    terminal.wait_for("queued", on_screen=True)
    server.release()
    terminal.wait_for(r"^Three\.")
    assert server.chats[3].user_texts[-1] == "/exit\nnow"
    leave(terminal)
    assert "kept.md" in files(catmem.catmem_home / "memory")


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("/memroy list", "did you mean /memory"),
        ("/memory lst", "did you mean /memory list"),
        ("/memory show", "which memory"),
        ("/memory show nope", "there is no memory called nope"),
        ("/nonsense", "there is no command /nonsense"),
    ],
)
def test_c10_a_mistyped_command_is_caught(
    line: str, hint: str, model: StartModel, program: MakeProgram
) -> None:
    terminal = enter(program(model()))
    terminal.say(line)
    terminal.wait_for(hint)
    leave(terminal)  # a request to the model would fail the test


def test_c10_case_and_a_blank_do_not_matter_and_paths_are_messages(
    model: StartModel, program: MakeProgram
) -> None:
    server = model(Reply("A path."), Reply("A file."))
    catmem = program(server, **NO_PIPELINE)
    finished(catmem.run("memory", "add", "--name", "kept", "--scope", "user", "a fact"))
    terminal = enter(catmem)
    answer(terminal, "/MEMORY LIST", "a fact")
    terminal.say("/ memory list")
    terminal.wait_for("a fact", times=2)
    wait_idle(terminal)
    answer(terminal, "/usr/bin/env is missing", r"^A path\.")
    answer(terminal, "/etc/hosts", r"^A file\.")
    leave(terminal)
    assert server.chats[0].user_texts == ["/usr/bin/env is missing"]


def test_each_line_of_an_answer_appears_once(model: StartModel, program: MakeProgram) -> None:
    code = "\n".join(f"value_{number} = {number}" for number in range(40))
    items = "\n".join(f"- item {number} 第{number}项" for number in range(30))
    server = model(Reply(f"Start.\n\n```python\n{code}\n```\n\n{items}\n\nEnd.", chunk=7))
    terminal = enter(program(server, **NO_PIPELINE), rows=12, cols=40)
    answer(terminal, "write", r"^End\.")
    said = leave(terminal)
    for number in range(40):
        assert len(re.findall(rf"value_{number} = {number}$", said, re.MULTILINE)) == 1
    for number in range(30):
        assert len(re.findall(rf"item {number} 第{number}项$", said, re.MULTILINE)) == 1


def test_a_resize_keeps_what_was_said(model: StartModel, program: MakeProgram) -> None:
    server = model(Reply("Before the change.\n\nSlow words", stall_after=7), Reply("After."))
    terminal = enter(program(server, **NO_PIPELINE), cols=120)
    terminal.say("write")
    terminal.wait_for("^Before the change")
    for cols in (40, 120):
        terminal.resize(30, cols)
        terminal.signal(signal.SIGWINCH)
    terminal.press("esc")
    terminal.wait_for("^interrupted")
    wait_idle(terminal)
    answer(terminal, "again", r"^After\.")
    assert leave(terminal).count("Before the change.") == 1
