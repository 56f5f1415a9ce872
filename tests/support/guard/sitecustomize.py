"""Closes the network of a Python process, except loopback; imported by name at its start.

With this folder on PYTHONPATH every Python child of the tests is guarded: a try to reach anything
but loopback is written to the file that TESTGUARD_FILE names, and ends the process. The tests' own
process calls `install` with another reaction. Imports nothing that a bare start does not have.

The start can also be held for a test: TESTGUARD_PAUSE_AT names a module whose import prints a
line and then takes a minute.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

GUARD_FILE = "TESTGUARD_FILE"
PAUSE_AT = "TESTGUARD_PAUSE_AT"
EXIT_CODE = 97
WITH_ADDRESS = {"socket.connect", "socket.sendto", "socket.sendmsg", "socket.bind"}
WITH_HOST = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyname_ex"}


def is_local(host: object) -> bool:
    """Whether `host` is this machine's loopback (or, for binding and look-ups, unnamed)."""
    name = host.decode() if isinstance(host, bytes) else host
    if not isinstance(name, str):
        return name is None
    return name in {"", "localhost", "::1"} or name.removeprefix("::ffff:").startswith("127.")


def install(react: Callable[[str], None]) -> None:
    """Call `react` with a sentence at each try to leave loopback; hooks cannot be taken back."""

    def watch(event: str, args: tuple[Any, ...]) -> None:
        if event in WITH_ADDRESS:
            address = args[1]
            # Unix sockets have a path, a connected socket sends without an address
            host = address[0] if isinstance(address, tuple) else None
        elif event in WITH_HOST:
            host = args[0]
        else:
            return
        if not is_local(host):
            react(f"{event} to {host!r} by {sys.argv[0]} (process {os.getpid()})")

    sys.addaudithook(watch)


def _leave(sentence: str) -> None:
    with open(os.environ[GUARD_FILE], "a", encoding="utf-8") as file:  # noqa: PTH123 - see above
        file.write(sentence + "\n")
    os.write(2, f"network guard: {sentence}\n".encode())
    os._exit(EXIT_CODE)


class _Pause:
    """A finder that finds nothing, and takes its time over one module."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name == os.environ[PAUSE_AT]:
            os.write(2, f"importing {name}\n".encode())
            time.sleep(60)


if PAUSE_AT in os.environ:
    finders: list[Any] = sys.meta_path
    finders.insert(0, _Pause)
if GUARD_FILE in os.environ:
    install(_leave)
