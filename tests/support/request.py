"""One recorded request to the scripted model, and how to read it whatever its wire form."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from tests.support.reply import Wire

Outcome = Literal["open", "answered", "cut", "hung up"]


@dataclass(slots=True)
class Request:
    """A request as it arrived.

    Attributes:
        number: 1 for the first request of the server.
        headers: names in lower case.
        time: `time.monotonic()` when the body was complete.
        outcome: how its answer ended: "open" while it is being sent, "hung up" when the client
            closed the connection early.
    """

    number: int
    wire: Wire
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    time: float
    outcome: Outcome = "open"

    @property
    def is_chat(self) -> bool:
        """Whether this is a turn of the conversation; pipeline requests carry no tools."""
        return bool(self.body.get("tools"))

    @property
    def tool_names(self) -> list[str]:
        """Names of the tools offered, in order."""
        tools = self.body.get("tools") or []
        return [tool.get("function", tool)["name"] for tool in tools]

    @property
    def entries(self) -> list[dict[str, Any]]:
        """The conversation as it stands in the body, the system text included where it is there."""
        found = self.body.get("input" if self.wire == "responses" else "messages")
        return [{"role": "user", "content": found}] if isinstance(found, str) else found or []

    @property
    def system(self) -> str:
        """The whole system text, "" if there is none."""
        outside = self.body.get("system" if self.wire == "messages" else "instructions") or ""
        inside = [e for e in self.entries if e.get("role") in {"system", "developer"}]
        return "\n\n".join(filter(None, [text_of(outside), *(text_of(e) for e in inside)]))

    @property
    def user_texts(self) -> list[str]:
        """The text of each user message, tool results left out."""
        texts = [text_of(e) for e in self.entries if e.get("role") == "user"]
        return [text for text in texts if text]

    @property
    def assistant_texts(self) -> list[str]:
        """The text of each assistant message that has some."""
        texts = [text_of(e) for e in self.entries if e.get("role") == "assistant"]
        return [text for text in texts if text]

    @property
    def tool_results(self) -> dict[str, str]:
        """The text of each tool result, by the id of its call."""
        found: dict[str, str] = {}
        for entry in self.entries:
            if entry.get("role") == "tool":
                found[entry["tool_call_id"]] = text_of(entry)
            elif entry.get("type") == "function_call_output":
                found[entry["call_id"]] = text_of(entry["output"])
            elif self.wire == "messages" and isinstance(entry["content"], list):
                blocks = [b for b in entry["content"] if b.get("type") == "tool_result"]
                found |= {b["tool_use_id"]: text_of(b.get("content", "")) for b in blocks}
        return found

    @property
    def schema(self) -> dict[str, Any] | None:
        """The JSON schema that the answer has to follow, if one was given."""
        place = {
            "messages": ("output_config", "format", "schema"),
            "chat": ("response_format", "json_schema", "schema"),
            "responses": ("text", "format", "schema"),
        }[self.wire]
        value: Any = self.body
        for key in place:
            value = (value or {}).get(key)
        return value if isinstance(value, dict) else None

    @property
    def text(self) -> str:
        """The whole body as readable JSON, to search in."""
        return json.dumps(self.body, ensure_ascii=False)


def text_of(value: Any) -> str:
    """The text in a message, a content list, a block or a string, joined by line breaks."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        if "role" in value:
            return text_of(value.get("content") or "")
        kinds = {"text", "input_text", "output_text"}
        return value.get("text", "") if value.get("type") in kinds else ""
    return "\n".join(filter(None, (text_of(item) for item in value)))
