"""The words by which requests to remember are known, English and Chinese.

Patterns are matched at the start of a clause, after what may stand before an order ("please", "I
want you to", 「麻烦你」). How they work together is told in ``rules``.
"""

from __future__ import annotations

import re

_FLAGS = re.IGNORECASE

LEAD = re.compile(
    r"(?:\s|please\b|pls\b|kindly\b|and\b|also\b|but\b|so\b|oh\b|ok(?:ay)?\b|btw\b|by the way\b"
    r"|hey\b|well\b|hi\b|yes\b|right\b|fyi\b|no\b|actually\b|wait\b|then\b|just\b|again\b|instead\b"
    r"|one (?:more|last|other) thing\b|(?:could|would|will|can) you\b|(?:please )?do(?= remember)"
    r"|(?:(?:i (?:want|need|expect|would like|'d like) |i'd like )?you "
    r"(?:to|should|must|need to|have to)\b)"
    r"|we (?:should|must|need to|have to)\b|let'?s\b|try to\b"
    r"|make sure (?:that )?(?:you |to )?|be sure to\b|it'?s (?:very )?important (?:that you|to)\b"
    r"|[,，:：、]"
    r"|请|麻烦|你要|您|你(?!们)|帮我|给我|我(?:希望|想让|想要|要求)(?=[你您])|另外|还有|对了|顺便"
    r"|那么|那|好的|嗯"
    r"|所以|但是|但|不过|而且|还是|不对|拜托|务必|一定要?|算了|统一(?=以后))*",
    _FLAGS,
)
_TALE = (  # what follows "always" or "never" in tales, not in orders
    r"mind|the|a|an|this|that|these|those|been|seen|had|has|was|were|is|are|did|does|got|saw|knew"
    r"|thought|heard|went|came|took|gave|said|found|felt|ran|broke|again|really|before|happy|nice"
    r"|good|fun|great|glad|possible|true|false|null|wrong|right|same|there|here|it|they|he|she|i|we"
    r"|say|liked|mine|too|so|as|in|on|at|with|when|if|my|your|our|their|fail|happen|seem|forget"
    r"|need|told|online|available|busy|late|empty|green|red|slow"
)
_ENDS_LIKE_A_TALE = (
    r"(?!(?!(?:feed|embed|seed|proceed|exceed|speed|bring|ping|string|ring|alias|bias|focus"
    r"|canvas)\b)\w+(?:ed|ing|[^su]s)\b)"
)
_FREQUENCY = r"(?:ever )?(?!(?:" + _TALE + r")\b)" + _ENDS_LIKE_A_TALE + r"\w"
_NOT_A_FACT = (
    r"(?!(?:when|how|why|what|where|which|who|last|yesterday|the time|me|him|her|us|them|it|our"
    r"|to vote)\b)"
)
_VERBS = (
    r"add|answer|ask|avoid|build|bump|call|change|check|commit|create|do|don'?t|explain|fix|format"
    r"|give|include|keep|leave|list|log|make|mention|move|name|note|open|prefer|print|put|read"
    r"|regenerate|remove|rename|reply|report|restart|review|run|say|send|set|show|skip|sort|start"
    r"|stop|suggest|tell|test|update|use|validate|verify|wait|warn|write"
)
_FROM_NOW = r"(?:from now on|from here on(?: out)?|going forward|henceforth|in future)"

