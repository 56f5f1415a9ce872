"""How a sentence opens or ends, where that ties it to others: questions, reversals, take-backs.

Found by form alone, in code; what a sentence is worth is told by ``judge``.
"""

from __future__ import annotations

import re
from enum import Enum

_FLAGS = re.IGNORECASE

_QUESTION = re.compile(
    r"[?？]\s*$|(?:吗|呢|么|了没有?|为什么)[。.]?\s*$"
    r"|^(?!.*(?:只|别(?!人)|不要|一律|必须))[^，,]{0,12}(?:怎么|什么|哪[里个些儿]?|谁|多少|干嘛"
    r"|为啥)[^，,。；：:]{0,6}[。.]?\s*$"
    r"|^(?:do(?!n't)|does|did|is|are|was|were|can|could|would|why|what|what's|how|who|which"
    r"|(?:when|where)(?= (?:do|does|did|is|are|will|should|can))|any idea)\b(?!.*[.]$)",
    _FLAGS,
)
_POLITE = re.compile(r"(?:please )?(?:can|could|would|will) you\b(?! (?:tell|explain|say))", _FLAGS)
_HESITATION = (
    r"(?:(?:hm+|oh|ah|ok(?:ay)?|well|um+|oops|ugh|and|but|嗯|啊|哦|噢|诶|抱歉|那个|那)"
    r"[\s,.，。!！]*)*"
)
# The person thinks again about their own words …
_SECOND_THOUGHT = re.compile(
    _HESITATION + r"(?:(?:no\b|nope\b|不对?|不是)[\s,.，。!！]*)?"
    r"(?:actually\b|(?:no,? )?wait\b|correction\b|scratch that|on second thoughts?\b|sorry\b"
    r"|i (?:mis(?:spoke|typed)|meant|changed my mind)\b"
    r"|(?:let's )?(?:rather|stay with|stick (?:with|to))\b"
    r"|(?:不对[，,。\s]*)?(?:说错|我?错了|等等|等一下|等会|还是|算了|我?改主意|更正|搞错|记错"
    r"|写错|改成))",
    _FLAGS,
)
# … or contradicts somebody, mostly the agent.
_CONTRADICTION = re.compile(
    _HESITATION
    + r"(?:no\b(?=\s*[,.;:!]|\s*$|\s+(?:stay|it's|its|make|let's|keep|stick|use|we|i)\b)"
    r"|nope\b|不对|不是(?=[，,。\s])|不(?=[，,]))",
    _FLAGS,
)
_REVERSAL_WORDS = re.compile(
    r"(?:hm+|oh|ah|ok(?:ay)?|well|um+|oops|no|nope|actually|wait|correction|scratch that|sorry"
    r"|on second thoughts?|i changed my mind"
    r"|嗯|啊|哦|不对|不是|不|等等|等一下|说错了?|我?错了|算了|抱歉|更正)"
    r"(?:[\s,.:;!，。：；！]+|$)",
    _FLAGS,
)
# What follows a second thought when it names another value, not another thing to do.
_NEW_VALUE = re.compile(
    r"(?:let's |please |just )*(?:make (?:it|that)|use|go (?:with|back)|keep|stay|stick|switch"
    r"|give (?:me|us)|back to|rather|prefer|set)\b|还是|改[成回为]|换[成回]|用|设|按|以",
    _FLAGS,
)
_CANCEL = re.compile(
    r"(?:(?:no|oh|actually|wait|hm+|ok(?:ay)?|well|sorry)[\s,.]+)*"
    r"(?:never ?mind|forget (?:it|that|what i said|about it)|scratch that|ignore that(?!,? \w)"
    r"|i take (?:that|it) back|don'?t (?:remember|save|store|keep) (?:that|this|it)"
    r"|算了(?=[，,]?(?:[不别][^，,]{0,4})?[。.!！\s]*$)|算了[，,]?当我没说|当我没说|不用了"
    r"|不用记|别记了?|不要记|收回)",
    _FLAGS,
)
# Opens in a way that nobody understands without the sentence before.
_DEPENDENT = re.compile(
    r"(?:(?:and|but|so|also|or)\s+)?(?:it|it's|its|they|they're|these|those|that|that's|this (?:is"
    r"|one|way|also|goes|applies|holds)|there(?:'s)?|otherwise|if not|the same|same (?:for|goes)"
    r"|without (?:it|that|them)|one of them|both|he|she|his|her|because|which)\b"
    r"|(?:而且|并且|但是?|不过)?(?:它|它们|这样|这个(?=[要就会也是得])|这块|这些"
    r"|那个(?=[要就会也是得])|那里|那边|里面|否则|不然|所以|因此|因为|其中|同理|也一样|都一样"
    r"|两者|他|她)",
    _FLAGS,
)
# "Nothing of it is shipped", 「财务每月要跑它」: the first clause names what came before.
_POINTS_BACK = re.compile(
    r"(?!(?:please )?(?:keep|make|leave|let|do|call) )[^,;:，；：]*?"
    r"(?:\b(?:of|with|without|by|for|from|in|on|to|about|uses?|needs?|runs?|calls?|touch(?:es)?)"
    r" (?:it|them)\b|它)",
    _FLAGS,
)
_MERE_HEADING = re.compile(
    r"(?:\w+ ){0,3}(?:rules?|notes?|conventions?|guidelines?|points?|requirements?|things"
    r"|preferences|remarks|reminders)(?: \w+){0,4}\s*:$"
    r"|[^，,]{0,6}(?:要求|规则|规范|约定|几点|几条|说明|如下|注意|事项)[^，,]{0,6}[:：]$",
    _FLAGS,
)
# Verbs that order one thing now when a sentence begins with them and says nothing about how long.
_ORDER = re.compile(
    r"(?:(?:please|pls|now|then|ok|and|also|just|can you|could you|let's|go ahead and)\s+)*"
    r"(?!(?:commit|test|log|release|build|merge|tag|deploy|search|review) "
    r"(?:messages?|names?|files|branches|notes|requests|artifacts|keys|lines|comments|titles)\b)"
    r"(?:add|adjust|apply|build|bump|call|change|check|clean|clone|commit|compare|continue"
    r"|convert|copy"
    r"|create|cut|curl|debug|delete|deploy|do|download|draft|drop|edit|explain|extract|fetch|find"
    r"|fix|format|generate|get|give|go|grep|implement|improve|increase|insert|install|kill"
    r"|leave|list"
    r"|load|look|make|merge|migrate|move|open|paste|print|publish|pull|push|put|read|rebase|redo"
    r"|refactor|regenerate|release|remove|rename|replace|rerun|reset|restart|restore|retry"
    r"|return|revert"
    r"|review|rewrite|roll|run|save|search|send|set|show|skip|sort|split|squash|ssh|start|stop"
    r"|summari[sz]e|switch|tag|tell|test|throw|translate|try|turn|undo|uninstall|update|upgrade"
    r"|verify|wait|walk|wrap|write)\b"
    r"|(?:please )?(?:can|could|would|will) you\b"
    r"|(?:also|and) (?:the|for|in|on|those|these|with)\b"
    r"|(?:请|麻烦)*用[^，,。]{1,8}?(?:解释|说明|介绍|概括|总结|翻译|写一)"
    r"|(?:请|麻烦|先|再|那|那就|顺便|帮[我忙]?|给我|你)*"
    r"(?!(?:提交|发布|更新|测试|合并)(?:信息|说明|消息|记录|日志|用例|请求))"
    r"(?!改动|(?:改|写|加|删|跑|提交|升级|发布|合并|上线)完)"
    r"(?:把|将|看|查|改|加|删|写|跑|试|修|读|建|打|发|提交|合并|运行|执行|生成|创建|新建|更新"
    r"|升级|安装|部署|重启|翻译|总结"
    r"|解释|打开|关闭|关掉|列|画|导出|恢复|回滚|去掉|换成)",
    _FLAGS,
)
_WORD = re.compile(r"[\w'/.-]*[A-Za-z0-9][\w'/.-]*|[\u4e00-\u9fff]{1,2}")
_HOW_TO = re.compile(r"[^，,。:：]{2,14}[:：](?!//)\s*\S")
_SHORT_WORDS = 5
_FEWEST_WORDS = 2
_FEWEST_LETTERS = 3
# "the port is 80, no wait, 81": a value and the one that takes its place at once.
_VALUE = r"(?<![A-Za-z0-9_.:/+#-])[A-Za-z0-9][A-Za-z0-9_.:/+#-]{0,60}"
_SLIP = re.compile(
    rf"(?P<wrong>{_VALUE})[ ,，…—-]+"
    r"(?:(?:oh|er+|uh+|hm+|no|nope|actually|哦|啊|呃|嗯|不是)[ ,，…—-]*)*"
    r"(?:(?:wait|sorry|correction|i mean)\b|不对|说错了?|错了|等等|等一下)"
    r"(?:[ ,，…—-]*(?:no|actually|make it|make that|it's|i mean|应该是|是)(?![A-Za-z]))*"
    rf"[ ,，…—-]*(?P<right>{_VALUE})",
    _FLAGS,
)


