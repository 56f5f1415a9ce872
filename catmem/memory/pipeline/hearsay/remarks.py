"""Remarks that sound like rules and are none: irony, and texts to be written.

"sure, let's never …", "write a banner that says 'always …'": form tells them, in both languages,
whoever proposes them as facts.
"""

from __future__ import annotations

import re

_FLAGS = re.IGNORECASE

_IRONY = re.compile(
    r"[\U0001F643\U0001F644\U0001F60F\U0001F921]|(?:^|\s)/s(?=\W*$)"
    r"|\byeah,? right\b|^(?:oh |wow )*(?:great|wow|nice),? (?:another|yet|now|one more)"
    r"|\bgreat idea(?=\W*$)|^(?:oh |yeah )*(?:sure|yeah),? (?:let'?s|why not|because)"
    r"|\bjust what (?:we|i) needed\b|\bwho needs\b|\bwhat could (?:possibly )?go wrong\b"
    r"|狗头|笑死|呵呵|多省事|是是是|^[您你]可真|^又是|你说的都对|^(?:那|行啊|好啊"
    r"|得)?[，,\s]*干脆.*(?:[呗吧]|反正)|反正也没人|呗(?=\W*$|[，,])",
    _FLAGS,
)
_THING = (
    r"(?:banner|slogan|tweet|haiku|poem|joke|song|story|sample|example|slide|line|sentence"
    r"|paragraph"
    r"|section|post|mail|e-?mail|letter|message|notice|sign|comment|text|title|heading|headline"
    r"|caption|label|readme|contributing|essay|speech|announcement|disclaimer|faq|placeholder)"
)
_TO_WRITE = re.compile(
    r"^(?:(?:please|pls|now|and|also|then|ok|can you|could you)[, ]+)*"
    r"(?:(?:write|draft|compose|generate|create|make|add|put|insert|append|show|give)"
    r"(?: (?:me|us|up))? (?:an?|one|another|some|the|this) (?:[\w.-]+ ){0,3}?" + _THING + r"\b"
    r"|(?:translate|print|echo|type|say|reply with|rephrase|reword|proofread)\b.*(?:[:\"“'‘]))"
    r"|^(?:(?:请|麻烦|帮[我忙]|给我|再|顺便))*(?:在[^，,：:]{1,20}[里上中]"
    r"|给[^，,：:]{1,12})?(?:写|加|放|拟|起草|编|来|生成)(?:上|个)?"
    r"[^，,：:]{0,4}(?:[一两几][句行段条份篇首则]|[句行段条份篇首则](?!为))"
    r"|^(?:(?:请|麻烦|帮[我忙]|给我))*(?:翻译|打印|输出|润色|显示)[^，,：:]{0,10}[:：“「\"]",
    _FLAGS,
)


def is_ironic(sentence: str) -> bool:
    """Whether the person plainly says the opposite of what is meant."""
    return _IRONY.search(sentence) is not None


def is_text_to_write(sentence: str) -> bool:
    """Whether a sentence orders a text, so that what it says is that text's, not a rule."""
    return _TO_WRITE.search(sentence) is not None


def is_none(sentence: str) -> bool:
    """Whether a sentence is either, so that it is no rule however it sounds."""
    return is_ironic(sentence) or is_text_to_write(sentence)
