#!/usr/bin/env python3
"""What the embedded model costs on this machine: load, first token, speed, memory, exit.

Run: .venv/bin/python scripts/bench_local.py [--model-path FILE]
Goals on two cores: first token of the first answer within 15 s (instructions read ahead while the
person types), of later turns within 3 s plus the new text; less than 2.2 GiB in all.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from catmem.config import Settings
from catmem.config.schema import LocalSettings
from catmem.messages import Message, ModelRequest, Role, ToolSpec, user_message
from catmem.paths import Paths, find_paths
from catmem.providers.base import Finished, TextChunk
from catmem.providers.local import setup
from catmem.providers.local.provider import LocalProvider
from scripts.lib.homes import home_with_weights
from tests.support.terminal import Terminal

TOOLS = tuple(ToolSpec(name, "", {}) for name in ("read_file", "grep", "bash"))
SYSTEM = ("base prompt",)
SESSION = (
    "hello",
    "What is a Python decorator? One sentence.",
    "Our API fields are camelCase, always.",
    "What is HTTP 404?",
    "I live in Lisbon and use helix as editor.",
    "thanks",
    "回答请简短一些。",
    "What does git stash do?",
    "We release from the branch ship-it.",
    "good, see you",
)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model-path")
    model_path = parser.parse_args().model_path
    with tempfile.TemporaryDirectory(prefix="catmem-task-") as folder:
        print(f"processors {os.cpu_count()}, load {os.getloadavg()[0]:.1f}")
        home = home_with_weights(Path(folder) / "home")
        asyncio.run(measure(Path(folder), home, model_path))
        print_exit(Path(folder), home, model_path)


async def measure(folder: Path, home: Path, model_path: str | None) -> None:
    """Measure the provider by itself."""
    settings = Settings()
    local = LocalSettings(model_path=model_path)
    settings = replace(settings, providers=replace(settings.providers, local=local))
    paths = find_paths(folder, {**os.environ, "CATMEM_HOME": str(home)})
    provider = await start(settings, paths, "read the fixed instructions, first start")
    await provider.aclose()
    provider = await start(settings, paths, "the same at later starts")
    messages: list[Message] = []
    for text in ("What is a Python decorator? Explain it in five sentences.", "And a closure?"):
        messages.append(replace(user_message(text), seq=len(messages) + 1))
        answer = await one_answer(provider, ModelRequest(SYSTEM, tuple(messages), TOOLS))
        messages.append(Message(Role.ASSISTANT, user_message(answer).parts, len(messages) + 1))
    show("memory of the engine", children_memory(), "MiB")
    await provider.aclose()


async def start(settings: Settings, paths: Paths, reading: str) -> LocalProvider:
    """Start a provider; print how long loading and ``reading`` took."""
    provider = setup.build(settings, paths)
    began = time.monotonic()
    await provider.warm_up()
    show("load the model", time.monotonic() - began, "s")
    began = time.monotonic()
    await provider.prefill(ModelRequest(SYSTEM, (), TOOLS))
    show(reading, time.monotonic() - began, "s")
    return provider


async def one_answer(provider: LocalProvider, request: ModelRequest) -> str:
    """Stream one answer; print first token, speed and cache use."""
    began, first, text = time.monotonic(), 0.0, ""
    async for part in provider.stream(request):
        if isinstance(part, TextChunk):
            first = first or time.monotonic()
            text += part.text
        elif isinstance(part, Finished) and first:
            usage = part.usage
            show(f"first token, turn {len(request.messages) // 2 + 1}", first - began, "s")
            show("  of it from the cache", usage.cached_tokens or 0, f"of {usage.input_tokens}")
            rate = (usage.output_tokens or 0) / (time.monotonic() - first)
            show("  speed", rate, "tokens/s")
    return text


def children_memory() -> float:
    """Return the resident memory of this process's children, in MiB."""
    listed = subprocess.run(
        ["ps", "-o", "rss=", "--ppid", str(os.getpid())],
        capture_output=True,
        text=True,
        check=False,
    )
    return sum(int(word) for word in re.findall(r"\d+", listed.stdout)) / 1024


def print_exit(folder: Path, home: Path, model_path: str | None) -> None:
    """Measure how long a session of ten turns takes to end, learning included."""
    env = {**os.environ, "HOME": str(home.parent), "CATMEM_HOME": str(home)}
    env |= {"TERM": "xterm-256color", "CATMEM_PERMISSIONS_MODE": "auto"}
    if model_path:
        env["CATMEM_PROVIDERS_LOCAL_MODEL_PATH"] = model_path
    argv = [sys.executable, "-P", "-m", "catmem", "--provider", "local"]
    with Terminal(argv, cwd=folder, env=env) as terminal:
        terminal.wait_for("^❯$", on_screen=True)
        for line in SESSION:
            wait_idle(terminal)
            terminal.say(line)
            time.sleep(1)
        wait_idle(terminal)
        began = time.time()
        terminal.press("ctrl-d")
        terminal.wait_exit(timeout=150)
        show("exit right after ten turns", time.time() - began, "s")
        print(terminal.transcript.split("Memory: ")[-1].strip())


def wait_idle(terminal: Terminal) -> None:
    """Wait until the model answers, loads and reads no more."""
    busy = ("Esc stops", "loading", "reading its instructions")
    while any(word in terminal.text for word in busy):
        time.sleep(0.2)


def show(name: str, value: float, unit: str) -> None:
    """Print one line of the table."""
    print(f"{name:42} {value:9.1f} {unit}", flush=True)


if __name__ == "__main__":
    main()
