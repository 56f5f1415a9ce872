from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from catmem.errors import MissingKeyError
from catmem.memory.commands import adding, clearing, learning, listing
from catmem.memory.commands.adding import Addition
from catmem.memory.commands.printing import Write
from catmem.memory.commands.slash import MemoryCommand, entry_commands
from catmem.memory.pipeline.report import Outcome, Report
from catmem.memory.store.entry import Scope
from catmem.memory.store.stores import Stores
from catmem.text import set_language
from tests.memory_store.asking import VIM, add, file_names, file_of, forgetting, names

BIN = {"name": "test-command", "description": "make [/test]", "type": "project"}


class Screen:
    """A console that answers every question the same way, and an `out` and `err` to write to."""

    def __init__(self, *, yes: bool = True) -> None:
        self.printed: list[str] = []
        self.errors: list[str] = []
        self.questions: list[str] = []
        self._yes = yes

    def write(self, text: str) -> None:
        self.printed.append(text)

    def err(self, text: str) -> None:
        self.errors.append(text)

    async def confirm(self, question: str) -> bool:
        self.questions.append(question)
        return self._yes

    async def run_program(self, command: Sequence[str]) -> int | None:
        return None

    @property
    def text(self) -> str:
        return "\n".join(self.printed)


Slash = Callable[..., MemoryCommand]


@pytest.fixture
def forgotten() -> list[str]:
    return []


@pytest.fixture
def slash(stores: Stores, forgotten: list[str]) -> MemoryCommand:
    async def learn(show: Write) -> Report:
        show("looking for facts")
        return Report(Outcome.SAVED, asked=True, candidates=1, added=("user-prefers-vim",))

    return MemoryCommand(
        learn, entry_commands(stores, forgetting(stores), lambda: forgotten.append("window"))
    )


async def say(slash: MemoryCommand, rest: str, *, yes: bool = True) -> Screen:
    screen = Screen(yes=yes)
    await slash.run(rest, screen)
    return screen


@pytest.mark.anyio
async def test_memory_learns_now_and_reports(slash: MemoryCommand) -> None:
    assert (await say(slash, "")).printed == [
        "looking for facts",
        "Memory: 1 added (user-prefers-vim), 0 updated, 0 skipped",
    ]


@pytest.mark.anyio
async def test_memory_without_a_model_says_why(stores: Stores) -> None:
    async def learn(_show: Write) -> Report:
        raise MissingKeyError("no key")

    assert (await say(MemoryCommand(learn, []), "")).text == "no key"


@pytest.mark.anyio
async def test_memory_list_shows_both_stores_literally(
    slash: MemoryCommand, stores: Stores
) -> None:
    assert (await say(slash, "list")).text == "no memories are stored yet"
    add(stores, **VIM)
    add(stores, **BIN, scope=Scope.PROJECT)

    assert (await say(slash, "list")).text == (
        "Project memory\n"
        "  test-command (project): make [/test]\n"
        "User memory\n"
        "  user-prefers-vim (user): The user's editor is vim"
    )


@pytest.mark.anyio
async def test_memory_list_names_a_bad_file_once(slash: MemoryCommand, user_dir: Path) -> None:
    (user_dir / "a.md").mkdir()
    first = await say(slash, "list")
    assert first.printed[0] == f"{user_dir}/a.md was skipped: it is not a regular file"
    assert (await say(slash, "list")).printed == ["no memories are stored yet"]


@pytest.mark.anyio
async def test_c02_memory_show_prints_all_fields_and_the_body_inert(
    slash: MemoryCommand, stores: Stores, user_dir: Path
) -> None:
    path = user_dir / "a.md"
    path.write_text(
        '---\nname: a\ndescription: "red \\e[31m"\ntype: user\nkeywords: [x, y]\n'
        "metadata:\n  createdAt: 2026-01-02\n---\n# [bold]\n\x1b[2J\x1b]0;t\x07\x9b1mx\n"
    )

    assert (await say(slash, "show A")).text == (
        "name: a\nscope: user\ntype: user\ndescription: red\ncreatedAt: 2026-01-02\n"
        f"updatedAt: \nkeywords: x, y\npath: {path}\n\n# [bold]\nx"
    )


@pytest.mark.anyio
async def test_memory_show_of_an_unknown_name_gives_the_near_ones(
    slash: MemoryCommand, stores: Stores
) -> None:
    add(stores, **VIM)
    assert (await say(slash, "show user-prefer-vim")).text == (
        "there is no memory called user-prefer-vim; similar: user-prefers-vim"
    )
    assert (await say(slash, "show ../../etc/passwd")).text == (
        "there is no memory called ../../etc/passwd"
    )
    assert (await say(slash, "show")).text.startswith("which memory?")