ENGLISH = re.compile(
    r"(?:"
    # What is said after these words is the fact.
    r"remember\s*[,:]?\s+" + _NOT_A_FACT + r"(?:this\s*[,:]\s*|that\s+|to\s+)?(?=\S)"
    r"|(?:don'?t|do not|never) forget(?:\s*[,:]\s*(?:that\s+)?|\s+(?:that|to)\s+)(?=\S)"
    r"|(?:keep|bear) in mind\s*[,:]?\s*(?:that\s+)?(?=\S)"
    r"|(?:make|take) (?:a )?note\s*(?:of this\s*)?(?:[:,]|that\s)\s*(?=\S)"
    r"|(?:add|save|store|put|write|commit) (?:(?:this|that|it|the following) )?(?:to|in|into) "
    r"(?:your |the |long-term )*memory\s*(?:[:,]|that\s)\s*(?=\S)"
    r"|(?:save|store|keep|note) (?:this|that|it) for (?:later|future|other|the next|next) "
    r"(?:sessions?|time)\s*[:,]\s*(?=\S)"
    r"|for (?:future reference|later sessions|the future)\s*[:,]\s*(?=\S)"
    # These words belong to the fact.
    r"|(?=always\s+" + _FREQUENCY + r")"
    r"|(?=never\s+" + _FREQUENCY + r")"
    r"|(?=(?:always|never),? under (?:any|no|all) circumstances,?\s+\w)"
    r"|(?=(?:" + _FROM_NOW + r"|in the future)\s*,?\s+"
    r"(?!it\b|this\b|that\b|they\b|he\b|she\b|there\b|everything\b)"
    r"(?!(?:we|i|you|one|people) (?:may|might|could|would(?! like you)|plan|hope)\b|we want\b)\w)"
    r"|(?=(?:don'?t|do not) ever\s+\w)"
    r"|(?=(?:don'?t|do not|stop)\s+\w.*\b(?:ever again|again|any ?more)\b)"
    r"|(?=(?:whenever|every time|each time|any time) you [^,]{2,80},\s*"
    r"(?:please |always |also |first )*(?:" + _VERBS + r")\b)"
    r"|(?=(?!it\b|this\b|that\b|they\b|he\b|she\b|there\b|i will\b|i'll\b"
    r"|everything\b)\w[^,]{3,200}\s" + _FROM_NOW + r"(?:\W|$))"
    r")",
    _FLAGS,
)
_AFTERWARDS = (  # what follows 以后 in plans and tales, not in orders
    r"再(?!不|也不)|会|可能|可以|有|还(?!是)|也许|大概|或许|的(?!时候)|能|想|吧|呢|怎|它|他|她"
    r"|就会|等|看|考虑|才|来|估计|应该会|肯定|一定会|必然"
)
_HABIT = r"要|用|先|请|把|写|加|运行|检查|使用|按|保持|不要|别|必须|更新|记得|跑|改"
_WHERE = r"(?:(?:在|写|改|提交|回答|跑|对)[^,，。]{0,12}?(?:的?时候?|之?[前后]|里面?|中|上))?"
CHINESE = re.compile(
    r"(?:"
    r"(?:记住|记好|记着|记牢|牢记|记一下|记下来?|别忘了|不要忘记?了?)(?:了(?=\s*[:：]))?"
    r"(?!了?[吗没么吧呢]|了|了?不|你的|[^，,：:\s]{0,6}(?:按钮|勾选框|复选框)"
    r"|(?:密码|登录|用户名?|我)的?(?:功能|选项|开关|状态))\s*[,，:：]?\s*(?=\S)"
    r"|把(?:这个|这条|这点|这件事|它|下面的?)(?:都)?记(?:住|下来?|一下"
    r"|到记忆里?)\s*[,，:：]\s*(?=\S)"
    r"|(?:加到|存到|写进|存进|记到)记忆里?\s*[,，:：]\s*(?=\S)"
    r"|记得(?=.*(?:以后|每次|一律|永远|始终|总是|都))(?!吗|上次|上周|昨天|那)\s*[,，:：]?\s*(?=\S)"
    r"|(?=(?:从(?:现在|今天|这次|本次)(?:起|开始)|从今(?:以后|往后)|以后|今后|往后)\s*[,，]?\s*"
    r"(?!" + _AFTERWARDS + r"|计时|计数|算)\S)"
    r"|(?=下[次回]\s*[,，]?\s*(?:(?:[写改提启部跑]\S{0,8}?[前后时]\s*)?(?:别|不要|记得|都|请|要"
    r"|先|直接|用)))"
    r"|(?=" + _WHERE + r"(?:不要再|别再|不许再|不准再|不能再(?!.{1,2}了?[。！!]*$))"
    r"(?!(?:试|说|等|问|改|跑|管|弄|动|闹|吵|看|想|试一|发)(?:它|了|下去|啦"
    r"|我了?)*\s*(?:[,，。！!]|$))\S)"
    r"|(?=(?:千万|绝对)(?:不要|不能|别|不许|不准)(?:(?![,，。]|现在|它|这个).){3})"
    r"|(?="
    + _WHERE
    + r"(?:永远|始终|一律)(?:都|只|也)?(?:不要|不准|不许|不用|不得|别|用(?!不)|要|先|使用|写|按"
    r"|禁止|保持|走|放|以|采用|禁用|返回|省))"
    r"|(?=" + _WHERE + r"总是(?:" + _HABIT + r")(?!不[了到成]))"
    r"|(?=每次[^,，]{0,12}(?:前|后|完|时|时候|之前|之后)[^,，]{0,14}?都(?:"
    + _HABIT
    + r")(?!等|花|卡|重新))"
    r"|(?=每次(?:[^,，]{0,10}?)都?(?:先|请|记得|不要|别|必须先?)(?!等|花|卡))"
    r"|(?=(?:所有|凡是?|任何)[^,，。]{1,20}(?:一律(?!都)|都必须|必须|都统一)(?:\w))"
    r")"
)

