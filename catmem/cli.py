"""The command line: arguments become ``Options``, and every ending becomes an ``ExitCode``."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import re
import sys
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, NoReturn

from catmem import __version__, app
from catmem.app import Options
from catmem.errors import CatmemError, ExitCode, UsageError
from catmem.sanitize import clean
from catmem.text import t
from catmem.ui.paint import SPELLED

_MEMORY_ACTIONS = (
    *("list", "show", "search", "history", "undo", "add", "edit", "move", "pin", "unpin"),
    *("forget", "status", "doctor", "clear", "extract", "retry"),
)

# What argparse says, and the catalogue's words for it.
_FAULTS = (
    (r"unrecognized arguments: (?P<given>.*)", "cli.usage.unknown"),
    (r"the following arguments are required: (?P<names>.*)", "cli.usage.required"),
    (r"argument (?P<name>.*): expected (?:one|at least one) argument", "cli.usage.value"),
    (
        r"argument (?P<name>.*): invalid choice: (?P<given>.*) \(choose from (?P<choices>.*)\)",
        "cli.usage.choice",
    ),
)


class _Parser(argparse.ArgumentParser):
    """argparse with catmem's own help text and typed errors."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog=prog, add_help=False, allow_abbrev=False)
        self.add_argument("-h", "--help", action="store_true", default=argparse.SUPPRESS)
        self.set_defaults(help=False)

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing usage and exiting.

        Raises:
            UsageError: always.
        """
        raise UsageError(t("cli.usage", problem=_problem(message), prog=self.prog))


def _problem(message: str) -> str:
    """Return what argparse says, in the catalogue's words where it is one of the usual faults."""
    for pattern, key in _FAULTS:
        if found := re.fullmatch(pattern, message):
            said = found.groupdict()
            if "choices" in said:  # newer versions of argparse write them without quotes
                said = {name: one.replace("'", "") for name, one in said.items()}
            return t(key, **said)
    return message


def main(argv: Sequence[str] | None = None) -> int:
    """Run catmem with ``argv`` (default: the process's) and return the exit code."""
    arguments = [_recovered(one) for one in (sys.argv[1:] if argv is None else argv)]
    _make_output_lenient()
    try:
        return _run(arguments)
    except CatmemError as error:
        sys.stderr.write(f"catmem: {clean(str(error))}\n")
        return ExitCode.USAGE
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        _silence_stdout()
        return ExitCode.DONE


def _run(arguments: list[str]) -> int:
    if arguments[:1] == ["memory"]:
        return _memory(arguments[1:])
    if arguments[:1] == ["trust"]:
        return _trust(arguments[1:])
    parser = _main_parser()
    parsed = parser.parse_args(arguments)
    if parsed.help:
        sys.stdout.write(t("cli.help"))
        return ExitCode.DONE
    if parsed.version:
        sys.stdout.write(f"catmem {__version__}\n")
        return ExitCode.DONE
    if parsed.output_format and parsed.prompt is None:
        parser.error(t("cli.format_without_prompt"))
    return app.run(
        Options(
            prompt=parsed.prompt,
            output_format=parsed.output_format or "text",
            config_file=parsed.config,
            flags=_flags(parsed),
        )
    )


def _main_parser() -> _Parser:
    parser = _Parser("catmem")
    parser.add_argument("-p", "--prompt")
    parser.add_argument("--output-format", choices=("text", "json", "stream-json"))
    parser.add_argument("--config", type=Path)
    parser.add_argument("--provider")
    parser.add_argument("--model")
    parser.add_argument("--permission-mode")
    parser.add_argument("--no-memory", action="store_true")
    parser.add_argument("--version", action="store_true")
    return parser


def _flags(parsed: argparse.Namespace) -> dict[str, str | bool]:
    """Return the settings that flags give, by dotted name."""
    given: dict[str, str | bool | None] = {
        "provider": parsed.provider,
        "model": parsed.model,
        "permissions.mode": parsed.permission_mode,
        "memory.enabled": False if parsed.no_memory else None,
    }
    return {setting: value for setting, value in given.items() if value is not None}