class Reversal(Enum):
    """Whose words a sentence takes back."""

    OWN = "own"
    CONTRADICTION = "contradiction"


def is_question(sentence: str) -> bool:
    """Whether a sentence asks for an answer; "could you …?" asks for an act."""
    return _QUESTION.search(sentence) is not None and not _POLITE.match(sentence)


def is_mere_heading(lead: str) -> bool:
    """Whether the line above a list says no more than that a list follows."""
    return _MERE_HEADING.match(lead) is not None


def is_dependent(sentence: str) -> bool:
    """Whether a sentence opens in a way that needs the one before to be understood."""
    return _DEPENDENT.match(sentence) is not None


def points_back(sentence: str) -> bool:
    """Whether a sentence speaks of something that the one before named."""
    return _POINTS_BACK.match(sentence) is not None and not is_order(sentence)


def is_cancelling(sentence: str) -> bool:
    """Whether a sentence takes back the one before and puts nothing in its place."""
    return _CANCEL.match(sentence) is not None


def reversal(sentence: str) -> Reversal | None:
    """Return whose words a sentence takes back by its opening, None when it does not."""
    if _SECOND_THOUGHT.match(sentence):
        return Reversal.OWN
    return Reversal.CONTRADICTION if _CONTRADICTION.match(sentence) else None


