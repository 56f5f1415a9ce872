"""Remarks that sound like rules and are none: the words of others, wishes, irony, text to write.

"The docs say: never …", "maybe we move to … some day", 「隔壁组从来不…」, "write a banner that says
'always …'": form tells them, in both languages, whoever proposes them as facts.
"""

from __future__ import annotations

import re

_FLAGS = re.IGNORECASE

_QUOTED = re.compile(
    r"\"[^\"\n]{3,300}\"|“[^”\n]{2,300}”|「[^」\n]{2,300}」|『[^』\n]{2,300}』|‘[^’\n]{3,300}’"
    r"|(?<![\w'])'[^'\n]{2,100}(?:'\w[^'\n]{0,100})*'(?!\w)"
)
_FEWEST_QUOTED = 8  # columns: fewer are a name or a value, not a sentence
_SAYS = (
    r"(?:says|said|tells|told|claims|claimed|recommends|recommended|complains|suggests|suggested"
    r"|insists|warns|wrote|writes|thinks|thought|reckons|swears|advises|preaches)\b"
)
_SAYER = (  # whose sayings count: those who decide about the work
    r"(?:i|we|you|clients?|customers?|legal|compliance|security|management|law|contract|spec"
    r"|specification|lead|owner|team|policy|guidelines?|requirements?|auditors?|ops|qa)\b"
)
_OTHERS = re.compile(
    r"^(?:(?:and|but|so|well|hm+|btw|apparently)[, ]+)*(?:(?!" + _SAYER + r")[\w'.-]+ ){1,6}?"
    r"(?:always |still |even |also |just )?(?<!i )(?<!we )(?<!you )" + _SAYS + r"(?! no\b)"
    r"|^(?:[\w'.-]+ ){0,3}(?:people|folks|docs|guys|they|everyone) (?:would |will |all |always )?"
    r"(?:say|think|claim|recommend|suggest|tell)\b"
    r"|\bin (?:the|a|some|this|that) (?:tutorial|talk|video|book|article|course|podcast|blog"
    r"|forum)\b"
    r"|^some (?:guy|dude|person)\b|\bi saw an?\b"
    r"|\baccording to (?:the |some |an? |my )?(?:docs|documentation|manual|internet|blog|article"
    r"|book|tutorial|linter|error|readme|chatgpt|copilot)\b"
    r"|\bi(?:'ve)? (?:just |once |recently )?(?:read|heard|saw) (?:that|somewhere|on|in|about)\b"
    r"|\b(?:my|our|his|her|their|the) (?:old|former|last|previous|ex)[ -]+"
    r"(?:dev|developer|maintainer|guy|company|job|team|employer|boss|office|workplace|startup"
    r"|colleagues?)\b"
    r"|\b(?:other|some) (?:teams?|companies|people|folks|projects|devs|developers) "
    r"(?:(?:just|always|never|still|even) )*\w+"
    r"|\bin my last (?:job|team|company)\b|\bback in the day\b|\byears ago\b"
    r"|(?:^|[，,。])(?:听说|听(?:同事|人|朋友)(?:说|讲)|据说|面试官|大厂|他们的?|视频里"
    r"|群里有人|网上|人家|有人|别人|(?:我|一个|有个)(?:的)?(?:同事|朋友|同学|前同事)"
    r"|(?:我们?)?(?:以前|之前|原来)的?(?:公司|单位|老板|团队)|前公司|上家|老东家|隔壁"
    r"|别的?(?:公司|团队|组))"
    r"|(?:文档|手册|书|博客|教程|文章|帖子|报错|编译器|提示|日志|官方|源码|readme|eslint|linter"
    r"|stack ?overflow|知乎|gpt)"
    r"[里上中都也还]{0,2}(?:面)?(?:总是|老是|一直)?(?:说|讲|建议|推荐|提示|写的?[着是道]|写道"
    r"|抱怨)",
    _FLAGS,
)
_MAYBE = re.compile(
    r"\b(?:maybe|perhaps|hypothetically|theoretically|in theory|what if|who knows|idk|i wonder"
    r"|i think(?=\W*$)|(?:'ll|will) (?:\w+ )?eventually"
    r"|some ?day|one day|at some (?:point|stage)|not sure (?:if|whether)|next year|should (?:we"
    r"|i) ever|sooner or later|(?:would|wouldn't it|it'd) be (?:so )?(?:nice|cool|great"
    r"|fun|handy|lovely)|i wish|not sure yet|haven't (?:decided|made up)|no decision yet"
    r"|(?:thinking|dreaming) (?:of|about)|toying with|purely curious|just curious"
    r"|(?:i|we) (?:might|may(?! not)|could)(?! not)\b|if (?:i|we) (?:ever|were|had)\b)"
    r"|^(?:imagine|suppose|pretend|let's pretend)\b"
    r"|过阵子|过段时间|等有空|有空(?:再|了)|有时间(?:再|了)|等?有钱了|以后有(?:空|时间|机会)"
    r"|还没想好|还没(?:决定|定)"
    r"|可能(?:会|要|得|就)|(?:会|在|打算|想着?)考虑|也许|说不定|没准|再说吧|就好了|该多好"
    r"|真希望|希望有人|我猜"
    r"|^(?:假如|假设|要是|倘若)|哪天(?!都)|有朝一日|想想而已|也就想想|随便(?:问|说|聊)|会怎样"
    r"|会怎么样",
    _FLAGS,
)
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
_OTHERS_COST = 4.0
_MAYBE_COST = 3.0
_IRONY_COST = 5.0
_TO_WRITE_COST = 4.0


def against(sentence: str) -> float:
    """Return how strongly the form of a sentence speaks against its being a rule or fact."""
    bare = without_quoted(sentence)
    return (
        _OTHERS_COST * (_OTHERS.search(bare) is not None)
        + _MAYBE_COST * (_MAYBE.search(bare) is not None)
        + _IRONY_COST * is_ironic(bare)
        + _TO_WRITE_COST * (_TO_WRITE.search(sentence) is not None)
    )


def is_ironic(sentence: str) -> bool:
    """Whether the person plainly says the opposite of what is meant."""
    return _IRONY.search(sentence) is not None


def is_text_to_write(sentence: str) -> bool:
    """Whether a sentence orders a text, so that what it says is that text's, not a rule."""
    return _TO_WRITE.search(sentence) is not None


def without_quoted(sentence: str) -> str:
    """Return a sentence with an ellipsis for each sentence that it quotes."""
    return _QUOTED.sub(lambda found: found[0] if _is_name(found[0]) else "…", sentence)


def _is_name(quoted: str) -> bool:
    columns = sum(2 if char > "\u2e80" else 1 for char in quoted[1:-1])
    return columns < _FEWEST_QUOTED or not re.search(r"\s|[\u4e00-\u9fff]", quoted[1:-1])
