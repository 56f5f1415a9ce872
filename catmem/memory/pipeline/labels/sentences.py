"""Cutting what a person typed into sentences that can be judged one by one, Chinese and English.

Every piece is an exact stretch of the message, so that it can serve as a quote. Code blocks and
what was pasted are left out; URLs, paths, versions, code spans and abbreviations are never cut.
Items of a list keep the line that introduces them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from catmem.memory.pipeline.hearsay.passages import own_words

# What may hold stops and semicolons without ending a sentence; same length after masking.
_SOLID = re.compile(
    r"`[^`\n]+`"
    r"|\b[a-z][a-z0-9+.-]*://[^\s，。；、）)】」\"'<>]*[^\s，。；、）)】」\"'<>.,;:!?]"
    r"|\"[^\"\n]{1,60}\"|“[^”\n]{1,60}”|「[^」\n]{1,60}」"
    r"|\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|mr|mrs|ms|dr|prof|st|inc|ltd|fig|sec|min|max"
    r"|dept|est|ca|a\.k\.a)\.(?=\s+\S)(?!\s+(?-i:[A-Z]))"
    r"|\bno\.(?=\s*\d)",
    re.IGNORECASE,
)
_INLINE_NUMBER = re.compile(r"((?:^|[：:；;。，,])\s*\d{1,2})\.(?=\s*\D)")
_ITEM_MARK = (
    r"(?:[-*•·]|\d{1,2}[.、)）](?!\d)|[(（]\d{1,2}[)）]|[①-⑨]|[一二三四五六七八九][、.])\s*"
)
_LINE_ITEM = re.compile(r"[ \t]*" + _ITEM_MARK)
_ENDS = re.compile(
    r"(?<=[。！？；])(?![。！？!?；;\"”」'’)）])\s*"
    r"|(?<=[!?;])(?:\s+|(?=[\u4e00-\u9fff]))"
    r"|(?<=[^\s.]\.)\s+(?=\S)"
    r"|(?:(?<=\.\.)|(?<=……)|(?<=\s\.))\s+(?=\S)"
    r"|(?<=[\U0001F300-\U0001FAFF])\s*(?=[^\W_])"
    r"|\s+(?:--|[–—])\s+"
    r"|(?<=[：:；;。，,])\s*(?=\d{1,2}[.、)）](?!\d)\s*\D)"
    r"|(?<=[，,。 ])\s*(?=(?:顺便|另外|对了|还有一点|话说|补充一)|(?:by the way|btw|fyi)\b)"
    r"|,\s+(?=(?:and|but) (?:please )?(?:never|always|don'?t|do not)\b)",
    re.IGNORECASE,
)
# 「帮我改下，…」: a request of the moment at the head of a sentence is judged by itself.
_REQUEST_HEAD = re.compile(
    r"(?:请|麻烦|帮[我忙]?"
    r"|给我)?[^，,。；]{0,20}?(?:[看改查跑试修删加弄处理调整更新优化]+(?:一下|下|看)"
    r"|看看|改改|试试|查查|改好|修好|跑跑)[吧呗啊哈]?[，,]\s*(?=\S{6})"
)
_FILLER = re.compile(
    r"(?:[\U0001F300-\U0001FAFF\ufe0f]+\s*|(?:by the way|btw|fyi|oh(?: right)?|ah|hm+|ok(?:ay)?"
    r"|well|right|also|and|but|so|great|good"
    r"|nice|yes|yeah|thanks|alright)(?:[,:.!]+\s*|\s+(?=by the way|btw|also|please|i\b|we\b|don'?t"
    r"|never|always))"
    r"|(?:顺便(?:说一?[句下声]|提一?[句下嘴]|一提)?|另外|对了|还有一点|话说|补充一[点下句]|哦对"
    r"|哦|嗯|啊|好的?|行|OK|可以|那)"
    r"(?:[，,：:。！!]\s*)|顺便(?:说一?[句下声]|提一?[句下嘴])\s*|另外(?=[^一外])\s*|对了\s*)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{2}")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A stretch of a typed text.

    Attributes:
        text: the words as typed, without list marks and fillers at the front ("by the way").
        opening: what was cut off the front, for whoever looks for "no," and the like.
        lead: the line that introduces the list it is an item of, else empty.
    """

    text: str
    opening: str = ""
    lead: str = ""


def split(text: str) -> list[Sentence]:
    """Return the sentences of ``text`` in order."""
    text = own_words(text)
    found: list[Sentence] = []
    lead = ""
    for line in text.splitlines():
        mark = _LINE_ITEM.match(line)
        if not line.strip():
            continue
        if mark is None:
            lead = ""
        for piece, is_item in _pieces(line):
            if piece.endswith((":", "：")) and len(piece) <= 60:
                lead = piece
                continue
            belongs = lead if is_item or mark is not None else ""
            found.append(_sentence(piece, belongs))
    return [sentence for sentence in found if _WORD.search(sentence.text)]


def _pieces(line: str) -> Iterator[tuple[str, bool]]:
    """Yield the sentences of one line, each with whether a list mark stood before it."""
    for start, end in _spans(line):
        piece = line[start:end].strip()
        mark = re.match(_ITEM_MARK, piece)
        if mark is not None and len(piece) > mark.end():
            yield piece[mark.end() :].strip(), True
        elif piece:
            yield piece, False


def _spans(line: str) -> Iterator[tuple[int, int]]:
    masked = _INLINE_NUMBER.sub(r"\1、", _SOLID.sub(lambda solid: "x" * len(solid[0]), line))
    start = 0
    for end in _ENDS.finditer(masked):
        if end.start() > start:
            yield from _without_request(masked, start, end.start())
        start = end.end()
    if start < len(line):
        yield from _without_request(masked, start, len(line))


def _without_request(masked: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    head = _REQUEST_HEAD.match(masked, start, end)
    if head is not None:
        yield start, head.end()
        start = head.end()
    yield start, end


def _sentence(piece: str, lead: str) -> Sentence:
    rest = without_fillers(piece)
    return Sentence(rest.strip(), piece[: len(piece) - len(rest)].strip(), lead)


def without_fillers(piece: str) -> str:
    """Return a piece without what people say before they say something ("by the way, ")."""
    rest = piece
    while (filler := _FILLER.match(rest)) is not None and filler.end() < len(rest):
        rest = rest[filler.end() :]
    return rest