# Questions; a polite request for an act is none ("could you please remember that …?").
QUESTION = re.compile(
    r"[?？]\s*$|(?:吗|呢|么|没有|了没|怎么回事|怎么办|什么情况|为什么|咋回事|what now)[。！.!]*\s*$"
    r"|开玩笑|逗你的|\b(?:just|only) (?:kidding|joking)\b"
    r"|^\s*(?:do(?! remember (?:that|to)\b)|does|did|can|could|would|will|should|is|are|why|what"
    r"|how|when(?= (?:do|does|did|is"
    r"|are|will|should|can)\b)|where|who|which|have|has)\b(?!\s*(?:you )?please)(?!n'?t)"
    r"(?!\s+not\b)",
    _FLAGS,
)
POLITE = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|hey|and|also|btw|by the way)[\s,]+)*"
    r"(?:(?:could|would|will|can) you (?:please|kindly)\b|please (?:could|would|can|will) you\b"
    r"|(?:could|would|will|can) you (?:remember (?:that|this)|keep in mind|make a note)\b"
    r"|(?:could|would) you (?:always|never)\b)",
    _FLAGS,
)
TAG = re.compile(
    r"[,，]?\s*(?:ok(?:ay)?|right|alright|please|will you|would you|got it|thanks"
    r"|understood)\s*[?？]+\s*$"
    r"|[,，]?\s*(?:好吗|好不好|好么|行吗|行不行|知道吗|知道没|明白吗|明白没|听到没有?"
    r"|懂吗)\s*[?？。！!]*\s*$",
    _FLAGS,
)
ASKS_FOR_A_VALUE = re.compile(
    r"(?:以后|今后|往后|下次|每次|开始|现在起)[^,，]*?(?:怎么(?!样都)|什么(?!都|也|时候|的时候)"
    r"|哪[个种里儿些]|谁|要不要|是不是|能不能"
    r"|可不可以|该不该|多少)|^\s*(?:要不要|是不是|为什么|难道|能不能|该不该|可不可以)"
)
# Words that somebody else said, or that are to be written somewhere.
REPORTED = re.compile(
    r"(?:\b(?:says?|said|complains?|insists?|recommends?|suggests?|reports?|states?|stated|reads?"
    r"|claims?|claimed|warns?|warned|wrote|writes|prints?"
    r"|printed|shows?|called|titled|named|error|message|docs?|documentation|readme|comment|log"
    r"|output|slogan|title|headline|text|string|label|told \w+|according to\b.*)"
    r"|^\W*(?:please |now |then )*(?:translate|print|echo|type|write|say|reply with|commit)\b.*"
    r"|(?:说|说道|写着?|写道|提示|报错|显示|叫做?|建议|抱怨|要求|认为|规定|文案|标题|注释|提交信息"
    r"|翻译成\S{1,4}|打印|输出|填上?|写上|改成)(?:的?是|为|了)?)"
    r"\s*$",
    _FLAGS,
)
OWN_REPORT = re.compile(
    r"\bi(?:'ve| have| already|'m)?(?: just| already)? (?:said|told|say|tell|repeat|mean|wrote)\b"
    r"|我(?:刚才?|已经|都|再)?(?:说|讲|强调)|跟你说|告诉过?你",
    _FLAGS,
)
# A clause that tells when the order after it holds, and belongs to it.
CONDITION = re.compile(
    r"\s*(?:(?:and|but|also|so|then)\s+)?"
    r"(?:when|whenever|if|before|after|unless|for|in|with|on|as soon as|while|every time)\b"
    r"|.*(?:的时候|时|之前|之后|的话|前|后|里|中)\s*$|\s*(?:如果|只要|凡是|当|遇到|对于)",
    _FLAGS,
)

