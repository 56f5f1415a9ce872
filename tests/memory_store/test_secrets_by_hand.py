"""An entry that a person wrote with a secret in it: kept as it is, shown to nobody."""

from __future__ import annotations

from pathlib import Path

import pytest

from catmem.memory.injection import MemoryInjection, index_text
from catmem.memory.store.operations import Result
from catmem.memory.store.stores import Stores
from catmem.memory.tools import MemoryRead
from catmem.messages import ModelRequest
from tests.memory_store.asking import TODAY, delete, read, update
from tests.secrets.corpus import tokens

TOKEN = dict(tokens())["GitHub"]
FILE = f"""\
---
name: release-host
description: Releases go out with {TOKEN}
metadata:
  type: project
  keywords: [release, "{TOKEN}"]
---
Log in first.
password: hunter2
Then run make release.
"""


@pytest.fixture
def path(user_dir: Path) -> Path:
    path = user_dir / "release-host.md"
    path.write_text(FILE)
    return path


def test_it_is_read_without_its_secrets(stores: Stores, path: Path) -> None:
    entry = read(stores, "release-host")

    assert entry.description == "Releases go out with [masked GitHub token]"
    assert entry.content == "Log in first.\npassword: [masked password]\nThen run make release.\n"
    assert entry.optional == {"keywords": ["release", "[masked GitHub token]"]}
    assert path.read_text() == FILE


def test_a_warning_names_file_and_line_of_each(stores: Stores, path: Path) -> None:
    advice = "stands here; catmem shows it to no model, but take it out"
    assert [warning.text for warning in stores.new_warnings()] == [
        f"{path}, line 3: a secret (GitHub token) {advice}",
        f"{path}, line 6: a secret (GitHub token) {advice}",
        f"{path}, line 9: a secret (password) {advice}",
    ]


@pytest.mark.anyio
async def test_neither_system_text_nor_memory_read_shows_one(stores: Stores, path: Path) -> None:
    request = await MemoryInjection(stores, 30).before_request(ModelRequest((), (), ()))
    output = await MemoryRead(stores).run({"name": "release-host"}, print)
    listed = await MemoryRead(stores).run({}, print)
    stores.refresh_indexes()
    shown = [*request.system, output.text, listed.text, (path.parent / "MEMORY.md").read_text()]

    assert [TOKEN in text for text in shown] == [False] * 4
    assert ["masked GitHub token" in text for text in shown] == [True] * 4
    assert "hunter2" not in output.text
    assert index_text(stores.load_all(), 30) == request.system[-1]


def test_an_update_leaves_in_the_file_what_it_does_not_change(stores: Stores, path: Path) -> None:
    shown = read(stores, "release-host")
    outcome = update(
        stores,
        "release-host",
        type="reference",
        description=shown.description,
        content=shown.content,
    )

    assert outcome.result is Result.UPDATED
    assert path.read_text() == FILE.replace("type: project", "type: reference").replace(
        "\n---\nLog", f"\n  updatedAt: {TODAY}\n---\nLog"
    )


def test_the_archive_gets_it_without_its_secrets(stores: Stores, path: Path) -> None:
    masked = FILE.replace(TOKEN, "[masked GitHub token]").replace("hunter2", "[masked password]")
    update(stores, "release-host", type="project", content="Ask Ann.")
    assert [version.read_text() for version in archived(stores)] == [masked]
    assert TOKEN not in read(stores, "release-host").description

    path.write_text(FILE)
    delete(stores, "release-host")
    assert [version.read_text() for version in archived(stores)] == [masked, masked]


def archived(stores: Stores) -> list[Path]:
    return sorted((stores.user.places.archive / "release-host").iterdir())
