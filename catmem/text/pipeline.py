"""Interface strings of the memory's write path: key -> (English, Chinese)."""

from __future__ import annotations

STRINGS: dict[str, tuple[str, str]] = {
    "pipeline.saved": (
        "Memory: {added} added{names_added}, {updated} updated{names_updated}, {skipped} skipped",
        "记忆：新增 {added} 条{names_added}，更新 {updated} 条{names_updated}，跳过 {skipped} 条",
    ),
    "pipeline.removed": (", {count} removed{names}", "，移除 {count} 条{names}"),
    "pipeline.undo": (" · undo: catmem memory undo", " · 撤销：catmem memory undo"),
    "pipeline.planted_count": (" ({count} not said by you)", "（其中 {count} 条并非您所说）"),
    "pipeline.names": (" ({names})", "（{names}）"),
    "pipeline.nothing": (
        "Memory: nothing worth remembering",
        "记忆：没有值得记住的内容",
    ),
    "pipeline.failed": (
        "Memory: not finished, the next start tries again: {reason}",
        "记忆：未完成，下次启动时重试：{reason}",
    ),
    "pipeline.set_aside": (
        "Memory: set aside after three failures, /memory retry tries again: {reason}",
        "记忆：三次失败后已搁置，可用 /memory retry 重试：{reason}",
    ),
    "pipeline.not_stored": ("  not stored: {name}: {reason}", "  未存入：{name}：{reason}"),
    "pipeline.off": (
        "Memory is off: nothing is read or written (memory.enabled, --no-memory).",
        "记忆已关闭：不读取也不写入（memory.enabled、--no-memory）。",
    ),
    "pipeline.learned": (
        "From an earlier session: {line}",
        "来自之前的会话：{line}",
    ),
    "pipeline.unreadable": (
        "{model} answered, but not in a form that could be read",
        "{model} 的回答格式无法识别",
    ),
    "pipeline.cut_off": (
        "{model} broke off its answer twice; what was finished is stored",
        "{model} 的回答两次被截断，已存入完整的部分",
    ),
    "pipeline.stage.extract": ("looking for facts", "查找值得记住的内容"),
    "pipeline.stage.compare": ("comparing with what is known", "与已有记忆比对"),
    "pipeline.stage.save": ("saving", "保存"),
    "pipeline.no_object": ("not an object", "不是对象"),
    "pipeline.too_many": ("more than {limit} facts at once", "一次超过 {limit} 条"),
    "pipeline.unknown_type": ("unknown type", "类型未知"),
    "pipeline.no_content": ("no content", "没有内容"),
    "pipeline.placeholder": ("a form that was not filled in", "模板未填写"),
    "pipeline.no_quote": (
        "its quote is not in the conversation",
        "引文不在对话中",
    ),
    "pipeline.not_typed": (
        "a preference or rule that does not rest on words you typed",
        "偏好或规则，但依据不是您输入的话",
    ),
    "pipeline.planted": (
        "its words come from a file, a tool or pasted text, not from you",
        "内容来自文件、工具或粘贴的文本，而不是您",
    ),
    "pipeline.order_from_data": (
        "an instruction found in data, not said by you",
        "数据中的指令，并非您所说",
    ),
    "pipeline.invented": (
        "nobody said it in this conversation",
        "对话中没有人说过",
    ),
    "pipeline.taken_back": ("taken back afterwards", "随后已收回"),
    "pipeline.this_moment": ("meant for this one time only", "仅限这一次"),
    "pipeline.forgotten": (
        "you had it forgotten, and have not said it again since",
        "您已要求忘记，此后没有再次说起",
    ),
    "pipeline.twice": ("proposed twice", "重复提出"),
    "pipeline.known": ("known already as {name}", "已记为 {name}"),
    "pipeline.similar": (
        "similar to {name}, and the model did not decide",
        "与 {name} 相似，而模型未作决定",
    ),
    "pipeline.not_needed": ("not needed", "不需要"),
    "pipeline.no_entry": ("the model gave no text for it", "模型没有给出内容"),
    "pipeline.own_words": (
        "only words you type yourself may change or remove {name}",
        "只有您亲自输入的话才能修改或移除 {name}",
    ),
    "pipeline.changed": (
        "{name} was already changed in this run",
        "同一次运行已修改 {name}",
    ),
    "pipeline.limit": (
        "set aside, too many changes in one run; it says: {fact}",
        "一次运行的改动过多，暂不处理；内容：{fact}",
    ),
    "pipeline.changed_on_disk": (
        "set aside: the entry on disk kept changing",
        "暂不处理：磁盘上的条目一直在变化",
    ),
    "pipeline.exit.saving": (
        "Saving memory…",
        "正在保存记忆…",
    ),
    "pipeline.exit.stage": ("Memory: {stage}…", "记忆：{stage}…"),
    "pipeline.exit.stopped": (
        "Memory: skipped; left for the next start",
        "记忆：已跳过，留待下次启动处理",
    ),
    "pipeline.exit.limit": (
        "Memory: not finished in {seconds} s; left for the next start",
        "记忆：{seconds} 秒内未完成，留待下次启动处理",
    ),
    "pipeline.exit.error": (
        "Memory: failed, see the log: {reason}",
        "记忆：失败，详见日志：{reason}",
    ),
    "pipeline.status.exit": (
        "Memory is on; it learns at the end of a session (memory.trigger: exit).",
        "记忆已打开，在会话结束时学习（memory.trigger: exit）。",
    ),
    "pipeline.status.turn": (
        "Memory is on; it learns after each turn, in the background (memory.trigger: turn).",
        "记忆已打开，每轮之后在后台学习（memory.trigger: turn）。",
    ),
    "pipeline.status.manual": (
        "Memory is on; it learns only on /memory (memory.trigger: manual).",
        "记忆已打开，只在 /memory 时学习（memory.trigger: manual）。",
    ),
    "pipeline.status.off": ("Memory is off.", "记忆已关闭。"),
    "pipeline.status.store": ("{name}: {count} · {place}", "{name}：{count} 条 · {place}"),
    "pipeline.status.no_run": ("Last run: none yet", "最近一次运行：还没有"),
    "pipeline.status.run": (
        "Last run: {at}, {occasion}: {what}",
        "最近一次运行：{at}，{occasion}：{what}",
    ),
    "pipeline.status.done": (
        "{added} added, {updated} updated, {skipped} skipped",
        "新增 {added} 条，更新 {updated} 条，跳过 {skipped} 条",
    ),
    "pipeline.status.nothing": ("nothing worth remembering", "没有值得记住的内容"),
    "pipeline.status.not_done": ("not finished: {why}", "未完成：{why}"),
    "pipeline.status.now": (
        "This session: {messages} messages not learned from yet",
        "本次会话：{messages} 条消息尚未学习",
    ),
    "pipeline.status.waiting": (
        "Waiting for the next start: {count}",
        "等待下次启动处理：{count} 个会话",
    ),
    "pipeline.status.aside": (
        "Set aside after three failures, /memory retry tries again: {count}",
        "三次失败后已搁置，可用 /memory retry 重试：{count} 个会话",
    ),
    "pipeline.status.window": (
        "  {date}, session {session}, {messages} messages",
        "  {date}，会话 {session}，{messages} 条消息",
    ),
    "pipeline.status.failed": (
        "{window}; last failure {at}: {why}",
        "{window}；最近一次失败 {at}：{why}",
    ),
    "pipeline.occasion.exit": ("at exit", "退出时"),
    "pipeline.occasion.demand": ("on demand", "手动"),
    "pipeline.occasion.recovery": ("at a start", "启动时"),
    "pipeline.occasion.turn": ("after a turn", "一轮之后"),
    "pipeline.occasion.idle": ("in idle time", "空闲时"),
    "pipeline.occasion.compaction": ("before the context was cut", "上下文清理前"),
}
