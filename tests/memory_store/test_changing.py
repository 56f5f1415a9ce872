"""``add`` and ``/remember`` as typed, ``move`` and ``pin``."""

from __future__ import annotations

from pathlib import Path

import pytest

from catmem.memory.commands.changing.moving import move_entry, pin_entry
from catmem.memory.commands.changing.slash import changing_commands, remember
from catmem.memory.commands.listing import list_entries
from catmem.memory.store.entry import Scope
from catmem.memory.store.ranking import rank
from catmem.memory.store.stores import Stores
from tests.memory_store.asking import TODAY, VIM, add, file_names, names, read
from tests.memory_store.test_memory_commands import Screen

OWN = "---\nmine: x # kept\nname: tabs\ndescription: Tabs\ntype: feedback\n---\n  Use tabs.\n\n"


async def say(stores: Stores, line: str, *, off: bool = False) -> Screen:
    """Type what follows /memory, also while it is switched off; return what was printed."""
    screen = Screen()
    word, _, rest = line.partition(" ")
    if word == "/remember":
        await remember(stores, lambda: off, rest, screen)
    else:
        commands = {one.name: one.run for one in changing_commands(stores, "", lambda: off)}
        await commands[word](rest, screen)
    return screen


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("line", "kind", "scope", "name"),
    [
        ("/remember I work from Berlin", "user", Scope.USER, "i-work-from-berlin"),
        ("/remember 不要写多余的注释", "feedback", Scope.USER, "不要写多余的注释"),
        ("add this project uses pnpm", "project", Scope.PROJECT, "this-project-uses-pnpm"),
        ("add 文档在 https://docs.example.org", "reference", Scope.PROJECT, None),
        ("add Deploys run on Fridays", "user", Scope.USER, "deploys-run-on-fridays"),
        ("add --scope project Deploys run on Fridays", "project", Scope.PROJECT, None),
        ("add --name deploy-day --type feedback On Fridays", "feedback", Scope.USER, "deploy-day"),
        ("add never deploy on Fridays --scope project", "feedback", Scope.PROJECT, None),
    ],
)
async def test_what_is_typed_is_stored_at_once_as_its_words_tell(
    stores: Stores, line: str, kind: str, scope: Scope, name: str | None
) -> None:
    screen = await say(stores, line)

    (entry,) = stores.load_all()
    assert screen.printed == [f"added {entry.name} ({scope})"]
    assert (entry.type, entry.scope, entry.importance) == (kind, scope, 0.9)
    assert name in {None, entry.name}
    assert "--" not in entry.content


@pytest.mark.anyio
async def test_the_text_is_stored_as_it_was_typed(stores: Stores, user_dir: Path) -> None:
    await say(stores, "/remember  run docker  with --name web --rm")

    (entry,) = stores.load_all()
    assert (user_dir / f"{entry.name}.md").read_text() == (
        "---\nname: run-docker-with-name-web-rm\n"
        "description: run docker with --name web --rm\nmetadata:\n  type: feedback\n"
        f"  createdAt: {TODAY}\n  updatedAt: {TODAY}\n  importance: 0.9\n---\n"
        "run docker  with --name web --rm\n"
    )


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("/remember", "remember what? "),
        ("add --type opinion x", "--type does not fit here; "),
        ("add --force x", "--force does not fit here; "),
        ("add --name", "--name does not fit here; "),
        ("/remember the password is hunter2!x", "the text holds a secret (password)"),
        ("add --name ../x y", "“../x” cannot be a memory's name"),
        ("edit", "which memory? /memory edit NAME"),
        ("edit x", "no editor is set; "),
        ("move x", "which memory? /memory move NAME user|project"),
        ("pin", "which memory? /memory pin NAME"),
        ("unpin", "which memory? /memory unpin NAME"),
    ],
)
async def test_what_cannot_be_done_is_said(stores: Stores, line: str, sentence: str) -> None:
    (printed,) = (await say(stores, line)).printed
    assert printed.startswith(sentence)
    assert stores.load_all() == []


@pytest.mark.anyio
async def test_the_same_words_twice_are_one_entry(stores: Stores) -> None:
    await say(stores, "/remember I work from Berlin")
    again = await say(stores, "add I work from Berlin")
    assert again.printed == ["the memory i-work-from-berlin says this already"]
    assert names(stores.load_all()) == ["i-work-from-berlin"]


@pytest.mark.anyio
async def test_a_move_takes_the_file_as_it_is_and_back(
    stores: Stores, user_dir: Path, project_dir: Path
) -> None:
    (user_dir / "tabs.md").write_text(OWN)

    assert (await say(stores, "move Tabs project")).printed == ["moved tabs to the project memory"]
    assert (project_dir / "tabs.md").read_text() == OWN
    assert file_names(user_dir) == []
    assert "[tabs](tabs.md) — Tabs" in (project_dir / "MEMORY.md").read_text()
    assert (await say(stores, "move tabs project")).printed == [
        "tabs is in the project memory already"
    ]
    await say(stores, "move tabs user")
    assert (user_dir / "tabs.md").read_text() == OWN


