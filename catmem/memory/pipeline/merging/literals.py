"""What must be kept to the letter: paths, commands, numbers, versions, addresses, dates, names.

A literal is found once, as the most telling kind it can be: a number inside a path is no number of
its own. Compared in one width and case and with single blanks.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_NOT_IN_ADDRESS = r"\s<>\"'`，。；、）)】」"
_PROGRAMS = (
    r"npm|npx|pnpm|yarn|bun|deno|node|make|just|task|pytest|tox|nox|ruff|mypy|cargo|rustc|go|git|gh"
    r"|docker|podman|kubectl|helm|terraform|ansible|pip|pipx|uv|uvx|poetry|pdm|conda"
    r"|python3?|bash|sh"
    r"|zsh|gradle|gradlew|mvn|cmake|ninja|bazel|psql|mysql|redis-cli|curl|ssh|scp|rsync"
    r"|systemctl|brew"
    r"|apt|alembic|flask|django-admin|rails|rake|bundle|composer|php|dotnet|swift|flutter"
    r"|vitest|jest"
)
# In order: what an earlier kind took is not looked at again. The last group of a match is kept.
_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("code", re.compile(r"`([^`\n]+)`")),
    (
        "url",
        re.compile(
            rf"(?<![A-Za-z0-9+.-])[a-z][a-z0-9+.-]{{0,20}}://[^{_NOT_IN_ADDRESS}]+", re.IGNORECASE
        ),
    ),
    ("mail", re.compile(r"(?<![\w.])[\w.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+", re.ASCII)),
    (
        "path",
        re.compile(
            r"(?<![\w/.])(?:~|\.{1,2}|[A-Za-z]:)?[/\\]?(?:[\w.@*-]+[/\\])+[\w.@*-]*"
            r"|(?<![\w/])[~/][\w./*-]*\w|(?<![\w.])\.\w[\w.-]*\w"
            r"|(?<![\w.])[\w-]+(?:\.[\w-]+)*\.(?:py|js|jsx|ts|tsx|go|rs|java|kt|rb|php|c|h"
            r"|cc|cpp|cs|sh"
            r"|sql|md|txt|rst"
            r"|json|ya?ml|toml|ini|cfg|conf|env|lock|xml|html|css|csv|log|db|sqlite3?|proto"
            r"|tf)(?!\w)",
            re.ASCII,
        ),
    ),
    (
        "code",
        re.compile(
            rf"(?<![\w.-])(?:{_PROGRAMS})(?: (?!sure |to |through |with |and |or |is |as |in |on )"
            r"(?:-{1,2}\w[\w=.:-]*|[a-z0-9][\w.:=@-]*[\w]|[a-z0-9]))(?: -{1,2}\w[\w=.:-]*)*",
            re.ASCII,
        ),
    ),
    ("code", re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*(?:=[\w.:-]+)?", re.ASCII)),
    (
        "name",
        re.compile(
            r"(?<!\w)(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Z]{2,}-\d+"
            r"|[A-Z]{1,4}\d+[A-Za-z0-9]*|[a-z]\w*_\w+"
            r"|[a-z]+(?:[A-Z][a-z0-9]+)+"
            r"|(?<!\.)[A-Za-z_]\w*(?:\.\w+)*\(\)|@[\w-]+/[\w.-]+|#[\w-]*\w)",
            re.ASCII,
        ),
    ),
    (
        "date",
        re.compile(
            r"(?<!\d)\d{4}[-/.年]\d{1,2}(?:[-/.月]\d{1,2}日?|月)|(?<!\d)\d{1,2}月\d{1,2}[日号]"
            r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|(?:星期|礼拜"
            r"|周)[一二三四五六日天](?!会)"
            r"|(?<![A-Za-z])(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov"
            r"|dec)[a-z]* \d{1,2}\b",
            re.IGNORECASE,
        ),
    ),
    (
        "language",
        re.compile(
            r"\b(?:english|chinese|mandarin|japanese|german|french|spanish|korean|russian"
            r"|portuguese|italian)\b"
            r"|中文|英文|英语|汉语|日文|日语|德语|法语|韩语|俄语",
            re.IGNORECASE,
        ),
    ),
    (
        "number",
        re.compile(
            r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty"
            r"|forty|fifty|sixty|hundred|twice|(?<!this )(?<!that )(?<!the )(?<!each )(?<!which )"
            r"one(?= \w)(?! of| another| more| by))\b"
            r"|(?:[二两三四五六七八九十百千半][一二三四五六七八九十百千万零]*"
            r"|一(?=[次天周月年分小台份遍轮层级位倍]))(?=[个次天周月年分小台份遍轮层级位种条倍岁元块楼点名人])",
            re.IGNORECASE,
        ),
    ),
    (
        "number",
        re.compile(r"(?<![A-Za-z0-9_.])v?(\d+(?:[.:,]\d+)*)(?:(?:\.[x*])|(?![\d_]))", re.ASCII),
    ),
)
_BLANKS = re.compile(r"\s+")
_DIGITS = re.compile(r"[\d.:,]+")
_TAIL = ".,;:!?"


@dataclass(frozen=True, slots=True)
class Literal:
    """A piece of text that has to stand as it is; ``kind`` tells what could take its place."""

    kind: str
    text: str

    def stands_in(self, text: str) -> bool:
        """Tell whether it is in ``text`` as a whole, not as part of a longer one."""
        return _whole(self.text).search(folded(text)) is not None


def literals(text: str) -> list[Literal]:
    """Return the literals of ``text``, by kind and place, with repeats."""
    return list(_found(folded(text, case=True)))


def missing(text: str, elsewhere: str) -> list[Literal]:
    """Return the literals of ``text`` that ``elsewhere`` does not have."""
    return [literal for literal in literals(text) if not literal.stands_in(elsewhere)]


def prose(text: str) -> str:
    """Return ``text`` without code, paths and addresses, whose words are names and say nothing."""
    for kind, pattern in _KINDS:
        if kind in {"code", "url", "mail", "path"}:
            text = pattern.sub(" ", text)
    return text


@lru_cache(maxsize=64)
def folded(text: str, *, case: bool = False) -> str:
    """Return ``text`` in one width, with single blanks, and in small letters unless ``case``."""
    plain = _BLANKS.sub(" ", unicodedata.normalize("NFKC", text))
    return plain if case else plain.casefold()


def _found(text: str) -> Iterator[Literal]:
    for kind, pattern in _KINDS:
        taken: list[tuple[int, int]] = []
        for match in pattern.finditer(text):
            literal = (
                (match[match.lastindex] if match.lastindex else match[0]).strip().rstrip(_TAIL)
            )
            if any(map(str.isalnum, literal)):
                yield Literal(_kind_of(literal) if kind == "code" else kind, literal.casefold())
                taken.append(match.span())
        for start, end in taken:
            text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"


def _kind_of(code: str) -> str:
    """Return what a piece of code is, so that it can be compared with the same without marks."""
    for kind, pattern in _KINDS:
        if kind in {"url", "path", "number"} and pattern.fullmatch(code):
            return kind
    return "code"


@lru_cache(maxsize=512)
def _whole(literal: str) -> re.Pattern[str]:
    escaped = re.escape(literal)
    if _DIGITS.fullmatch(literal):
        return re.compile(rf"(?<![0-9])(?<![0-9][.:,]){escaped}(?![.:,]?[0-9])")
    before = r"(?<![a-z0-9_])" if literal[0].isalnum() else ""
    after = r"(?![a-z0-9_])" if literal[-1].isalnum() else ""
    return re.compile(before + escaped + after)
