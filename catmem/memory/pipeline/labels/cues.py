"""Words by which code helps a small model to judge a sentence: lasting, of the moment, taken back.

A small model knows what a sentence is about but is unsure how long it holds. Words tell:
"always", "we use", 「一律」 point beyond the moment, "here", "again", 「看一下」 to it. Each cue
moves the model's log-odds a little; none decides alone.
"""

from __future__ import annotations

import re
from enum import Enum

_FLAGS = re.IGNORECASE

_LASTING = re.compile(
    # rules and how far they reach
    r"\b(?:always|never|from now on|in general|generally|everywhere|every (?!thing)\w+|any ?time"
    r"|whenever|each time|next time|by default"
    r"|all (?:new|our|the|public|code|tests|commits|dates|names)|must|mustn't"
    r"|(?:have|has) to|may not|should(?:n't)? (?:always|never|be|go|not)|no longer"
    r"|convention|policy|guidelines?|rule of|ground rules?|require[sd]?|forbidden|not allowed)\b"
    r"|(?:以后|今后|下次|往后|从现在(?:起|开始)|一律|统一|必须|一定要|务必|不能|不许|不准|禁止|每次|每个|总是|永远|始终|所有|凡是|默认"
    r"|规范|规定|规矩|约定|惯例|惯用|原则|不要|(?<![区分类特个级])别(?=[再用把给写在乱动碰加直])|只[用能许走要]|都[要用得走写放按]|得先|要先|要[用带写加走])"
    # what was decided, and why
    r"|\b(?:we (?:decided|agreed|chose|went with|settled|dropped|moved|switched|don't|only|use|keep"
    r"|run|deploy|store|ship|support|follow|write|name|target|never|still)|instead of|because"
    r"|otherwise|or else|deprecated)\b"
    r"|(?:决定|定了|定下|选了|采用|不引入|弃用|废弃|因为|不然|否则)"
    # the person
    r"|\b(?:i (?:prefer|like|hate|use|usually|mainly|mostly|only|always|never|work|live|teach|don't"
    r"|am|can't|know|speak|write|read)|i'm (?:a|an|the|on|in|from|not|using|new|more|used)"
    r"|my (?:editor|shell|team|timezone|time zone|terminal|keyboard|machine|os|laptop|english"
    r"|background|name|job|role|setup|preference))\b"
    r"|(?:我(?:是|用|习惯|喜欢|偏好|主要|一般|平时|不[懂会熟太喜爱]|不是|只|更|讨厌|英语|英文|这边|在|的(?:编辑器|终端|系统|电脑|时区)))"
    # the project and its surroundings
    r"|\b(?:our|this (?:project|repo|repository|codebase|service|team)|the team|production|staging"
    r"|deploys?|needs?|lives? (?:at|in|under)|is (?:generated|produced|hosted|owned|managed))\b"
    r"|(?:我们|咱们|咱|团队|项目|仓库|线上|生产|预发|测试环境|负责|地址|文档在|流程|前缀|放在|需要先)"
    # another source than this conversation
    r"|\b(?:ask|talk to|ping|contact) [A-Z]\w+|https?://|\b\d{1,3}(?:\.\d{1,3}){3}\b"
    r"|\b[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|cn|internal|local|example|corp|lan)\b",
    _FLAGS,
)
_MOMENT = re.compile(
    r"\b(?:here|now|again|today|then|this (?:file|function|class|method|one|commit|pr|branch|test"
    r"|bug|error|line|time|run|makefile|script|module)|that (?:file|function|one|bug|line)|those"
    r"|back to|for me|the (?:first|last|next|previous|new)|yesterday|this morning|right away)\b"
    r"|(?:一下|看看|试试|帮我|给我(?!改动)|这个|这段|这封|这里|这次|这行|这几|那个|那几|刚才|刚刚|现在|今天|昨天|重新|继续|再(?!也)[加改跑试来看写]|先(?![再后])"
    r"|[吧呗]$|到底)",
    _FLAGS,
)
# Clear words for a passing state; what is said to hold only once is refused by ``rules``.
_PASSING = re.compile(
    r"\b(?:for now|for the moment|at the moment|until (?:tomorrow|tonight|then|we|the|i)"
    r"|tonight|today|this (?:once|time)|just once|temporar\w+|i'm in a hurry"
    r"|for (?:this|the) (?:one )?(?:\w+ )?(?:run|session|task|turn|commit|request|demo|meeting))\b"
    r"|这次|这一次|这回|本次|今天(?:先|就|只|不|别|晚)|暂时|临时|眼下|目前先|先这样|这轮|待会|等会儿?再|一会儿",
    _FLAGS,
)
# Verbs that order one thing now when a sentence begins with them and says nothing about how long.
_ORDER = re.compile(
    r"(?:(?:please|pls|now|then|ok|and|also|just|can you|could you|let's|go ahead and)\s+)*"
    r"(?:add|adjust|apply|build|bump|change|check|clean|clone|commit|compare|continue|convert|copy"
    r"|create|cut|curl|debug|delete|deploy|do|download|draft|drop|edit|explain|extract|fetch|find"
    r"|fix|format|generate|get|give|go|grep|implement|improve|increase|insert|install|kill|list"
    r"|load|look|make|merge|migrate|move|open|paste|print|publish|pull|push|put|read|rebase|redo"
    r"|refactor|regenerate|release|remove|rename|replace|rerun|reset|restart|restore|retry|revert"
    r"|review|rewrite|roll|run|save|search|send|set|show|skip|sort|split|squash|ssh|start|stop"
    r"|summari[sz]e|switch|tag|tell|test|translate|try|turn|undo|uninstall|update|upgrade|use"
    r"|verify|wait|walk|wrap|write)\b"
    r"|(?:请|麻烦|先|再|那|那就|顺便|帮[我忙]?|给我|你)*"
    r"(?:把|将|看|查|改|加|删|写|跑|试|修|读|建|打|发|提交|合并|运行|执行|生成|创建|新建|更新|升级|安装|部署|重启|翻译|总结|解释|打开|关闭|关掉|列|画|导出|恢复|回滚|去掉|换成|用)",
    _FLAGS,
)
_QUESTION = re.compile(
    r"[?？]\s*$|(?:吗|呢|么|没有|了没|为什么)[。.]?\s*$"
    r"|(?:怎么|什么|哪[里个些儿]?|谁|多少|干嘛|为啥)[^，,。；：:]{0,6}[。.]?\s*$"
    r"|^(?:do|does|did|is|are|was|were|why|what|what's|how|when|where|who|which|any idea)\b",
    _FLAGS,
)
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
    r"|(?:不对[，,。\s]*)?(?:说错|我?错了|等等|等一下|等会|还是|算了|我?改主意|更正|搞错|记错|写错|改成))",
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
_CANCEL = re.compile(
    r"(?:(?:no|oh|actually|wait|hm+|ok(?:ay)?|well|sorry)[\s,.]+)*"
    r"(?:never ?mind|forget (?:it|that|what i said|about it)|scratch that|ignore that"
    r"|i take (?:that|it) back|don'?t (?:remember|save|store|keep|do) (?:that|this|it)"
    r"|算了(?=[。，,.!！\s]*$|[，,]?(?:不|别|当))|当我没说|不用了|不用记|别记了?|不要记|收回)",
    _FLAGS,
)
# Opens in a way that nobody understands without the sentence before.
_DEPENDENT = re.compile(
    r"(?:(?:and|but|so|also|or)\s+)?(?:it|it's|its|they|they're|these|those|that|that's|this (?:is"
    r"|one|way|also|goes|applies|holds)|there(?:'s)?|otherwise|if not|the same|same (?:for|goes)"
    r"|without (?:it|that|them)|one of them|both|he|she|his|her|because|which)\b"
    r"|(?:而且|并且|但是?|不过)?(?:它|它们|这样|这个(?=[要就会也是得])|这块|这些|那个(?=[要就会也是得])|那里|那边|里面|否则|不然|所以|因此|因为|其中|同理|也一样|都一样|两者|他|她)",
    _FLAGS,
)
_MERE_HEADING = re.compile(
    r"(?:\w+ ){0,3}(?:rules?|notes?|conventions?|guidelines?|points?|requirements?|things"
    r"|preferences|remarks|reminders)(?: \w+){0,4}\s*:$"
    r"|[^，,]{0,6}(?:要求|规则|规范|约定|几点|几条|说明|如下|注意|事项)[^，,]{0,6}[:：]$",
    _FLAGS,
)
_CUE = 1.1
_MOST_CUES = 2
_ORDER_COST = 1.5
_PASSING_COST = 2.0


