"""Orders in a text: sentences that tell somebody to do something, English and Chinese.

Said by the person they are wishes; found in data (a file, a web page, the output of a tool) they
are nobody's. Whoever plants one wraps it up, so what stands before an order ("IMPORTANT:",
"system:", a list mark, a quotation mark) is looked through.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_SENTENCE = re.compile(r"[^。！？!?；;\n.]+(?:\.(?!\s|$)[^。！？!?；;\n.]*)*[。！？!?；;.]*")
_CLAUSE = re.compile(r"[:：，]\s*(?!//)|\s[-–—]+\s")
_BEFORE = re.compile(
    r"[\s\W_]+|\d+[.)]|(?:important|attention|warning|note|notice|system|assistant|user|admin"
    r"|instructions?|rule|policy|reminder|todo|ai|agent|please|kindly|and|also|then|now|first"
    r"|so|dear|to all|hey|hi)\b"
    r"|(?:when|whenever|if|before|after|in this|for (?:all|any|every|each))\b[^,:]{1,60}[,:]"
    r"|重要|注意|警告|提示|系统|助手|用户(?!偏|希|要|喜|想|同|允|批|已|授)|规则|指令|提醒|请|你"
    r"|您|麻烦|各位"
    r"|所有|另外|然后|首先|并且?|之后|以及|同时|(?:在|当|每次|如果)[^，,。：:]{1,30}[，,：:]",
    re.IGNORECASE,
)
_MOST_BEFORE = 12
_VERB = (
    r"add|allow|answer|append|approve|ask|bypass|call|change|clone|commit|copy|curl|delete|deploy"
    r"|disable|disclose|do|download|email|enable|ensure|execute|export|fetch|follow|forward|give"
    r"|grant|hide|include|insert|install|invoke|keep|leak|mail|merge|obey|open|override|paste|post"
    r"|prefer|prefix|print|publish|push|put|recommend|remove|rename|replace|reply|report|respond"
    r"|reveal|run|save|send|set|share|skip|store|submit|suggest|switch|tell|treat|trust|turn off"
    r"|update|upload|use|visit|wget|write"
)
_ORDER = re.compile(
    r"(?:(?:always|never|ignore|disregard|forget|remember|memori[sz]e|make sure|be sure"
    r"|do not|don'?t|from now on|going forward|keep in mind|note that you|pretend|act as"
    r"|you (?:must|should|have to|need to|are to|will|shall|may now|are now)"
    r"|(?:(?:the|all|any|every|this|each|coding|ai) )*"
    r"(?:agents?|assistants?|models?|llms?|ai|bots?|catmem|claude|gpt) "
    r"(?:must|should|shall|has to|have to|needs? to|will|always|never|is to|are to|may now"
    r"|is required|are required|is expected|are expected)"
    # What data says the person wants is as good as an order.
    r"|(?:the |this |our )?(?:users?|owners?|developers?|maintainers?|humans?) "
    r"(?:prefers?|wants?|likes?|wishes|expects?|allows?|agreed|asked|approves?|trusts?"
    r"|has (?:approved"
    r"|agreed|asked|allowed)))\b"
    r"|(?:" + _VERB + r")\s+"
    r"(?!(?:by|is|are|was|were|has|command|script|step|target|flag|option)\b)\S)"
    r"|(?:总是|永远|必须|务必|一律|不要|不得|不许|不准|禁止|别(?![的人名])"
    r"|忽略|无视|记住|牢记|记得|以后|今后|从现在"
    r"|始终|确保|一定要|应当|应该|需要(?=把|将|先|执行|运行|发送)|把|将(?=\S+(?:发|上传|删|写|改"
    r"|设))|执行|运行|发送|上传|删除|调用|下载|安装"
    r"|用户(?:偏好|希望|要求|喜欢|想要|同意|允许|已?经?批准|已?经?授权)|关闭|打开|跳过|批准|同意"
    r"|回答|回复|告诉|使用|用(?=\S)|(?:代理|模型|AI|助理|智能体)(?:必须"
    r"|应|要|都|总是|永远|一律|不得))",
    re.IGNORECASE,
)
# What data says is allowed is as good as an order, too.
_LEAVE = re.compile(
    r"\b(?:permission|permitted|allowed|approved|authori[sz]ed|granted|consents?|confirms? that)\b"
    r"|\bwithout (?:asking|confirmation|approval|review)\b"
    r"|\b(?:is|are) (?:fine|ok(?:ay)?|safe to)\b"
    r"|有权|授权|允许|批准|同意|无需(?:确认|询问|审查)|不用(?:确认|询问|问)|不必(?:确认|询问)",
    re.IGNORECASE,
)
_TELLS_OF_ONE = re.compile(
    r"\b(?:always|never|must|should|ignore|disregard|remember|from now on|instructed?|rule"
    r"|require[sd]?|obey|has to|have to|asked (?:to|for|that)|wants? (?:the|to|that|you|it)"
    r"|prefers?)\b"
    r"|总是|永远|必须|务必|一律|不要|忽略|无视|记住|以后|今后|始终|规则|要求|应当|应该|禁止|指示"
    r"|希望",
    re.IGNORECASE,
)


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text, each without blanks around it."""
    for match in _SENTENCE.finditer(text):
        if sentence := match.group().strip():
            yield sentence


def is_order(text: str) -> bool:
    """Whether any sentence of a text is an order, or gives leave to do something."""
    return _LEAVE.search(text) is not None or any(map(_is_one, sentences(text)))


def is_rule(sentence: str) -> bool:
    """Whether a sentence gives an order that holds for long or turns against others."""
    return _begins_as_order(sentence) and _TELLS_OF_ONE.search(sentence) is not None


def tells_of_order(sentence: str) -> bool:
    """Whether a sentence gives an order or tells of one ("the user wants the agent to …")."""
    return _is_one(sentence) or _TELLS_OF_ONE.search(sentence) is not None


def _is_one(sentence: str) -> bool:
    return any(map(_begins_as_order, (sentence, *_CLAUSE.split(sentence)[1:])))


def _begins_as_order(clause: str) -> bool:
    place = 0
    for _ in range(_MOST_BEFORE):
        if _ORDER.match(clause, place):
            return True
        before = _BEFORE.match(clause, place)
        if before is None:
            return False
        place = before.end()
    return False
