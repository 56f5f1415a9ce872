"""A scripted model on loopback that speaks Messages, Chat Completions and Responses.

    with ModelServer(Reply("hello"), Reply(tool_calls=[("glob", {"pattern": "*"})])) as server:
        ...  # a client talks to server.url
    assert server.requests[0].system == "..."

Every request is recorded and checked by `validate`; a request that the real API would refuse, or
one that no reply was scripted for, is a violation and fails the test (see `tests/conftest.py`).
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Any, ClassVar

from tests.support.http_server import HttpServer
from tests.support.reply import Reply, Wire
from tests.support.request import Outcome, Request
from tests.support.validate import Validator

Router = Callable[[Request], Reply | None]


class ModelServer:
    """Answers each request from its router, else from its script, in order.

    Attributes:
        script: replies still to be given; may be extended at any time.
        router: asked first; may answer None to leave the request to the script.
        requests: what came to one of the three model paths, in order of arrival.
        pages: answers for any other path, `"/v1/models": (200, {...})`; the default is 404.
        lookups: the other requests, as "GET /v1/models".
        violations: one sentence for each broken rule.
    """

    started: ClassVar[list[ModelServer]] = []

    def __init__(self, *script: Reply, router: Router | None = None) -> None:
        self.script = deque(script)
        self.router = router
        self.requests: list[Request] = []
        self.pages: dict[str, tuple[int, Any]] = {}
        self.lookups: list[str] = []
        self.violations: list[str] = []
        self._validator = Validator()
        self._changed = threading.Condition()
        self._released = threading.Event()
        self._http = HttpServer(self)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        """`http://127.0.0.1:<port>`, without `/v1`."""
        return f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> ModelServer:
        self._thread.start()
        ModelServer.started.append(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(timeout=2)

    @property
    def chats(self) -> list[Request]:
        """The requests of the conversation, without those of the memory pipeline."""
        return [request for request in self.requests if request.is_chat]

    @property
    def pipeline(self) -> list[Request]:
        """The requests of the memory pipeline."""
        return [request for request in self.requests if not request.is_chat]

    def release(self) -> None:
        """End every stall and delay, now and later."""
        self._released.set()

    def wait_until(
        self, condition: Callable[[ModelServer], object], what: str, timeout: float = 30
    ) -> None:
        """Wait until `condition(server)` holds; it is looked at when a request comes or ends."""
        with self._changed:
            if not self._changed.wait_for(lambda: condition(self), timeout):
                raise AssertionError(f"timed out waiting for {what}; {self._summary()}")

    def wait_for_requests(self, count: int, timeout: float = 30) -> list[Request]:
        """Wait until `count` requests have arrived, and return the requests."""
        self.wait_until(lambda server: len(server.requests) >= count, f"{count} requests", timeout)
        return self.requests

    def assert_exhausted(self) -> None:
        """Fail if a scripted reply was never asked for."""
        assert not self.script, f"{len(self.script)} replies were never asked for: {self.script}"

    def take_violations(self) -> list[str]:
        """The violations so far, which no longer fail the test."""
        taken, self.violations = self.violations, []
        return taken

    # What the HTTP side calls, from its own threads.

    def record(self, wire: Wire, path: str, headers: dict[str, str], body: Any) -> Request:
        """Record and check a request that has arrived."""
        with self._changed:
            number = len(self.requests) + 1
            request = Request(number, wire, path, headers, body, time.monotonic())
            self.requests.append(request)
            for violation in self._validator.check(request):
                self.violations.append(f"request {number} ({wire}): {violation}")
            self._changed.notify_all()
        return request

    def reply_to(self, request: Request) -> Reply:
        """The reply for `request`; the router runs outside the lock, since it may block."""
        if self.router is not None and (reply := self.router(request)) is not None:
            return reply
        with self._changed:
            if self.script:
                return self.script.popleft()
            self.violations.append(f"request {request.number}: no reply was scripted for it")
        return Reply(error=("invalid_request_error", "no reply was scripted for this request"))

    def finish(self, request: Request, outcome: Outcome) -> None:
        """Note how the answer to `request` ended."""
        with self._changed:
            request.outcome = outcome
            self._changed.notify_all()

    def page(self, method: str, path: str) -> tuple[int, Any]:
        """Status and JSON body for a path that is not one of the model's."""
        with self._changed:
            self.lookups.append(f"{method} {path}")
            self._changed.notify_all()
        return self.pages.get(path, (404, {"error": {"message": "not found"}}))

    def pause(self, seconds: float) -> None:
        """Wait, but no longer than until `release`."""
        self._released.wait(seconds)

    @property
    def is_released(self) -> bool:
        """Whether stalls and delays are over."""
        return self._released.is_set()

    def _summary(self) -> str:
        lines = [f"{r.number} {r.path} {r.outcome}" for r in self.requests]
        return f"requests: {lines}; violations: {self.violations}"


# What the fixture `model` gives: `model(Reply("hello"), router=...)` starts a server.
StartModel = Callable[..., ModelServer]
