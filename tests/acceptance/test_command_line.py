"""The command line: what starts quickly, what scripts get, and how it ends."""

from __future__ import annotations

import json
import re

import pytest

from catmem import __version__
from catmem.text import CATALOGUE
from catmem.ui.paint import cells
from tests.acceptance.steps import NO_PIPELINE, files, finished, one_line, records
from tests.support.model_server import StartModel
from tests.support.program import MakeProgram
from tests.support.reply import Reply

HEAVY = {"anthropic", "openai", "httpx2", "rich", "prompt_toolkit"}


@pytest.mark.parametrize("args", [["--help"], ["--version"], ["memory", "list"]], ids=str)
def test_quick_commands_import_no_sdk_and_no_terminal_library(
    args: list[str], program: MakeProgram
) -> None:
    run = finished(program(None, PYTHONPROFILEIMPORTTIME="1").run(*args))
    imported = set(re.findall(r"\| +([a-z_0-9]+)$", run.stderr, re.MULTILINE))
    assert "catmem" in imported
    assert imported & HEAVY == set()


def test_help_and_version(program: MakeProgram) -> None:
    catmem = program(None)
    assert finished(catmem.run("--version")).stdout == f"catmem {__version__}\n"
    shown = finished(catmem.run("--help")).stdout
    for word in ("-p", "--output-format", "--permission-mode", "memory", "CATMEM_HOME", "130"):
        assert word in shown
    chinese = finished(program(None, LANG="zh_CN.UTF-8").run("--help")).stdout
    assert "环境变量" in chinese
    of_one = finished(catmem.run("memory", "show", "--help")).stdout
    assert of_one == finished(catmem.run("memory", "--help")).stdout


@pytest.mark.parametrize("key", ["cli.help", "cli.memory.help", "cli.trust.help"])
def test_no_line_of_help_is_wider_than_a_usual_terminal(key: str) -> None:
    wide = [line for text in CATALOGUE[key] for line in text.splitlines() if cells(line) > 80]
    assert wide == []


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--foo"], "无法识别：--foo；用法见 `catmem --help`"),
        (["-p"], "-p/--prompt 需要一个值；用法见 `catmem --help`"),
        (["memory", "show"], "缺少：name；用法见 `catmem memory show --help`"),
        (
            ["memory", "move", "x", "y"],
            "scope：“y”不是以下之一：user, project；用法见 `catmem memory move --help`",
        ),
    ],
    ids=str,
)
def test_wrong_usage_in_chinese(args: list[str], said: str, program: MakeProgram) -> None:
    run = finished(program(None, CATMEM_UI_LANGUAGE="zh").run(*args), 2)
    assert run.stderr == f"catmem: {said}\n"


