"""What stays out of memory because the person wants it so: decided in code, before any extractor.

Left out is the whole turn (the message, the answer, the tools' results)

* that was said while memory was off,
* whose message has ``<private>…</private>`` in it,
* or in whose message the person typed "don't remember this", "这个别记". Where that is all the
  message says, or it speaks of what came before, the turn before it is left out too.

What stands between ``<private>`` and ``</private>`` is also blotted out of the turns that stay,
where the model or a tool repeats it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from catmem.memory.pipeline.window import is_small_talk, typed_texts
from catmem.messages import Message, Origin, Part, Role, TextPart, ToolResultPart

_PRIVATE = re.compile(
    r"<\s*private\b[^<>]*>(.*?)(?:<\s*/\s*private\s*>|\Z)", re.IGNORECASE | re.DOTALL
)
_BLOTTED = "(private)"
_HAN = re.compile(r"[\u4e00-\u9fff]")
_FEWEST_CHARACTERS, _FEWEST_HAN = 4, 2  # shorter ones would blot out half the conversation
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|^[ \t]*>.*$", re.DOTALL | re.MULTILINE)
_CLAUSE = re.compile(
    r"[^\n,，、;；:：.。!！?？()（）\[\]【】…—]+(?P<end>[\n,，、;；:：.。!！?？()（）\[\]【】…—]|$)"
)
_MEMORY = r"(?:your |the |long-term )*memory"
_ENGLISH = re.compile(
    r"\s*(?:(?:please|pls|kindly|just|oh|ok(?:ay)?|and|but|so|also|btw|actually|wait|hey|no)\s+)*"
    r"(?:"
    r"(?:(?:don'?t|do not|never) (?:ever )?(?:remember|memori[sz]e|make a note of"
    r"|(?:save|store|keep|put|note|record|write) (?=.*\bmemory\b))"
    rf"|keep (?=.*\b(?:out of|from) {_MEMORY}\b))\s*"
    r"(?:(?:any of )?(?:this|that|it|these|those)(?: (?:one|part|bit|turn|message|conversation))?"
    r"|(?P<before>(?:that|the|my) (?:last|previous) \w+"
    r"|what i(?:'ve)?(?: just)? (?:said|told you|wrote))"
    r"|what i (?:say|tell you)|anything(?: (?:from|about|in) this)?|my [\w' -]{1,40}?)"
    rf"(?: (?:in|to|into|out of|from) {_MEMORY})?"
    r"(?: (?:please|thanks|ok(?:ay)?|either|at all|for later|though|ever|anywhere"
    r"|(?:and|but|because|since|as|for) .*))?"
    r"|(?:(?:this|that|what follows) (?:is|was) )?(?:strictly )?off the record"
    r")\s*$",
    re.IGNORECASE,
)
_SAID_BEFORE = (
    r"(?:刚才|刚刚|上面|前面|上一(?:条|句|个)|以上)(?:我?(?:说|讲|提)?的)?(?:我?(?:说|讲|提))?"
    r"(?:那?(?:些|个|句|段|条)?(?:话|内容|事)?)?"
)
_THIS = (
    r"(?:我说的)?(?:这|那)(?:个|条|些|点|里|轮|次|一?段(?:话|对话|内容)?|一?句(?:话)?|件?事(?:儿|情)?|话)?"
    r"(?:内容)?"
)
_CHINESE = re.compile(
    r"\s*(?:请|麻烦你?|拜托|对了|另外|还有|那|但是?|不过|嗯|好的|顺便|哦|啊|所以|\s)*"
    rf"(?P<before>{_SAID_BEFORE})?(?:{_THIS})?"
    r"(?:你|就|都|也|先|请|千万|绝对|可)*"
    r"(?:别|不要|不用|不必|无需|无须|勿|甭|不许|不准)(?:再|去|给我|帮我|替我|把(?:它|这个|这些|这))*"
    r"(?:记(?:住|录下来|录|下来?|忆|进去|在心里|着)?"
    r"|(?:记|存|写|放|保存|记录)(?:到|进|入|在)?(?:长期)?记忆(?:库|里|中|里面)?)"
    r"(?:了|下)?"
    rf"(?:(?P<after>{_SAID_BEFORE})|{_THIS}|它|我的?[\w\s]{{1,12}})?(?:了|啦|哦|吧|啊|呀|哈)*\s*$"
)
_LONGEST_CLAUSE = 200


def remembered(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return the messages that the pipeline may read; give it all of a session, or turns tear."""
    kept: list[tuple[Message, ...]] = []
    for turn in _turns(messages):
        wish = _wish(turn[0])
        if any(message.off_record for message in turn):
            kept.append(())
        elif wish is None:
            kept.append(turn)
        else:
            if wish and kept:
                kept[-1] = ()
            kept.append(())
    secret = sorted(_marked(messages), key=len, reverse=True)
    return tuple(_blotted(message, secret) for turn in kept for message in turn)


def _turns(messages: Sequence[Message]) -> Iterator[tuple[Message, ...]]:
    turn: list[Message] = []
    for message in messages:
        if message.role is Role.USER and turn:
            yield tuple(turn)
            turn = []
        turn.append(message)
    if turn:
        yield tuple(turn)


def _marked(messages: Sequence[Message]) -> set[str]:
    """Return what is marked private anywhere, as a whole and line by line."""
    found: set[str] = set()
    for message in messages:
        if message.role is Role.USER:
            for text in _PRIVATE.findall(message.text):
                found.update(piece.strip() for piece in (text, *text.splitlines()))
    return {text for text in found if len(text) >= _fewest(text)}


def _fewest(text: str) -> int:
    return _FEWEST_HAN if _HAN.search(text) else _FEWEST_CHARACTERS


def _blotted(message: Message, secret: Sequence[str]) -> Message:
    if not secret:
        return message
    return replace(message, parts=tuple(_blotted_part(part, secret) for part in message.parts))


def _blotted_part(part: Part, secret: Sequence[str]) -> Part:
    if isinstance(part, TextPart):
        return replace(part, text=_blot(part.text, secret))
    if isinstance(part, ToolResultPart):
        text, subject = _blot(part.text, secret), _blot(part.subject, secret)
        return replace(part, text=text, subject=subject)
    return part


def _blot(text: str, secret: Sequence[str]) -> str:
    for one in secret:
        text = text.replace(one, _BLOTTED)
    return text


def _wish(message: Message) -> bool | None:
    """Return None where a turn may be remembered, else whether the one before is meant too."""
    if message.role is not Role.USER:
        return None
    own = [part for part in message.parts if isinstance(part, TextPart)]
    if any(part.origin is not Origin.CATMEM and _PRIVATE.search(part.text) for part in own):
        return False
    text = _CODE.sub("\n", "\n".join(typed_texts(message))).replace("’", "'")
    clauses = list(_CLAUSE.finditer(text))
    asked = [match for clause in clauses if (match := _request(clause))]
    if not asked:
        return None
    if any(match.groupdict().get(name) for match in asked for name in ("before", "after")):
        return True
    rest = "\n".join(clause.group() for clause in clauses if not _request(clause))
    return is_small_talk(rest) and len(own) == 1


def _request(clause: re.Match[str]) -> re.Match[str] | None:
    if clause["end"] in {"?", "？"} or len(clause.group()) > _LONGEST_CLAUSE:
        return None
    words = clause.group()[: len(clause.group()) - len(clause["end"])]
    return _ENGLISH.match(words) or _CHINESE.match(words)
