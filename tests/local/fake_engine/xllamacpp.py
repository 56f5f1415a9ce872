"""Stands in for the native engine: the same names, a real HTTP server, answers from a script.

The script is a JSON file named by FAKE_ENGINE:
`{"load": "ok" | "abort" | "error", "replies": [...]}`; a reply is a text, `{"logprobs": {...}}`, or
`{"text": ...}` with "die" (a crash in mid-answer), "hang" or "cut" (token limit). Each process
takes the replies that are left. Bodies of requests are appended to the script's name with
`.requests`.
"""

from __future__ import annotations

import json
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

SCRIPT = Path(os.environ["FAKE_ENGINE"])
llama_load_mode = SimpleNamespace(LLAMA_LOAD_MODE_NONE=0)
lock = threading.Lock()


class CommonParams:
    def __init__(self) -> None:
        self.model = SimpleNamespace(path="")
        self.cpuparams = SimpleNamespace(n_threads=-1)
        self.cpuparams_batch = SimpleNamespace(n_threads=-1)
        self.api_keys: list[str] = []
        self.port = 0


class Server:
    def __init__(self, params: CommonParams) -> None:
        script = json.loads(SCRIPT.read_text())
        os.write(1, b"native code speaks on standard output\n")
        if script.get("load") == "abort":
            os.abort()
        if script.get("load") == "error":
            raise RuntimeError("Failed to init server, please check the input params.")
        handler = type("Handler", (Handler,), {"params": params})
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self._http.serve_forever, daemon=True).start()
        self.listening_address = f"http://127.0.0.1:{self._http.server_port}"


def next_reply() -> Any:
    with lock:
        script = json.loads(SCRIPT.read_text())
        reply = script["replies"].pop(0) if script["replies"] else "no reply left"
        SCRIPT.write_text(json.dumps(script))
        return reply


class Handler(BaseHTTPRequestHandler):
    params: CommonParams

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with lock, SCRIPT.with_suffix(".requests").open("a") as log:
            log.write(json.dumps(body) + "\n")
        if self.headers["Authorization"] != f"Bearer {self.params.api_keys[0]}":
            self._json(
                401, {"error": {"message": "Invalid API Key", "type": "authentication_error"}}
            )
            return
        reply = next_reply()
        if isinstance(reply, dict) and "logprobs" in reply:
            self._json(200, label_answer(reply["logprobs"]))
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for piece in pieces(reply):
            self._event({"choices": [{"index": 0, "delta": {"content": piece}}]})
        if isinstance(reply, dict) and reply.get("die"):
            os.kill(os.getpid(), 9)
        if isinstance(reply, dict) and reply.get("hang"):
            time.sleep(60)
        finish = "length" if isinstance(reply, dict) and reply.get("cut") else "stop"
        self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
        self._event({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}})
        self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, chunk: dict[str, Any]) -> None:
        self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
        self.wfile.flush()

    def _json(self, status: int, value: dict[str, Any]) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        pass


def pieces(reply: Any) -> list[str]:
    text = reply if isinstance(reply, str) else str(reply.get("text", ""))
    return [text[at : at + 5] for at in range(0, len(text), 5)]


def label_answer(logprobs: dict[str, float]) -> dict[str, Any]:
    rivals = [{"token": token, "logprob": value} for token, value in logprobs.items()]
    content = [{**rivals[0], "top_logprobs": rivals}]
    message = {"role": "assistant", "content": rivals[0]["token"]}
    choice = {"index": 0, "message": message, "logprobs": {"content": content}}
    return {"choices": [{**choice, "finish_reason": "length"}]}
