"""Words by which code helps a small model to judge a sentence: do they point beyond the moment?

A small model knows what a sentence is about but is unsure how long it holds. Words tell:
"always", "we use", 「一律」 point beyond the moment, "here", "again", 「看一下」 to it. Each cue
moves the model's log-odds a little; none decides alone.
"""

from __future__ import annotations

import re

from catmem.memory.pipeline.hearsay import remarks

_FLAGS = re.IGNORECASE

# Rules and how far they reach, decisions and their reasons, what a person uses and is.
_RULE = re.compile(
    r"\b(?:always|(?<!was )(?<!were )never|from now on|in general|generally|everywhere"
    r"|every (?!thing|time i)\w+|any ?time|whenever|each time|next time|by default"
    r"|must(?! be (?:the|an?|some)\b| have\b)|mustn't"
    r"|(?:have|has) to|may not"
    r"|should(?:n't)? (?:always|never|be|go|not|have|use)|no longer|convention|policy|guidelines?"
    r"|(?:one|two|three|\d+) [\w ]{1,20}(?:per\b|each(?=\W*$))"
    r"|all (?:new|our|the|public|code|tests|commits|dates|names)|rule of|ground rules?"
    r"|daily|nightly|weekly|on (?:mon|tues|wednes|thurs|fri|satur|sun)days|require[sd]?"
    r"|forbidden|not allowed|instead of"
    r"|before (?:each|every|any|you|committing|pushing|merging|releasing)"
    r"|otherwise|or else|deprecated|because|you (?:keep|always|still) \w+"
    r"|(?:or|then|otherwise) (?:it|they|everything|things|the \w+) (?:\w+ )?(?:hangs?|fails?"
    r"|crash(?:es)?|breaks?|dies|times? out|gets? \w+)"
    r"|we (?:decided|agreed|chose|went with|settled|dropped|moved|switched|don't|only|use|keep|run"
    r"|deploy|store|ship|support|follow|write|name|target|never|always|still)"
    r"|i (?:prefer|like|use|usually|mainly|mostly|only|always|never|work|live|teach|come from"
    r"|came from"
    r"|don't (?:use|like|know|want)|am (?:a|an|the|not|new)|can't (?:see|read|hear)|speak"
    r"|don't (?:read|speak))"
    r"|i'm (?:a|an|the|on|in|from|not(?! (?:convinced|sure|done|ready|happy|certain))|using|new"
    r"|more|used|colou?r))\b"
    r"|(?:^|[,;:.] |and |but |please )(?:don't|do not|stop|avoid) "
    r"(?!(?:\w+ )?(?:it|that|this|them|there|now|yet)\b|worry|bother)\w+"
    r"|以后(?!再(?!不|也))|今后|下次|往后|从现在(?:起|开始)|一律|统一|必须|一定要|务必|不能"
    r"|不许|不准|禁止|每次|每个|每[周天月晚年]|总是|永远|始终|所有|凡是|默认(?!值[设改])"
    r"|规范|规定|规矩|约定|惯例|原则|不要|(?<![区分类特个级性识告辨])别(?![的人名扭处])"
    r"|只[用能许走要]|都[要用得走写放按]"
    r"|(?:提交|合并|发版|发布|上线|部署|推送|改|启动|测试|构建|迁移|升级|commit|push|merge"
    r"|release|deploy|build)"
    r"(?:代码)?\s*之?[前后][，,]?(?:都|先|要|必|得|跑|做|检)"
    r"|(?:改|写|加|删|跑|提交|升级|发布|合并|上线)完[^，,。]{0,12}[，,]?(?:记得|要|得|都|必须)"
    r"|超过[^，,。]{1,12}就|你(?:总是|老是|每次都?)"
    r"|会 ?(?:OOM|崩|挂|卡|死|失败|报错|超时|断|丢|出错)"
    r"|得先|要先|要[用带写加走]|决定|定了|定下|选了|采用|不引入|弃用|废弃|因为|不然|否则"
    r"|我(?:是(?!说)|用的|习惯|喜欢|偏好|主要|一般|平时|不[懂会熟太喜爱]|不是|更|讨厌|英语|英文"
    r"|这边)"
    r"|我[^，,。]{1,6}(?:习惯|喜欢|偏好|讨厌)|我的(?:编辑器|终端|系统|电脑|时区)",
    _FLAGS,
)
# The project, its surroundings, and sources other than this conversation.
_TOPIC = re.compile(
    r"\b(?:our|we(?!'ll| will)|this (?:project|repo|repository|codebase|service|team)|the team"
    r"|production|staging|the (?:company|clients?|customers?)|user-facing|deploys?|needs?"
    r"|lives? (?:at|in|under)|is (?:generated|produced|hosted|owned|managed)"
    r"|has no|(?:can|does) only|only has|(?:doesn't|does not) (?:support|allow|have)"
    r"|can(?:'t|not) (?:run|use|reach|access|handle|take)"
    r"|my (?:editor|shell|team|timezone|time zone|terminal|keyboard|machine|os|laptop|english"
    r"|background|name|job|role|setup|preference))\b"
    r"|\b(?:ask|talk to|ping|contact) [A-Z]\w+|https?://|\b\d{1,3}(?:\.\d{1,3}){3}\b"
    r"|\b[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|cn|internal|local|example|corp|lan)\b"
    r"|名字?[^，,。起]{0,6}(?:开头|结尾|大写|小写|用|以|驼峰|下划线)"
    r"|我们|咱们|咱|团队|公司|客户|合规|项目|仓库|线上|生产|预发|测试环境|负责|地址|文档在|流程"
    r"|前缀|放在",
    _FLAGS,
)
_MOMENT = re.compile(
    r"\b(?:(?<!from )now|again|then|this (?:file|function|class|method|one|commit|pr|branch|test"
    r"|bug|error|line|time|run|makefile|script|module)"
    r"|that (?:file|function|one|bug|line)|those|back to"
    r"|(?<!best )(?<!easier )(?<!harder )(?<!better )for me"
    r"|the (?:first|last|next|previous|new)|yesterday|this morning|right away)\b"
    r"|一下|看看|试试|帮我|给我(?!改动)|这个|这段|这封|这里|这次|这行|这几|那个|那几|刚才|刚刚"
    r"|现在|今天|昨天|重新|继续"
    r"|再(?!也)[加改跑试来看写]|(?<![前后])先(?![再后])(?![^，,。]{0,12}再)|[吧呗]$|到底",
    _FLAGS,
)
_PLAN = re.compile(
    r"\b(?:we|i) (?:should|need to|have to|must) (?:fix|find|get|do|look|check|finish|talk"
    r"|figure)\b"
    r"|我们?(?:还)?(?:需要|先|得)(?:先)?(?:把|加|改|做|修|查)"
    r"|\b(?:we'll|i'll|(?:we|i) will|gonna|(?:is|are|am|'m|'re) going to)\b",
    _FLAGS,
)
# What only this conversation knows: "don't commit it".
_THIS_TALK = re.compile(
    r"(?:\S+ ){1,3}(?:it|them|that one|this one|those)\b"
    r"(?! (?:is|are|was|has|have|must|needs?|should))",
    _FLAGS,
)
_HERE = re.compile(r"(?<!around )\bhere\b", _FLAGS)
# "… for this.", "… in here": the end says that one place is meant.
_ONE_PLACE = re.compile(
    r"\b(?:(?:for|in|on|with|of) (?:this|that|it|here)|(?<!around )here)(?=\W*$)", _FLAGS
)
_DEMAND = re.compile(
    r"(?:(?:please|just|and|but|no|ok)[ ,]+)*"
    r"(?:don't|do not|no|not|use|avoid|skip|stop|you|it|that|this)\b",
    _FLAGS,
)
_FOR_ALL = re.compile(r"\b(?:we|our|us|always|never|every\w*)\b", _FLAGS)
# Something that happens or happened: no rule, and gone tomorrow.
_EVENT = re.compile(
    r"\b(?:yesterday|last (?:night|week)|this morning|right now|just now)\b"
    r"|\b(?:have|has|get|got|there(?:'s| is)) an? (?:\w+ )?(?:bugs?|problem|issue|typo|leak"
    r"|conflict"
    r"|error)\b"
    r"|^(?!.*\b(?:when|if|whenever)\b).*\b(?:is|are) (?:outdated|broken|down|red|empty|full"
    r"|stuck|flaky)\b|\bonly happens\b"
    r"|\b(?:is|are) (?:today|tomorrow|next week)\b|^(?:it|this|that) (?:was|worked)\b"
    r"|^(?:and |but )?you (?:forgot|missed|broke|skipped)\b|^i (?:want|need) an?\b|^我(?:想?要"
    r"|需要)一?[个套份张]"
    r"|\bby (?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\bby tomorrow\b|\bon branch\b"
    r"|^(?!.*(?:一律|统一|必须|不要|别|不能))[^，,；;。]*了(?=\W*$)"
    r"|\bin (?:\d+|an?|two|three|five|ten|few|a few) (?:min(?:ute)?s?|secs?|hours?)\b|\bback in \d+"
    r"|^[^，,]{0,6}(?:昨天|前天|刚刚|刚才|上周|今天|明天|后天|下周)",
    _FLAGS,
)
# The person tells of themselves without saying "I".
_ONESELF = re.compile(
    r"\W*(?:(?:native|fluent) \w+ speaker|new to|never (?:used|learned|learnt|touched|worked)"
    r"|self-taught"
    r"|half (?:deaf|blind)|colou?r ?blind|dyslexic|working from|coming from|not (?:a|an"
    r"|much of an?)\b)"
    r"|\W*(?:新手|小白|菜鸟|零基础|转行|刚(?:转行|入行|入职|毕业|开始学|学)|平时都?|平常都?"
    r"|母语|色[弱盲]|近视)",
    _FLAGS,
)
_DECIDED = re.compile(r"\b(?:decided|agreed)\b|决定|定了|定下|约定|规定", _FLAGS)
# One of the things that were just shown or talked about.
_CHOICE = re.compile(
    r"\bthe (?:first|second|third|other|former|latter|last|left|right) "
    r"(?:one|version|approach|option|variant|way|idea|solution)\b"
    r"|第[一二三四两几](?:个|种)|前者|后者|[这那]个(?:颜色|方案|版本|名字|样式|写法|边框)"
    r"|[，,]\s*(?:改成|换成)",
    _FLAGS,
)
# A single part of what is being built, about which the person says how it shall be.
_PART = re.compile(
    r"^(?:(?:please|and|also|but|make sure|ensure)[ ,]+)*(?:that )?(?:the|this|that) (?:\w+ )?"
    r"(?:function|method|button|title|header|footer|column|row|field|list|table|text|label|page"
    r"|form"
    r"|icon|dialog|popup|modal|menu|loop|colou?r|font|border|variable|argument|parameter|image|link"
    r"|input|cache|response|result|output)\b"
    r"|^(?:这个?|那个?|把|让)?(?:函数|方法|按钮|标题|弹窗|列表|颜色|边框|字体|图标|页面|输入框"
    r"|表格|菜单|下拉框?|文案|链接|图片)(?!名)",
    _FLAGS,
)
# "add a check so the form never …": what is to be made, however general its purpose sounds.
_MAKE_ONE = re.compile(
    r"(?:(?:please|pls|now|and|also|then)\s+)*"
    r"(?:add|create|implement|fix|change|insert|build|use) (?:an?|the|this|another)\b"
    r"|(?:给|在|把)[^，,]{1,10}(?:加个?|改成)",
    _FLAGS,
)
_QUANTIFIER = re.compile(
    r"\b(?:all|any|each|every\w*|always|whenever|in general|by default|from now on)\b"
    r"|所有|一律|统一|都|每|凡是|任何|默认都",
    _FLAGS,
)
# "mac user here", "fish here, not bash": what the person is or has.
_I_HERE = re.compile(
    r"(?:[\w.+#-]+ ){1,3}(?:(?:user|dev|guy|person|newbie|beginner|speaker|native) here\b"
    r"|here, not\b)",
    _FLAGS,
)
# Clear words for a passing state; what is said to hold only once is refused by ``rules``.
_PASSING = re.compile(
    r"\b(?:for now|for the moment|at the moment|until (?:tomorrow|tonight|then|we|the|i)"
    r"|(?:in|for|of|on) this (?:one )?(?:file|function|class|method|commit|pr|branch|test|script"
    r"|module|makefile|loop|query|line|case|instance|prototype|demo|spike|experiment|draft|sandbox)"
    r"|tonight|today|this (?:once|time)|just once|temporar\w+|i'm in a hurry"
    r"|for (?:this|the) (?:one )?(?:\w+ )?(?:run|session|task|turn|commit|request|demo|meeting))\b"
    r"|这次|这一次|这回|本次|今天(?:先|就|只|不|别|晚)|暂时|临时|眼下|目前先|先这样|这轮|待会"
    r"|等会儿?再|一会儿",
    _FLAGS,
)
# Tales and feelings sound general and are not: "it never works", 「总是报错」, "yaml is horrible".
_TALE = re.compile(
    r"\b(?:he|she|they|everyone|everybody|nobody|someone|somebody|colleagues?|boss|manager|friend)"
    r" (?:always|never|keeps?)\b"
    r"|\b(?:we|i) never (?:\w+ed|found|got|knew|saw|had)\b"
    r"|(?<!you )\b(?:always|never|keeps?) (?:\w+ly )?(?:fail|break|crash|forgett?|hang|work"
    r"|happen|seem|complain|end|time|log|take|ask)(?:s|es|ed|ing)\b(?! (?:with|without|on|if"
    r"|unless|when))"
    r"|(?<!你)(?:总是|老是|每次都?|又)(?:失败|挂|报错|崩|卡|忘|不行|出错|超时|断)"
    r"|\b(?:horrible|awful|terrible|ugly|annoying|amazing|awesome|beautiful|sucks?|hell|nightmare"
    r"|weird|same problem|garbage|insane|a mess|a joke|so (?:slow|bad|good|nice|cool|weird|hard"
    r"|easy)|such an?|ugh"
    r"|lol|haha)\b"
    r"|真(?:难|烦|坑|好|香|慢)|(?<!不)太(?:难|烦|坑|慢|好|麻烦|垃圾)|好烦|垃圾|无语|受不了|头疼"
    r"|恶心"
    r"|离谱|哈哈|服了|累死|厉害|真棒|醉了",
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
_FRAGMENT_WORDS = 5
_FEWEST_WORDS = 2
_RULE_WORTH = 1.2
_MOST_RULES = 2
_TOPIC_WORTH = 0.6
_MOMENT_COST = 1.1
_MOST_MOMENTS = 2
_HERE_COST = 1.0
_PLAN_COST = 0.9
_THIS_TALK_COST = 0.9
_SHORT_COST = 1.0
_ORDER_COST = 1.6
_ADDRESS_COST = 2.0  # "open https://…": the model takes every address for a reference
_PASSING_COST = 2.0
_TALE_COST = 3.0
_EVENT_COST = 1.5
_ONE_PLACE_COST = 2.5
_CHOICE_COST = 2.0
_PART_COST = 2.0


_HOW_TO = re.compile(r"[^，,。:：]{2,14}[:：](?!//)\s*\S")


def lean(sentence: str) -> float:
    """Return by how much the words of a sentence move the log-odds that it will matter later."""
    against = remarks.against(sentence)
    sentence = remarks.without_quoted(sentence)
    rules = min(len(_rules(sentence)), _MOST_RULES)
    topic = _TOPIC.search(sentence) is not None
    score = _RULE_WORTH * rules + _TOPIC_WORTH * topic - against - _moment(sentence)
    if tells_of_oneself(sentence):
        score += _RULE_WORTH
    if is_about_speaker(sentence):
        return score + _RULE_WORTH
    if _PLAN.search(sentence):
        score -= _PLAN_COST
    if _THIS_TALK.match(sentence):
        score -= _THIS_TALK_COST
    if not (rules or topic) and len(_WORD.findall(sentence)) < _FRAGMENT_WORDS:
        score -= _SHORT_COST
    if not rules and is_order(sentence):
        score -= _ORDER_COST + _ADDRESS_COST * ("://" in sentence)
    if not rules and not topic and _HERE.search(sentence):
        score -= _HERE_COST
    if _TALE.search(sentence):
        score -= _TALE_COST
    return score


def _moment(sentence: str) -> float:
    """Return what the words for a passing state or a single place cost."""
    cost = _MOMENT_COST * min(len(_MOMENT.findall(sentence)), _MOST_MOMENTS)
    if _PASSING.search(sentence):
        cost += _PASSING_COST
    if _EVENT.search(sentence) and not _DECIDED.search(sentence):
        cost += _EVENT_COST
    if _CHOICE.search(sentence):
        cost += _CHOICE_COST
    if _PART.search(sentence) and not _QUANTIFIER.search(sentence):
        cost += _PART_COST
    if _is_demand(sentence) and _ONE_PLACE.search(sentence) and not _FOR_ALL.search(sentence):
        cost += _ONE_PLACE_COST
    return cost


def _is_demand(sentence: str) -> bool:
    return is_order(sentence) or _DEMAND.match(sentence) is not None


def _rules(sentence: str) -> list[str]:
    """Return the words for rules; in an order for one thing they tell but its purpose."""
    found = [match[0].lower() for match in _RULE.finditer(sentence)]
    if _MAKE_ONE.match(sentence) and not _QUANTIFIER.search(sentence):
        return []
    return [] if set(found) == {"instead of"} and is_order(sentence) else found


def is_about_speaker(sentence: str) -> bool:
    """Whether a sentence without a verb tells what the person is or has: "mac user here"."""
    return _I_HERE.match(sentence) is not None


def tells_of_oneself(sentence: str) -> bool:
    """Whether a sentence opens with what a person says of themselves: "new to Rust, …"."""
    return _ONESELF.match(sentence) is not None


def is_single_word(sentence: str) -> bool:
    """Whether a sentence is a word at most, which tells nothing by itself."""
    return len(_WORD.findall(sentence)) < _FEWEST_WORDS


def is_fragment(sentence: str) -> bool:
    """Whether a sentence is short and names no rule of its own: "New commits only."."""
    words = _WORD.findall(sentence)
    is_short = len(words) <= _FRAGMENT_WORDS
    return is_short and not (_RULE.search(sentence) or is_order(sentence))


def names_rule(sentence: str) -> bool:
    """Whether a sentence has words for a rule, so that it can stand without the one before."""
    return _RULE.search(sentence) is not None and lean(sentence) > 0


def is_order(sentence: str) -> bool:
    """Whether a sentence begins like a request for one thing now."""
    return _ORDER.match(sentence) is not None and not _HOW_TO.match(sentence)
