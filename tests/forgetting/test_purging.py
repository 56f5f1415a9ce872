"""Forgetting without a trace: nothing under CATMEM_HOME or the project holds a byte of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from catmem import storage
from catmem.memory.pipeline.forgetting.forgetter import Forgetter
from catmem.memory.store.entry import Entry, Scope
from catmem.memory.store.operations import Action, Operation
from catmem.memory.store.stores import Stores
from catmem.paths import Paths
from catmem.sessions import lock_path, read_transcript
from catmem.text import t
from tests.forgetting.asking import store
from tests.forgetting.living import Living, router, scripted, yes
from tests.support.model_server import ModelServer
from tests.support.pipeline import PipelineRouter, candidate
from tests.support.program import MakeProgram
from tests.support.reply import Reply

PET = Entry("pet", "The user's cat is called Mimsy", "user", "Mimsy is a grey cat, born in 2019.")
OTHER = Entry("shell", "The user's shell is fish", "user", "fish, with vi keys.")
TRACES = ("mimsy", "grey cat")
SAY = "remember that my cat is called Mimsy, she is a grey cat"


def holding(paths: Paths, *words: str) -> set[str]:
    """The files below CATMEM_HOME and the project's store that hold one of these words."""
    assert paths.memory_root is not None
    roots = (paths.home, paths.memory_root / ".catmem")
    found = {path for root in roots for path in root.rglob("*") if path.is_file()}
    return {
        path.name
        for path in found
        if any(
            word in f"{path}\n{path.read_bytes().decode('utf-8', 'replace')}".casefold()
            for word in words
        )
    }


async def a_session_about_it(living: Callable[..., Living]) -> Living:
    """Said, saved by the tool, read back, talked about, learned once more with an episode."""
    one = living()
    one.person.answers = [yes()]
    arguments = {
        "name": PET.name,
        "type": "user",
        "description": PET.description,
        "content": PET.content,
    }
    scripted(
        one,
        Reply(tool_calls=[("memory_write", arguments)]),
        Reply("Saved: Mimsy the cat."),
        Reply(tool_calls=[("memory_read", {"name": "pet"})]),
        Reply("She was born in 2019. The tests pass."),
    )
    await one.say(SAY)
    await one.say("how old is she? And run the tests.")
    router(one).learn(
        candidate("tests-pass", "Tests pass since today", quote="run the tests", type="project"),
        episode="Talked about Mimsy, a grey cat, and ran the tests.",
    )
    await one.close()
    return one


@pytest.mark.anyio
async def test_no_byte_is_left(living: Callable[..., Living], stores: Stores) -> None:
    old = await a_session_about_it(living)
    paths = old.place.paths
    entry = stores.get("pet")
    assert entry is not None
    changed = replace(entry, content="Mimsy is a grey cat and likes fish.")
    stores.apply([Operation(Action.UPDATE, changed, name="pet"), Operation(Action.ADD, OTHER)])
    storage.append_line(paths.prompt_history, f"\n+{SAY}\n\n+what is next?")
    storage.append_line(paths.log_file, "2026-03-05T10:00:00 1 info left alone: pet and mimsy")
    assert len(holding(paths, *TRACES)) >= 6
    standing = json.loads(paths.journal.read_text("utf-8").splitlines()[-1])

    one = living()
    shown = await one.command("/memory forget --purge pet")
    await one.close(learn=False)

    assert one.person.questions == [
        "Forget pet and remove every trace, old versions too? This cannot be undone.",
        "Replace its text in these transcripts (1) by a marker? This cannot be undone.",
    ]
    assert str(old.transcript) in shown
    assert holding(paths, *TRACES) == set()
    assert [one.name for one in stores.load_all()] == ["shell", "tests-pass"]
    assert (stores.user.places.directory / "shell.md").read_text("utf-8").endswith("vi keys.\n")
    assert "+what is next?" in paths.prompt_history.read_text("utf-8")
    lines = [json.loads(line) for line in paths.journal.read_text("utf-8").splitlines()]
    kept = {(line.get("session"), line.get("seq"), line.get("outcome")) for line in lines}
    assert (old.transcript.stem, 8, "saved") in kept
    assert standing["v"] == lines[-1]["v"]
    transcript = read_transcript(old.transcript)
    assert (transcript.damaged, transcript.last_seq, len(transcript.messages)) == (0, 8, 8)
    assert "The tests pass." in transcript.messages[-1].text
    assert "And run the tests." in transcript.messages[4].text


@pytest.mark.anyio
async def test_there_is_no_way_back_from_a_purge(
    living: Callable[..., Living], stores: Stores, paths: Paths
) -> None:
    store(stores, OTHER)
    store(stores, PET)
    one = living()
    await one.command("/memory forget --purge pet")

    assert "shell" in await one.command("/memory undo")
    assert stores.load_all() == []
    assert (await one.command("/memory undo")) == t("memory.undo.none")
    assert holding(paths, *TRACES) == set()


@pytest.mark.anyio
async def test_a_purge_leaves_the_past_of_other_entries_whole(
    living: Callable[..., Living], stores: Stores, paths: Paths
) -> None:
    store(stores, OTHER)
    newer = replace(OTHER, content="fish, with emacs keys.")
    stores.apply([Operation(Action.UPDATE, newer, name="shell")])
    before = [one.what for one in stores.history("shell")]
    place = stores.user.places
    store(
        stores, replace(PET, content=f"Mimsy is in {paths.home} and {place.directory}, state too.")
    )
    one = living()
    await one.command("/memory forget --purge pet")

    assert [one.what for one in stores.history("shell")] == before == ["add", "update"]
    assert "shell" in await one.command("/memory undo")
    assert [one.content.strip() for one in stores.load_all()] == [OTHER.content]
    assert holding(paths, *TRACES) == set()


