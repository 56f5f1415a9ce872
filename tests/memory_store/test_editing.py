"""``edit NAME``: a copy in a real editor, judged and stored; nothing that was typed is lost."""

from __future__ import annotations

import asyncio
import resource
import signal
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from catmem.memory.commands.changing.editing import edit_entry
from catmem.memory.store.entry import Scope
from catmem.memory.store.stores import Stores
from tests.memory_store.asking import TODAY, VIM, add, file_names, names, read

OWN = (
    "---\n# mine\nfavourite: yes\nname: tabs\ndescription: Tabs\nmetadata:\n  type: feedback\n"
    "  createdAt: 2026-01-02\n  updatedAt: 2026-01-02\n---\nUse tabs.\n"
)

MakeEditor = Callable[[str], str]


class Desk:
    """A console that runs programs for real and answers questions with what it was given."""

    def __init__(self, *answers: bool) -> None:
        self.printed: list[str] = []
        self.questions: list[str] = []
        self._answers = list(answers)

    def write(self, text: str) -> None:
        self.printed.append(text)

    async def confirm(self, question: str) -> bool:
        self.questions.append(question)
        return self._answers.pop(0)

    async def run_program(self, command: Sequence[str]) -> int | None:
        process = await asyncio.create_subprocess_exec(*command)
        return await process.wait()


@pytest.fixture
def editor(tmp_path: Path) -> MakeEditor:
    """Make an editor from a shell script, in which $1 is the copy and $N counts the calls."""

    def make(script: str) -> str:
        path = tmp_path / "my editor"
        count = tmp_path / "calls"
        path.write_text(f"#!/bin/sh\necho x >> '{count}'\nN=$(wc -l < '{count}')\n{script}\n")
        path.chmod(0o700)
        return f"'{path}'"

    return make


@pytest.fixture
def edits(user_dir: Path) -> Path:
    return user_dir.parent / "state" / "edits"


def only_copy(edits: Path) -> Path:
    (path,) = edits.iterdir()
    return path


@pytest.fixture
def tabs(user_dir: Path) -> Path:
    path = user_dir / "tabs.md"
    path.write_text(OWN)
    return path


@pytest.mark.anyio
async def test_an_edit_changes_what_was_edited_and_the_date(
    stores: Stores, user_dir: Path, edits: Path, editor: MakeEditor, tabs: Path, tmp_path: Path
) -> None:
    desk = Desk()
    seen = tmp_path / "mode"
    command = editor(
        f'stat -c %a "$1" > {seen}; sed -i \'s/Use tabs/Use two blanks/; s/: yes/: no/\' "$1"'
    )

    assert await edit_entry(stores, "TABS", command, desk) == 0

    assert (desk.printed, desk.questions) == (["updated tabs (user)"], [])
    assert tabs.read_text() == OWN.replace("yes", "no").replace(
        "updatedAt: 2026-01-02", f"updatedAt: {TODAY}"
    ).replace("Use tabs", "Use two blanks")
    (version,) = (user_dir.parent / "state/archive/tabs").iterdir()
    assert version.read_text() == OWN
    assert (file_names(edits), seen.read_text()) == ([], "600\n")
    assert "[tabs](tabs.md) — Tabs" in (user_dir / "MEMORY.md").read_text()


@pytest.mark.anyio
async def test_an_edit_of_nothing_changes_nothing(
    stores: Stores, edits: Path, editor: MakeEditor, tabs: Path
) -> None:
    desk = Desk()
    assert await edit_entry(stores, "tabs", editor("true"), desk) == 0
    assert desk.printed == ["nothing was changed"]
    assert (tabs.read_text(), file_names(edits)) == (OWN, [])


@pytest.mark.anyio
async def test_an_editor_that_fails_changes_nothing_and_keeps_what_was_written(
    stores: Stores, edits: Path, editor: MakeEditor, tabs: Path
) -> None:
    desk = Desk()
    assert await edit_entry(stores, "tabs", editor("exit 3"), desk) == 1
    assert desk.printed == ["the editor ended with status 3; nothing was changed"]
    assert (tabs.read_text(), file_names(edits)) == (OWN, [])

    desk = Desk()
    assert await edit_entry(stores, "tabs", editor("echo more >> $1; exit 1"), desk) == 1
    copy = only_copy(edits)
    assert desk.printed[1:] == [f"your text is kept in {copy}"]
    assert (tabs.read_text(), copy.read_text()) == (OWN, OWN + "more\n")


