"""Sessions and their transcripts: append-only JSONL, what the memory pipeline learns from."""

from __future__ import annotations

from catmem.sessions.session import Session
from catmem.sessions.transcripts import (
    Header,
    Transcript,
    delete_transcript,
    last_seq,
    list_transcripts,
    lock_path,
    read_transcript,
    transcripts_before,
)

__all__ = [
    "Header",
    "Session",
    "Transcript",
    "delete_transcript",
    "last_seq",
    "list_transcripts",
    "lock_path",
    "read_transcript",
    "transcripts_before",
]
