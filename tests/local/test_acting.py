from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from catmem.messages import (
    Message,
    ModelRequest,
    Role,
    ToolCallPart,
    ToolResultPart,
    ToolSpec,
    user_message,
)
from catmem.providers.local.acting.form import Acting
from catmem.tools.search import grep

TOOLS = tuple(
    ToolSpec(name, "", {})
    for name in ("read_file", "write_file", "edit_file", "grep", "bash", "memory_write")
)


@pytest.fixture
def project(workspace: Path) -> Path:
    (workspace / "tests").mkdir()
    (workspace / "app.py").write_text("from calc import half\n\nprint(half(4))\n")
    (workspace / "calc.py").write_text("def half(x):\n    return x / 4\n")
    (workspace / "tests/test_calc.py").write_text("from calc import half\n")
    return workspace


def step(tool: str, arguments: dict[str, Any], text: str, status: str = "ok") -> list[Message]:
    subject = str(arguments.get("path") or arguments.get("command") or "")
    return [
        Message(Role.ASSISTANT, (ToolCallPart("c1", tool, arguments),)),
        Message(Role.TOOL, (ToolResultPart("c1", tool, text, status, subject),)),
    ]


def request(*messages: Message, system: tuple[str, ...] = ("base prompt",)) -> ModelRequest:
    numbered = tuple(replace(m, seq=number) for number, m in enumerate(messages, 1))
    return ModelRequest(system, numbered, TOOLS)


def texts(acting: Acting, asked: ModelRequest) -> list[str]:
    return [message.text for message in acting.constrain(asked).request.messages]


def rule(acting: Acting, asked: ModelRequest, name: str = "root") -> str:
    lines = acting.constrain(asked).grammar.splitlines()
    return next((line for line in lines if line.startswith(f"{name} ::=")), "")


READ = step("read_file", {"path": "calc.py"}, "1\tdef half(x):\n2\t    return x / 4")
MISSED = step("edit_file", {"path": "calc.py", "edits": []}, "old_text does not occur", "error")


def test_a_request_carries_the_files_and_results_read_as_in_the_examples(project: Path) -> None:
    asked = request(user_message("halve it"), *READ)

    assert texts(Acting(project), asked)[-3:] == [
        "(Project files: app.py, calc.py, tests/test_calc.py)\nhalve it",
        '{"action": "read", "path": "calc.py"}',
        "Result of read calc.py (2 lines):\ndef half(x):\n    return x / 4",
    ]


def test_what_was_sent_is_never_changed_by_what_follows(project: Path) -> None:
    acting = Acting(project)
    first = texts(acting, request(user_message("halve it")))
    (project / "new.py").write_text("")
    answered = Message(Role.ASSISTANT, user_message("done").parts)

    later = texts(acting, request(user_message("halve it"), *READ, answered, user_message("more")))

    assert later[: len(first)] == first
    assert later[-1] == "(Project files: app.py, calc.py, new.py, tests/test_calc.py)\nmore"


def test_the_memory_index_follows_the_examples_as_plain_facts(project: Path) -> None:
    index = "# Persistent Memory\n\n## User Memory\n- user-vim (user): The user edits with vim."
    asked = request(user_message("hi"), system=("base prompt", index))

    assert texts(Acting(project), asked)[-3:-1] == [
        "From earlier sessions I know:\n- The user edits with vim.",
        '{"action": "answer", "text": "OK."}',
    ]
    fixed = [message.text for message in Acting(project).fixed_part(asked.system).messages]
    assert fixed == texts(Acting(project), asked)[:-1]


def test_only_lines_of_files_that_were_read_can_be_edited(project: Path) -> None:
    acting = Acting(project)

    assert "edit" not in rule(acting, request(user_message("halve it")))
    assert "| edit-0 |" in rule(acting, request(user_message("halve it"), *READ))
    assert rule(acting, request(user_message("halve it"), *READ), "line-0-1") == (
        'line-0-1 ::= "    return x / 4"'
    )


def test_a_repair_spares_the_tests(project: Path) -> None:
    read_test = step("read_file", {"path": "tests/test_calc.py"}, "1\tfrom calc import half")
    acting = Acting(project)

    assert "edit" not in rule(acting, request(user_message("fix the failing test"), *read_test))
    assert "edit" in rule(acting, request(user_message("sort the imports"), *read_test))


def test_after_an_error_it_must_try_again_once(project: Path) -> None:
    acting = Acting(project)
    once = request(user_message("halve it"), *READ, *MISSED)
    twice = request(user_message("halve it"), *READ, *MISSED, *MISSED)

    assert "answer" not in rule(acting, once)
    assert "answer" in rule(acting, twice)


def test_a_search_without_a_match_is_no_end(project: Path) -> None:
    acting = Acting(project)
    asked = user_message("Change the port of the server to 4000.")
    in_vain = step("grep", {"pattern": "port of the server"}, grep.NO_MATCHES)

    once = rule(acting, request(asked, *in_vain))
    assert "answer" not in once
    assert "search" not in once
    assert "read" in once
    assert "answer" in rule(acting, request(asked, *in_vain, *READ))


def test_without_tool_calls_only_an_answer_is_left(project: Path) -> None:
    asked = replace(request(user_message("halve it")), tool_choice_none=True)

    assert rule(Acting(project), asked) == "root ::= answer"


def test_a_chinese_request_gets_a_chinese_answer(project: Path) -> None:
    acting = Acting(project)

    assert " chinese " in rule(acting, request(user_message("有哪些函数？")), "answer")
    assert " string " in rule(acting, request(user_message("which functions?")), "answer")


