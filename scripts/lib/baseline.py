"""What the benchmarks compare with: the smallest chat on prompt_toolkit and rich.

It sends each line to the model, runs the one tool that the benchmarks' script asks for, and prints
the answer as Markdown when it is whole. Nothing is checked, kept or shown while it streams.
"""

from __future__ import annotations

import http.client
import importlib
import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import rich.console
from prompt_toolkit import PromptSession


def main() -> None:
    """Chat until the end of input."""
    session: PromptSession[str] = PromptSession("> ")
    console = rich.console.Console()
    messages: list[dict[str, Any]] = []
    while True:
        messages.append({"role": "user", "content": session.prompt()})
        text, calls = answer(messages)
        while calls:
            messages.append({"role": "assistant", "content": text, "tool_calls": calls})
            for call in calls:
                path = json.loads(call["function"]["arguments"])["path"]
                content = Path(path).read_text("utf-8")
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
            text, calls = answer(messages)
        messages.append({"role": "assistant", "content": text})
        # Not imported above, so that the start is that of the two libraries alone.
        console.print(importlib.import_module("rich.markdown").Markdown(text))


def answer(messages: list[dict[str, Any]]) -> tuple[str, list[dict[str, Any]]]:
    """Send the conversation; return the answer's text and tool calls."""
    server = urlsplit(os.environ["OPENAI_BASE_URL"])
    connection = http.client.HTTPConnection(server.hostname or "", server.port)
    tools = [{"type": "function", "function": {"name": "read_file", "parameters": {}}}]
    body = {"model": "scripted", "messages": messages, "tools": tools, "stream": True}
    connection.request(
        "POST",
        f"{server.path}/chat/completions",
        json.dumps(body),
        {"Content-Type": "application/json"},
    )
    texts: list[str] = []
    calls: dict[int, dict[str, Any]] = {}
    for line in connection.getresponse():
        data = line.removeprefix(b"data: ").strip()
        if not data or data == b"[DONE]":
            continue
        for choice in json.loads(data)["choices"]:
            texts.append(choice["delta"].get("content") or "")
            for piece in choice["delta"].get("tool_calls") or ():
                call = calls.setdefault(piece["index"], piece)
                if call is not piece:
                    call["function"]["arguments"] += piece["function"]["arguments"]
    return "".join(texts), list(calls.values())


if __name__ == "__main__":
    main()
