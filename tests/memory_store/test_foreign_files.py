"""Files from editors, other programs and accidents: one table of what becomes of each.

Each is shown, with a warning that names file and line where something is wrong, or is left where it
is and named; no byte of it changes, whatever is done with the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from catmem.memory.store.operations import Result
from catmem.memory.store.stores import Stores
from tests.memory_store.asking import TODAY, add, names, read, update

OBSIDIAN = """\
---
tags: [infra, "#deploy"]
aliases:
  - Deploy target
cssclasses: wide
created: 2025-03-04T10:20:00
---
# Deploys

> [!note] See [[Runbook#Rollback|the runbook]] and ![[diagram.png]]

- [x] cluster is `fra-1` #infra ^block-id

---
%% a comment %%
"""
CLAUDE = """\
---
name: feedback_testing
description: Integration tests use a real database
metadata:
  node_type: memory
  type: feedback
  originSessionId: 0c7d2a9e-1111-4222-8333-444455556666
---
Integration tests must hit a real database.

**Why:** mocked tests passed and the migration failed.

**How to apply:** never mock the driver; see [[user-role]].
"""
CURSOR = """\
---
description: Rules for components
globs: ["src/**/*.tsx", "*.css"]
alwaysApply: false
---
Use functional components.
"""


@dataclass(frozen=True)
class Case:
    """A file, and what is seen of it; ``warning`` is what follows the path, with the line."""

    data: bytes
    name: str
    description: str
    type: str = "user"
    warning: str = ""


CASES = {
    "obsidian.md": Case(OBSIDIAN.encode(), "obsidian", "Deploys"),
    "feedback_testing.md": Case(
        CLAUDE.encode(), "feedback-testing", "Integration tests use a real database", "feedback"
    ),
    "cursor.md": Case(CURSOR.encode(), "cursor", "Rules for components"),
    "bom.md": Case(b"\xef\xbb\xbf---\ndescription: B\n---\nx\n", "bom", "B"),
    "crlf.md": Case(b"---\r\nname: crlf\r\ndescription: C\r\n---\r\nx\r\n", "crlf", "C"),
    "on.md": Case(
        b"---\non: push\noff: yes\ncontent: c\nhandler: h\n---\nOn push\n", "on", "On push"
    ),
    "2024-06-01.md": Case(
        b"---\nname: 2024-06-01\ndescription: 007\n---\nx\n", "2024-06-01", "007"
    ),
    "plain.md": Case(
        b"Just words.\n",
        "plain",
        "Just words.",
        warning=", line 1: it has no front matter; its name and first line are used",
    ),
    "toml.md": Case(
        b"+++\ntitle = 'T'\n+++\nwords\n",
        "toml",
        "+++",
        warning=", line 1: it has no front matter; its name and first line are used",
    ),
    "gbk.md": Case(
        "---\ndescription: 描述\n---\n内容\n".encode("gbk"),
        "gbk",
        "描述",
        warning=": it is not UTF-8 and was read as gb18030",
    ),
    "colon.md": Case(
        b"---\nname: colon\ndescription: first: this\n---\nx\n",
        "colon",
        "first: this",
        warning=", line 3: the front matter is not valid YAML (",
    ),
    "tab.md": Case(
        b"---\nname: tab\n\tdescription: T\n---\nx\n",
        "tab",
        "T",
        warning=", line 3: the front matter is not valid YAML (",
    ),
    "open.md": Case(
        b"---\nname: open\ndescription: O\n\nbody\n",
        "open",
        "O",
        warning=", line 3: the front matter has no closing “---”",
    ),
    "bad-name.md": Case(
        b"---\nname: ../../etc/passwd\ndescription: N\n---\nx\n",
        "bad-name",
        "N",
        warning=", line 2: “../../etc/passwd” cannot be a memory's name: only",
    ),
    "empty.md": Case(
        b"",
        "empty",
        "",
        warning=", line 1: it has no front matter; its name and first line are used",
    ),
}
SKIPPED = {
    "five-mb.md": " was skipped: it is larger than 1 MB",
    "zero.md": " was skipped: it is not a text file",
    "folder.md": " was skipped: it is not a regular file",
    "out.md": " was skipped: links in a memory directory are not followed",
    "topics": " was skipped: memories in folders are not read; move them up: a.md, b/c.md",
}


@pytest.fixture
def messy(user_dir: Path, tmp_path: Path) -> Path:
    for file, case in CASES.items():
        (user_dir / file).write_bytes(case.data)
    (user_dir / "five-mb.md").write_bytes(b"---\nname: five-mb\n---\n" + b"x" * 5_000_000)
    (user_dir / "zero.md").write_bytes(b"---\nname: zero\n---\n\0")
    (user_dir / "folder.md").mkdir()
    (tmp_path / "secret.md").write_text("outside\n")
    (user_dir / "out.md").symlink_to(tmp_path / "secret.md")
    (user_dir / "topics" / "b").mkdir(parents=True)
    (user_dir / "topics" / "a.md").write_text("one\n")
    (user_dir / "topics" / "b" / "c.md").write_text("two\n")
    (user_dir / ".obsidian" / "plugins").mkdir(parents=True)
    (user_dir / ".obsidian" / "plugins" / "readme.md").write_text("not ours\n")
    (user_dir / "attachments").mkdir()
    (user_dir / "attachments" / "diagram.png").write_bytes(b"\x89PNG")
    return user_dir


def contents(folder: Path) -> dict[Path, bytes]:
    found = [path for path in folder.rglob("*") if path.is_file() and path.name != "MEMORY.md"]
    return {path: path.read_bytes() for path in found}


def test_each_is_shown_or_named_and_none_is_touched(stores: Stores, messy: Path) -> None:
    before = contents(messy)

    entries = {entry.path.name: entry for entry in stores.load_all() if entry.path}
    warnings = {warning.file.name: warning for warning in stores.new_warnings()}
    add(stores, "one-more", content="One more.")

    assert {
        file: (entry.name, entry.description, entry.type) for file, entry in entries.items()
    } == {file: (case.name, case.description, case.type) for file, case in CASES.items()}
    expected = {file: case.warning for file, case in CASES.items() if case.warning} | SKIPPED
    assert set(warnings) == set(expected)
    for file, text in expected.items():
        assert warnings[file].text.startswith(f"{messy / file}{text}")
        assert (f", line {warnings[file].line}:" in text) is bool(warnings[file].line)
    assert stores.new_warnings() == []
    after = contents(messy)
    assert after.pop(messy / "one-more.md").endswith(b"One more.\n")
    assert after == before
    index = (messy / "MEMORY.md").read_text()
    assert index.count("\n- [") == len(CASES) + 1


@pytest.mark.parametrize("file", ["obsidian.md", "feedback_testing.md", "cursor.md"])
def test_an_update_keeps_what_other_programs_need(stores: Stores, messy: Path, file: str) -> None:
    case = CASES[file]
    entry = read(stores, case.name)

    outcome = update(stores, case.name, description="New", type=case.type, content=entry.content)

    assert outcome.result is Result.UPDATED
    old, new = case.data.decode(), (messy / file).read_text()
    gone = [line for line in old.splitlines() if line not in new.splitlines()]
    assert gone == [line for line in old.splitlines() if line.startswith("description:")]
    came = [line.strip() for line in new.splitlines() if line not in old.splitlines()]
    assert sorted(came) == sorted(
        ["description: New", f"updatedAt: {TODAY}", *([] if "metadata" in old else ["metadata:"])]
    )
    assert new.endswith(old.split("---\n", 2)[2])


def test_a_folder_that_gets_its_first_entry_is_named_then(stores: Stores, messy: Path) -> None:
    stores.load_all()
    stores.new_warnings()
    assert "attachments" not in {warning.file.name for warning in stores.new_warnings()}

    (messy / "attachments" / "note.md").write_text("a note\n")

    (warning,) = stores.new_warnings()
    assert warning.text == (
        f"{messy}/attachments was skipped: memories in folders are not read; move them up: note.md"
    )
    assert "note" not in names(stores.load_all())