THIS_MOMENT = re.compile(
    r"\b(?:just |only )?this (?:once|time|one time)\b|\bfor now\b|\bfor the moment\b"
    r"|\bfor the time being\b|\b(?:just|only) once\b"
    r"|\b(?:for|in|during) this (?:one )?(?:\w+ )?(?:run|session|task|turn|commit|request|test run"
    r"|chat|conversation)\b"
    r"|\b(?:only|just) (?:for )?(?:today|tonight)\b|\btoday only\b|\bfor (?:today|tonight)\b"
    r"|\buntil (?:tomorrow|tonight|monday|next week|then)\b|^\s*until (?:the|we|i|you)\b[^,]*"
    r"|\btemporarily\b|\bwhen (?:you'?re|it'?s) done\b|\bremember to\b.*\b(?<!from )now\b"
    r"|\bfor (?:the|this|our) (?:demo|meeting|presentation|call)\b"
    r"|(?<!从)这次|这一次|这回|(?<!从)本次|就一次|仅此一次|今天先|今天就先|今天只|今晚先|暂时"
    r"|临时|眼下先|目前先|先这样|这轮"
    r"|现在先|这会儿",
    _FLAGS,
)
# Clearer words, which make a fact worthless even where a model proposes it.
ONCE_ONLY = re.compile(
    r"\b(?:just|only) (?:this once|once|this time|for this (?:one )?\w+|for (?:today|now"
    r"|tonight))\b"
    r"|\bthis once\b|\bthis time only\b|\bfor this (?:one )?\w+ only\b|\btoday only\b"
    r"|\btemporarily\b|\bfor the time being\b"
    r"|就这一次|仅此一次|仅限这次|今天先|(?<!从)这次(?:先|就|只|不|别)|暂时|临时用|现在先",
    _FLAGS,
)
# Words for a rule that lasts, which a passing remark beside them does not undo.
LASTING = re.compile(
    r"\b(?:always|never|from now on|going forward|henceforth|in (?:the )?future)\b"
    r"|以后|今后|往后|永远|始终|一律|从(?:现在|今天|这次|本次)(?:起|开始)|每次",
    _FLAGS,
)

