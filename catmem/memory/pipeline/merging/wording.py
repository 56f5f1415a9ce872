"""Words by which code recognises a correction, a restriction, and what something is said of."""

from __future__ import annotations

import re
from collections.abc import Iterator

from catmem.memory.search.similarity import words_of

_FLAGS = re.IGNORECASE

# That something takes the place of something else.
REPLACES = re.compile(
    r"\b(?:instead(?: of)?|rather than|no longer|any ?more|(?:switch|mov|migrat|chang"
    r"|convert|upgrad"
    r"|downgrad|renam|replac|rewr|rewrit|bump|swap)(?:e|es|ed|ing|ote|itten|ped|d|s)?"
    r"|dropp?ed|went (?:from|back)|go(?:es|ing)? back|went over|"
    r"(?:used|was) to be|not \S+ but|took over|takes? over"
    r"|actually|correction|wrong|mistaken?|outdated|obsolete|deprecated|stop(?:ped)? using"
    r"|superseded?s?)\b"
    r"|[,;]\s*not\b"
    r"|改[用成为到回走由了]|换[成用为到了]|切[换到]|迁[移到]|升级|降级|替换|取代|代替|而不是"
    r"|不再|不用了|别再用|弃用|废弃|作废"
    r"|重写|重命名|改名|搬到|搬去|挪到|更正|纠正|说错|搞错|其实|不对"
    r"|不是[^，。；]{1,20}[，,]?\s*(?:而)?是|调[整到成为]|接手|接替",
    _FLAGS,
)
_STAYS = re.compile(
    r"\b(?:keep|keeps|stays?|remains?|still|unchanged|same)\b|保留|不变|照旧|仍然?|还是原来", _FLAGS
)
# Weaker: that something holds from some moment on.
SINCE = re.compile(
    r"\bnow\b|\bnowadays\b|\bthese days\b|\bfrom (?:now|here) on\b|\bfrom (?:today|next \w+) on\b"
    r"|\bsince (?:last|this|the)\b|\bas of\b|\bgoing forward\b|\bhenceforth\b"
    r"|现在|如今|目前|从今|从现在|以后|今后|往后|起改|开始用|最新",
    _FLAGS,
)
# What a correction leaves behind: "moved from X", "no longer X", "X 换成".
_LEFT = re.compile(
    r"\b(?:from|instead of|rather than|no longer|not|n't|replac(?:ed?s?|ing)|dropp?(?:ed|ing)?"
    r"|stop(?:ped)? using|away from|gave up|over)\s+((?:(?:use|using|on|in|at|with|the|a|to"
    r"|be)\s+)*[^\s,.;，。；]+(?: +(?-i:[A-Z])\w+)?)"
    r"|\b([\w./:-]{1,60})\s+(?:is (?:gone|dead|out)|was (?:replaced|dropped|retired)|any ?more)"
    r"|(?:从|不再|不用|别用|别再用|不要再用|而不是|代替|取代|替换|弃用|放弃|不是)(?:用|使用"
    r"|是|走|跑|写|把)*\s*([^\s，。；、]{1,24}?)"
    r"(?=改|换|迁|切|搬|升|降|到|，|。|；|、|\s|了|而|$)"
    r"|([^\s，。；、]{1,24}?)\s*(?:换成|改成|改为|改用|迁移到|迁到|升级到|切到|切换到|不用了"
    r"|作废|废弃)",
    _FLAGS,
)
NEGATION = re.compile(
    r"\b(?:not|never|no|without|avoid|don'?t|doesn'?t|isn'?t|aren'?t|mustn'?t|can'?t|cannot"
    r"|shouldn'?t"
    r"|won'?t|forbidden|stop)\b|n't\b|不(?!错|断|同|仅|但|过)|别(?!的|人|名)|勿|禁止|没有"
    r"|从未|避免|无需",
    _FLAGS,
)
# Verbs after which several values can be true at once.
_SEVERAL = re.compile(
    r"\b(?:owns|maintains|reviews|likes|loves|knows|speaks|depends|needs|requires|includes"
    r"|supports|has"
    r"|uses|prefers|contains|handles)\b"
    r"|\b(?:i|we|you|they|\w{3,}s) (?:own|maintain|review|like|love|know|speak|depend|need"
    r"|require|include"
    r"|support|have|use|prefer|contain|handle)\b"
    r"|负责|维护|喜欢|偏好|需要|依赖|支持|包含|包括|会用|使用|评审",
    _FLAGS,
)
# Of these there is one at a time: another value is a newer one.
_SINGLE = re.compile(
    r"\b(?:editor|ide|shell|terminal|port|time-?out|name|address|host|url|endpoint"
    r"|time ?zone|version"
    r"|deadline|owner|lead|manager|default|branch|format|indentation|indent|encoding|region"
    r"|licen[sc]e|limit"
    r"|length|width|size|threshold|interval|password rotation|location|email|phone|channel"
    r"|room|schedule"
    r"|cadence|answer|reply|respond|replies|answers|city|budget|currency)\b"
    r"|编辑器|终端|端口|超时|名字|名称|地址|主机|时区|版本|截止|负责人|组长|经理|默认|分支"
    r"|格式|缩进|编码|区域|许可证|上限|限制"
    r"|长度|宽度|大小|阈值|间隔|位置|邮箱|电话|频道|周期|回答|回复|城市|预算|币种",
    _FLAGS,
)
_CLAUSE = re.compile(r"(?:`[^`\n]*`|[^\n。；！？?!;,，、(（)）.]|[?!;,.](?=[^\s]))+")
_VERB = re.compile(
    r"\b(?:is|are|was|were|isn'?t|aren'?t|must|should|can|may|will|runs?|uses?|lives?|needs?"
    r"|goes|go"
    r"|takes?|has|have|owns?|handles?|reviews?|maintains?|listens?|belongs?|requires?"
    r"|depends?|supports?"
    r"|expects?|returns?|writes?|stores?|comes?|starts?|points?|gets?|stays?|works?|fails?|breaks?"
    r"|prefers?|likes?|wants?|edits?|moved|switched|migrated|changed|became|ends?|calls?"
    r"|happens?|times)\b"
    r"|[:：=→]|是|为|用(?!户)|[在走跑要叫归由放存]|写[成在为]|显示|返回|必须|需要|使用|采用|负责|改|换|不|位于|监听",
    _FLAGS,
)
_IMPERATIVE = re.compile(
    r"^\s*(?:please\s+|always\s+|never\s+|do not\s+|don'?t\s+)*"
    r"(use|run|write|deploy|build|test|ask|put|keep|store|format|commit|name|start|install"
    r"|check|lint"
    r"|publish|release|push|merge|open|call|set|prefer|execute|send|connect|log|tag|sign"
    r"|generate|reply"
    r"|answer|review|document|back up|roll back|migrate|restart|seed)\b(.*?)"
    r"(?=\b(?:with|in|at|using|by|via|through|from|to|on|for|before|after|as|under|into|only)\b|$)",
    _FLAGS,
)
_EMPTY_VERBS = words_of("run put keep call set prefer execute ask name write store")
_RESTRICTION = re.compile(
    r"\b(?:for|when|whenever|if|while|during|except|unless|inside|within|only (?:in|on|for"
    r"|when))\s+"
    r"((?:[\w./-]+\s*){1,4})"
    r"|^\s*(?:in|on|under)\s+((?:[\w./-]+\s*){1,3})"
    r"|^\s*在?([^，。；、\s]{1,12}?)(?:里面?|中|下|上|时|的时候|内)(?=[^，。；、\s文])"
    r"|(?:对于?|针对|如果|当|只在|仅在|除了?)([^，。；、\s]{1,12})",
    _FLAGS,
)
_LEADING = re.compile(
    r"\s*(?:(?:when|whenever|if|while|during|for|in|on|under|inside|within|except)\b|在|如果"
    r"|当|对|针对)",
    _FLAGS,
)
# Behind an order these restrict it; behind a statement they are what it states.
_PLACE = re.compile(r"\b(?:in|on|under)\s+(?!port\b|\d)((?:[\w./-]+\s*){1,3})", _FLAGS)
_WEAK = words_of(
    "live lives found stored kept located placed sit sits written write execute executed perform"
    " performed done carried run runs happen happens directly straight simply also only ever really"
    " always everything 写 放 存 跑 走 叫 做 直 接 统 律 样 位 处"
)
_EVERYWHERE = words_of(
    "here repo repository codebase project app team general all files code 仓库 项目 代码"
)


