"""Interface strings of the terminal interface: key -> (English, Chinese)."""

from __future__ import annotations

STRINGS: dict[str, tuple[str, str]] = {
    "ui.phase.waiting": ("waiting for the model", "等待模型响应"),
    "ui.phase.thinking": ("thinking", "思考中"),
    "ui.phase.writing": ("answering", "正在回答"),
    "ui.phase.tool": ("running {name}", "正在运行 {name}"),
    "ui.phase.retrying": ("retry {attempt}: {reason}", "第 {attempt} 次重试：{reason}"),
    "ui.phase.stopping": ("stopping", "正在停止"),
    "ui.countdown": ("{phase}; next try in {seconds} s", "{phase}；{seconds} 秒后再试"),
    "ui.status": ("● {phase} · {seconds} s · Esc stops", "● {phase} · {seconds} 秒 · Esc 停止"),
    "ui.interrupted": ("interrupted", "已中断"),
    "ui.internal": (
        "catmem failed here ({problem}); the log has the details",
        "catmem 内部出错（{problem}），详情见日志",
    ),
    "ui.more_lines": ("… {count} more lines", "… 另有 {count} 行"),
    "ui.tool.denied": ("denied", "已拒绝"),
    "ui.tool.cancelled": ("interrupted", "已中断"),
    "ui.memory.added": ("remembered: {names}", "已记住：{names}"),
    "ui.memory.updated": ("memory updated: {names}", "已更新记忆：{names}"),
    "ui.pasted": ("[Pasted text #{number} · {lines} lines]", "[粘贴文本 #{number} · {lines} 行]"),
    "ui.queued": ("queued: {text}", "已排队：{text}"),
    "ui.queued_more": ("and {count} more queued", "另有 {count} 条排队"),
    "ui.hint.exit": ("press Ctrl+C again to leave, or Ctrl+D", "再按一次 Ctrl+C 退出，或按 Ctrl+D"),
    "ui.toolbar.tokens": ("{count} tokens", "{count} tokens"),
    "ui.toolbar.memories": ("{count} in memory", "{count} 条记忆"),
    "ui.confirm.choices": ("y yes · n no", "y 是 · n 否"),
    "ui.decide.choices": (
        "y yes · n no, and don't ask again · Esc not now",
        "y 是 · n 否，且不再询问 · Esc 以后再说",
    ),
    "ui.ask.execute": ("Run this with {tool}?", "用 {tool} 运行以上内容吗？"),
    "ui.ask.write": ("Make this change to {subject}?", "对 {subject} 做以上改动吗？"),
    "ui.ask.memory": ("Change the memory {subject}?", "修改记忆 {subject} 吗？"),
    "ui.ask.forget": ("Forget the memory {subject}?", "忘记 {subject} 吗？"),
    "ui.ask.read": ("Read {subject}?", "读取 {subject} 吗？"),
    "ui.ask.outside": (" (outside the workspace: {paths})", "（在工作区之外：{paths}）"),
    "ui.ask.choices": (
        "y once · s this session ({covers}) · n no · or type what to do instead",
        "y 仅此一次 · s 本次会话（{covers}） · n 否 · 或输入您希望的做法",
    ),
    "ui.ask.choices_same": (
        "y once · s this session (exactly this) · n no · or type what to do instead",
        "y 仅此一次 · s 本次会话（仅限此项） · n 否 · 或输入您希望的做法",
    ),
    "ui.ask.choices_once": (
        "y once · n no · or type what to do instead",
        "y 仅此一次 · n 否 · 或输入您希望的做法",
    ),
    "ui.exit.status": (
        "{text} · {seconds} s · Ctrl+C skips",
        "{text} · {seconds} 秒 · Ctrl+C 跳过",
    ),
    "ui.first.title": (
        "catmem has no model yet.",
        "catmem 尚未配置模型。",
    ),
    "ui.first.ask": (
        "Your choice (1-{last}, Enter for none): ",
        "请选择（1-{last}，回车表示不选）：",
    ),
    "ui.first.again": (
        "“{answer}” is not one of 1-{last}",
        "“{answer}”不在 1-{last} 之中",
    ),
}
