"""Stands in for the native engine: the same names, a real HTTP server, answers from a script.

The script is a JSON file named by FAKE_ENGINE:
`{"load": "ok" | "abort" | "error", "version": ..., "save": "ok" | "cut" | "fail" | "more",
"restore": "ok" | "refuse" | "die", "read": "ok" | "refuse", "replies": [...]}`; a reply is a
text, `{"logprobs": {...}}`, or `{"text": ...}` with "die" (a crash in mid-answer), "hang" or
"cut" (token limit). Each process takes the replies that are left. Requests are appended to the
script's name with `.requests`, as `{"path": ..., "body": ...}`. A request for one token, without
probabilities, only has its prompt read: it takes no reply.

A slot's state is the messages that it has read, one "token" each. As the real engine does, this one
aborts on a file that was cut.
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
__version__ = json.loads(SCRIPT.read_text()).get("version", "1")
llama_load_mode = SimpleNamespace(LLAMA_LOAD_MODE_NONE=0)
lock = threading.Lock()


class CommonParams:
    def __init__(self) -> None:
        self.model = SimpleNamespace(path="")
        self.cpuparams = SimpleNamespace(n_threads=-1)
        self.cpuparams_batch = SimpleNamespace(n_threads=-1)
        self.api_keys: list[str] = []
        self.port = 0
        self.slot_save_path = ""


class Server:
    def __init__(self, params: CommonParams) -> None:
        script = json.loads(SCRIPT.read_text())
        os.write(1, b"native code speaks on standard output\n")
        if script.get("load") == "abort":
            os.abort()
        if script.get("load") == "error":
            raise RuntimeError("Failed to init server, please check the input params.")
        handler = type("Handler", (Handler,), {"params": params, "slots": {}})
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self._http.serve_forever, daemon=True).start()
        self.listening_address = f"http://127.0.0.1:{self._http.server_port}"


def next_reply() -> Any:
    with lock:
        script = json.loads(SCRIPT.read_text())
        reply = script["replies"].pop(0) if script["replies"] else "no reply left"
        rest = SCRIPT.with_suffix(f".{os.getpid()}")
        rest.write_text(json.dumps(script))
        rest.replace(SCRIPT)  # another process may be reading it
        return reply


class Handler(BaseHTTPRequestHandler):
    params: CommonParams
    slots: dict[int, list[dict[str, str]]]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with lock, SCRIPT.with_suffix(".requests").open("a") as log:
            log.write(json.dumps({"path": self.path, "body": body}) + "\n")
        if self.headers["Authorization"] != f"Bearer {self.params.api_keys[0]}":
            self._json(
                401, {"error": {"message": "Invalid API Key", "type": "authentication_error"}}
            )
            return
        if self.path.startswith("/slots/"):
            self._slot(body["filename"])
            return
        self.slots[body.get("id_slot", 0)] = body["messages"]
        only_reads = body.get("max_tokens") == 1 and not body.get("logprobs")
        if only_reads and json.loads(SCRIPT.read_text()).get("read") == "refuse":
            error = {"code": 400, "message": "no prefill", "type": "invalid_request_error"}
            self._json(400, {"error": error})
            return
        reply = "." if only_reads else next_reply()
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
        tokens = len(body["messages"])
        self._event({"choices": [], "usage": {"prompt_tokens": tokens, "completion_tokens": 3}})
        self.wfile.write(b"data: [DONE]\n\n")

    def _slot(self, name: str) -> None:
        script = json.loads(SCRIPT.read_text())
        slot, _, action = self.path.removeprefix("/slots/").partition("?action=")
        file = Path(self.params.slot_save_path + name)
        if action == "save":
            held = self.slots.get(int(slot), [])
            data = json.dumps(held).encode()
            how = script.get("save", "ok")
            file.write_bytes(data[:-1] if how in {"cut", "fail"} else data)
            if how == "fail":
                error = {"code": 500, "message": "Unable to save slot", "type": "server_error"}
                self._json(500, {"error": error})
                return
            self._json(200, {"n_saved": len(held) + (how == "more"), "n_written": len(data)})
            return
        how = script.get("restore", "ok")
        if how == "refuse":
            error = {"code": 400, "message": "Unable to restore", "type": "invalid_request_error"}
            self._json(400, {"error": error})
            return
        try:
            held = json.loads(file.read_bytes() if how == "ok" else b"")
        except ValueError:
            os.abort()
        self.slots[int(slot)] = held
        self._json(200, {"n_restored": len(held)})

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
