"""Interface strings of configuration and files: key -> (English, Chinese)."""

from __future__ import annotations

STRINGS: dict[str, tuple[str, str]] = {
    "config.storage.directory": (
        "cannot make the directory {path}: {reason}",
        "无法创建目录 {path}：{reason}",
    ),
    "config.storage.not_a_file": ("{path} is not a regular file", "{path} 不是普通文件"),
    "config.storage.too_large": (
        "{path} is larger than {limit} bytes",
        "{path} 超过 {limit} 字节",
    ),
    "config.storage.read": ("cannot read {path}: {reason}", "无法读取 {path}：{reason}"),
    "config.storage.write": ("cannot write {path}: {reason}", "无法写入 {path}：{reason}"),
    "config.storage.locked": (
        "another catmem has been writing for over {seconds} s ({path}); try again in a moment",
        "另一个 catmem 已占用写锁超过 {seconds} 秒（{path}），请稍后再试",
    ),
    "config.session.newer": (
        "{path} was written by a newer catmem (format {version}); update catmem to read it",
        "{path} 由更新版本的 catmem 写入（格式 {version}），请升级 catmem 后再读取",
    ),
    "config.session.no_header": (
        "{path} is not a catmem transcript (its first line is unreadable)",
        "{path} 不是 catmem 会话记录（首行无法读取）",
    ),
}
