"""The optional fields of a candidate: what code drops, caps and fills in.

Nothing here refuses a candidate; what is of no use is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from catmem.memory.pipeline.extraction import OWN_TYPES, Candidate
from catmem.memory.pipeline.judging.orders import is_order
from catmem.memory.pipeline.judging.quotes import Quote, Source, normalised
from catmem.memory.pipeline.judging.support import Support
from catmem.memory.search.similarity import words_of
from catmem.memory.store.entry import USUAL_IMPORTANCE
from catmem.sanitize import one_line
from catmem.secrets import mask

THE_USERS_OWN = 0.9
HIGHEST_OF_OTHERS = 0.85
_EXPERIENCE = 0.6
_EXPERIENCES = frozenset({"common_pitfalls_experience", "project_introduction"})
_NOT_SAID = 0.45  # rests on what the agent or data said alone
_MOST_KEYWORDS = 8
_MOST_QUOTES = 2
_QUOTE_CHARACTERS = 160
# Words that are in half of all entries and so tell nothing apart.
_TOO_GENERAL_TEXT = """
    project user code coding file files rule rules preference preferences convention conventions
    style note notes general misc other agent assistant memory session important development dev
    software programming feedback reference info information default config configuration setting
    settings tool tools usage work workflow task tasks
    项目 用户 代码 文件 规则 偏好 规范 约定 其他 通用 重要 开发 编程 记忆 会话 助手 反馈
    参考 信息 默认 配置 设置 工具 使用 任务 习惯 要求"""
_TOO_GENERAL = frozenset(_TOO_GENERAL_TEXT.split())


def detailed(
    candidate: Candidate, quotes: Sequence[Quote], support: Support, session: str
) -> Candidate:
    """Return a candidate with the optional fields that say something.

    An importance that is usual for the type is left out; it is what an entry without one has.
    """
    found = dict(_unplanted(candidate, support))
    if "keywords" in found:
        found["keywords"] = _telling(found.pop("keywords"), candidate)
    value = importance(candidate, found)
    found["importance"] = value if value != USUAL_IMPORTANCE[candidate.type] else None
    if value >= THE_USERS_OWN and candidate.scope != "project":  # whose authority it claims
        found["evidence"] = _evidence(quotes, session, candidate.content)
    return replace(candidate, optional={key: value for key, value in found.items() if value})


def importance(candidate: Candidate, found: dict[str, Any]) -> float:
    """Return how much a candidate matters; from 0.9 on only what the person asked for."""
    proposed = found.get("importance")
    value = float(proposed) if isinstance(proposed, int | float) else _usual(candidate, found)
    if not candidate.own_words:
        return min(value, _NOT_SAID)
    if candidate.explicit and candidate.type in OWN_TYPES:
        return max(value, THE_USERS_OWN)
    return min(value, HIGHEST_OF_OTHERS)


def _usual(candidate: Candidate, found: dict[str, Any]) -> float:
    if candidate.explicit:
        return HIGHEST_OF_OTHERS
    if found.get("category") in _EXPERIENCES:
        return _EXPERIENCE
    return USUAL_IMPORTANCE[candidate.type]


def _unplanted(candidate: Candidate, support: Support) -> Iterator[tuple[str, Any]]:
    """Yield the fields; of a fact that was said, nothing that came from data alone."""
    for key, value in candidate.optional.items():
        if isinstance(value, list):
            yield key, [item for item in value if not _is_foreign(item, candidate, support)]
        elif not isinstance(value, str) or not _is_foreign(value, candidate, support):
            yield key, value


def _is_foreign(text: str, candidate: Candidate, support: Support) -> bool:
    if candidate.own_words:
        return support.is_planted(text)
    return is_order(text)


def _telling(keywords: Sequence[str], candidate: Candidate) -> list[str]:
    title = f"{candidate.name.replace('-', ' ')} {candidate.description}"
    in_title = normalised(title)
    kept: dict[str, str] = {}
    for word in keywords:
        letters = normalised(word)
        is_name = re.search(r"[\d./_:-]", word) is not None  # "3.12", "src/api": worth a keyword
        repeats = letters in in_title and not is_name
        if letters and word.casefold() not in _TOO_GENERAL and not repeats and words_of(word):
            kept.setdefault(letters, word)
    return list(kept.values())[:_MOST_KEYWORDS]


def _evidence(quotes: Sequence[Quote], session: str, content: str) -> list[str]:
    """Return where the person said it, unless the entry says it in the same words."""
    typed = [quote.evidence for quote in quotes if quote.source is Source.TYPED]
    return [
        f"{session}#{item.seq}: {one_line(mask(item.quote), _QUOTE_CHARACTERS)}"
        for item in typed[:_MOST_QUOTES]
        if normalised(item.quote) not in normalised(content)
    ]