def test_small_files_that_a_request_names_are_read_first(project: Path) -> None:
    acting = Acting(project)

    def reads(text: str) -> list[Any]:
        return [c.arguments["path"] for c in acting.obvious(request(user_message(text)))]

    assert reads("explain calc.py") == ["calc.py"]
    assert reads("test_calc.py fails, fix calc.py") == ["calc.py"]
    assert reads("delete app.py") == []
    assert reads("hello") == []


def test_a_repair_goes_on_until_the_command_that_failed_passes(project: Path) -> None:
    acting, asked = Acting(project), user_message("calc is wrong, fix it")
    ran = step("bash", {"command": "pytest -q"}, "1 failed\n[exit status 1]", "error")
    changed = step(
        "edit_file", {"path": "calc.py", "edits": [{"old_text": "a"}]}, "Changed 1 place"
    )
    passed = step("bash", {"command": "pytest -q"}, "1 passed\n[exit status 0]")

    assert "answer" not in rule(acting, request(asked, *ran))
    assert "answer" not in rule(acting, request(asked, *ran, *READ))
    again = acting.obvious(request(asked, *ran, *READ, *changed))
    assert [dict(call.arguments) for call in again] == [{"command": "pytest -q"}]
    assert "answer" not in rule(acting, request(asked, *ran, *READ, *changed, *ran))
    assert "answer" in rule(acting, request(asked, *ran, *READ, *changed, *passed))


def test_who_asks_how_to_do_something_is_told_and_nothing_is_done(project: Path) -> None:
    acting = Acting(project)

    assert rule(acting, request(user_message("How do I undo a commit?"))) == "root ::= answer"
    about_it = rule(acting, request(user_message("How do I run the tests here?")))
    assert about_it == "root ::= read | search | answer"


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("List the files in this project.", "root ::= run | answer"),
        ("这个项目有哪些文件？", "root ::= run | answer"),
        (
            "List the files that use half.",
            "root ::= read | search | append | write | run | remember",
        ),
    ],
)
def test_which_files_there_are_stands_before_the_request(
    project: Path, asked: str, expected: str
) -> None:
    assert rule(Acting(project), request(user_message(asked))).startswith(expected)


def test_actions_become_calls_of_the_usual_tools(project: Path) -> None:
    acting, asked = Acting(project), request(user_message("halve it"), *READ)

    def calls(**action: str) -> list[tuple[str, Any]]:
        return [(c.name, dict(c.arguments)) for c in acting.calls_of(asked, action) or []]

    assert calls(action="search", text="a.b(c)") == [("grep", {"pattern": r"a\.b\(c\)"})]
    assert calls(action="search", text="app.py") == [("read_file", {"path": "app.py"})]
    assert calls(action="append", path="calc.py", text="x") == [
        ("write_file", {"path": "calc.py", "content": "x", "append": True})
    ]
    assert calls(action="write", path="app.py", content="x") == [("read_file", {"path": "app.py"})]
    assert calls(action="edit", path="calc.py", old="a", new="b") == [
        ("edit_file", {"path": "calc.py", "edits": [{"old_text": "a", "new_text": "b"}]})
    ]
    assert calls(action="remember", fact="We use uv.") == [
        ("memory_write", {"type": "project", "description": "We use uv.", "content": "We use uv."})
    ]


def test_a_rename_changes_the_whole_word_in_every_file(project: Path) -> None:
    (project / "calc.py").write_text("def half(x):\n    return x / 4\n\n\nhalfway = half\n")
    asked = request(user_message("rename half to halve"))

    calls = Acting(project).calls_of(asked, {"action": "rename", "old": "half", "new": "halve"})

    edits = {
        c.arguments["path"]: c.arguments["edits"] for c in calls or [] if "edits" in c.arguments
    }
    assert [edit["new_text"] for edit in edits["calc.py"]] == ["def halve(x):", "halfway = halve"]
    assert sorted(edits) == ["app.py", "calc.py", "tests/test_calc.py"]


@pytest.mark.parametrize(
    ("said", "fact", "kept"),
    [
        ("记住：提交信息用英文写", "Use English.", "提交信息用英文写"),
        (
            "By the way, I prefer tabs and use helix as my editor. Now run it.",
            "Helix is an editor that uses tabs instead of spaces.",
            "I prefer tabs and use helix as my editor.",
        ),
        (
            "Please remember that we deploy with `make ship`.",
            "Deploy: make ship",
            "we deploy with `make ship`.",
        ),
        (
            "Fix app.py. 我们发布前都要先跑 make lint",
            "发布前运行 make lint 检查",
            "我们发布前都要先跑 make lint",
        ),
        ("remember it", "The port is 8080.", "The port is 8080."),
        ("See v1.2.3 of lib.core.", "Uses lib.core v1.2.3", "See v1.2.3 of lib.core."),
    ],
)
def test_a_fact_is_kept_in_the_persons_words(
    said: str, fact: str, kept: str, project: Path
) -> None:
    calls = Acting(project).calls_of(
        request(user_message(said)), {"action": "remember", "fact": fact}
    )

    assert [dict(c.arguments)["content"] for c in calls or []] == [kept]


def test_an_action_that_brings_nothing_new_is_refused(project: Path) -> None:
    acting, read = Acting(project), {"action": "read", "path": "calc.py"}
    changed = step(
        "edit_file", {"path": "calc.py", "edits": [{"old_text": "a"}]}, "Changed 1 place"
    )

    assert acting.calls_of(request(user_message("halve it"), *READ), read) is None
    assert acting.calls_of(request(user_message("halve it"), *READ, *changed), read) is not None


def test_a_call_of_another_model_keeps_a_form_that_can_be_read(project: Path) -> None:
    asked = request(user_message("list"), *step("glob", {"pattern": "*"}, "app.py"))

    action = json.loads(texts(Acting(project), asked)[-2])

    assert action == {"action": "glob", "arguments": '{"pattern": "*"}'}