BAD = [
    ("s/type: feedback/type: opinion/", "line 7: “opinion” is not a memory type"),
    ("s/^name: .*/name: ..\\/x/", "line 4: “../x” cannot be a memory's name"),
    ("s/^name: .*/name: MEMORY/", "line 4: “MEMORY” cannot be a memory's name: it is reserved"),
    ("s/^description: .*/description:/", "line 5: the memory tabs needs a description"),
    ("s/^Use tabs.$//", "line 12: the memory tabs needs a description and content"),
    ("s/^description: .*/description: [/", "line 5: the front matter is not valid YAML"),
    ("10d", "line 9: the front matter has no closing “---”"),
    ("1,10d", "line 1: it has no front matter"),
    ("s/^favourite: .*/password: hunter2-x9/", "line 3: the text holds a secret (password)"),
    ("s/^Use.*/The token is ghp_a1B2c3D4e5F6g7H8i9J0k1L2/", "line 11: the text holds a secret"),
]


@pytest.mark.anyio
@pytest.mark.parametrize(("script", "reason"), BAD)
async def test_a_bad_save_is_kept_and_said_with_its_line(
    stores: Stores, edits: Path, editor: MakeEditor, tabs: Path, script: str, reason: str
) -> None:
    desk = Desk(False)

    assert await edit_entry(stores, "tabs", editor(f"sed -i '{script}' \"$1\""), desk) == 1

    copy = only_copy(edits)
    assert desk.printed[0].startswith(f"{copy}, {reason}")
    assert desk.questions == ["Edit it again?"]
    assert desk.printed[1:] == [f"your text is kept in {copy}"]
    assert tabs.read_text() == OWN
    assert copy.read_text() != OWN


@pytest.mark.anyio
async def test_a_bad_save_may_be_edited_again(
    stores: Stores, edits: Path, editor: MakeEditor, tabs: Path
) -> None:
    desk = Desk(True)
    command = editor(
        'if [ "$N" = 1 ]; then sed -i "s/feedback/opinion/; s/Use tabs/Use blanks/" "$1"; '
        'else sed -i "s/opinion/user/" "$1"; fi'
    )

    assert await edit_entry(stores, "tabs", command, desk) == 0

    assert desk.printed[1:] == ["updated tabs (user)"]
    entry = read(stores, "tabs")
    assert (entry.type, entry.content) == ("user", "Use blanks.\n")
    assert file_names(edits) == []


@pytest.mark.anyio
async def test_a_file_of_five_megabytes_is_refused_and_kept(
    stores: Stores, edits: Path, editor: MakeEditor, tabs: Path
) -> None:
    desk = Desk(False)
    command = editor('head -c 5000000 /dev/zero | tr "\\0" x >> "$1"')

    assert await edit_entry(stores, "tabs", command, desk) == 1

    assert "1000000" in desk.printed[0]
    assert only_copy(edits).stat().st_size > 5_000_000
    assert tabs.read_text() == OWN


@pytest.mark.anyio
@pytest.mark.parametrize("meanwhile", ["echo theirs >> {path}", "rm {path}"])
async def test_what_changed_on_disk_meanwhile_stays_and_the_text_too(
    stores: Stores, edits: Path, editor: MakeEditor, tabs: Path, meanwhile: str
) -> None:
    desk = Desk()
    command = editor(f"{meanwhile.format(path=tabs)}; echo mine >> $1")

    assert await edit_entry(stores, "tabs", command, desk) == 1

    copy = only_copy(edits)
    assert desk.printed == [
        "the memory tabs was changed on disk while you edited it; that version stays",
        f"your text is kept in {copy}",
    ]
    assert copy.read_text() == OWN + "mine\n"
    assert not tabs.exists() or tabs.read_text() == OWN + "theirs\n"


