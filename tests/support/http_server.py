"""The HTTP side of the scripted model: chunked streams, delays, stalls, cuts and hang-ups."""

from __future__ import annotations

import json
import select
import socket
import struct
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, cast

from tests.support.reply import Reply
from tests.support.request import Request
from tests.support.wires import answer, stream, wire_of

if TYPE_CHECKING:
    from tests.support.model_server import ModelServer

END_OF_CHUNKS = b"0\r\n\r\n"
TICK = 0.02


class HttpServer(ThreadingHTTPServer):
    """Listens on a free loopback port for `model`."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, model: ModelServer) -> None:
        self.model = model
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a client may hang up at any time."""


class _HungUpError(Exception):
    """The client has closed the connection."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    @property
    def model(self) -> ModelServer:
        return cast("HttpServer", self.server).model

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self._send_page("GET")

    def do_POST(self) -> None:
        data = self._read_body()
        path = self.path.partition("?")[0]
        wire = wire_of(path)
        if wire is None:
            self._send_page("POST")
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = self.model.record(wire, path, headers, json.loads(data))
        try:
            self._answer(self.model.reply_to(request), request)
        except (_HungUpError, ConnectionError):
            self.model.finish(request, "hung up")
            self.close_connection = True

    def _read_body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        data = b""
        while size := int(self.rfile.readline(), 16):
            data += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return data

    def _send_page(self, method: str) -> None:
        status, value = self.model.page(method, self.path.partition("?")[0])
        self._send_json(status, {}, json.dumps(value).encode())

    # The outcome is noted before the last byte goes out, so that a client that has seen the end
    # finds it noted.

    def _answer(self, reply: Reply, request: Request) -> None:
        self._pause(reply.before)
        if reply.http_status == 200 and request.body.get("stream"):
            self._send_stream(reply, request)
        elif reply.cut_after is not None or reply.stall_after is not None:
            self._send_half(reply, request)
        else:
            self.model.finish(request, "answered")
            self._send_json(reply.http_status, reply.headers, answer(reply, request))

    def _send_stream(self, reply: Reply, request: Request) -> None:
        self._send_head(200, {"Content-Type": "text/event-stream", **reply.headers}, None)
        for index, event in enumerate(stream(reply, request)):
            if index == reply.stall_after:
                self._stall()
            if index == reply.cut_after:
                self._cut(reply, request)
                return
            if index:
                self._pause(reply.delay)
            data = event.encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.model.finish(request, "answered")
        self.wfile.write(END_OF_CHUNKS)

    def _send_half(self, reply: Reply, request: Request) -> None:
        """An answer without `stream` that breaks off or stalls in its middle."""
        data = answer(reply, request)
        half = len(data) // 2
        self._send_head(reply.http_status, reply.headers, len(data))
        self.wfile.write(data[:half])
        if reply.stall_after is not None:
            self._stall()
        if reply.cut_after is not None:
            self._cut(reply, request)
            return
        self.model.finish(request, "answered")
        self.wfile.write(data[half:])

    def _cut(self, reply: Reply, request: Request) -> None:
        self.model.finish(request, "cut")
        self.close_connection = True
        if reply.cut == "clean":
            self.wfile.write(END_OF_CHUNKS)
        elif reply.cut == "reset":
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            # http.server would shut the connection down in order; closing the descriptor resets it
            self.rfile.close()
            self.connection.close()

    def _send_json(self, status: int, headers: Any, data: bytes) -> None:
        self._send_head(status, headers, len(data))
        self.wfile.write(data)

    def _send_head(self, status: int, headers: Any, length: int | None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        if length is None:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def _stall(self) -> None:
        self._pause(float("inf"))

    def _pause(self, seconds: float) -> None:
        """Wait for `seconds`, or until the server is released; notice when the client hangs up."""
        while seconds > 0 and not self.model.is_released:
            self.model.pause(min(TICK, seconds))
            seconds -= TICK
            readable, _, _ = select.select([self.connection], [], [], 0)
            if readable and not self.connection.recv(1, socket.MSG_PEEK):
                raise _HungUpError
