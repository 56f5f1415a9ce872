"""``python -m catmem.providers.local.engine.server``: the child process that runs the model.

It reads one line of JSON from standard input (``Launch``), loads the model, writes one line of JSON
to standard output (``{"address": ..., "version": ...}`` or ``{"error": kind, "detail": ...}``) and
serves until its parent is gone. Everything else that it or native code prints goes to standard
error, the log file.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import threading
from typing import Any

from catmem.providers.local.life import bind_to_parent

CANNOT_IMPORT = "import"
CANNOT_LOAD = "load"
_BATCH_TOKENS = 128


def main() -> None:
    """Serve the model until the parent ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    os.umask(0o077)  # native code writes the states of slots
    launch = json.loads(_first_line())
    bind_to_parent()
    try:
        engine = importlib.import_module("xllamacpp")
    except ImportError as error:  # not installed, or a system library is missing
        _say(answers, error=CANNOT_IMPORT, detail=str(error))
        return
    try:
        server = engine.Server(_parameters(engine, launch))
    except RuntimeError as error:
        _say(answers, error=CANNOT_LOAD, detail=str(error))
        return
    _say(answers, address=server.listening_address, version=engine.__version__)
    threading.Event().wait()


def _first_line() -> bytes:
    """Read up to the first newline and not a byte more: what follows is the parent's life line."""
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(0, 1)
        if not byte:
            sys.exit(0)
        line += byte
    return line


def _say(answers: Any, **fields: str) -> None:
    answers.write(json.dumps(fields) + "\n")
    answers.flush()


def _parameters(engine: Any, launch: dict[str, Any]) -> Any:
    params = engine.CommonParams()
    params.model.path = launch["model"]
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [launch["key"]]
    params.n_ctx = launch["context"]
    params.n_parallel = launch["slots"]
    params.kv_unified = True  # the slots share one context's memory; a short one costs little
    params.cpuparams.n_threads = launch["threads"]
    params.cpuparams_batch.n_threads = launch["threads"]
    # A request is given up between two batches only: with the usual 2,048 tokens a message would
    # wait until all of what the background was reading is read.
    params.n_batch = params.n_ubatch = _BATCH_TOKENS
    params.n_gpu_layers = 0
    params.cache_prompt = True
    params.slot_save_path = launch["states"] + os.sep
    params.cache_ram_mib = 0  # no second copy of old prompts in memory
    params.cache_idle_slots = False  # else a request of one slot clears the other's cache
    # Read instead of mapped: the weights are repacked for this processor anyway, and a mapping
    # keeps the original pages beside the repacked ones (2.3 instead of 1.7 GiB).
    params.load_mode = engine.llama_load_mode.LLAMA_LOAD_MODE_NONE
    params.ui = False
    return params


if __name__ == "__main__":
    main()
