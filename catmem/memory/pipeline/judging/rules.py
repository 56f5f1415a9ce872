"""Requests to remember, recognised without a model: "remember …", "always …", "以后都…", "不要再…".

Such a request, typed by the person, must not get lost because a model overlooked it. It counts at
the start of a clause and only as an order: not as a question, not as a tale ("it always fails"),
not for this moment only ("just this once", "这次"), and not when it is taken back.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from catmem.memory.pipeline.window import Window, typed_texts

_FLAGS = re.IGNORECASE


@dataclass(frozen=True, slots=True)
class Request:
    """An explicit request: the words as typed, and the fact in them."""

    seq: int
    words: str
    fact: str


_CODE = re.compile(r"```.*?(?:```|\Z)|^[ \t]*>.*$", re.DOTALL | re.MULTILINE)
_SENTENCE = re.compile(r"[^。！？!?；;\n.]+(?:\.(?!\s|$)[^。！？!?；;\n.]*)*[。！？!?；;.]*")
_CLAUSE = re.compile(r"[,，、:：]\s*|\s+[-–—]+\s+|\s+(?:and|but|so|also)\s+", _FLAGS)

_LEAD = re.compile(
    r"(?:\s|please\b|pls\b|and\b|also\b|but\b|so\b|oh\b|ok(?:ay)?\b|btw\b|by the way\b|hey\b|well\b"
    r"|hi\b|one more thing\b|fyi\b|no\b|actually\b|wait\b|then\b|just\b"
    r"|(?:i (?:want|need|would like|'d like) |i'd like )?you (?:to|should|must|need to|have to)\b"
    r"|can you please\b|could you please\b|we (?:should|must|need to|have to)\b|[,，:：、]"
    r"|请|麻烦|你要|您|你(?!们)|帮我|给我|另外|还有|对了|顺便|那么|那|好的|嗯|所以|但是|但|不过|而且|还是|不对|拜托)*",
    _FLAGS,
)
_NOT_AN_ORDER = (
    r"mind|the|a|an|this|that|these|those|been|seen|had|has|was|were|is|are|did|does|got|saw|knew"
    r"|thought|heard|went|came|took|gave|said|found|felt|ran|broke|again|really|ever|before|happy"
    r"|good|nice|fun|great|glad|possible|true|false|null|wrong|right|same|there|here|a bit|it|they"
    r"|he|she|i|we|say|liked|mine|too|so|as|in|on|at|with|when|if|my|your|our|their"
)
_ENGLISH = re.compile(
    r"(?:"
    r"remember\s*[,:]?\s+(?!(?:when|how|why|what|where|last|yesterday|the time|me|him|her|us"
    r"|them|it|our)\b)(?:this\s*[,:]\s*|that\s+|to\s+)?(?=\S)"
    r"|(?:don'?t|do not|never) forget\s+(?:that\s+|to\s+)(?=\S)"
    r"|keep in mind\s*[,:]?\s*(?:that\s+)?(?=\S)"
    r"|(?=always\s+(?!(?:" + _NOT_AN_ORDER + r")\b)(?!\w+(?:ed|ing|[^su]s)\b)\w)"
    r"|(?=never\s+(?!(?:" + _NOT_AN_ORDER + r")\b)(?!\w+(?:ed|ing|[^su]s)\b)\w)"
    r"|(?=(?:from now on|from here on|going forward|in (?:the )?future|henceforth)\s*,?\s+"
    r"(?!it\b|this\b|that\b|they\b|he\b|she\b|there\b|everything\b)\w)"
    r"|(?=(?:don'?t|do not) ever\s+\w)"
    r"|(?=(?:don'?t|do not|stop)\s+\w.*\b(?:ever again|again|any ?more)\b)"
    r")",
    _FLAGS,
)
_CHINESE = re.compile(
    r"(?:"
    r"(?:记住|记好|牢记|记一下|记下来?|别忘了|不要忘记?了?)(?!了?[吗没么吧]|了$|了?不)\s*[,，:：]?\s*(?=\S)"
    r"|记得(?=.*(?:以后|每次|一律|永远|始终|总是|都))(?!吗|上次|昨天|那)\s*[,，:：]?\s*(?=\S)"
    r"|(?=(?:从现在(?:起|开始)|从今(?:以后|往后|天起)|以后|今后|往后)\s*[,，]?\s*"
    r"(?!再|会|可能|可以|有|还|也许|的|能|想|吧|呢|怎|它|他|她|就会|等|看|考虑|才|来)\S)"
    r"|(?=下次\s*[,，]?\s*(?:别|不要|记得|都|请|要|先|直接|用))"
    r"|(?=(?:不要再|别再|不许再|不准再|不能再)"
    r"(?!(?:试|说|等|问|改|跑|管|弄|动|闹|吵|看|想|试一)(?:它|了|下去|啦)*[。！!]*$)\S)"
    r"|(?=(?:永远|始终|一律)(?:都|只|也)?(?:不要|不准|不许|不用|不得|别|用|要|先|使用|写|按|禁止|保持|走|放|以|采用|禁用))"
    r"|(?=(?:总是|每次(?:[^,，]{0,10}?)?都?)(?:要|用|先|请|把|写|加|运行|检查|使用|按|保持|不要|别))"
    r")"
)
_QUESTION = re.compile(
    r"[?？]\s*$|(?:吗|呢|么|没有|了没)[。！.!]*\s*$"
    r"|^\s*(?:do|does|did|can|could|would|will|should|is|are|why|what|how|when|where|who|which"
    r"|have|has)\b(?!\s*(?:you )?please)(?!n'?t)(?!\s+not\b)",
    _FLAGS,
)
_THIS_MOMENT = re.compile(
    r"\b(?:just )?this (?:once|time|one time)\b|\bfor now\b|\bfor the moment\b|\bjust once\b"
    r"|\b(?:for|in) this (?:one )?(?:\w+ )?(?:run|session|task|turn|commit|request|test run)\b"
    r"|\b(?:only|just) (?:for )?today\b|\btoday only\b|\bfor today\b|\buntil (?:tomorrow|tonight)\b"
    r"|\btemporarily\b|\bwhen (?:you'?re|it'?s) done\b"
    r"|这次|这一次|这回|本次|就一次|仅此一次|今天先|今天就先|今天只|暂时|临时|眼下先|目前先|先这样|这轮",
    _FLAGS,
)
# Clearer words, which make a fact worthless even where a model proposes it.
_ONCE_ONLY = re.compile(
    r"\b(?:just|only) (?:this once|once|this time|for this (?:one )?\w+|for today)\b|\bthis once\b"
    r"|\bthis time only\b|\bfor this (?:one )?\w+ only\b|\btoday only\b|\btemporarily\b"
    r"|就这一次|仅此一次|仅限这次|今天先|这次(?:先|就|只|不|别)|暂时|临时用",
    _FLAGS,
)
_TAKEN_BACK = re.compile(
    r"\s*(?:(?:no|oh|actually|wait|hm+|ok(?:ay)?|well|sorry)[\s,.]+)*"
    r"(?:never ?mind|forget (?:it|that|what i said|about it)|scratch that|ignore that"
    r"|i take (?:that|it) back|don'?t (?:remember|save|store|keep) (?:that|this|it)"
    r"|算了|当我没说|不用记了?|别记了?|不要记|不必记|忘了(?:它|吧)|收回(?:刚才)?)",
    _FLAGS,
)
_REVERSAL = re.compile(
    r"\s*(?:no\b|actually\b|wait\b|correction\b|sorry\b|不对|不是|等等|等一下|还是|说错)", _FLAGS
)
_FACT_CHARACTERS = 500
_MOST_CLAUSES = 50
_FEWEST_LETTERS = 2


def explicit_requests(window: Window) -> list[Request]:
    """Return what the person explicitly asked to remember; of reversed ones only the last."""
    found: list[Request] = []
    for message in window.messages:
        for text in typed_texts(message):
            for sentence in _sentences(text):
                if _TAKEN_BACK.match(sentence):
                    del found[-1:]
                    continue
                request = _request(message.seq, sentence)
                if request is None:
                    continue
                if found and _REVERSAL.match(sentence):
                    found.pop()
                found.append(request)
    return _without_repeats(found)


def holds_once_only(text: str) -> bool:
    """Whether a text says in clear words that it is for this once."""
    return _ONCE_ONLY.search(text) is not None


def _sentences(text: str) -> Iterator[str]:
    without_code = _CODE.sub("\n", unicodedata.normalize("NFC", text)).replace("’", "'")
    for match in _SENTENCE.finditer(without_code):
        if sentence := match.group().strip():
            yield sentence


def _request(seq: int, sentence: str) -> Request | None:
    if _QUESTION.search(sentence) or _THIS_MOMENT.search(sentence):
        return None
    for start in _clause_starts(sentence):
        clause = sentence[start : start + _FACT_CHARACTERS]
        lead = _LEAD.match(clause)
        begin = lead.end() if lead else 0
        for trigger in (_ENGLISH, _CHINESE):
            if match := trigger.match(clause, begin):
                fact = clause[match.end() :].strip(" \t,，:：。.!！;；")
                if sum(map(str.isalnum, fact)) < _FEWEST_LETTERS:
                    return None
                return Request(seq, clause[begin:].strip(), fact)
    return None


def _clause_starts(sentence: str) -> Iterator[int]:
    yield 0
    for match in islice(_CLAUSE.finditer(sentence), _MOST_CLAUSES):
        yield match.end()


def _without_repeats(requests: Sequence[Request]) -> list[Request]:
    last = {request.fact.casefold(): request for request in requests}
    return [request for request in requests if last[request.fact.casefold()] is request]
