"""What is no record of ours among the memory's files is passed over, whatever it holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from catmem.config.trust import TrustFile
from catmem.errors import StorageError
from catmem.memory.commands.doctor.examining import doctor
from catmem.memory.pipeline.extraction import Candidate
from catmem.memory.pipeline.forgetting.forgetter import Forgetter
from catmem.memory.pipeline.forgetting.tombstones import FILE_NAME, Tombstones
from catmem.memory.pipeline.journal import Journal, Standing
from catmem.memory.store.operations import Result
from catmem.memory.store.stores import Stores, open_stores
from catmem.paths import Paths
from catmem.sessions import Session, last_seq, read_transcript
from tests.memory_pipeline.talk import said, window
from tests.memory_store.asking import add, names

DEEP = "[" * 100_000
FILE = {"scope": "user", "name": "x", "state": "s", "before": "", "after": "1", "archived": None}
JOURNAL: dict[str, dict[str, Any]] = {
    "a list as id": {"kind": "commit", "tx": [1]},
    "a kind that is none": {"kind": ["intent"], "tx": "a"},
    "undoes a number": {"kind": "commit", "tx": "a", "undoes": 5},
    "undoes lists": {"kind": "commit", "tx": "a", "undoes": [["x"]]},
    "a list of evidence": {"kind": "commit", "tx": "a", "evidence": []},
    "evidence that is a number": {"kind": "commit", "tx": "a", "evidence": {"kept": 3}},
    "evidence without a quote": {"kind": "commit", "tx": "a", "evidence": {"kept": [{"seq": 1}]}},
    "a session that is a list": {"kind": "commit", "session": ["s"], "seq": 9, "occasion": "exit"},
    "an outcome that is a list": {"kind": "commit", "session": "s", "seq": 9, "outcome": ["saved"]},
    "a number that is true": {"kind": "commit", "session": "s", "seq": True, "outcome": "saved"},
    "an intent with a record of nothing": {
        "kind": "intent",
        "tx": "a",
        "files": [],
        "record": None,
    },
    "an intent with a file of nothing": {"kind": "intent", "tx": "a", "files": [None]},
    "an intent with an impossible path": {
        "kind": "intent",
        "tx": "a",
        "files": [{**FILE, "path": "/etc/\0"}],
        "record": {},
    },
    "an episode that is a list": {"kind": "commit", "tx": "a", "episode": [1], "added": 5},
    "a time that is a list": {"kind": "commit", "tx": "a", "at": [1], "run": [1]},
}


@pytest.mark.parametrize("line", [*map(json.dumps, JOURNAL.values()), DEEP], ids=[*JOURNAL, "deep"])
def test_a_line_of_the_journal(stores: Stores, paths: Paths, line: str) -> None:
    add(stores, "kept")
    add(stores, "taken-back")
    start = '{"v": 1, "at": "2026-01-01T10:00:00+00:00", '
    with paths.journal.open("a", encoding="utf-8") as file:
        file.write((start + line[1:] if line.startswith("{") else line) + "\n")

    fresh = open_stores(paths)
    journal = Journal(paths.journal)

    assert add(fresh, "new").result is Result.ADDED
    assert [one.what for one in fresh.history("kept")] == ["add"]
    assert (journal.standing("s"), journal.evidence(), journal.episodes()) == (Standing(), {}, [])
    assert journal.last_run(["s"]) is None
    forgetter = Forgetter(fresh, paths)
    assert forgetter.forget(forgetter.find("new")).deleted == ("new",)
    undone = [fresh.undo() for _ in range(2)]
    assert [one.name for report in undone if report for one in report.entries] == [
        "new",
        "new",
    ]
    assert names(fresh.load_all()) == ["kept", "taken-back"]


def test_the_doctor_takes_such_lines_out_of_the_journal(stores: Stores, paths: Paths) -> None:
    add(stores, "kept")
    good = paths.journal.read_text("utf-8").splitlines()
    bad = [one for name, one in JOURNAL.items() if name != "an intent with an impossible path"]
    with paths.journal.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps({"v": 1, **one}) + "\n" for one in bad)

    said: list[str] = []
    doctor(open_stores(paths), said.append)

    assert f"line {len(good) + 1}" in "\n".join(said)
    assert paths.journal.read_text("utf-8").splitlines()[1:] == good


TOMBSTONE: dict[str, Any] = {
    "id": "a",
    "salt": "s",
    "at": "2026-01-01T10:00:00",
    "session": "s",
    "place": "",
    "faces": [],
    "words": [],
    "said": [],
    "evidence": [],
    "content": "c",
}
TOMBSTONES: list[dict[str, Any]] = [
    {"lifted": None},
    {"lifted": 5},
    {"lifted": [["a"]]},
    {**TOMBSTONE, "id": ["a"]},
    {**TOMBSTONE, "at": "0001-01-01T00:00:00"},
    {**TOMBSTONE, "faces": [[[["a"]], 1]]},
    {**TOMBSTONE, "evidence": [[["s"], 1]]},
    {**TOMBSTONE, "evidence": [["s", 1e999]]},
]


@pytest.mark.parametrize("line", [*(json.dumps({"v": 1, **one}) for one in TOMBSTONES), DEEP])
def test_a_line_of_the_tombstones(stores: Stores, paths: Paths, line: str) -> None:
    add(stores, "gone", "The editor is zedword", content="The editor is zedword.")
    forgetter = Forgetter(stores, paths)
    forgetter.forget(forgetter.find("gone"))
    with (paths.state / FILE_NAME).open("a", encoding="utf-8") as file:
        file.write(line + "\n" + json.dumps({"v": 1, **TOMBSTONE}) + "\n")

    heard = window(said("my editor is zedword"), at="2025-01-01T10:00:00+00:00")
    candidate = Candidate((), "user", "user", "editor", "The editor is zedword", "It is zedword.")
    judged = Tombstones(stores).judge(heard, [candidate])

    assert [one.name for one in judged.refused] == ["editor"]


def test_a_trust_file_of_a_newer_catmem_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "trust.json"
    path.write_text('{"version": 2, "roots": ["another", "form"]}')

    file = TrustFile(path, tmp_path)

    assert file.read().entries == ()
    with pytest.raises(StorageError, match="newer"):
        file.change(lambda known: known.trusting(["a"]))
    assert path.read_text() == '{"version": 2, "roots": ["another", "form"]}'


def test_a_trust_file_that_is_nested_too_deeply_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / "trust.json"
    path.write_text(DEEP)
    assert TrustFile(path, tmp_path).change(lambda known: known.trusting(["a"])).entries == ("a",)


PARTS = [
    {"kind": "text", "text": 5, "origin": "typed"},
    {"kind": "call", "id": [1], "name": "bash", "arguments": {}},
    {"kind": "call", "id": "1", "name": "bash", "arguments": 7},
    {"kind": "result", "id": "1", "name": "bash", "text": None, "status": "ok"},
    {"kind": "block", "provider": "openai", "model": "m", "data": "x"},
]


def test_lines_of_a_transcript_that_are_no_messages_are_counted(paths: Paths) -> None:
    session = Session(paths.sessions, paths.workspace)
    session.append(said("hello"))
    session.close()
    message = {"seq": 2, "at": "2026-01-01T10:00:00+00:00", "role": "user"}
    bad = [json.dumps({**message, "parts": [part]}) for part in PARTS]
    bad += ['{"seq": 1e999, "at": "", "role": "user", "parts": []}', DEEP]
    with session.path.open("a", encoding="utf-8") as file:
        file.write("\n".join(bad) + "\n")

    transcript = read_transcript(session.path)

    assert [one.text for one in transcript.messages] == ["hello"]
    assert transcript.damaged == len(bad)
    session.path.write_text(DEEP)
    assert last_seq(session.path) == 0