# "Never mind": the sentence before does not count.
TAKEN_BACK = re.compile(
    r"\s*(?:(?:no|oh|actually|wait|hm+|ok(?:ay)?|well|sorry)[\s,.]+)*"
    r"(?:刚才|上面|前面)?(?:说的)?(?:那个|那条|那句)?(?:就|都)?"
    r"(?:never ?mind\s*(?:[,.!]|that|it|then|about|$)|forget (?:it|that|what i said|about it)"
    r"|scratch that|ignore that(?!,? \w)|i take (?:that|it) back"
    r"|don'?t (?:remember|save|store|keep) (?:that|this|it)"
    r"|算了|当我没说|不用记了?|别记了?|不要记(?![住得])|不必记|这个别记|忘了(?:它|吧)"
    r"|收回(?:刚才)?)",
    _FLAGS,
)
# Clearer: what was asked to be remembered does not count, even if more was said since.
NOT_TO_BE_KEPT = re.compile(
    r"\b(?:don'?t|no need to) (?:remember|save|store|keep) (?:that|this|it)\b"
    r"|forget what i said|i take (?:that|it) back|不用记|别记|不要记(?![住得])|不必记|当我没说"
    r"|收回",
    _FLAGS,
)
REVERSAL = re.compile(
    r"\s*(?:(?:oh|hm+|well|ok(?:ay)?|sorry|嗯|啊|哦)[\s,.，。]+)*"
    r"(?:no\b(?! \w+ing)|nope\b|actually\b|wait\b|correction\b|sorry\b|scratch that\b"
    r"|on second thoughts?\b|i (?:mis(?:spoke|typed)|meant|changed my mind)\b"
    r"|不对|不是[,，]|等等|等一下|还是|说错|我?错了|更正|我?改主意|算了)",
    _FLAGS,
)
# The person says that the words just before were wrong, not what somebody did.
MISSPOKE = re.compile(
    r"\bi (?:meant|mis(?:spoke|typed)|changed my mind)\b|\bcorrection\b|\bscratch that\b"
    r"|\bmake (?:it|that)\b|\b(?:wait|actually),? no\b|\bno,? (?:wait|actually)\b|说错|更正|搞错"
    r"|记错|写错"
    r"|我错了|改主意|不对[，,]?\s*(?:还是|应该|是)",
    _FLAGS,
)
REVERSAL_WORDS = re.compile(
    r"(?:oh|hm+|well|ok(?:ay)?|no|nope|actually|wait|correction|sorry|scratch that|i mean|i meant"
    r"|on second thoughts?|i (?:changed my mind|misspoke)|let'?s|please|rather|make (?:it|that)"
    r"|嗯|啊|哦|不对|不是|等等|等一下|说错了?|我?错了|更正|我?改主意了?|算了|还是(?=用|写|按|走"
    r"|保持|改))"
    r"(?:[\s,.:;!，。：；！]+|(?<=[\u4e00-\u9fff])|$)",
    _FLAGS,
)
# What was first stays: "stay with English", 「还是用英文」.
GOES_BACK = re.compile(
    r"(?:let's |please |just )*(?:stay (?:with|in|on)|stick (?:to|with)|(?:go |switch )?back to"
    r"|keep (?:to|with)|keep it (?:in|at|as))\b"
    r"|(?:缩进|格式)?(?:还是[用按走]|改回|换回|用回|照旧|照原来)",
    _FLAGS,
)
# What holds instead: another value, not another thing to do.
NEW_VALUE = re.compile(
    r"(?:use|go (?:with|back to)|keep|stay with|stick (?:with|to)|switch (?:back )?to|back to"
    r"|prefer"
    r"|in|with|without|only|it'?s|give (?:me|us)|i (?:use|prefer|want)|we (?:use|want))\s+\S"
    r"|[a-z][\w-]*(?: [\w-]+){0,2}\s*(?:[.,!]|$)"
    r"|用|按|写|走|保持|改[成回为]|换[成回]|统一|应该|是(?!不是|吗|因为)|要(?!不)|我们?用|\d",
    _FLAGS,
)
# A value that says by itself what is to be done with it.
COMPLETE = re.compile(
    r"(?:use|go with|keep|stay with|stick (?:with|to)|switch to|prefer|i (?:use|prefer)|we use)\s"
    r"|用|按|写|走|保持|统一|我们?用",
    _FLAGS,
)
# Words that point back to what was said before the request.
POINTS_BACK = re.compile(
    r"\b(?:there|it|that|this|them|those|one|him|her)\W*$|这[类种样些]|那[类种样些]"
    r"|他(?!们?[说叫])|她|它"
    r"|那里|这里|那边|这边",
    _FLAGS,
)
