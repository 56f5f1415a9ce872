"""Interface strings of the command line and the slash commands: key -> (English, Chinese)."""

from __future__ import annotations

STRINGS: dict[str, tuple[str, str]] = {
    "cli.command.bare": (
        "a command is missing after /; there are {names}",
        "/ 后缺少命令；可用命令：{names}",
    ),
    "cli.command.near": (
        "there is no command /{typed}; did you mean /{name}?",
        "没有命令 /{typed}，您是想输入 /{name} 吗？",
    ),
    "cli.command.unknown": (
        "there is no command /{typed}; there are {names}",
        "没有命令 /{typed}；可用命令：{names}",
    ),
    "cli.help": ("help\n", "帮助\n"),
}
