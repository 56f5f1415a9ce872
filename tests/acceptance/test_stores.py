"""The stores while sessions and people work on them: index, updates, faults, what is left over."""

from __future__ import annotations

import json

from tests.acceptance.steps import (
    answer,
    asked,
    ended,
    enter,
    entry,
    files,
    finished,
    leave,
    records,
    wait_idle,
)
from tests.support.model_server import StartModel
from tests.support.pipeline import (
    PipelineRouter,
    candidate,
    operation,
)
from tests.support.program import MakeProgram
from tests.support.reply import Reply


def test_a19_the_index_follows_the_files(model: StartModel, program: MakeProgram) -> None:
    server = model(Reply("hello"))
    catmem = program(server, CATMEM_MEMORY_TRIGGER="manual")
    for name in ("alpha", "beta"):
        finished(catmem.run("memory", "add", "--name", name, "--scope", "user", f"about {name}"))
    folder = catmem.catmem_home / "memory"
    (folder / "alpha.md").unlink()
    (folder / "gamma.md").write_text(entry("gamma", "about gamma", "By hand."), "utf-8")
    listed = finished(catmem.run("memory", "list", "--json")).stdout
    assert {row["name"] for row in json.loads(listed)} == {"beta", "gamma"}
    finished(catmem.run("-p", "hi"))
    system = server.chats[0].system
    assert "gamma (user): about gamma" in system
    assert "alpha" not in system
    finished(catmem.run("memory", "add", "--name", "delta", "--scope", "user", "about delta"))
    index = (folder / "MEMORY.md").read_text("utf-8")
    links = [line.partition("]")[0] for line in index.splitlines() if line.startswith("- ")]
    assert links == ["- [beta", "- [delta", "- [gamma"]


def test_a05_two_sessions_and_an_editor_lose_nothing_of_each_other(
    model: StartModel, program: MakeProgram
) -> None:
    router = PipelineRouter()
    server = model(router=router)
    catmem = program(server)
    finished(catmem.run("memory", "add", "--name", "old", "--scope", "user", "about old"))
    folder = catmem.catmem_home / "memory"
    first, second = enter(catmem), enter(catmem)
    router.chat.extend([Reply("one"), Reply("two")])
    answer(first, "I write my notes in org-mode", "one")
    answer(second, "my shell is fish with vi keys", "two")
    by_hand = (folder / "old.md").read_text("utf-8") + "\nA line from an editor.\n"
    (folder / "old.md").write_text(by_hand, "utf-8")
    router.learn(candidate("notes-in-org", "Notes are in org-mode", quote="I write my notes"))
    leave(first)
    router.learn(candidate("shell-is-fish", "The shell is fish", quote="my shell is fish"))
    leave(second)
    assert set(files(folder)) == {"MEMORY.md", "notes-in-org.md", "old.md", "shell-is-fish.md"}
    assert (folder / "old.md").read_text("utf-8") == by_hand
    index = (folder / "MEMORY.md").read_text("utf-8")
    for name in ("notes-in-org", "old", "shell-is-fish"):
        assert f"[{name}]({name}.md)" in index


def test_a18_a_store_that_cannot_be_written_is_said_and_the_session_goes_on(
    model: StartModel, program: MakeProgram
) -> None:
    router = PipelineRouter()
    server = model(router=router)
    catmem = program(server)
    catmem.catmem_home.mkdir(mode=0o700)
    store = catmem.catmem_home / "memory"
    store.write_text("not a directory")
    router.chat.extend(
        [
            Reply("hello there"),
            Reply(
                tool_calls=[
                    (
                        "memory_write",
                        {"name": "x", "type": "user", "description": "d", "content": "c"},
                    )
                ]
            ),
            Reply("that failed"),
        ]
    )
    router.learn(candidate("notes-in-org", "Notes are in org-mode", quote="I write my notes"))
    terminal = enter(catmem)
    terminal.wait_for(str(store).replace(".", r"\."))
    answer(terminal, "I write my notes in org-mode", "hello there")
    terminal.say("remember it")
    asked(terminal, "Change the memory x")
    terminal.press("y")
    server.wait_until(lambda server: len(server.chats) == 3, "the result of memory_write")
    [result] = server.chats[2].tool_results.values()
    assert result.startswith(f"Not saved: cannot make the directory {store}: ")
    terminal.wait_for("that failed")
    said = leave(terminal)
    assert store.read_text() == "not a directory"
    assert said.count("failed") >= 1


def test_an_update_goes_through_one_consolidation(model: StartModel, program: MakeProgram) -> None:
    router = PipelineRouter()
    server = model(router=router)
    catmem = program(server)
    finished(
        catmem.run(
            "memory",
            "add",
            "--name",
            "test-command",
            "--type",
            "project",
            "run the tests with make test",
        )
    )
    router.chat.append(Reply("ok"))
    router.learn(
        candidate(
            "test-command",
            "Run the tests with make check",
            quote="we run the tests with make check now",
            type="project",
            scope="project",
        )
    )
    router.decide(
        operation(
            1,
            "update",
            target=1,
            entry={
                "type": "project",
                "name": "test-command",
                "description": "Run the tests with make check",
                "content": "Run the tests with make check.",
            },
        )
    )
    terminal = enter(catmem)
    answer(terminal, "we run the tests with make check now", "^ok$")
    assert "1 updated (test-command)" in leave(terminal)
    assert len(server.pipeline) == 2
    assert set(files(catmem.workspace / ".catmem" / "memory")) == {"MEMORY.md", "test-command.md"}


def test_nothing_said_means_no_request_and_no_files(
    model: StartModel, program: MakeProgram
) -> None:
    catmem = program(model())
    terminal = enter(catmem)
    terminal.say("/help")
    terminal.wait_for("/memory")
    leave(terminal)
    assert list(records(catmem)) == []
    assert not (catmem.workspace / ".catmem").exists()


def test_what_the_end_could_not_learn_is_learned_at_the_next_start(
    model: StartModel, program: MakeProgram
) -> None:
    router = PipelineRouter()
    router.chat.append(Reply("ok"))
    router.extractions.append(Reply("{", stall_after=1))
    server = model(router=router)
    catmem = program(server)
    terminal = enter(catmem)
    answer(terminal, "I write my notes in org-mode", "^ok$")
    terminal.press("ctrl-d")
    server.wait_until(lambda server: server.pipeline, "the extraction")
    terminal.press("ctrl-c")
    ended(terminal)
    assert not (catmem.catmem_home / "memory").exists()
    router.learn(candidate("notes-in-org", "Notes are in org-mode", quote="I write my notes"))
    again = enter(catmem)
    again.wait_for("notes-in-org")
    wait_idle(again)
    leave(again)
    assert set(files(catmem.catmem_home / "memory")) == {"MEMORY.md", "notes-in-org.md"}
    assert len(server.pipeline) == 2
