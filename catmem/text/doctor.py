"""Interface strings of ``doctor``: key -> (English, Chinese)."""

from __future__ import annotations

STRINGS: dict[str, tuple[str, str]] = {
    "doctor.fine": ("nothing is wrong", "一切正常"),
    "doctor.repaired": ("repaired: {text}", "已修复：{text}"),
    "doctor.left": ("left to you: {text}", "需要您处理：{text}"),
    "doctor.summary": (
        "{repaired} repaired, {left} left to you",
        "已修复 {repaired} 项，需要您处理 {left} 项",
    ),
    "doctor.empty": (
        "it is empty; fill or delete it",
        "文件是空的，请补上内容或删除",
    ),
    "doctor.rewritten": (
        "{path} was written anew as it had been understood; the old text is in the archive",
        "{path} 已按理解的内容重新写入，旧内容在归档中",
    ),
    "doctor.renamed": (
        "{path} holds the memory {name} and is called {file} now",
        "{path} 中是记忆 {name}，文件现名为 {file}",
    ),
    "doctor.half_write": (
        "a write had been cut off ({names}); it was finished, or put back where that was safer",
        "有一次写入中断（{names}）；已完成，或在更稳妥时恢复到之前的状态",
    ),
    "doctor.half_left": (
        "a write was cut off ({names}) and cannot be finished now; free the disk and try again",
        "有一次写入中断（{names}），现在无法完成；请腾出磁盘空间后重试",
    ),
    "doctor.journal": (
        "{path}, line {line}: it could not be read and was taken out, {count} in all",
        "{path} 第 {line} 行无法读取，已移除，共 {count} 行",
    ),
    "doctor.temporary": (
        "{path} was left by a write that was cut off; it was removed",
        "{path} 是中断的写入留下的临时文件，已删除",
    ),
    "doctor.empty_archive": (
        "{path} held no old versions; it was removed",
        "{path} 中没有旧版本，已删除",
    ),
    "doctor.edit": (
        "{path} is a text that could not be stored after an edit; take what you need and delete it",
        "{path} 是编辑后未能保存的文本；请取用需要的内容后删除",
    ),
    "doctor.index": (
        "{path} did not say what the files say; it was rebuilt",
        "{path} 与文件内容不一致，已重建",
    ),
    "doctor.index_left": (
        "{path} does not say what the files say and could not be rebuilt; see the log",
        "{path} 与文件内容不一致，且无法重建；详见日志",
    ),
    "doctor.lock": (
        "{path} is in the way of the lock file; remove it",
        "{path} 占用了锁文件的位置，请将其移走",
    ),
    "doctor.closed": (
        "{count} files or folders in {path} were open to others ({names}) and are yours alone now",
        "{path} 中有 {count} 个文件或文件夹对其他用户开放（{names}），现在只有您可以访问",
    ),
}