def names_new_value(sentence: str) -> bool:
    """Whether a sentence, its reversal taken off, says what holds instead."""
    return _NEW_VALUE.match(without_reversal(sentence)) is not None


def settled(sentence: str) -> str:
    """Return a sentence with its slips of the tongue put right: "80, no wait, 81" becomes "81"."""
    return _SLIP.sub(_put_right, sentence)


def _put_right(slip: re.Match[str]) -> str:
    """Numbers replace numbers and words words; anything else is no slip."""
    is_same_form = slip["wrong"][0].isdigit() == slip["right"][0].isdigit()
    return slip["right"] if is_same_form else slip[0]


def is_bare_reversal(sentence: str) -> bool:
    """Whether a sentence only announces a reversal ("Wait, no.")."""
    rest = without_reversal(sentence)
    return reversal(sentence) is not None and sum(map(str.isalnum, rest)) < _FEWEST_LETTERS


def without_reversal(sentence: str) -> str:
    """Return a sentence without the words that announce a reversal."""
    rest = sentence
    while rest and (word := _REVERSAL_WORDS.match(rest)) is not None:
        rest = rest[word.end() :]
    return rest


def is_single_word(sentence: str) -> bool:
    """Whether a sentence is a word at most, which tells nothing by itself."""
    return len(_WORD.findall(sentence)) < _FEWEST_WORDS


def is_short(sentence: str) -> bool:
    """Whether a sentence has only a few words."""
    return len(_WORD.findall(sentence)) <= _SHORT_WORDS


def is_order(sentence: str) -> bool:
    """Whether a sentence begins like a request for one thing now."""
    return _ORDER.match(sentence) is not None and not _HOW_TO.match(sentence)
