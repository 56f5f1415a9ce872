"""Interface strings of the memory: key -> (English, Chinese)."""

from __future__ import annotations

STRINGS: dict[str, tuple[str, str]] = {
    "memory.store.name.empty": (
        "a memory's name must have a letter or digit",
        "记忆名称必须包含字母、汉字或数字",
    ),
    "memory.store.name.characters": (
        "“{name}” cannot be a memory's name: only letters, digits and “-”; for example {near}",
        "“{name}”不能用作记忆名称：只能使用字母、汉字、数字和“-”，例如 {near}",
    ),
    "memory.store.name.reserved": (
        "“{name}” cannot be a memory's name: it is reserved; choose a more telling one",
        "“{name}”是保留名称，不能用作记忆名称，请换一个更具体的名称",
    ),
    "memory.store.name.long": (
        "the memory name “{name}” is too long; at most {limit} characters",
        "记忆名称“{name}”太长，最多 {limit} 个字符",
    ),
    "memory.store.type": (
        "“{type}” is not a memory type; use one of {types}",
        "没有记忆类型“{type}”，可用类型：{types}",
    ),
    "memory.store.empty": (
        "the memory {name} needs a description and content",
        "记忆 {name} 缺少描述或内容",
    ),
    "memory.command.untrusted": (
        "came with the project, not trusted and not used (see `catmem trust --help`):",
        "随项目带来、未受信任、不会使用（见 `catmem trust --help`）：",
    ),
    "memory.command.not_trusted": (
        "this came with the project; it is not trusted and not used (see `catmem trust --help`)",
        "这是随项目带来的内容，未受信任、不会使用（见 `catmem trust --help`）",
    ),
    "memory.trust.more": (
        "… and {count} more; `catmem memory list` shows them all",
        "… 另有 {count} 条，用 `catmem memory list` 查看全部",
    ),
    "memory.trust.more_lines": ("… {count} more lines", "… 另有 {count} 行"),
    "memory.more_warnings": (
        "… and {count} more such lines; `catmem memory list` shows them all",
        "… 另有 {count} 条类似提示，用 `catmem memory list` 查看全部",
    ),
    "memory.store.long_description": (
        "a memory's description may have at most {limit} characters; put the rest into its content",
        "记忆的描述最多 {limit} 个字符，其余请写入内容",
    ),
    "memory.store.too_large": (
        "the memory {name} is too large to be saved (at most {limit} bytes); nothing was saved",
        "记忆 {name} 太大，未保存（上限 {limit} 字节）",
    ),
    "memory.store.secret": (
        "the text holds a secret ({kind}) and was not saved; leave it out and save the rest",
        "文本中含有密钥类信息（{kind}），未保存；请去掉后再保存",
    ),
    "memory.store.untrusted": (
        "{name} came with the project and is not trusted: `catmem trust`, or another name",
        "{name} 是随项目带来的，尚未受信任：请运行 `catmem trust`，或换一个名称",
    ),
    "memory.store.exists": (
        "there is already a memory called {name}",
        "已存在名为 {name} 的记忆",
    ),
    "memory.store.occupied": (
        "{path} is in the way and is not a memory that can be read; move it first",
        "{path} 占用了该文件名，且不是可读取的记忆，请先移走",
    ),
    "memory.store.gone": (
        "there is no memory called {name}",
        "没有名为 {name} 的记忆",
    ),
    "memory.store.changed": (
        "the memory {name} was changed in the meantime; the newer text was kept",
        "记忆 {name} 在此期间已被修改，保留了较新的内容",
    ),
    "memory.store.unchanged": (
        "the memory {name} says this already",
        "记忆 {name} 已包含该内容",
    ),
    "memory.store.no_entry": (
        "the operation has no entry",
        "该操作没有给出记忆内容",
    ),
    "memory.store.damaged": (
        "{path} could not be read fully, so it is not changed; repair it by hand first",
        "{path} 未能完整读取，因此不作改动，请先手动修复",
    ),
    "memory.store.uneditable": (
        "the header of this memory's file cannot be changed safely; edit it by hand",
        "该记忆文件的头部格式无法安全修改，请手动编辑",
    ),
    "memory.store.index_link": (
        "{path} is a link and is not followed; replace it with a plain file",
        "{path} 是链接，不会跟随；请换成普通文件",
    ),
    "memory.store.not_directory": (
        "memories cannot be saved: {path} is not a directory",
        "无法保存记忆：{path} 不是目录",
    ),
    "memory.store.read_only": (
        "memories cannot be saved: {path} is not writable",
        "无法保存记忆：{path} 不可写",
    ),
    "memory.store.unreadable": (
        "memories cannot be read from {path}: {reason}",
        "无法从 {path} 读取记忆：{reason}",
    ),
    "memory.store.file.note": ("{path}: {reason}", "{path}：{reason}"),
    "memory.store.file.note_line": (
        "{path}, line {line}: {reason}",
        "{path} 第 {line} 行：{reason}",
    ),
    "memory.store.file.skipped": ("{path} was skipped: {reason}", "已跳过 {path}：{reason}"),
    "memory.store.file.link": (
        "links in a memory directory are not followed",
        "不会跟随记忆目录中的链接",
    ),
    "memory.store.file.nested": (
        "memories in folders are not read; move them up: {names}",
        "不会读取子文件夹中的记忆，请移到上一层：{names}",
    ),
    "memory.store.file.not_regular": ("it is not a regular file", "不是普通文件"),
    "memory.store.file.reserved": (
        "its name is reserved; rename it to use it as a memory",
        "文件名是保留名称，改名后才能作为记忆",
    ),
    "memory.store.file.large": ("it is larger than {limit}", "大于 {limit}"),
    "memory.store.file.binary": ("it is not a text file", "不是文本文件"),
    "memory.store.file.controls": (
        "it holds control characters; it can be read but catmem will not change it",
        "含有控制字符；可以读取，但 catmem 不会修改",
    ),
    "memory.store.file.encoding": (
        "it is not UTF-8 and was read as {name}",
        "不是 UTF-8 编码，已按 {name} 读取",
    ),
    "memory.store.file.not_text": (
        "it is not UTF-8 text; parts of it cannot be read",
        "不是 UTF-8 文本，部分内容无法读取",
    ),
    "memory.store.file.no_header": (
        "it has no front matter; its name and first line are used",
        "没有 front matter，使用文件名和首行作为名称与描述",
    ),
    "memory.store.file.unterminated": (
        "the front matter has no closing “---”",
        "front matter 缺少结尾的“---”",
    ),
    "memory.store.file.yaml": (
        "the front matter is not valid YAML ({problem}); it was read line by line",
        "front matter 不是有效的 YAML（{problem}），已逐行读取",
    ),
    "memory.store.file.secret": (
        "a secret ({kind}) stands here; catmem shows it to no model, but take it out",
        "此处有密钥类信息（{kind}）；catmem 不会发给任何模型，请从文件中移除",
    ),
    "memory.store.file.duplicate": (
        "{path}: the name {name} belongs to {other}; it is listed as {new}",
        "{path}：名称 {name} 已被 {other} 使用，列为 {new}",
    ),
    "memory.commit.newer": (
        "{path} was written by a newer catmem, so nothing is stored; use that one",
        "{path} 由更新版本的 catmem 写入，因此不作任何保存；请使用该版本",
    ),
    "memory.commit.edited": (
        "{path} was changed after a write had been broken off, and stays as it is now",
        "{path} 在一次写入中断后被改动过，保持现状",
    ),
    "memory.undo.none": ("there is nothing to take back", "没有可以撤销的记录"),
    "memory.undo.run": ("taken back: what was done on {at}", "已撤销 {at} 的改动"),
    "memory.undo.add": (
        "  {name} ({scope}): was new, is now in the archive",
        "  {name}（{scope}）：原为新增，已移到归档",
    ),
    "memory.undo.update": (
        "  {name} ({scope}): the version before is back",
        "  {name}（{scope}）：已恢复之前的版本",
    ),
    "memory.undo.delete": (
        "  {name} ({scope}): was removed, is back",
        "  {name}（{scope}）：曾被移除，现已恢复",
    ),
    "memory.undo.left": ("  left alone: {reason}", "  未改动：{reason}"),
    "memory.undo.edited": (
        "the memory {name} was changed since, and that text was kept",
        "记忆 {name} 之后又被修改过，已保留现有内容",
    ),
    "memory.undo.no_version": (
        "the memory {name} has its version before no longer in the archive",
        "记忆 {name} 之前的版本已不在归档中",
    ),
    "memory.history.add": ("added ({scope})", "新增（{scope}）"),
    "memory.history.update": ("updated ({scope})", "更新（{scope}）"),
    "memory.history.delete": ("removed ({scope})", "移除（{scope}）"),
    "memory.history.undo": ("taken back ({scope})", "撤销（{scope}）"),
    "memory.history.edit": (
        "as it is now, edited by hand ({scope})",
        "当前版本，手动编辑（{scope}）",
    ),
    "memory.history.old": ("until then ({scope})", "在此之前（{scope}）"),
    "memory.history.said": (": {text}", "：{text}"),
    "memory.history.quote": (
        "session {session}, message {seq}: “{quote}”",
        "会话 {session}，第 {seq} 条消息：“{quote}”",
    ),
    "memory.tool.listed": ("memories: {count}", "记忆：{count} 条"),
    "memory.tool.forgotten": ("forgotten: {name}", "已忘记：{name}"),
    "memory.forget.which": (
        "forget what? /memory forget NAME, or some words of it; --purge removes every trace",
        "要忘记什么？用法：/memory forget NAME|WORDS；--purge 会清除所有痕迹",
    ),
    "memory.forget.nothing": (
        "nothing that is stored fits “{words}”",
        "没有与“{words}”相符的记忆",
    ),
    "memory.forget.found": ("What matches:", "相符的内容："),
    "memory.forget.episode": ("  a past session: {text}", "  往次会话：{text}"),
    "memory.forget.version": ("  {name}: old versions in the archive", "  {name}：归档中的旧版本"),
    "memory.forget.question": ("Forget {names} for good?", "永久忘记 {names} 吗？"),
    "memory.purge.forget": (
        "Forget {names} and remove every trace, old versions too? This cannot be undone.",
        "忘记 {names} 并清除所有痕迹（包括旧版本）吗？此操作无法撤销。",
    ),
    "memory.purge.done": (
        "removed: its old versions ({count}), its words in the journal, prompt history and log",
        "已清除：{count} 个旧版本，以及日志文件、输入历史和运行记录中的相关文字",
    ),
    "memory.purge.others": (
        "these files may still hold it; they were not changed:{places}",
        "以下文件可能仍含有相关内容，未作改动：{places}",
    ),
    "memory.purge.transcripts": (
        "these session transcripts still hold its text:{places}",
        "以下会话记录仍含有相关文字：{places}",
    ),
    "memory.purge.question": (
        "Replace its text in these transcripts ({count}) by a marker? This cannot be undone.",
        "用标记替换 {count} 份会话记录中的相关文字吗？此操作无法撤销。",
    ),
    "memory.purge.kept": ("the transcripts were left as they are", "会话记录保持原样"),
    "memory.purge.redacted": ("transcripts redacted: {count}", "已处理的会话记录：{count} 份"),
    "memory.purge.busy": (
        "open in another catmem, so not changed; purge again when it has ended:{places}",
        "以下会话正在另一个 catmem 中进行，未作改动；结束后请再次清除：{places}",
    ),
    "memory.forget.question_episodes": (
        "Erase what is kept about these past sessions ({count})?",
        "删除关于 {count} 次往次会话的记录？",
    ),
    "memory.forget.done": (
        "forgotten: {names}; in the archive, and not learned again unless you say it anew",
        "已忘记：{names}；已移到归档，除非您再次说起，否则不会重新学习",
    ),
    "memory.purge.forgotten": (
        "forgotten: {names}; not learned again unless you say it anew",
        "已忘记：{names}；除非您再次说起，否则不会重新学习",
    ),
    "memory.forget.episodes_done": (
        "summaries of past sessions erased: {count}",
        "已删除往次会话摘要：{count} 条",
    ),
    "memory.forget.stays": (
        "the model no longer gets it from memory; what was said in this conversation stays in it",
        "记忆不再把它提供给模型；本次对话中说过的话仍保留",
    ),
    "memory.command.unknown": (
        "there is no /memory {typed}; did you mean /memory {near}?",
        "没有 /memory {typed}，您是想输入 /memory {near} 吗？",
    ),
    "memory.command.choices": (
        "there is no /memory {typed}; available: /memory, {choices}",
        "没有 /memory {typed}；可用：/memory、{choices}",
    ),
    "memory.command.which": (
        "which memory? /memory show NAME; /memory list has the names",
        "要显示哪条记忆？用法：/memory show NAME；/memory list 可查看全部名称",
    ),
    "memory.command.which_one": (
        "which memory? {usage}; /memory list has the names",
        "要操作哪条记忆？用法：{usage}；/memory list 可查看全部名称",
    ),
    "memory.add.what": (
        "remember what? /memory add [--type T] [--scope user|project] [--name N] TEXT",
        "要记住什么？用法：/memory add [--type T] [--scope user|project] [--name N] TEXT",
    ),
    "memory.add.option": (
        "{option} does not fit here; options: --name N, --type TYPE, --scope SCOPE, --replace",
        "{option} 用法不对；可用选项：--name N、--type TYPE、--scope SCOPE、--replace",
    ),
    "memory.edit.no_editor": (
        "no editor is set; put one into VISUAL or EDITOR, for example EDITOR=nano",
        "没有设置编辑器；请设置环境变量 VISUAL 或 EDITOR，例如 EDITOR=nano",
    ),
    "memory.edit.no_program": (
        "the editor {program} (from VISUAL or EDITOR) is not on the PATH",
        "在 PATH 中找不到编辑器 {program}（来自 VISUAL 或 EDITOR）",
    ),
    "memory.edit.no_terminal": (
        "an editor cannot be opened here; in a shell: catmem memory edit {name}",
        "这里无法打开编辑器；请在 shell 中运行：catmem memory edit {name}",
    ),
    "memory.edit.status": (
        "the editor ended with status {status}; nothing was changed",
        "编辑器以状态 {status} 结束，未作任何改动",
    ),
    "memory.edit.again": ("Edit it again?", "重新编辑？"),
    "memory.edit.text_kept": ("your text is kept in {path}", "您的文本保存在 {path}"),
    "memory.edit.changed": (
        "the memory {name} was changed on disk while you edited it; that version stays",
        "编辑期间记忆 {name} 在磁盘上已被修改，保留磁盘上的版本",
    ),
    "memory.edit.renamed": ("updated {new}, which was called {old}", "已更新 {new}（原名 {old}）"),
    "memory.search.what": (
        "search for what? /memory search WORDS",
        "要查找什么？用法：/memory search WORDS",
    ),
    "memory.search.none": (
        "no memory has a word of “{query}”",
        "没有与“{query}”相关的记忆",
    ),
    "memory.move.where": (
        "a memory can be moved to user or project, not to “{scope}”",
        "记忆只能移到 user 或 project，不能移到“{scope}”",
    ),
    "memory.move.there": (
        "{name} is in the {place} already",
        "{name} 已在{place}中",
    ),
    "memory.move.no_project": (
        "there is no project memory here; start catmem in a project's directory",
        "此处没有项目记忆；请在项目目录中启动 catmem",
    ),
    "memory.move.done": ("moved {name} to the {place}", "已将 {name} 移到{place}"),
    "memory.move.both": (
        "{name} was changed in the meantime; it is in both stores now, look at both",
        "{name} 在此期间已被修改，现在两处都有，请分别查看",
    ),
    "memory.pin.pinned": ("{name} is pinned", "已置顶 {name}"),
    "memory.pin.unpinned": ("{name} is no longer pinned", "已取消置顶 {name}"),
    "memory.pin.none": ("{name} is not pinned", "{name} 没有置顶"),
    "memory.command.none": ("no memories are stored yet", "还没有任何记忆"),
    "memory.command.user": ("User memory", "用户记忆"),
    "memory.command.project": ("Project memory", "项目记忆"),
    "memory.scope.user": ("user", "用户"),
    "memory.scope.project": ("project", "项目"),
    "memory.place.user": ("user memory", "用户记忆"),
    "memory.place.project": ("project memory", "项目记忆"),
    "memory.command.deprecated": ("{type}, deprecated", "{type}，已弃用"),
    "memory.command.pinned": ("{type}, pinned", "{type}，已置顶"),
    "memory.command.near": ("; similar: {names}", "；相近的有：{names}"),
    "memory.command.taken": (
        "{reason}; use --replace to change it, or --name for another name",
        "{reason}；可用 --replace 修改它，或用 --name 指定其他名称",
    ),
    "memory.command.added": ("added {name} ({scope})", "已新增 {name}（{scope}）"),
    "memory.command.updated": ("updated {name} ({scope})", "已更新 {name}（{scope}）"),
    "memory.command.clear_user": (
        "Move everything to the archive (user memory: {user})?",
        "将全部记忆移到归档（用户记忆 {user} 条）？",
    ),
    "memory.command.clear_both": (
        "Move everything to the archive (user memory: {user}, project memory: {project})?",
        "将全部记忆移到归档（用户记忆 {user} 条，项目记忆 {project} 条）？",
    ),
    "memory.command.kept": ("nothing was changed", "未作任何改动"),
    "memory.command.cleared": (
        "{count} moved to the archive: {places}",
        "已将 {count} 条记忆移到归档：{places}",
    ),
    "memory.command.off": (
        "memory is off for this session: nothing is written or recalled until /memory on",
        "本次会话的记忆已关闭：不记忆，也不回忆；/memory on 可重新打开",
    ),
    "memory.command.is_off": (
        "memory is off for this session; /memory on switches it on again",
        "本次会话的记忆已关闭；/memory on 可重新打开",
    ),
    "memory.command.none_aside": ("nothing is set aside", "没有被搁置的会话"),
    "memory.command.on": ("memory is on", "记忆已打开"),
    "memory.command.on_again": (
        "memory is on again; what was said while it was off stays out",
        "记忆已重新打开；关闭期间的内容不会被记住",
    ),
    "memory.command.no_window": (
        "no session has anything left to learn from",
        "没有尚未处理的会话",
    ),
}