def moved(stores: Stores, name: str, scope: str) -> tuple[int, Screen]:
    screen = Screen()
    return move_entry(stores, name, scope, screen.write, screen.err), screen


def test_a_move_overwrites_nothing_and_says_what_is_wrong(
    stores: Stores, user_dir: Path, project_dir: Path
) -> None:
    add(stores, "one", scope=Scope.PROJECT)
    (user_dir / "one.md").write_text("---\nname: one\ndescription: U\ntype: user\n---\nmine\n")

    code, screen = moved(stores, "one", "project")
    assert (code, screen.errors) == (1, ["there is already a memory called one"])
    assert (user_dir / "one.md").read_text().endswith("mine\n")
    code, screen = moved(stores, "one", "nowhere")
    assert (code, screen.errors) == (
        1,
        ["a memory can be moved to user or project, not to “nowhere”"],
    )
    code, screen = moved(stores, "on", "user")
    assert (code, screen.errors) == (1, ["there is no memory called on; similar: one"])


def test_without_a_project_nothing_moves_there(stores: Stores) -> None:
    alone = Stores(stores.user, None, stores.journal)
    add(alone, "one")

    code, screen = moved(alone, "one", "project")

    assert (code, screen.errors) == (
        1,
        ["there is no project memory here; start catmem in a project's directory"],
    )
    assert names(alone.load_all()) == ["one"]


@pytest.mark.anyio
async def test_a_pin_puts_an_entry_first_and_is_taken_back(stores: Stores, user_dir: Path) -> None:
    (user_dir / "tabs.md").write_text(OWN)
    add(stores, **VIM)

    assert (await say(stores, f"pin {VIM['name']}")).printed == ["user-prefers-vim is pinned"]

    text = (user_dir / "user-prefers-vim.md").read_text()
    assert text.count("  pinned: true\n") == 1
    assert names(rank(stores.load_all())) == ["user-prefers-vim", "tabs"]
    await say(stores, "pin user-prefers-vim")
    assert (user_dir / "user-prefers-vim.md").read_text() == text
    assert (await say(stores, "unpin user-prefers-vim")).printed == [
        "user-prefers-vim is no longer pinned"
    ]
    assert (await say(stores, "unpin user-prefers-vim")).printed == [
        "user-prefers-vim is not pinned"
    ]
    assert (user_dir / "user-prefers-vim.md").read_text() == text.replace(
        "pinned: true", "pinned: false"
    )
    assert names(rank(stores.load_all())) == ["tabs", "user-prefers-vim"]


def test_a_file_that_was_not_understood_is_not_pinned(stores: Stores, user_dir: Path) -> None:
    path = user_dir / "x.md"
    path.write_text("---\nname: x\ndescription: D\n  bad: [\n---\nBody\n")
    screen = Screen()

    assert pin_entry(stores, "x", screen.write, screen.err, pinned=True) == 1

    assert screen.errors == [
        f"{path} could not be read fully, so it is not changed; repair it by hand first"
    ]
    assert pin_entry(stores, "y", screen.write, screen.err, pinned=True) == 1
    assert screen.errors[1:] == ["there is no memory called y"]


def test_names_are_completed_with_where_they_can_go(stores: Stores) -> None:
    add(stores, **VIM)
    add(stores, "deploy-day", scope=Scope.PROJECT, optional={"pinned": True})
    complete = {one.name: one.complete for one in changing_commands(stores, "", lambda: False)}

    both = ["deploy-day", "user-prefers-vim"]
    assert (complete["edit"](""), complete["pin"]("d"), complete["move"]("u")) == (both,) * 3
    assert complete["move"]("deploy-day ") == ["deploy-day user", "user-prefers-vim project"]
    assert complete["unpin"]("") == ["deploy-day"]
    assert read(stores, "deploy-day").pinned


@pytest.mark.anyio
@pytest.mark.parametrize("line", ["/remember I like tea", "add I like tea"])
async def test_nothing_is_added_while_memory_is_off(stores: Stores, line: str) -> None:
    assert (await say(stores, line, off=True)).printed == [
        "memory is off for this session; /memory on switches it on again"
    ]
    assert stores.load_all() == []


@pytest.mark.anyio
async def test_the_list_says_what_is_pinned(stores: Stores) -> None:
    add(stores, **VIM)
    await say(stores, "pin user-prefers-vim")
    lines: list[str] = []
    list_entries(stores, lines.append, lines.append)
    assert lines == ["User memory\n  user-prefers-vim (user, pinned): The user's editor is vim"]
