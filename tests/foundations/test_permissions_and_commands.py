from __future__ import annotations

import pytest

from catmem.commands import Command, Commands, Console, Invocation, Mistyped
from catmem.events import Action, ActionKind
from catmem.permissions import Decision, Grants, PermissionMode, Verdict, decide
from catmem.text import set_language

KINDS = (ActionKind.READ, ActionKind.WRITE, ActionKind.EXECUTE, ActionKind.MEMORY)


def verdicts(mode: PermissionMode, *outside: str) -> list[str]:
    return [
        str(decide(mode, Action("t", kind, "s", outside=outside), Grants()).verdict)
        for kind in KINDS
    ]


@pytest.mark.parametrize(
    ("mode", "inside", "outside"),
    [
        (PermissionMode.ASK, ["allow", "ask", "ask", "ask"], ["ask"] * 4),
        (PermissionMode.ACCEPT_EDITS, ["allow", "allow", "ask", "ask"], ["ask"] * 4),
        (PermissionMode.PLAN, ["allow", "deny", "deny", "deny"], ["ask", "deny", "deny", "deny"]),
        (PermissionMode.AUTO, ["allow"] * 4, ["ask"] * 4),
    ],
)
def test_modes_decide_read_write_execute_memory(
    mode: PermissionMode, inside: list[str], outside: list[str]
) -> None:
    assert verdicts(mode) == inside
    assert verdicts(mode, "/etc/passwd") == outside


def test_a_session_grant_covers_only_its_own_key_and_never_plan_mode() -> None:
    grants = Grants()
    action = Action("bash", ActionKind.EXECUTE, "make test", session_key="bash:make test")
    grants.add(action)
    other = Action("bash", ActionKind.EXECUTE, "make ship", session_key="bash:make ship")
    assert decide(PermissionMode.ASK, action, grants).verdict is Verdict.ALLOW
    assert decide(PermissionMode.ASK, other, grants).verdict is Verdict.ASK
    assert decide(PermissionMode.PLAN, action, grants).verdict is Verdict.DENY


def test_forgetting_is_decided_like_other_changes() -> None:
    action = Action("memory_write", ActionKind.FORGET, "vim")
    found = {mode: decide(mode, action, Grants()).verdict for mode in PermissionMode}
    assert found == {
        PermissionMode.ASK: Verdict.ASK,
        PermissionMode.ACCEPT_EDITS: Verdict.ASK,
        PermissionMode.PLAN: Verdict.DENY,
        PermissionMode.AUTO: Verdict.ALLOW,
    }


def test_what_needs_a_person_is_never_decided_without_one() -> None:
    action = Action(
        "memory_write", ActionKind.MEMORY, "vim", session_key="memory", needs_person="who said so?"
    )
    grants = Grants({"memory"})
    found = {mode: decide(mode, action, grants) for mode in PermissionMode}
    assert [found[mode].verdict for mode in (PermissionMode.ASK, PermissionMode.ACCEPT_EDITS)] == [
        Verdict.ASK,
        Verdict.ASK,
    ]
    assert found[PermissionMode.PLAN].reason.startswith("Refused: plan mode")
    assert found[PermissionMode.AUTO] == Decision(Verdict.DENY, "who said so?")


async def _nothing(_rest: str, _console: Console) -> None:
    return None


@pytest.fixture
def commands() -> Commands:
    set_language("en")
    known = Commands()
    known.add(*(Command(name, "", "cli.help", _nothing) for name in ("help", "memory", "exit")))
    return known


@pytest.mark.parametrize(
    ("line", "name", "rest"),
    [
        ("/memory list", "memory", "list"),
        ("/MEMORY LIST", "memory", "LIST"),
        ("/ memory", "memory", ""),
        ("/help", "help", ""),
        ("  /memory show a b ", "memory", "show a b"),
    ],
)
def test_c10_commands_are_recognised(commands: Commands, line: str, name: str, rest: str) -> None:
    parsed = commands.parse(line)
    assert isinstance(parsed, Invocation)
    assert (parsed.command.name, parsed.rest) == (name, rest)


def test_c10_a_mistyped_command_is_caught_with_a_suggestion(commands: Commands) -> None:
    assert commands.parse("/memroy list") == Mistyped(
        "there is no command /memroy; did you mean /memory?"
    )
    assert commands.parse("/zzz") == Mistyped(
        "there is no command /zzz; available: /help, /memory, /exit"
    )
    assert isinstance(commands.parse("/"), Mistyped)


@pytest.mark.parametrize(
    "line", ["/etc/hosts is empty, why?", "/usr/bin/env fails", "hello /memory", "/tmp/a.py", "//"]
)
def test_a_message_that_begins_with_a_path_is_a_message(commands: Commands, line: str) -> None:
    assert commands.parse(line) is None
