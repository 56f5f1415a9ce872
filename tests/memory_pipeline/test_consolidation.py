"""Candidates that resemble what is stored: what is asked, and what is on disk afterwards."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from catmem.memory.commands.listing import list_entries
from catmem.memory.injection import index_text
from catmem.memory.pipeline.report import Outcome
from catmem.memory.store.entry import Entry, Scope
from catmem.memory.store.operations import Action, Operation
from catmem.text import t
from tests.memory_pipeline.conftest import Learner
from tests.memory_pipeline.learning import TALK, VIM, run
from tests.memory_pipeline.talk import said
from tests.support.pipeline import candidate, operation
from tests.support.reply import Reply

pytestmark = pytest.mark.anyio


def store(learner: Learner, *entries: Entry) -> None:
    report = learner.stores.apply([Operation(Action.ADD, entry) for entry in entries])
    assert len(report.added) == len(entries)


async def test_a_similar_entry_is_asked_about_and_updated(learner: Learner) -> None:
    store(
        learner,
        Entry(
            "test-command",
            "Tests run with make test",
            "project",
            "Run `make test` in src/.",
            Scope.PROJECT,
        ),
        Entry("favourite-colour", "Blue", "user", "Blue is the favourite colour."),
    )
    just = candidate(
        "test-command",
        "Tests run with just test",
        "Run `just test`.",
        quote="run the tests with just test from now on",
        type="project",
        scope="project",
    )
    learner.router.learn(just)
    learner.router.decide(
        operation(
            1,
            "update",
            target=1,
            entry={
                "type": "project",
                "name": "test-command",
                "description": "Tests run with just test",
                "content": "Run `just test`.",
            },
        )
    )

    report = await run(learner, said("run the tests with just test from now on"))

    assert report.line() == "Memory: 0 added, 1 updated (test-command), 0 skipped"
    (entry,) = [one for one in learner.stores.load_all() if one.name == "test-command"]
    assert entry.content == "Run `just test`.\nRun `make test` in src/.\n"
    question = learner.server.requests[1]
    assert question.schema is not None
    assert list(question.schema["properties"]) == ["operations"]
    assert "1. [project] test-command: Tests run with make test" in question.text
    assert "favourite-colour" not in question.text
    assert "[#1 user]" not in question.text


async def test_b10_a_quiet_answer_about_a_similar_entry_changes_nothing(learner: Learner) -> None:
    store(learner, Entry("user-prefers-vim", "The user's editor is vim", "user", "Vim."))
    learner.router.learn(VIM)

    report = await run(learner, *TALK)

    assert report.line() == "Memory: 0 added, 0 updated, 1 skipped"
    assert report.reasons() == [
        t(
            "pipeline.not_stored",
            name="user-prefers-vim",
            reason=t("pipeline.similar", name="user-prefers-vim"),
        )
    ]


async def test_b13_the_same_fact_in_five_sessions_is_one_entry_and_one_request_each(
    learner: Learner,
) -> None:
    for _ in range(5):
        learner.router.learn(VIM)
        await run(learner, *TALK)

    assert learner.names() == ["user-prefers-vim"]
    assert len(learner.server.requests) == 5


async def test_an_unusable_consolidation_is_a_failure_and_nothing_is_written(
    learner: Learner,
) -> None:
    store(learner, Entry("user-prefers-vim", "The user's editor is vim", "user", "Vim."))
    before = learner.files()
    learner.router.learn(VIM)
    learner.router.consolidations.extend([Reply(text="no"), Reply(text="no")])

    report = await run(learner, *TALK)

    assert report.outcome is Outcome.FAILED
    assert learner.files() == before


async def test_an_entry_that_changed_during_the_request_is_planned_again(
    learner: Learner,
) -> None:
    store(learner, Entry("user-prefers-vim", "The user's editor is vim", "user", "Vim."))
    emacs = VIM | {"description": "The user's editor is emacs", "content": "Emacs, the editor."}
    learner.router.learn(emacs)
    update = operation(
        1, "update", target=1, entry={"description": "Emacs", "content": "Emacs, the editor."}
    )
    learner.router.consolidations.extend(
        [replace(Reply.of_json({"operations": [update]}), before=0.6), {"operations": [update]}]
    )
    path = learner.paths.user_memory / "user-prefers-vim.md"

    work = asyncio.create_task(run(learner, *TALK))
    await asyncio.to_thread(learner.server.wait_for_requests, 2)
    path.write_text(path.read_text() + "By hand: see ~/.vimrc.\n")
    report = await work

    assert report.updated == ("user-prefers-vim",)
    assert len(learner.server.requests) == 3
    assert "By hand: see ~/.vimrc." in learner.server.requests[2].text
    assert "By hand: see ~/.vimrc.\n" in path.read_text()


async def test_what_an_entry_says_is_replaced_and_stays_as_deprecated(learner: Learner) -> None:
    store(learner, Entry("user-prefers-vim", "The user's editor is vim", "user", "Edits with vim."))
    emacs = candidate(
        "user-prefers-emacs",
        "The user's editor is emacs",
        "Edits with emacs.",
        quote="我从 vim 换成 emacs 了",
    )
    learner.router.learn(emacs)
    learner.router.decide(operation(1, "add", target=1, entry=emacs))

    report = await run(learner, said("我从 vim 换成 emacs 了"))

    assert report.line() == (
        "Memory: 1 added (user-prefers-emacs), 1 updated (user-prefers-vim), 0 skipped"
    )
    old, new = (learner.stores.get(name) for name in ("user-prefers-vim", "user-prefers-emacs"))
    assert old is not None
    assert new is not None
    assert (old.content, old.deprecated) == ("Edits with vim.\n", True)
    assert new.optional["supersedes"] == ["user-prefers-vim"]
    assert "user-prefers-vim" not in index_text(learner.stores.load_all(), 30)
    index = (learner.paths.user_memory / "MEMORY.md").read_text("utf-8")
    assert "- [user-prefers-vim](user-prefers-vim.md) — (deprecated) The user's editor" in index
    shown: list[str] = []
    list_entries(learner.stores, shown.append, shown.append)
    assert "  user-prefers-vim (user, deprecated): The user's editor is vim" in shown[0]


async def test_an_entry_that_keeps_changing_is_left_alone_and_the_fact_is_named(
    learner: Learner,
) -> None:
    store(learner, Entry("user-prefers-vim", "The user's editor is vim", "user", "Edits with vim."))
    path = learner.paths.user_memory / "user-prefers-vim.md"
    learner.router.learn(VIM | {"content": "Edits with emacs now.", "description": "Emacs now"})
    update = operation(1, "update", target=1, entry={"content": "Edits with emacs now."})
    reply = replace(Reply.of_json({"operations": [update]}), before=0.6)
    learner.router.consolidations.extend([reply, reply])

    work = asyncio.create_task(run(learner, *TALK))
    for count in (2, 3):
        await asyncio.to_thread(learner.server.wait_for_requests, count)
        path.write_text(path.read_text() + f"By hand, {count}.\n")
    report = await work

    assert report.reasons() == [
        t("pipeline.not_stored", name="user-prefers-vim", reason=t("pipeline.changed_on_disk"))
    ]
    assert path.read_text().endswith("Edits with vim.\nBy hand, 2.\nBy hand, 3.\n")
    assert learner.names() == ["user-prefers-vim"]
