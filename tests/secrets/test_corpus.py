"""How much of a corpus is found, and how much of a harmless one is touched."""

from __future__ import annotations

from collections.abc import Callable

from catmem.secrets import find, mask
from tests.secrets.corpus import planted
from tests.secrets.harmless import harmless

Record = Callable[[str, object], None]
PLANTED = planted()
HARMLESS = harmless()


def test_the_corpus_is_as_large_as_it_claims() -> None:
    assert len({item.format for item in PLANTED}) >= 80
    assert len(HARMLESS) >= 200


def test_every_secret_is_found_and_nothing_else(record_property: Record) -> None:
    missed = [
        (item.format, item.text, mask(item.text))
        for item in PLANTED
        if mask(item.text)
        not in {f"{item.before}[masked {found.kind}]{item.after}" for found in find(item.text)}
    ]
    record_property("planted", len(PLANTED))
    record_property("missed", len(missed))
    assert missed == []


def test_nothing_harmless_is_touched(record_property: Record) -> None:
    alarms = [(text, mask(text)) for text in HARMLESS if mask(text) != text]
    record_property("harmless", len(HARMLESS))
    record_property("false alarms", len(alarms))
    assert alarms == []
