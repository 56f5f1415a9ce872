"""What the real APIs demand of a request: each rule that is broken becomes one sentence.

`ModelServer` runs a `Validator` on every request that it records.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from tests.support.request import Request
from tests.support.rules import unmarked
from tests.support.validate_chat import check_chat
from tests.support.validate_messages import check_messages, check_thinking
from tests.support.validate_responses import check_responses

CHECKS = {"messages": check_messages, "chat": check_chat, "responses": check_responses}


class Validator:
    """Checks requests one by one and remembers what a later one must agree with."""

    def __init__(self) -> None:
        self._seen: list[Request] = []

    def check(self, request: Request) -> Iterator[str]:
        """The rules that `request` breaks."""
        if "authorization" not in request.headers and "x-api-key" not in request.headers:
            yield "no key in the headers"
        if not isinstance(request.body.get("model"), str) or not request.body["model"]:
            yield "no model is named"
        yield from CHECKS[request.wire](request.body)
        if request.wire == "messages":
            yield from check_thinking(request, self._seen)
        self._seen.append(request)


def assert_append_only(requests: list[Request]) -> None:
    """Fail unless each request repeats the one before, byte for byte, and adds to its end.

    This is what keeps prompt caches and signed thinking valid: the system text and the tools stay,
    earlier messages stay, only cache marks move.
    """
    for before, after in pairwise(requests):
        pair = f"requests {before.number} and {after.number}"
        assert before.system == after.system, f"the system text differs between {pair}"
        assert before.body.get("tools") == after.body.get("tools"), f"tools differ between {pair}"
        old, new = unmarked(before.entries), unmarked(after.entries)
        assert new[: len(old)] == old, f"earlier messages differ between {pair}"