@pytest.mark.parametrize("linked", ["archive/pet", "archive", ""])
def test_a_purge_removes_nothing_but_old_versions(
    stores: Stores, paths: Paths, tmp_path: Path, linked: str
) -> None:
    """A repository may bring a state folder that links to the person's own files."""
    own = tmp_path / "own" / "archive" / "pet"
    own.mkdir(parents=True)
    (own / "taxes.md").write_text("mine")
    (own / "photo.jpg").write_text("mine")
    assert paths.project_state is not None
    link = paths.project_state / linked
    link.parent.mkdir(parents=True, exist_ok=True)
    targets = {"archive/pet": own, "archive": own.parent, "": own.parent.parent}
    link.symlink_to(targets[linked])
    store(stores, PET)
    forgetter = Forgetter(stores, paths)
    found = forgetter.find("pet")
    traces = forgetter.traces(found)
    forgetter.forget(found)

    assert forgetter.purge(traces).versions == 1
    assert sorted(path.name for path in own.iterdir()) == ["photo.jpg", "taxes.md"]


@pytest.mark.anyio
async def test_without_a_yes_transcripts_stay_and_are_named(
    living: Callable[..., Living], stores: Stores
) -> None:
    old = await a_session_about_it(living)
    before = old.transcript.read_bytes()
    one = living()
    one.person.declines = "transcripts"
    shown = await one.command("/memory forget --purge pet")

    assert old.transcript.read_bytes() == before
    assert str(old.transcript) in shown
    assert t("memory.purge.kept") in shown
    assert holding(one.place.paths, *TRACES) == {old.transcript.name}
    assert stores.get("pet") is None


@pytest.mark.anyio
async def test_the_transcript_of_a_session_that_is_open_elsewhere_is_left_alone(
    living: Callable[..., Living],
) -> None:
    old = await a_session_about_it(living)
    one = living()
    with storage.lock(lock_path(old.transcript), timeout=0):
        shown = await one.command("/memory forget --purge pet")
        assert t("memory.purge.busy", places=f"\n  {old.transcript}") in shown
    assert holding(one.place.paths, *TRACES) == {old.transcript.name}

    await one.command("/memory forget --purge pet")
    assert holding(one.place.paths, *TRACES) == {old.transcript.name}


@pytest.mark.anyio
async def test_the_own_transcript_is_redacted_and_the_session_goes_on(
    living: Callable[..., Living], stores: Stores
) -> None:
    store(stores, PET)
    one = living()
    scripted(one, Reply("a grey cat, she is"), Reply("yes"))
    await one.say("tell me about Mimsy the grey cat")
    await one.command("/memory forget --purge pet")
    assert holding(one.place.paths, *TRACES) == set()

    await one.say("go on")

    assert "Mimsy" in one.server.chats[-1].user_texts[0]  # said here, so it stays here
    assert read_transcript(one.transcript).last_seq == 4


@pytest.mark.anyio
@pytest.mark.parametrize("scope", list(Scope))
async def test_what_is_only_in_the_archive_can_be_purged_later(
    living: Callable[..., Living], stores: Stores, paths: Paths, scope: Scope
) -> None:
    store(stores, replace(PET, scope=scope))
    one = living()
    await one.command("/memory forget pet")
    assert holding(paths, *TRACES) != set()
    assert (await one.command("/memory forget pet")).startswith("nothing that is stored fits")

    shown = await one.command("/memory forget --purge pet")

    assert t("memory.forget.version", name="pet") in shown
    assert holding(paths, *TRACES) == set()


@pytest.mark.anyio
async def test_other_files_that_say_the_same_are_named(
    living: Callable[..., Living], stores: Stores, paths: Paths
) -> None:
    twin = replace(PET, name="cat-of-the-project", type="project", scope=Scope.PROJECT)
    store(stores, PET, twin)
    one = living()

    shown = await one.command("/memory forget --purge pet")

    assert holding(paths, *TRACES) == {"cat-of-the-project.md", "MEMORY.md"}
    assert paths.project_memory is not None
    assert f"\n  {paths.project_memory}/cat-of-the-project.md" in shown


def test_a_script_purges_without_questions(
    model: Callable[..., ModelServer], program: MakeProgram
) -> None:
    server = model(Reply("noted"), router=PipelineRouter())
    catmem = program(server)
    assert isinstance(server.router, PipelineRouter)
    server.router.learn(
        candidate("cat-mimsy", PET.description, PET.content, quote="my cat is called Mimsy")
    )
    first = catmem.run("-p", "my cat is called Mimsy and she is a grey cat")
    assert "1 added (cat-mimsy)" in first.stderr
    assert catmem.run("memory", "forget", "cat-mimsy", "--purge").code == 2

    purged = catmem.run("memory", "forget", "cat-mimsy", "--purge", "--yes")

    assert purged.code == 0, purged
    left = [
        path
        for path in everything(catmem.catmem_home)
        if b"imsy" in bytes(path) + path.read_bytes()
    ]
    assert left == []
    again = catmem.run("memory", "forget", "cat-mimsy", "--purge", "--yes")
    assert again.code == 1
    assert again.stderr == "nothing that is stored fits “cat-mimsy”\n"


def everything(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())