def _trust(arguments: list[str]) -> int:
    parser = _Parser("catmem trust")
    parser.add_argument("--revoke", action="store_true")
    parser.add_argument("--config", type=Path)
    parsed = parser.parse_args(arguments)
    if parsed.help:
        sys.stdout.write(t("cli.trust.help"))
        return ExitCode.DONE
    code: int = _scripts().run_trust(Options(config_file=parsed.config), revoke=parsed.revoke)
    return code


def _memory(arguments: list[str]) -> int:
    options = set(takewhile(lambda argument: argument != "--", arguments))
    if options & {"-h", "--help"}:  # before the arguments that an action needs are missed
        sys.stdout.write(t("cli.memory.help"))
        return ExitCode.DONE
    scripts = _scripts()
    parser = _memory_parser(scripts.ENTRY_TYPES, scripts.SCOPES)
    parsed = parser.parse_args(arguments)
    if parsed.action is None:
        sys.stdout.write(t("cli.memory.help"))
        return ExitCode.USAGE
    addition = None
    if parsed.action == "add":
        text = " ".join(parsed.text)
        addition = scripts.Addition(text, parsed.name, parsed.type, parsed.scope, parsed.replace)
    flags = {} if parsed.provider is None else {"provider": parsed.provider}
    code: int = scripts.run_memory(
        scripts.MemoryRequest(
            action=parsed.action,
            options=Options(config_file=parsed.config, flags=flags),
            json=getattr(parsed, "json", False),
            yes=getattr(parsed, "yes", False),
            name="" if parsed.action == "add" else getattr(parsed, "name", ""),
            scope="" if parsed.action == "add" else getattr(parsed, "scope", ""),
            words=" ".join(getattr(parsed, "words", ())),
            purge=getattr(parsed, "purge", False),
            addition=addition,
        )
    )
    return code


def _scripts() -> Any:
    """Return ``catmem.app.scripts``: a conversation does not need all those commands."""
    return importlib.import_module("catmem.app.scripts")


def _memory_parser(types: Sequence[str], scopes: Sequence[str]) -> _Parser:
    parser = _Parser("catmem memory")
    actions = parser.add_subparsers(dest="action", parser_class=_Parser)
    of = {name: actions.add_parser(name, prog=f"catmem memory {name}") for name in _MEMORY_ACTIONS}
    for one in (parser, *of.values()):
        # a value given before the action is not reset by the action's own default
        one.add_argument(
            "--config", type=Path, default=None if one is parser else argparse.SUPPRESS
        )
        one.add_argument("--provider", default=None if one is parser else argparse.SUPPRESS)
    for name in ("list", "show", "search", "history", "status", "doctor"):
        of[name].add_argument("--json", action="store_true")
    for name in ("show", "history", "edit", "move", "pin", "unpin"):
        of[name].add_argument("name")
    for name in ("search", "forget"):
        of[name].add_argument("words", nargs="+")
    of["move"].add_argument("scope", choices=scopes)
    add = of["add"]
    add.add_argument("text", nargs="+")
    add.add_argument("--name")
    add.add_argument("--type", choices=types)
    add.add_argument("--scope", choices=scopes)
    add.add_argument("--replace", action="store_true")
    of["forget"].add_argument("--purge", action="store_true")
    for name in ("forget", "clear"):
        of[name].add_argument("--yes", action="store_true")
    return parser


def _recovered(argument: str) -> str:
    """Return an argument that a locale without Chinese or accents could not decode, as UTF-8."""
    try:
        argument.encode()
    except UnicodeEncodeError:
        return os.fsencode(argument).decode("utf-8", "surrogateescape")
    return argument


def _make_output_lenient() -> None:
    """Spell or replace what an encoding cannot show, instead of failing in the middle."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=SPELLED)


def _silence_stdout() -> None:
    """Point standard output to nowhere: its reader is gone, and the exit flushes once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
