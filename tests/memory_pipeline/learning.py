"""What the tests of whole runs share: a talk, what is found in it, and how a run is started."""

from __future__ import annotations

from catmem.memory.pipeline.report import Report
from catmem.messages import Message
from tests.memory_pipeline.conftest import Learner
from tests.memory_pipeline.talk import answered, said
from tests.support.pipeline import candidate

VIM = candidate(
    "user-prefers-vim",
    "The user's editor is vim",
    "The user edits with vim; the configuration is in ~/.vimrc.",
    quote="用 vim 编辑",
)
TALK = (said("用 vim 编辑，别动 tests 目录"), answered("好的，记住了。"))


async def run(learner: Learner, *messages: Message) -> Report:
    """Learn on demand from a new session."""
    session = learner.session(*messages)
    try:
        return await learner.lifecycle().on_demand(session, learner.shown.append)
    finally:
        session.close()
