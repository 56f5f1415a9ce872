from __future__ import annotations

import contextlib
import json
import resource
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from catmem.errors import StorageError
from catmem.messages import (
    Message,
    Origin,
    ProviderPart,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    user_message,
)
from catmem.sessions import Session, list_transcripts, lock_path, read_transcript
from catmem.storage import lock

CONVERSATION = (
    Message(
        Role.USER,
        (TextPart("看看 a.py", Origin.TYPED), TextPart("line1\nline2", Origin.PASTED)),
    ),
    Message(
        Role.ASSISTANT,
        (
            ProviderPart("anthropic", "m", {"type": "thinking", "signature": "s=="}),
            TextPart("Looking.", Origin.MODEL),
            ToolCallPart("c1", "read_file", {"path": "a.py"}),
            ToolCallPart("c2", "bash", {}, problem="not JSON"),
        ),
    ),
    Message(
        Role.TOOL,
        (
            ToolResultPart("c1", "read_file", "1\tx", "ok", "a.py"),
            ToolResultPart("c2", "bash", "not JSON", "error"),
        ),
    ),
    Message(Role.ASSISTANT, (TextPart("half", Origin.MODEL),), incomplete=True),
    replace(user_message("go on"), attachments=("(cut)",)),
)


@contextlib.contextmanager
def room_for(size: int) -> Iterator[None]:
    """Files cannot grow beyond `size` bytes, as on a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def session(tmp_path: Path) -> Session:
    new = Session(tmp_path / "sessions", tmp_path)
    new.system = ("base", "# Persistent Memory")
    return new


def test_a_session_without_messages_leaves_no_file(tmp_path: Path) -> None:
    session(tmp_path).close()
    assert not (tmp_path / "sessions").exists()


def test_the_transcript_holds_header_and_messages_and_reads_back(tmp_path: Path) -> None:
    new = session(tmp_path)
    for message in CONVERSATION:
        new.append(message)
    assert [message.seq for message in new.messages] == [1, 2, 3, 4, 5]
    header = json.loads(new.path.read_text("utf-8").splitlines()[0])
    assert header == {
        "v": 1,
        "session": new.id,
        "started": header["started"],
        "workspace": str(tmp_path),
        "system": ["base", "# Persistent Memory"],
    }
    transcript = read_transcript(new.path)
    assert transcript.messages == new.messages
    assert transcript.header.system == new.system
    assert (transcript.last_seq, transcript.damaged) == (5, 0)
    assert new.path.stat().st_mode & 0o777 == 0o600
    assert new.path.parent.stat().st_mode & 0o777 == 0o700
    assert list_transcripts(new.path.parent) == [new.path]


def test_a_damaged_last_line_is_tolerated_and_the_next_message_stays_whole(tmp_path: Path) -> None:
    new = session(tmp_path)
    new.append(CONVERSATION[0])
    with new.path.open("ab") as file:
        file.write(b'{"seq": 2, "at": "2026')
    new.append(CONVERSATION[3])
    transcript = read_transcript(new.path)
    assert [message.text for message in transcript.messages] == ["看看 a.pyline1\nline2", "half"]
    assert transcript.damaged == 1


def test_clear_keeps_the_transcript_and_seq_goes_on(tmp_path: Path) -> None:
    new = session(tmp_path)
    new.append(user_message("one"))
    new.clear()
    assert new.messages == ()
    assert new.append(user_message("two")).seq == 2
    assert [message.text for message in read_transcript(new.path).messages] == ["one", "two"]


def test_c03_lone_surrogates_are_replaced_on_disk(tmp_path: Path) -> None:
    new = session(tmp_path)
    new.append(user_message("x\ud83d"))
    assert read_transcript(new.path).messages[0].text == "x\ufffd"


def test_a_living_session_is_locked_and_a_closed_one_is_free(tmp_path: Path) -> None:
    new = session(tmp_path)
    new.append(user_message("one"))
    with pytest.raises(StorageError), lock(lock_path(new.path), timeout=0):
        pass
    new.close()
    with lock(lock_path(new.path), timeout=0):
        pass


@pytest.mark.parametrize("text", ["", "{}\n", "no json\n", '{"v": 99, "session": "s"}\n'])
def test_a_file_without_a_readable_header_is_a_typed_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(text)
    with pytest.raises(StorageError, match=r"x\.jsonl"):
        read_transcript(path)


def test_an_unwritable_directory_is_a_typed_error_and_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "sessions").write_text("a file")
    new = Session(tmp_path / "sessions", tmp_path)
    with pytest.raises(StorageError):
        new.append(user_message("one"))
    assert new.messages == ()


def test_a16_a_full_disk_costs_only_the_messages_that_it_refused(tmp_path: Path) -> None:
    new = session(tmp_path)
    new.system = ("x" * 2000,)
    with room_for(1000), pytest.raises(StorageError, match="File too large"):
        new.append(user_message("refused with the header"))
    assert new.path.read_bytes() == b""
    with room_for(4000):
        new.append(user_message("kept"))
        with pytest.raises(StorageError, match="File too large"):
            new.append(user_message("y" * 5000))
    new.append(user_message("kept too"))

    read = read_transcript(new.path)
    assert [(message.seq, message.text) for message in read.messages] == [
        (1, "kept"),
        (2, "kept too"),
    ]
    assert (read.header.system, read.damaged) == (new.system, 0)
