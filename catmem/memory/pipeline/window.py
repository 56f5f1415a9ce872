"""The window: the messages of one session that the pipeline has not dealt with yet.

Also the gate that needs no model: whether there is anything in them to look at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from catmem.messages import Message, Origin, Role, TextPart

# What a person says without saying anything: matched on the whole message, punctuation left out.
_SMALL_TALK = re.compile(
    r"(?:(?:hi|hello|hey|yo|hiya|good (?:morning|afternoon|evening|night)|bye|goodbye|see you"
    r"|ok|okay|k|yes|yeah|yep|no|nope|sure|fine|good|great|nice|cool|perfect|awesome|done|go on"
    r"|continue|go ahead|please|thanks?|thank you|thx|ty|much|very|so|a lot|again|all|there|then"
    r"|looks good|lgtm|test|ping|exit|quit"
    r"|你好|您好|嗨|哈喽|早|早上好|下午好|晚上好|晚安|在吗|再见|拜拜|好|好的|好了|好吧|好呀|行|可以|可以了"
    r"|嗯|嗯嗯|哦|是|是的|对|对的|不|不用了|没事了?|没问题|继续|接着来|收到|明白|明白了|知道了|谢谢你?|谢了"
    r"|多谢|感谢|辛苦了?|太好了|不错|很好|完美|哈+|测试|退出)\s*)+",
    re.IGNORECASE,
)
_NOT_WORDS = re.compile(r"[^\w\s]+")
_COMMAND = re.compile(r"/ ?[A-Za-z][\w-]*(?:\s|$)")


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive messages of one session, oldest first; ``last_seq`` is where it ends."""

    session: str
    messages: tuple[Message, ...]

    @property
    def last_seq(self) -> int:
        """``seq`` of the newest message, 0 for an empty window."""
        return self.messages[-1].seq if self.messages else 0

    @property
    def is_substantial(self) -> bool:
        """Whether a person said anything that more than greets, thanks or commands."""
        return any(
            message.role is Role.USER and _says_something(message) for message in self.messages
        )


def open_window(session: str, messages: Sequence[Message], watermark: int) -> Window:
    """Return the messages after ``watermark``."""
    return Window(session, tuple(message for message in messages if message.seq > watermark))


def typed_texts(message: Message) -> Iterator[str]:
    """Yield what the person typed in a message: the only words that count as their own."""
    if message.role is Role.USER:
        for part in message.parts:
            if isinstance(part, TextPart) and part.origin is Origin.TYPED:
                yield part.text


def _says_something(message: Message) -> bool:
    if any(
        isinstance(part, TextPart) and part.origin not in {Origin.TYPED, Origin.CATMEM}
        for part in message.parts
    ):
        return True
    text = " ".join(typed_texts(message)).strip()
    if not text or (_COMMAND.match(text) and "\n" not in text):
        return False
    words = _NOT_WORDS.sub(" ", text).strip()
    return bool(words) and _SMALL_TALK.fullmatch(words) is None