@pytest.mark.anyio
async def test_b24_clear_asks_with_the_numbers_and_archives(
    slash: MemoryCommand, stores: Stores, user_dir: Path, forgotten: list[str]
) -> None:
    add(stores, **VIM)
    add(stores, **BIN, scope=Scope.PROJECT)
    (user_dir / "notes.txt").write_text("mine")
    question = "Move everything to the archive (user memory: 1, project memory: 1)?"

    refused = await say(slash, "clear", yes=False)
    assert (refused.questions, refused.text) == ([question], "nothing was changed")
    assert len(stores.load_all()) == 2
    assert forgotten == []

    cleared = await say(slash, "clear")
    assert cleared.questions == [question]
    assert cleared.text.startswith("2 moved to the archive: ")
    assert stores.load_all() == []
    assert file_names(user_dir) == ["MEMORY.md", "notes.txt"]
    assert len(list((user_dir.parent / "state/archive/user-prefers-vim").iterdir())) == 1
    assert forgotten == ["window"]

    empty = await say(slash, "clear")
    assert (empty.questions, empty.text) == ([], "no memories are stored yet")


@pytest.mark.anyio
async def test_b24_what_another_session_changed_meanwhile_is_not_cleared(
    stores: Stores, user_dir: Path
) -> None:
    add(stores, "a")
    add(stores, "b")
    listed = stores.load_all()
    add(stores, "c")
    (user_dir / "b.md").write_text((user_dir / "b.md").read_text() + "edited\n")
    screen = Screen()

    code = clearing.clear_entries(stores, stores.apply, listed, screen.write, screen.err)

    assert code == 1
    assert names(stores.load_all()) == ["b", "c"]
    assert len(screen.errors) == 1


@pytest.mark.anyio
async def test_a_mistyped_subcommand_gets_a_suggestion(slash: MemoryCommand) -> None:
    assert (await say(slash, "lsit")).text == (
        "there is no /memory lsit; did you mean /memory list?"
    )
    assert (await say(slash, "zzz")).text == (
        "there is no /memory zzz; available: /memory, /memory list, /memory show, "
        "/memory search, /memory forget, /memory clear, /memory doctor"
    )


def test_completion_offers_subcommands_and_names(slash: MemoryCommand, stores: Stores) -> None:
    add(stores, **VIM)
    offered = list(slash.complete("l"))
    assert offered == ["list", "show", "search", "forget", "clear", "doctor"]
    assert list(slash.complete("show us")) == ["show user-prefers-vim"]
    file_of(stores, "user-prefers-vim").unlink()
    assert list(slash.complete("show us")) == ["show user-prefers-vim"]  # no key reads the disk


def test_list_json_has_the_keys_of_the_design(stores: Stores) -> None:
    add(stores, "描述", "中文 \u2028 line")
    entry = stores.get("描述")
    assert entry is not None
    screen = Screen()

    assert listing.list_entries(stores, screen.write, screen.err, as_json=True) == 0

    assert "中文" in screen.text
    assert json.loads(screen.text) == [
        {
            "name": "描述",
            "scope": "user",
            "type": "user",
            "description": "中文 line",
            "createdAt": entry.created_at,
            "updatedAt": entry.updated_at,
        }
    ]


def test_list_json_of_nothing_is_an_empty_list(stores: Stores) -> None:
    screen = Screen()
    assert listing.list_entries(stores, screen.write, screen.err, as_json=True) == 0
    assert screen.printed == ["[]"]


def test_list_of_a_store_that_cannot_be_read_is_exit_1_and_not_nothing(
    stores: Stores, user_dir: Path
) -> None:
    user_dir.rmdir()
    user_dir.write_text("a file in its place")
    screen = Screen()
    for _ in range(2):
        assert listing.list_entries(stores, screen.write, screen.err) == 1
    assert screen.printed == []
    assert screen.errors == [f"memories cannot be read from {user_dir}: Not a directory"]


def test_show_json_has_all_fields_and_the_exact_content(stores: Stores, user_dir: Path) -> None:
    body = "  code\n\n\x9b2J\u202e\n\n"
    (user_dir / "a.md").write_text(
        f"---\nname: a\ndescription: D\npinned: true\nmetadata:\n  type: feedback\n---\n{body}"
    )
    screen = Screen()

    assert listing.show_entry(stores, "A", screen.write, screen.err, as_json=True) == 0

    assert "\x9b" not in screen.text
    assert json.loads(screen.text) == {
        "name": "a",
        "scope": "user",
        "type": "feedback",
        "description": "D",
        "createdAt": "",
        "updatedAt": "",
        "pinned": "true",
        "path": str(user_dir / "a.md"),
        "content": body.removesuffix("\n"),  # the end of the file's last line is not its text
    }


