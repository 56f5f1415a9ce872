"""Forgetting in a running session: what the model is sent from then on, what is left on disk."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from catmem.events import ActionKind
from catmem.memory.store.entry import Entry, Scope
from catmem.memory.store.stores import Stores
from catmem.messages import ProviderPart
from catmem.sessions import read_transcript
from catmem.text import t
from tests.forgetting.asking import store
from tests.forgetting.living import Living, on_the_wire, results, router, scripted, yes
from tests.support.pipeline import candidate
from tests.support.reply import Reply, Wire

pytestmark = pytest.mark.anyio

CHOICE = Entry(
    "editor-choice",
    "The user's editor is zedword",
    "user",
    "The user edits everything with zedword; it has the quuxtheme.",
)
TESTS = Entry("test-command", "Tests run with make test", "project", "make test", Scope.PROJECT)
READ_IT = Reply(reasoning="let me look", tool_calls=[("memory_read", {"name": "editor-choice"})])
READ_ALL = Reply(reasoning="and all of them", tool_calls=[("memory_read", {})])
FORGET = ("memory_write", {"action": "forget", "name": "editor-choice"})


@pytest.fixture(autouse=True)
def _stored(stores: Stores) -> None:
    store(stores, CHOICE, TESTS)


@pytest.mark.parametrize("wire", ["messages", "chat", "responses"])
async def test_a_forgotten_entry_is_in_no_later_request(
    living: Callable[..., Living], stores: Stores, wire: Wire
) -> None:
    one = living(wire)
    scripted(one, READ_IT, READ_ALL, Reply("You told me once.", reasoning="so it was"))
    await one.say("which editor do I use?")
    assert on_the_wire(one.server).count("zedword") > 2
    assert "quuxtheme" in on_the_wire(one.server)

    shown = await one.command("/memory forget editor-choice")

    assert one.person.questions == ["Forget editor-choice for good?"]
    assert "editor-choice (user, user memory): The user's editor is zedword" in shown
    assert t("memory.forget.stays") in shown
    assert [entry.name for entry in stores.load_all()] == ["test-command"]
    scripted(one, Reply("fine"))
    await one.say("what is next?")
    sent = on_the_wire(one.server)
    assert "zedword" not in sent
    assert "quuxtheme" not in sent
    assert "editor-choice" not in one.server.chats[-1].system
    assert "- test-command (project): Tests run with make test" in one.server.chats[-1].system
    read, listed = one.server.chats[-1].tool_results.values()
    assert read == "[Taken out: forgotten at the user's request.]"
    assert "test-command" in listed
    assert "editor-choice" not in listed

    await one.close(learn=False)
    after = living(wire)
    scripted(after, Reply(tool_calls=[("memory_read", {})]), Reply("ok"))
    await after.say("hello again")
    assert "editor-choice" not in on_the_wire(after.server)
    assert "zedword" not in on_the_wire(after.server)


@pytest.mark.parametrize("wire", ["messages", "chat"])
async def test_said_in_the_conversation_it_is_asked_about_and_forgotten(
    living: Callable[..., Living], stores: Stores, wire: Wire
) -> None:
    one = living(wire)
    one.person.answers = [yes()]
    scripted(
        one,
        Reply(reasoning="read, then forget", tool_calls=[READ_IT.tool_calls[0], FORGET]),
        Reply("Forgotten.", reasoning="done"),
        Reply("ok"),
    )

    events = await one.say("please forget which editor I use")

    (request,) = one.person.asked
    assert (request.action.kind, request.action.subject) == (ActionKind.FORGET, "editor-choice")
    assert CHOICE.content in request.action.preview
    assert results(events)[1][0] == "ok"
    assert [entry.name for entry in stores.load_all()] == ["test-command"]
    (version,) = (stores.user.places.archive / "editor-choice").iterdir()
    assert "zedword" in version.read_text("utf-8")
    assert "zedword" not in on_the_wire(one.server)
    assert "quuxtheme" not in on_the_wire(one.server)
    await one.say("and now?")
    assert "zedword" not in on_the_wire(one.server)

    router(one).learn(candidate("zed-user", "User edits with zedword", quote="which editor I use"))
    assert await one.close() == "Memory: 0 added, 0 updated, 1 skipped"
    assert [entry.name for entry in stores.load_all()] == ["test-command"]


async def test_the_transcript_keeps_what_was_said_and_tells_what_is_no_longer_sent(
    living: Callable[..., Living],
) -> None:
    one = living("messages")
    scripted(one, READ_IT, Reply("zedword it is", reasoning="so it was"))
    await one.say("which editor do I use?")
    before = one.transcript.read_bytes()
    await one.command("/memory forget editor-choice")

    after = one.transcript.read_bytes()
    assert after.startswith(before)
    transcript = read_transcript(one.transcript)
    assert transcript.damaged == 0
    assert transcript.messages == one.live.agent.session.messages
    assert [message.seq for message in transcript.messages] == [1, 2, 3, 4]
    assert "zedword it is" in transcript.messages[-1].text
    assert "quuxtheme" not in str(transcript.messages)
    assert "zedword" not in "\n".join(transcript.header.system)
    blocks = [part for message in transcript.messages for part in message.parts]
    assert not any(isinstance(part, ProviderPart) for part in blocks)


async def test_no_answer_forgets_nothing(living: Callable[..., Living], stores: Stores) -> None:
    one = living()
    one.person.declines = ""
    assert (await one.command("/memory forget zedword")).endswith(t("memory.command.kept"))
    assert len(stores.load_all()) == 2
    assert (await one.command("/memory forget")) == t("memory.forget.which")
    assert (await one.command("/memory forget the weather")) == t(
        "memory.forget.nothing", words="the weather"
    )


async def test_words_find_what_they_mean_in_both_stores(
    living: Callable[..., Living], stores: Stores
) -> None:
    one = living()
    shown = await one.command("/memory forget how tests run")
    assert "test-command (project, project memory): Tests run with make test" in shown
    assert one.person.questions == ["Forget test-command for good?"]
    assert [entry.name for entry in stores.load_all()] == ["editor-choice"]


async def test_an_episode_that_tells_it_is_erased_and_its_watermark_stays(
    living: Callable[..., Living],
) -> None:
    first = living()
    scripted(first, Reply("noted"))
    await first.say("we set up my editor zedword with the quuxtheme today")
    router(first).learn(episode="Set up the user's editor zedword with the quuxtheme.")
    await first.close()
    journal = first.place.paths.journal
    assert "quuxtheme" in journal.read_text("utf-8")

    one = living()
    shown = await one.command("/memory forget editor-choice")

    assert "a past session: Set up the user's editor zedword" in shown
    assert t("memory.forget.episodes_done", count=1) in shown
    lines = [json.loads(line) for line in journal.read_text("utf-8").splitlines()]
    (run,) = [line for line in lines if line.get("session") == first.transcript.stem]
    assert (run["seq"], run["outcome"], run["episode"]) == (2, "nothing", None)


async def test_clear_takes_everything_out_of_the_session_too(
    living: Callable[..., Living], stores: Stores
) -> None:
    one = living("messages")
    scripted(one, READ_IT, Reply("yes", reasoning="so"), Reply("ok"))
    await one.say("which editor do I use?")
    await one.command("/memory clear")
    await one.say("go on")

    assert stores.load_all() == []
    assert "zedword" not in on_the_wire(one.server)
    assert "Persistent Memory" not in one.server.chats[-1].system


async def test_a_session_that_was_killed_teaches_nothing_that_was_forgotten_since(
    living: Callable[..., Living], stores: Stores
) -> None:
    killed = living()
    scripted(killed, Reply("ok"))
    await killed.say("remember that I edit everything with zedword")
    await killed.close(learn=False)
    one = living()
    await one.command("/memory forget editor-choice")

    after = living()
    router(after).learn(
        candidate("zed", "User edits with zedword", quote="everything with zedword")
    )
    assert await after.live.memory.recover() == []

    assert [entry.name for entry in stores.load_all()] == ["test-command"]
    (run,) = [line for line in stores.journal.commits() if line.get("occasion") == "recovery"]
    assert run["skipped"] == [["zed", t("pipeline.forgotten")]]


async def test_taken_back_it_is_remembered_and_no_longer_forbidden(
    living: Callable[..., Living], stores: Stores
) -> None:
    old = living()
    scripted(old, Reply("ok"), Reply("yes"))
    await old.say("I edit everything with zedword")
    await old.command("/memory forget editor-choice")
    assert "editor-choice" in await old.command("/memory undo")
    assert [entry.name for entry in stores.load_all()] == ["editor-choice", "test-command"]

    router(old).learn(candidate("zed", "User edits with zedword", quote="everything with zedword"))
    await old.close()

    (run,) = [line for line in stores.journal.commits() if line.get("occasion") == "exit"]
    assert run["skipped"] == [["zed", t("pipeline.similar", name="editor-choice")]]
