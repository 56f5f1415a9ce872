"""What the embedded model wants remembered, in the user's own words instead of its paraphrase.

A model of this size garbles what it restates ("I use helix" becomes "Helix is an editor …"). The
sentence of the user's that shares most with it says what was meant.
"""

from __future__ import annotations

import re

_SENTENCE = re.compile(r"[^.!?。！？；;\n]+(?:[.!?](?=\S)[^.!?。！？；;\n]*)*[.!?。！？；;]*")
_LEAD = re.compile(
    r"\s*(?:(?:please|pls|also|and|btw|by the way|oh|ok(?:ay)?|one more thing)\b[\s,:]*"
    r"|(?:can|could) you\s+)*"
    r"(?:(?:remember|note|keep in mind|don't forget)\b(?:\s+that\b|\s*[,:])?\s*)?"
    r"(?:(?:请|帮我|麻烦|另外|对了|顺便)[，,：:\s]*)*(?:记住|记一下|记下来?|记得)?[，,：:\s]*",
    re.IGNORECASE,
)
HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[a-z0-9][\w./-]*[\w]|[a-z0-9]|[\u3400-\u9fff]", re.IGNORECASE)
_EMPTY = frozenset(
    [
        "the",
        "a",
        "an",
        "is",
        "are",
        "to",
        "of",
        "and",
        "in",
        "that",
        "it",
        "this",
        "i",
        "you",
        "we",
        "my",
        "的",
        "了",
        "是",
        "我",
        "你",
        "在",
    ]
)


def in_own_words(fact: str, typed: str) -> str:
    """Return the sentence of ``typed`` that says ``fact``; the fact itself where none does.

    A fact in another language than the user's shares no words: then the whole message stands, as
    long as it is one sentence.
    """
    sentences = [found for one in _SENTENCE.findall(typed) if (found := _without_lead(one))]
    if not sentences:
        return fact
    words = _words(fact)
    best = max(sentences, key=lambda sentence: len(words & _words(sentence)))
    if words & _words(best):
        return best
    translated = bool(HAN.search(typed)) != bool(HAN.search(fact))
    return "".join(sentences) if translated else fact


def _without_lead(sentence: str) -> str:
    lead = _LEAD.match(sentence)
    rest = sentence[lead.end() :] if lead else sentence
    return (rest if _words(rest) else sentence).strip()


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)} - _EMPTY
