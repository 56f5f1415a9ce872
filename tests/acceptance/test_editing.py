"""An entry in the person's own editor: on the session's terminal, and from the shell."""

from __future__ import annotations

import signal
import time
from dataclasses import replace
from pathlib import Path

from tests.acceptance.steps import NO_PIPELINE, answer, ended, enter, entry, finished, leave
from tests.support.model_server import StartModel
from tests.support.pipeline import PipelineRouter, candidate
from tests.support.program import MakeProgram
from tests.support.reply import Reply

# It reads two lines in the terminal's line mode; Ctrl+C is its own.
EDITOR = """#!/bin/sh
trap 'echo CAUGHT' INT
stty -a | grep -q ' icanon' && echo "EDITING ${2##*/}"
while ! read -r line; do :; done
echo "got: $line"
echo "$line" >> "$2"
"""


def editor_in(folder: Path, script: str = EDITOR) -> str:
    path = folder / "ed"
    path.write_text(script)
    path.chmod(0o700)
    return f"{path} -w"


def test_the_editor_has_the_terminal_and_gives_it_back(
    model: StartModel, program: MakeProgram, tmp_path: Path
) -> None:
    server = model(Reply("hello", before=60))
    catmem = program(server, VISUAL=editor_in(tmp_path), **NO_PIPELINE)
    folder = catmem.catmem_home / "memory"
    folder.mkdir(parents=True)
    (folder / "tabs.md").write_text(entry("tabs", "Tabs", "Use tabs."))
    terminal = enter(catmem)

    terminal.say("/memory edit tabs")
    terminal.wait_for(r"^EDITING tabs-\w+\.md$")
    assert not terminal.mode(2004)
    terminal.press("ctrl-c")
    terminal.wait_for("CAUGHT")
    terminal.say("And two blanks in YAML.")
    terminal.wait_for("^got: And two blanks in YAML.$")
    terminal.wait_for(r"^updated tabs \(user\)$")

    assert (folder / "tabs.md").read_text().endswith("Use tabs.\nAnd two blanks in YAML.\n")
    terminal.say("hi")
    server.wait_until(lambda server: server.chats, "the turn")
    terminal.say("/remember I work from Berlin")  # it waits for no turn
    terminal.wait_for(r"^added i-work-from-berlin \(user\)$")
    server.release()
    terminal.wait_for("^hello$")
    transcript = leave(terminal)
    assert transcript.index("added i-work") < transcript.index("\nhello")
    assert transcript.count("updated tabs") == 1
    assert "interrupted" not in transcript
    assert server.chats[0].user_texts[-1] == "hi"


def test_what_is_printed_meanwhile_waits_for_the_editors_end(
    model: StartModel, program: MakeProgram, tmp_path: Path
) -> None:
    router = PipelineRouter()
    server = model(router=router)
    catmem = program(server, VISUAL=editor_in(tmp_path))
    router.chat.append(Reply("noted"))
    first = enter(catmem)
    answer(first, "my shell is fish with vi keys", "^noted$")
    first.signal(signal.SIGKILL)
    first.wait_exit()
    folder = catmem.catmem_home / "memory"
    folder.mkdir(parents=True)
    (folder / "tabs.md").write_text(entry("tabs", "Tabs", "Use tabs."))
    fish = candidate("shell-is-fish", "The shell is fish", quote="my shell is fish")
    fish["evidence"][0]["seq"] = 1
    found = {"candidates": [fish], "episode": None}
    router.extractions.append(replace(Reply.of_json(found), before=60))
    terminal = enter(catmem)
    server.wait_until(lambda server: server.pipeline, "the recovery")
    terminal.say("/memory edit tabs")
    terminal.wait_for(r"^EDITING tabs-")

    server.release()
    limit = time.monotonic() + 30
    while not (folder / "shell-is-fish.md").exists():
        assert time.monotonic() < limit, "the recovery does not end"
        time.sleep(0.02)
    terminal.wait_quiet()
    terminal.say("And two blanks in YAML.")

    terminal.wait_for(r"^updated tabs \(user\)$")
    terminal.wait_for(r"^From an earlier session: Memory: 1 added \(shell-is-fish\)")
    transcript = leave(terminal)
    assert transcript.index("got: And two") < transcript.index("From an earlier session")


def test_the_end_of_the_session_ends_the_editor_and_keeps_its_text(
    model: StartModel, program: MakeProgram, tmp_path: Path
) -> None:
    catmem = program(
        model(),
        EDITOR=editor_in(tmp_path, '#!/bin/sh\necho mine >> "$2"; echo EDITING; exec sleep 300\n'),
        VISUAL=None,
        **NO_PIPELINE,
    )
    folder = catmem.catmem_home / "memory"
    folder.mkdir(parents=True)
    (folder / "tabs.md").write_text(entry("tabs", "Tabs", "Use tabs."))
    terminal = enter(catmem)
    terminal.say("/memory edit tabs")
    terminal.wait_for("^EDITING$")

    terminal.signal(signal.SIGTERM)

    transcript = ended(terminal, 130)
    (copy,) = (catmem.catmem_home / "state" / "edits").iterdir()
    assert "your text is kept in" in transcript
    assert copy.read_text().endswith("Use tabs.\nmine\n")
    assert (folder / "tabs.md").read_text() == entry("tabs", "Tabs", "Use tabs.")


def test_from_the_shell(program: MakeProgram, tmp_path: Path) -> None:
    script = "#!/bin/sh\nsed -i 's/Use tabs/Use blanks/' \"$2\"\n"
    catmem = program(EDITOR=editor_in(tmp_path, script), VISUAL="")
    folder = catmem.catmem_home / "memory"
    folder.mkdir(parents=True)
    (folder / "tabs.md").write_text(entry("tabs", "Tabs", "Use tabs."))

    assert finished(catmem.run("memory", "edit", "tabs")).stdout == "updated tabs (user)\n"
    assert "Use blanks." in (folder / "tabs.md").read_text()
    moved = finished(catmem.run("memory", "move", "tabs", "project"))
    assert moved.stdout == "moved tabs to the project memory\n"
    assert (catmem.workspace / ".catmem/memory/tabs.md").exists()
    assert finished(catmem.run("memory", "pin", "tabs")).stdout == "tabs is pinned\n"
    refused = finished(catmem.run("memory", "move", "tabs", "nowhere"), 2)
    assert "nowhere" in refused.stderr