def what_goes(text: str) -> str:
    """Return what of a correction speaks of what goes: all of it, unless something stays."""
    if REPLACES.search(text) is None:
        return ""
    return left_behind(text) if _STAYS.search(text) else text


def is_order(clause: str) -> bool:
    """Whether a clause begins with what is to be done."""
    return _IMPERATIVE.match(clause) is not None


def telling(words: frozenset[str]) -> frozenset[str]:
    """Return words without those that hardly tell anything, Han text by its characters."""
    return frozenset(word for word in words - _WEAK if word.isascii() or len(word) == 1)


def left_behind(text: str) -> str:
    """Return the words by which a correction names what no longer holds."""
    return " ".join(group for match in _LEFT.finditer(text) for group in match.groups() if group)


def without_time(text: str) -> str:
    """Return a text without "now", "from now on" and the like."""
    return SINCE.sub(" ", text)


def clauses(text: str) -> Iterator[str]:
    """Yield the parts of a text between commas, full stops and line breaks."""
    for match in _CLAUSE.finditer(text):
        if any(map(str.isalnum, match.group())):
            yield match.group().strip()


def subject_of(clause: str) -> frozenset[str]:
    """Return the words of what a clause speaks of; empty where that is the person or nothing."""
    if order := _IMPERATIVE.match(clause):
        if order[1].lower() in {"use", "prefer", "set"}:
            return frozenset()
        return words_of(f"{order[1]} {order[2]}") - _EVERYWHERE - _EMPTY_VERBS
    first = re.match(r"\s*[A-Za-z]+", clause)  # a noun, even if it looks like a verb
    verb = _VERB.search(clause, first.end() if first else 0)
    return words_of(clause[: verb.start()]) - _EVERYWHERE if verb else frozenset()


def restrictions(clause: str) -> frozenset[str]:
    """Return the words that say where or when a clause holds ("for uploads", 「在测试里」)."""
    patterns = (_RESTRICTION, _PLACE) if _IMPERATIVE.match(clause) else (_RESTRICTION,)
    found = [
        group
        for pattern in patterns
        for match in pattern.finditer(clause)
        for group in match.groups()
        if group
    ]
    return words_of(" ".join(found)) - _EVERYWHERE


def leads(clause: str) -> bool:
    """Whether a clause says when or where what follows it holds."""
    return _LEADING.match(clause) is not None


def has_one_value(text: str) -> bool:
    """Whether what a text says can be true of one value at a time."""
    return _SINGLE.search(text) is not None


def can_have_several(text: str) -> bool:
    """Whether what a text says can be true of several values at once."""
    return _SEVERAL.search(text) is not None and not has_one_value(text)
