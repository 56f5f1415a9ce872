"""Model servers on this machine, for the offer of a first start.

Plain sockets in threads: a start with nothing configured stays quick and imports no HTTP library.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

PORTS: Mapping[str, int] = {"Ollama": 11434, "LM Studio": 1234, "llama.cpp": 8080, "vLLM": 8000}
"""Where the usual servers listen."""
_SECONDS = 0.3
_MAX_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A model server on this machine; ``url`` is its base URL."""

    name: str
    url: str


def find_servers(ports: Mapping[str, int] = PORTS) -> list[LocalServer]:
    """Return the servers that answer on ``ports`` of this machine, in that order."""
    with ThreadPoolExecutor(max_workers=len(ports) or 1) as pool:
        found = list(pool.map(_lists_models, ports.values()))
    return [
        LocalServer(name, f"http://127.0.0.1:{port}/v1")
        for (name, port), answers in zip(ports.items(), found, strict=True)
        if answers
    ]


def _lists_models(port: int) -> bool:
    """Ask for the models: what else may listen there does not answer in this form."""
    request = f"GET /v1/models HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
    answer = b""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=_SECONDS) as connection:
            connection.sendall(request)
            while len(answer) < _MAX_BYTES and (data := connection.recv(65_536)):
                answer += data
    except OSError:  # also a timeout: what has come may be the whole answer of a server that waits
        pass
    try:
        body: Any = json.loads(answer.partition(b"\r\n\r\n")[2])
    except ValueError:
        return False
    return isinstance(body, dict) and isinstance(body.get("data"), list)
