"""What a first start can offer: keys in the environment and model servers on this machine.

Plain ``http.client`` in threads, so that a start with nothing configured stays quick.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from catmem.config import Settings

PORTS: Mapping[str, int] = {"Ollama": 11434, "LM Studio": 1234, "llama.cpp": 8080, "vLLM": 8000}
"""Where the usual servers listen."""
_SECONDS = 0.3
_MAX_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class FoundKey:
    """A provider whose key the environment holds, and the variable's name."""

    provider: str
    variable: str


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A model server on this machine and the models it has (perhaps none yet)."""

    name: str
    base_url: str
    models: tuple[str, ...]


def find_keys(settings: Settings, environ: Mapping[str, str]) -> list[FoundKey]:
    """Return the providers with a key in the environment."""
    sections = {
        "anthropic": settings.providers.anthropic.api_key_env,
        "openai": settings.providers.openai.api_key_env,
    }
    return [
        FoundKey(provider, variable)
        for provider, variable in sections.items()
        if environ.get(variable, "").strip()
    ]


def find_servers(ports: Mapping[str, int] = PORTS) -> list[FoundServer]:
    """Return the servers that answer on ``ports`` of this machine; takes at most about 0.6 s."""
    with ThreadPoolExecutor(max_workers=len(ports) or 1) as pool:
        found = list(pool.map(_probe, ports.keys(), ports.values()))
    return [server for server in found if server is not None]


def _probe(name: str, port: int) -> FoundServer | None:
    """Ask for the models: what else may listen there does not answer that in this form."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_SECONDS)
    try:
        connection.request("GET", "/v1/models")
        answer: Any = json.loads(connection.getresponse().read(_MAX_BYTES))
        models = answer["data"] or []
        names = tuple(str(model["id"]) for model in models)
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        return None
    finally:
        connection.close()
    return FoundServer(name, f"http://127.0.0.1:{port}/v1", names)