@pytest.mark.parametrize(
    ("args", "word"),
    [
        (["--nonsense"], "--nonsense"),
        (["-p"], "-p"),
        (["--output-format", "json"], "-p PROMPT"),
        (["-p", "x", "--output-format", "xml"], "xml"),
        (["-p", "x", "--permission-mode", "yolo"], "yolo"),
        (["-p", "x", "--provider", "claude"], "claude"),
        (["memory", "lst"], "lst"),
        (["memory", "add", "--type", "wish", "x"], "wish"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(
    args: list[str], word: str, program: MakeProgram
) -> None:
    run = finished(program(None).run(*args), 2)
    assert word in one_line(run.stderr)


def test_memory_commands_for_scripts(program: MakeProgram) -> None:
    catmem = program(None)
    assert json.loads(finished(catmem.run("memory", "list", "--json")).stdout) == []
    finished(catmem.run("memory", "add", "--name", "editor", "--type", "user", "edits with vim"))
    build = ("memory", "add", "--name", "build", "--type", "project")
    finished(catmem.run(*build, "run make all"))
    assert "build" in one_line(finished(catmem.run(*build, "run make"), 1).stderr)
    finished(catmem.run(*build, "--replace", "run make"))
    rows = json.loads(finished(catmem.run("memory", "list", "--json")).stdout)
    assert {(row["name"], row["scope"], row["type"], row["description"]) for row in rows} == {
        ("editor", "user", "user", "edits with vim"),
        ("build", "project", "project", "run make"),
    }
    shown = json.loads(finished(catmem.run("memory", "show", "build", "--json")).stdout)
    assert (shown["name"], shown["content"]) == ("build", "run make")
    unknown = finished(catmem.run("memory", "show", "buidl"), 1)
    assert "build" in one_line(unknown.stderr)

    # without a terminal and without --yes nothing is cleared
    refused = catmem.run("memory", "clear")
    assert refused.code != 0
    assert "build.md" in files(catmem.workspace / ".catmem" / "memory")
    finished(catmem.run("memory", "clear", "--yes"))
    assert json.loads(finished(catmem.run("memory", "list", "--json")).stdout) == []
    archived = files(catmem.catmem_home / "state") | files(catmem.workspace / ".catmem" / "state")
    assert [text for text in archived.values() if "edits with vim" in text]


@pytest.mark.parametrize(("language", "forget"), [("en", "forget what"), ("zh", "永久忘记")])
def test_help_in_the_session_has_a_line_for_each_command(
    language: str, forget: str, program: MakeProgram, model: StartModel
) -> None:
    catmem = program(model(), CATMEM_UI_LANGUAGE=language)
    lines = finished(catmem.run(stdin="/help\n")).stdout.splitlines()
    usages = [line.split("  ")[1] for line in lines if line.startswith("  /")]
    assert usages[:2] == ["/memory", "/memory list"]
    assert "/memory move NAME user|project" in usages
    assert usages[-6:-4] == ["/remember TEXT", "/help"]
    assert len(set(usages)) == len(usages)
    assert max(map(cells, lines)) <= 90
    assert any(forget in line for line in lines)


def test_the_three_output_formats(model: StartModel, program: MakeProgram) -> None:
    call = Reply("Looking.", tool_calls=[("read_file", {"path": "a.txt"})])
    server = model(*[call, Reply("Done.")] * 3)
    catmem = program(server, **NO_PIPELINE)
    (catmem.workspace / "a.txt").write_text("text of a\n")
    run = finished(catmem.run("-p", "go"))
    assert run.stdout.endswith("Done.\n")
    assert "read_file" in run.stderr  # progress
    whole = json.loads(finished(catmem.run("-p", "go", "--output-format", "json")).stdout)
    assert "Done." in str(whole)
    stream = finished(catmem.run("-p", "go", "--output-format", "stream-json")).stdout
    events = [json.loads(line) for line in stream.splitlines()]
    assert len(events) > 3
    assert "read_file" in stream
    assert [event for event in events if "done" in event.values()]


def test_a_closed_pipe_ends_quietly(model: StartModel, program: MakeProgram) -> None:
    server = model(Reply("word " * 20_000, chunk=50_000))
    process = program(server, **NO_PIPELINE).start("-p", "hi")
    assert process.stdout is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.wait(timeout=15) in {0, 1}
    assert process.stderr is not None
    assert b"Traceback" not in process.stderr.read()
    assert b"BrokenPipe" not in process.stderr.read()


def test_a_workspace_with_modules_of_the_same_names_shadows_nothing(
    model: StartModel, program: MakeProgram
) -> None:
    catmem = program(model(Reply("hello")), **NO_PIPELINE)
    for name in ("json", "asyncio", "openai", "catmem"):
        (catmem.workspace / f"{name}.py").write_text("raise SystemExit('shadowed')\n")
    assert finished(catmem.run("-p", "hi")).stdout == "hello\n"


def test_extract_learns_from_a_session_that_did_not(
    model: StartModel, program: MakeProgram
) -> None:
    server = model(Reply("ok"))
    finished(program(server, **NO_PIPELINE).run("-p", "I write my notes in org-mode"))
    catmem = program(server)
    server.script.append(
        Reply.of_json(
            {
                "candidates": [
                    {
                        "evidence": [{"seq": 1, "quote": "I write my notes in org-mode"}],
                        "type": "user",
                        "scope": "user",
                        "name": "notes-in-org",
                        "description": "Notes are in org-mode",
                        "content": "The user writes notes in org-mode.",
                    }
                ],
                "episode": None,
            }
        )
    )
    run = finished(catmem.run("memory", "extract"))
    assert "notes-in-org" in run.stdout + run.stderr
    assert set(files(catmem.catmem_home / "memory")) == {"MEMORY.md", "notes-in-org.md"}
    finished(catmem.run("memory", "extract"))  # nothing left: no request
    assert len(server.requests) == 2
    assert len(list(records(catmem))) == 3