def test_show_of_an_unknown_name_is_exit_1(stores: Stores) -> None:
    screen = Screen()
    add(stores, **VIM)
    assert listing.show_entry(stores, "vim", screen.write, screen.err, as_json=True) == 1
    assert screen.printed == []
    assert screen.errors == ["there is no memory called vim; similar: user-prefers-vim"]


def run_add(stores: Stores, text: str, **options: object) -> tuple[int, Screen]:
    screen = Screen()
    addition = Addition(text, **options)  # type: ignore[arg-type]  # any of its options
    return adding.add_entry(stores, addition, screen.write, screen.err), screen


def test_add_stores_a_text_under_a_name_of_its_own(stores: Stores) -> None:
    code, screen = run_add(stores, "Deploys run on Fridays.\nAsk Ann first.")

    assert (code, screen.text) == (0, "added deploys-run-on-fridays (user)")
    entry = stores.get("deploys-run-on-fridays")
    assert entry is not None
    assert (entry.description, entry.type, entry.scope, entry.content) == (
        "Deploys run on Fridays.",
        "user",
        Scope.USER,
        "Deploys run on Fridays.\nAsk Ann first.\n",
    )


@pytest.mark.parametrize(
    ("options", "kind", "scope"),
    [
        ({"type": "feedback"}, "feedback", Scope.USER),
        ({"type": "reference"}, "reference", Scope.PROJECT),
        ({"scope": "project"}, "project", Scope.PROJECT),
        ({"scope": "user", "type": "project"}, "project", Scope.USER),
    ],
)
def test_add_chooses_the_store_by_scope_and_type(
    stores: Stores, options: dict[str, str], kind: str, scope: Scope
) -> None:
    code, _ = run_add(stores, "A fact", **options)
    assert code == 0
    assert [(entry.type, entry.scope) for entry in stores.load_all()] == [(kind, scope)]


def test_add_under_an_existing_name_is_exit_1_unless_replaced(stores: Stores) -> None:
    run_add(stores, "One", name="fact")

    code, screen = run_add(stores, "Two", name="Fact")
    assert code == 1
    (error,) = screen.errors
    assert error.startswith("there is already a memory called fact; use --replace to ")
    code, screen = run_add(stores, "Two", name="Fact", replace=True)
    assert (code, screen.text) == (0, "updated fact (user)")
    code, screen = run_add(stores, "Two", name="Fact", replace=True)
    assert (code, screen.text) == (0, "the memory fact says this already")
    assert [entry.content for entry in stores.load_all()] == ["Two\n"]


def test_adding_one_text_twice_is_exit_1_and_one_entry(stores: Stores) -> None:
    assert run_add(stores, "The same fact")[0] == 0
    assert run_add(stores, "The same fact")[0] == 1
    assert len(stores.load_all()) == 1


@pytest.mark.parametrize("options", [{"name": "../x"}, {"name": "MEMORY"}, {"type": "opinion"}])
def test_a_bad_addition_is_exit_1_with_a_reason(stores: Stores, options: dict[str, str]) -> None:
    code, screen = run_add(stores, "A fact", **options)
    assert code == 1
    assert len(screen.errors) == 1
    assert run_add(stores, "  \n")[0] == 1
    assert run_add(stores, "the password is hunter2!x")[0] == 1
    assert stores.load_all() == []


@pytest.mark.anyio
async def test_extract_reports_each_session_and_its_exit_code() -> None:
    async def learn(*reports: Report) -> tuple[int, Screen]:
        screen = Screen()

        async def work(show: Write) -> list[Report]:
            show("stage")
            return list(reports)

        return await learning.extract(work, screen.write, screen.err), screen

    code, screen = await learn()
    assert (code, screen.text) == (0, "no session has anything left to learn from")
    code, screen = await learn(Report(Outcome.NOTHING, asked=True))
    assert (code, screen.text) == (0, "Memory: nothing worth remembering")
    assert screen.errors == ["stage"]
    assert (await learn(Report(Outcome.FAILED, detail="x")))[0] == 1
    assert (await learn(Report(Outcome.FAILED, detail="x", retryable=True)))[0] == 75


@pytest.mark.anyio
async def test_chinese_interface(slash: MemoryCommand, stores: Stores) -> None:
    add(stores, **VIM)
    set_language("zh")
    try:
        assert (await say(slash, "list")).text == (
            "用户记忆\n  user-prefers-vim (user): The user's editor is vim"
        )
        assert (await say(slash, "clear", yes=False)).questions == [
            "将全部记忆移到归档（用户记忆 1 条）？"
        ]
    finally:
        set_language("en")
