"""Interface strings of the tools: key -> (English, Chinese)."""

from __future__ import annotations

STRINGS: dict[str, tuple[str, str]] = {
    "tools.read.lines": ("lines {first}–{last}", "第 {first}–{last} 行"),
    "tools.edit.line_ends": ("only line ends changed", "仅换行符有变化"),
    "tools.write.same": ("the text is the same as before", "文本与之前相同"),
    "tools.search.files": ("files: {count}", "文件：{count} 个"),
    "tools.search.matches": ("matching lines: {count}", "匹配：{count} 行"),
    "tools.search.more": ("{found}, and more", "{found}，还有更多"),
}
