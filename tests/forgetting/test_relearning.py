"""Whole runs after something was forgotten: what old and new sessions may still teach."""

from __future__ import annotations

import asyncio
import threading

import pytest

from catmem.text import t
from tests.forgetting.asking import EDITOR, bury, learn_from, store, wait_for_the_next_second
from tests.memory_pipeline.conftest import Learner
from tests.memory_pipeline.talk import answered, said
from tests.support.pipeline import candidate, is_consolidation, operation
from tests.support.reply import Reply
from tests.support.request import Request

pytestmark = pytest.mark.anyio


async def test_what_the_pipeline_deleted_is_not_learned_from_an_old_session(
    learner: Learner,
) -> None:
    old = learner.session(said("I do all my editing in vim"), answered("noted"))
    old.close()
    learner.router.learn(
        candidate("user-prefers-vim", EDITOR.description, EDITOR.content, quote="my editor is vim")
    )
    first = learner.session(said("my editor is vim"), answered("ok"))
    await learn_from(learner, first)
    first.close()
    assert learner.names() == ["user-prefers-vim"]

    second = learner.session(said("forget that my editor is vim"), answered("done"))
    quote = "forget that my editor is vim"
    learner.router.learn(candidate("user-prefers-vim", EDITOR.description, quote=quote))
    learner.router.decide(operation(1, "delete", target=1))
    assert (await learn_from(learner, second)).deleted == ("user-prefers-vim",)
    second.close()

    rephrased = candidate("vim-user", "User likes editing in Vim", quote="all my editing in vim")
    learner.router.learn(rephrased)
    report = await learn_from(learner, old)

    assert report.line() == "Memory: 0 added, 0 updated, 1 skipped"
    reason = t("pipeline.forgotten")
    assert report.reasons() == [t("pipeline.not_stored", name="vim-user", reason=reason)]
    assert learner.names() == []

    wait_for_the_next_second()
    again = learner.session(said("by the way, I am back to editing with vim"), answered("ok"))
    learner.router.learn(candidate("vim-again", "User is editing in Vim", quote="editing with vim"))
    assert (await learn_from(learner, again)).added == ("vim-again",)
    again.close()
    older = learner.session(said("vim it was"), answered("ok"))
    learner.router.learn(candidate("vim-user", "The user's editor is vim", quote="vim it was"))
    learner.router.decide(operation(1, "skip", target=1))
    report = await learn_from(learner, older)
    older.close()
    assert t("pipeline.forgotten") not in "\n".join(report.reasons())


async def test_what_is_forgotten_while_the_model_is_asked_is_not_stored(learner: Learner) -> None:
    store(learner.stores, EDITOR)
    session = learner.session(said("I do all my editing in vim"), answered("noted"))
    found = candidate("vim-user", "User likes editing in Vim", quote="all my editing in vim")
    asked = threading.Event()
    forgotten = threading.Event()

    def answer(request: Request) -> Reply | None:
        if is_consolidation(request):
            asked.set()
            forgotten.wait(30)
        return learner.router(request)

    learner.server.router = answer
    learner.router.learn(found)
    new = {key: found[key] for key in ("type", "name", "description", "content")}
    learner.router.decide(operation(1, "add", entry=new))
    running = asyncio.create_task(learn_from(learner, session))
    await asyncio.to_thread(asked.wait, 30)
    bury(learner.stores, EDITOR.name)
    forgotten.set()

    report = await running

    assert t("pipeline.forgotten") in "\n".join(report.reasons())
    assert learner.names() == []
    session.close()
