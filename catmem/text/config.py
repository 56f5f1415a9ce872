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
    "config.storage.locked_by": (
        "another catmem (process {pid}) has held {path} for {age} s; wait for it, or end it",
        "另一个 catmem（进程 {pid}）已占用 {path} {age} 秒；请等待它完成，或结束该进程",
    ),
    "config.session.newer": (
        "{path} was written by a newer catmem (format {version}); update catmem to read it",
        "{path} 由更新版本的 catmem 写入（格式 {version}），请升级 catmem 后再读取",
    ),
    "config.session.no_header": (
        "{path} is not a catmem transcript (its first line is unreadable)",
        "{path} 不是 catmem 会话记录（首行无法读取）",
    ),
    "config.place.file": ("{path}, line {line}: {reason}", "{path} 第 {line} 行：{reason}"),
    "config.place.path": ("{path}: {reason}", "{path}：{reason}"),
    "config.place.variable": ("environment variable {name}: {reason}", "环境变量 {name}：{reason}"),
    "config.place.flag": ("{name}: {reason}", "{name}：{reason}"),
    "config.unreadable": ("configuration: {reason}", "配置：{reason}"),
    "config.not_utf8": (
        "{path} is not UTF-8 text; save it as UTF-8",
        "{path} 不是 UTF-8 文本，请另存为 UTF-8 编码",
    ),
    "config.bad_yaml": ("it is not valid YAML", "不是有效的 YAML"),
    "config.yaml": ("not valid YAML: {problem}", "不是有效的 YAML：{problem}"),
    "config.tab": (
        "YAML does not allow tabs for indentation; use spaces",
        "YAML 不允许用制表符缩进，请改用空格",
    ),
    "config.no_mapping": (
        "settings are written as `name: value` lines, one per line",
        "设置应写成 `名称: 值` 的形式，每行一项",
    ),
    "config.section": (
        "{key} is a section; write its settings indented below it",
        "{key} 是一个小节，请把它的设置缩进写在下面",
    ),
    "config.twice": ("{key} is set twice; remove one of them", "{key} 重复设置，请删除其中一个"),
    "config.unknown_near": (
        "there is no setting {key}; did you mean {near}?",
        "没有设置项 {key}，您是想写 {near} 吗？",
    ),
    "config.unknown": (
        "there is no setting {key}; available here: {keys}",
        "没有设置项 {key}；此处可用：{keys}",
    ),
    "config.type": (
        "{key} must be {wanted}, not {value}",
        "{key} 必须是{wanted}，而不是 {value}",
    ),
    "config.type.str": ("text", "文本"),
    "config.type.int": ("a whole number", "整数"),
    "config.type.float": ("a number", "数字"),
    "config.type.bool": ("true or false", " true 或 false"),
    "config.choice": (
        "{key} must be one of {choices}, not {value}",
        "{key} 必须是 {choices} 之一，而不是 {value}",
    ),
    "config.minimum": (
        "{key} must be at least {minimum}, not {value}",
        "{key} 至少为 {minimum}，而不是 {value}",
    ),
    "config.project.mode": (
        "{key} of a project may only be {modes}, not {value}: a project cannot loosen permissions",
        "项目中的 {key} 只能是 {modes}，不能是 {value}：项目不能放宽权限",
    ),
    "config.project.personal": (
        "a project cannot set {key}; set it in your own config.yaml and remove it here",
        "项目不能设置 {key}；请写在您自己的 config.yaml 中，并从这里删除",
    ),
    "config.project.secret": (
        "a project's settings may hold no key or password; use an environment variable instead",
        "项目设置中不能有密钥或密码；请删除，并改用环境变量",
    ),
    "config.trust.newer": (
        "{path} was written by a newer catmem; update catmem to change what is trusted",
        "{path} 由更新版本的 catmem 写入，请升级 catmem 后再更改信任",
    ),
    "config.written": (
        "written by catmem at its first start; config.example.yaml lists every setting",
        "由 catmem 首次启动时写入；全部设置见 config.example.yaml",
    ),
}
