"""The window: the messages of one session that the pipeline has not dealt with yet.

Also the gate that needs no model: whether there is anything in them to look at.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from catmem.messages import Message, Origin, Role, TextPart

# What a person says without saying anything. A message is small talk when nothing else is left.
_SMALL_TALK = re.compile(
    r"(?:good (?:morning|afternoon|evening|night)|looks good(?: to me)?|sounds good|go on|go ahead"
    r"|see you(?: later)?|well done|never ?mind|hello|goodbye|continue|thank|thanks|okay|cheers"
    r"|there|again|please|perfect|awesome|excellent|great|right|alright|sorry|hiya|yeah|nope|sure"
    r"|fine|good|nice|cool|done|very|much|lgtm|test|ping|exit|quit|hey|bye|yes|yep|thx|you|now|all"
    r"|lot|wow|hi|ok|ty|no|so|yo|a|k)(?![a-z0-9])"
    r"|早上好|下午好|晚上好|没问题|知道了|太好了|辛苦了|不用了|可以了|没事了|接着来|当我没说|你好|您好|哈喽"
    r"|晚安|在吗|再见|拜拜|好的|好了|好吧|好呀|可以|没事|继续|收到|明白|谢谢|谢了|多谢|感谢|辛苦|不错|很好"
    r"|完美|测试|退出|算了|是的|对的|[嗨早好行嗯哦是对不哈你您了啦啊呀吧]",
)
_NOT_WORDS = re.compile(r"[\W_]+")
_COMMAND = re.compile(r"/ ?[A-Za-z][\w-]*(?:[^\S\n][^\n]*)?")
_LONGEST_SMALL_TALK = 60


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive messages of one session, oldest first.

    ``end`` is the ``seq`` up to which the session is dealt with when the window is: messages that
    stay out of memory may lie behind the last one.
    """

    session: str
    messages: tuple[Message, ...]
    end: int = 0

    @property
    def last_seq(self) -> int:
        """``seq`` up to which this window goes, 0 for an empty one."""
        return max(self.end, self.messages[-1].seq if self.messages else 0)

    @property
    def is_substantial(self) -> bool:
        """Whether a person said anything that more than greets, thanks or commands."""
        return any(
            message.role is Role.USER and _says_something(message) for message in self.messages
        )


def open_window(session: str, messages: Sequence[Message], watermark: int, end: int = 0) -> Window:
    """Return the messages after ``watermark``, up to ``end`` where that is given."""
    inside = (one for one in messages if watermark < one.seq and not 0 < end < one.seq)
    return Window(session, tuple(inside), end)


def typed_texts(message: Message) -> Iterator[str]:
    """Yield what the person typed in a message: the only words that count as their own."""
    if message.role is Role.USER:
        for part in message.parts:
            if isinstance(part, TextPart) and part.origin is Origin.TYPED:
                yield part.text


def _says_something(message: Message) -> bool:
    data = (
        part.text
        for part in message.parts
        if isinstance(part, TextPart) and part.origin not in {Origin.TYPED, Origin.CATMEM}
    )
    if not all(map(is_small_talk, data)):
        return True
    text = " ".join(typed_texts(message)).strip()
    return _COMMAND.fullmatch(text) is None and not is_small_talk(text)


def is_small_talk(text: str) -> bool:
    """Whether a text only greets, thanks or agrees."""
    if len(text) > _LONGEST_SMALL_TALK:
        return False
    rest = _NOT_WORDS.sub(" ", unicodedata.normalize("NFKC", text).lower()).strip()
    while rest:
        phrase = _SMALL_TALK.match(rest)
        if phrase is None:
            return False
        rest = rest[phrase.end() :].lstrip()
    return True
