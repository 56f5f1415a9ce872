"""Which lines of the journal are records: what another program or a damaged disk wrote is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from catmem import storage

FORMAT_VERSION = 1

Record = Mapping[str, Any]


def parsed(line: bytes) -> Record | None:
    """Return the record of a line; None for one that is damaged, or is no record.

    One of a newer format is returned as it is: only its ``v`` may be relied upon.
    """
    try:
        record = storage.parse_json(line)
    except ValueError:
        return None
    if not isinstance(record, dict) or not _is_number(record.get("v")):
        return None
    return record if record["v"] > FORMAT_VERSION or _is_sound(record) else None


def _is_sound(record: Mapping[str, Any]) -> bool:
    """Whether every field that somebody reads is what it should be; others may be anything."""
    return all(key not in record or fits(record[key]) for key, fits in _FIELDS.items())


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_text_or_none(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _are_rows(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def _are_quotes(value: Any) -> bool:
    return isinstance(value, dict) and all(
        _are_rows(quotes)
        and all(_is_number(item.get("seq")) and _is_text(item.get("quote")) for item in quotes)
        for quotes in value.values()
    )


def _is_record(value: Any) -> bool:
    return isinstance(value, dict) and _is_sound(value)


_FIELDS: Mapping[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("kind", "at", "run", "session", "occasion", "outcome", "detail"), _is_text),
    **dict.fromkeys(("tx", "episode"), _is_text_or_none),
    **dict.fromkeys(("seq", "candidates", "bytes"), _is_number),
    **dict.fromkeys(("added", "updated", "deleted", "undoes"), _are_texts),
    "skipped": _is_list,
    "evidence": _are_quotes,
    "files": _are_rows,
    "record": _is_record,
}