_FEWEST_LETTERS = 3


class Reversal(Enum):
    """Whose words a sentence takes back."""

    OWN = "own"
    CONTRADICTION = "contradiction"


def lean(sentence: str) -> float:
    """Return by how much the words of a sentence move the log-odds that it will matter later."""
    lasting = min(len(_LASTING.findall(sentence)), _MOST_CUES)
    moment = min(len(_MOMENT.findall(sentence)), _MOST_CUES)
    ordered = not lasting and is_order(sentence)
    passing = _PASSING.search(sentence) is not None
    return _CUE * (lasting - moment) - _ORDER_COST * ordered - _PASSING_COST * passing


def is_order(sentence: str) -> bool:
    """Whether a sentence begins like a request for one thing now."""
    return _ORDER.match(sentence) is not None


def is_question(sentence: str) -> bool:
    """Whether a sentence asks for an answer."""
    return _QUESTION.search(sentence) is not None


def is_mere_heading(lead: str) -> bool:
    """Whether the line above a list says no more than that a list follows."""
    return _MERE_HEADING.match(lead) is not None


def is_dependent(sentence: str) -> bool:
    """Whether a sentence opens in a way that needs the one before to be understood."""
    return _DEPENDENT.match(sentence) is not None


def is_cancelling(sentence: str) -> bool:
    """Whether a sentence takes back the one before and puts nothing in its place."""
    return _CANCEL.match(sentence) is not None


def reversal(sentence: str) -> Reversal | None:
    """Return whose words a sentence takes back by its opening, None when it does not."""
    if _SECOND_THOUGHT.match(sentence):
        return Reversal.OWN
    return Reversal.CONTRADICTION if _CONTRADICTION.match(sentence) else None


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
