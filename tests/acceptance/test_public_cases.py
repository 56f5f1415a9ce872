"""Public reports that need the whole program: quitting early, clearing, slow models, locales."""

from __future__ import annotations

import json
import signal
from dataclasses import replace

from tests.acceptance.steps import (
    answer,
    asked,
    enter,
    entry,
    files,
    finished,
    leave,
    records,
    wait_idle,
)
from tests.support.model_server import StartModel
from tests.support.pipeline import PipelineRouter, candidate, operation
from tests.support.program import MakeProgram
from tests.support.reply import Reply


def test_b22_a_session_without_substance_asks_nothing_and_leaves_nothing(
    model: StartModel, program: MakeProgram
) -> None:
    server = model(Reply("Hello!"))
    catmem = program(server)
    for lines in ("", "/help\n", "/status\n/memory list\n"):
        run = finished(catmem.run(stdin=lines))
        assert run.stderr == ""
    assert server.requests == []
    assert list(records(catmem)) == []
    assert list(catmem.catmem_home.rglob("*.jsonl")) == []

    assert finished(catmem.run(stdin="hi\n")).stdout == "Hello!\n"

    assert len(server.requests) == len(server.chats) == 1
    assert not (catmem.catmem_home / "memory").exists()


def test_b23_what_was_deleted_or_kept_private_is_not_learned_at_the_exit(
    model: StartModel, program: MakeProgram
) -> None:
    router = PipelineRouter()
    server = model(router=router)
    catmem = program(server)
    fish = candidate("shell-is-fish", "The shell is fish", quote="my shell is fish")
    router.chat.extend([Reply("one"), Reply("two"), Reply("three")])
    router.learn(fish)
    terminal = enter(catmem)
    answer(terminal, "my shell is fish with vi keys", "^one$")
    terminal.say("/memory")
    terminal.wait_for(r"^Memory: 1 added \(shell-is-fish\)")
    wait_idle(terminal)
    terminal.say("/memory forget shell-is-fish")
    asked(terminal)
    terminal.press("y")
    wait_idle(terminal)
    assert set(files(catmem.catmem_home / "memory")) == {"MEMORY.md"}

    answer(terminal, "don't remember this: my desk is on floor seven", "^two$")
    answer(terminal, "as I said, my shell is fish, so write the alias for it", "^three$")
    router.learn(fish)
    leave(terminal)

    assert set(files(catmem.catmem_home / "memory")) == {"MEMORY.md"}
    assert len(server.pipeline) == 2
    assert "floor seven" not in "\n".join(server.pipeline[1].user_texts)


def test_b24_what_was_cleared_is_not_learned_again_at_the_exit(
    model: StartModel, program: MakeProgram
) -> None:
    router = PipelineRouter()
    server = model(router=router)
    catmem = program(server)
    router.chat.append(Reply("noted"))
    router.learn(candidate("shell-is-fish", "The shell is fish", quote="my shell is fish"))
    terminal = enter(catmem)
    answer(terminal, "my shell is fish with vi keys", "^noted$")
    terminal.say("/remember I write my notes in org-mode")
    terminal.wait_for(r"^added i-write-my-notes-in-org-mode \(user\)$")
    (catmem.catmem_home / "memory" / "mine.txt").write_text("mine")

    terminal.say("/memory clear")
    asked(terminal, r"Move everything to the archive \(user memory: 1\)\?")
    terminal.press("n")
    terminal.wait_for("^nothing was changed$")
    wait_idle(terminal)
    assert len(files(catmem.catmem_home / "memory")) == 3
    terminal.say("/memory clear")
    asked(terminal)
    terminal.press("y")
    terminal.wait_for("^1 moved to the archive:")

    leave(terminal)
    assert server.pipeline == []
    assert set(files(catmem.catmem_home / "memory")) == {"MEMORY.md", "mine.txt"}
    again = enter(catmem)
    leave(again)
    assert server.pipeline == []


def test_a06_a_hand_edit_during_a_slow_consolidation_is_kept(
    model: StartModel, program: MakeProgram
) -> None:
    router = PipelineRouter()
    server = model(router=router)
    catmem = program(server)
    folder = catmem.catmem_home / "memory"
    folder.mkdir(parents=True, mode=0o700)
    path = folder / "shell.md"
    path.write_text(entry("shell", "The shell is bash", "The shell is bash with vi keys."))
    router.chat.append(Reply("noted"))
    router.learn(
        candidate("shell", "The shell is fish", "The shell is fish now.", quote="my shell is fish")
    )
    update = {
        "type": "user",
        "name": "shell",
        "description": "The shell is fish",
        "content": "The shell is fish now.",
    }
    slow = Reply.of_json({"operations": [operation(1, "update", target=1, entry=update)]})
    router.consolidations.extend([_slowly(slow), slow])
    terminal = enter(catmem)
    answer(terminal, "my shell is fish now, with vi keys", "^noted$")
    terminal.say("/memory")
    server.wait_until(lambda server: len(server.pipeline) == 2, "the consolidation")

    by_hand = path.read_text() + "\nThe prompt is starship 1.18.\n"
    path.write_text(by_hand)
    server.release()

    terminal.wait_for("^Memory: ")
    transcript = leave(terminal)
    assert "The prompt is starship 1.18." in path.read_text(), transcript
    archived = catmem.catmem_home / "state" / "archive" / "shell"
    if path.read_text() != by_hand:
        assert by_hand in {version.read_text() for version in archived.iterdir()}


def _slowly(reply: Reply) -> Reply:
    return replace(reply, before=20)


def test_b20_after_a_kill_the_next_start_finishes_and_nothing_is_broken(
    model: StartModel, program: MakeProgram
) -> None:
    router = PipelineRouter()
    server = model(router=router)
    catmem = program(server)
    router.chat.append(Reply("noted"))
    terminal = enter(catmem)
    answer(terminal, "my shell is fish with vi keys", "^noted$")
    terminal.signal(signal.SIGKILL)
    assert terminal.wait_exit() == -signal.SIGKILL
    assert server.pipeline == []

    router.learn(candidate("shell-is-fish", "The shell is fish", quote="my shell is fish"))
    again = enter(catmem)
    again.wait_for(r"From an earlier session: Memory: 1 added \(shell-is-fish\)")
    leave(again)

    assert set(files(catmem.catmem_home / "memory")) == {"MEMORY.md", "shell-is-fish.md"}
    told = finished(catmem.run("memory", "history", "shell-is-fish", "--json")).stdout
    # B12: where it came from
    assert [version["quotes"] for version in json.loads(told)] == [
        [{"seq": 1, "quote": "my shell is fish"}]
    ]
    third = enter(catmem)
    leave(third)
    assert len(server.pipeline) == 1
    assert finished(catmem.run("memory", "doctor")).stdout == "nothing is wrong\n"


def test_a26_files_are_utf_8_whatever_the_locale(program: MakeProgram) -> None:
    catmem = program(
        LC_ALL="C", LANG=None, PYTHONUTF8="0", PYTHONCOERCECLOCALE="0", PYTHONIOENCODING=None
    )

    finished(catmem.run("memory", "add", "--name", "editor", "我用 vim 编辑 café"))

    path = catmem.catmem_home / "memory" / "editor.md"
    assert path.read_bytes().decode("utf-8").endswith("---\n我用 vim 编辑 café\n")
    shown = finished(catmem.run("memory", "show", "editor"))
    assert shown.stdout.endswith("?? vim ?? caf?\n")
    index = (catmem.catmem_home / "memory" / "MEMORY.md").read_bytes().decode("utf-8")
    assert "我用 vim 编辑 café" in index
