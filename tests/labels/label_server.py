"""A model server on loopback that reports logprobs: each sentence gets the label it is told."""

from __future__ import annotations

import json
import math
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

CERTAIN, UNLIKELY = 0.9, 0.02


class LabelServer:
    """Answers label requests from ``labels`` (part of a sentence -> label, else ``now``).

    Attributes:
        asked: the sentences it was asked about, in order.
        bodies: the label requests as they arrived.
        json_answers: what other requests get, in order; an unreadable text when there is none.
        json_requests: how many of those came.
        reports: whether label answers carry probabilities.
        stall_at: a part of a sentence at which the answer waits until ``go_on``.
    """

    def __init__(self) -> None:
        self.labels: dict[str, str] = {}
        self.asked: list[str] = []
        self.bodies: list[dict[str, Any]] = []
        self.json_answers: list[str] = []
        self.json_requests = 0
        self.reports = True
        self.stall_at = ""
        self.stalled = threading.Event()
        self.go_on = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def __enter__(self) -> LabelServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.go_on.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        if not body.get("logprobs"):
            self.json_requests += 1
            text = self.json_answers.pop(0) if self.json_answers else "I would rather chat."
            return _answer(text, None)
        sentence = body["messages"][-1]["content"].removeprefix("sentence: ")
        self.asked.append(sentence)
        self.bodies.append(body)
        if self.stall_at and self.stall_at in sentence:
            self.stalled.set()
            self.go_on.wait(20)
        label = next((label for part, label in self.labels.items() if part in sentence), "now")
        others = {"user", "feedback", "project", "reference", "now", "ask", "chat"} - {label}
        likely = {label: CERTAIN, **dict.fromkeys(sorted(others), UNLIKELY)}
        tokens = [{"token": one, "logprob": math.log(value)} for one, value in likely.items()]
        return _answer(label, {"content": [{"token": label, "top_logprobs": tokens}]})

    def without_probabilities(self, answer: dict[str, Any]) -> dict[str, Any]:
        if not self.reports:
            answer["choices"][0]["logprobs"] = None
        return answer


def _answer(text: str, logprobs: dict[str, Any] | None) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "logprobs": logprobs, "finish_reason": "stop"}
    return {"id": "1", "object": "chat.completion", "model": "small", "choices": [choice]}


def _handler(server: LabelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            """Stay quiet."""

        def do_GET(self) -> None:
            self._send({"object": "list", "data": [{"id": "small"}]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            self._send(server.without_probabilities(server.answer(body)))

        def _send(self, answer: dict[str, Any]) -> None:
            data = json.dumps(answer).encode()
            try:
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # the client was cancelled

    return Handler