@pytest.mark.anyio
async def test_another_name_renames_the_entry_and_no_other_is_overwritten(
    stores: Stores, user_dir: Path, edits: Path, editor: MakeEditor, tabs: Path
) -> None:
    add(stores, **VIM, scope=Scope.PROJECT)
    desk = Desk(False)
    taken = editor('sed -i "s/^name: .*/name: User-Prefers-Vim/" "$1"')
    assert await edit_entry(stores, "tabs", taken, desk) == 1
    assert desk.printed[0] == "there is already a memory called user-prefers-vim"
    only_copy(edits).unlink()

    desk = Desk()
    command = editor('sed -i "s/^name: .*/name: 缩进/" "$1"')
    assert await edit_entry(stores, "tabs", command, desk) == 0

    assert desk.printed == ["updated 缩进, which was called tabs"]
    assert names(stores.load_all()) == ["user-prefers-vim", "缩进"]
    assert file_names(user_dir) == ["MEMORY.md", "缩进.md"]
    assert read(stores, "缩进").created_at == "2026-01-02"


@pytest.mark.anyio
async def test_a_file_that_was_not_understood_can_be_repaired(
    stores: Stores, user_dir: Path, editor: MakeEditor
) -> None:
    path = user_dir / "tabs.md"
    path.write_text(OWN.replace("name: tabs\n", "name: tabs\n  bad: [\n"))
    assert read(stores, "tabs").damaged
    desk = Desk()

    assert await edit_entry(stores, "tabs", editor("sed -i '/bad:/d' \"$1\""), desk) == 0

    assert path.read_text() == OWN.replace("updatedAt: 2026-01-02", f"updatedAt: {TODAY}")


@pytest.mark.anyio
async def test_a_note_without_front_matter_stays_one(
    stores: Stores, user_dir: Path, editor: MakeEditor
) -> None:
    path = user_dir / "note.md"
    path.write_bytes("# 笔记\r\n\r\n内容\r\n".encode("gbk"))

    assert await edit_entry(stores, "note", editor("printf 'x\\r\\n' >> $1"), Desk()) == 0

    assert path.read_bytes() == "# 笔记\r\n\r\n内容\r\nx\r\n".encode("gbk")


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("", "no editor is set; put one into VISUAL or EDITOR, for example EDITOR=nano"),
        ("no-such-ed -w", "the editor no-such-ed (from VISUAL or EDITOR) is not on the PATH"),
        ("'open", "the editor 'open (from VISUAL or EDITOR) is not on the PATH"),
    ],
)
async def test_without_an_editor_the_sentence_says_so(
    stores: Stores, tabs: Path, command: str, sentence: str
) -> None:
    desk = Desk()
    assert await edit_entry(stores, "tabs", command, desk) == 1
    assert desk.printed == [sentence]


class NoTerminal(Desk):
    async def run_program(self, command: Sequence[str]) -> int | None:
        return None


@pytest.mark.anyio
async def test_without_a_terminal_to_give_the_sentence_says_where_to_go(
    stores: Stores, edits: Path, tabs: Path, editor: MakeEditor
) -> None:
    desk = NoTerminal()
    assert await edit_entry(stores, "tabs", editor("true"), desk) == 1
    assert desk.printed == ["an editor cannot be opened here; in a shell: catmem memory edit tabs"]
    assert file_names(edits) == []


@pytest.mark.anyio
async def test_a_full_disk_leaves_no_half_copy(
    stores: Stores, edits: Path, tabs: Path, editor: MakeEditor
) -> None:
    tabs.write_text(OWN + "x" * 20_000)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    desk = Desk()
    try:
        assert await edit_entry(stores, "tabs", editor("true"), desk) == 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)
    assert desk.printed == [f"cannot write {edits}: File too large"]
    assert file_names(edits) == []


@pytest.mark.anyio
async def test_an_unknown_name_opens_no_editor(
    stores: Stores, tabs: Path, editor: MakeEditor, tmp_path: Path
) -> None:
    desk = Desk()
    assert await edit_entry(stores, "tab", editor("true"), desk) == 1
    assert desk.printed == ["there is no memory called tab; similar: tabs"]
    assert not (tmp_path / "calls").exists()
