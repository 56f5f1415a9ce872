"""A message as a line of a transcript, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from catmem.messages import (
    Message,
    Origin,
    Part,
    ProviderPart,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from catmem.sanitize import repair


def encode(message: Message) -> dict[str, Any]:
    """Return the JSON form of a message."""
    record: dict[str, Any] = {
        "seq": message.seq,
        "at": message.at,
        "role": str(message.role),
        "parts": [_encode_part(part) for part in message.parts],
    }
    if message.attachments:
        record["attachments"] = [repair(text) for text in message.attachments]
    if message.incomplete:
        record["incomplete"] = True
    if message.off_record:
        record["off_record"] = True
    return record


def decode(record: Mapping[str, Any]) -> Message:
    """Return the message of a JSON record.

    Raises:
        KeyError, ValueError, TypeError: it is no message record.
    """
    return Message(
        role=Role(record["role"]),
        parts=tuple(_decode_part(part) for part in record["parts"]),
        seq=int(record["seq"]),
        attachments=tuple(map(_text, record.get("attachments", ()))),
        at=str(record["at"]),
        incomplete=bool(record.get("incomplete", False)),
        off_record=bool(record.get("off_record", False)),
    )


def _encode_part(part: Part) -> dict[str, Any]:
    match part:
        case TextPart(text, origin):
            return {"kind": "text", "text": repair(text), "origin": str(origin)}
        case ToolCallPart(id_, name, arguments, problem):
            call = {"kind": "call", "id": id_, "name": name, "arguments": _repair(dict(arguments))}
            return call | ({"problem": problem} if problem else {})
        case ToolResultPart(call_id, name, text, status, subject):
            return {
                "kind": "result",
                "id": call_id,
                "name": name,
                "text": repair(text),
                "status": status,
                "subject": repair(subject),
            }
        case ProviderPart(provider, model, data, sealed):
            block = {"kind": "block", "provider": provider, "model": model, "data": dict(data)}
            return block if sealed else block | {"sealed": False}


def _decode_part(record: Mapping[str, Any]) -> Part:
    match record["kind"]:
        case "text":
            return TextPart(_text(record["text"]), Origin(record["origin"]))
        case "call":
            return ToolCallPart(
                _text(record["id"]),
                _text(record["name"]),
                _mapping(record["arguments"]),
                record.get("problem"),
            )
        case "result":
            return ToolResultPart(
                _text(record["id"]),
                _text(record["name"]),
                _text(record["text"]),
                _text(record["status"]),
                _text(record.get("subject", "")),
            )
        case "block":
            return ProviderPart(
                _text(record["provider"]),
                _text(record["model"]),
                _mapping(record["data"]),
                bool(record.get("sealed", True)),
            )
        case other:
            raise ValueError(other)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(type(value).__name__)
    return value


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise TypeError(type(value).__name__)
    return value


def _repair(value: Any) -> Any:
    if isinstance(value, str):
        return repair(value)
    if isinstance(value, Mapping):
        return {repair(str(key)): _repair(item) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [_repair(item) for item in value]
    return value
