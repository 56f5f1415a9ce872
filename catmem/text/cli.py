"""Interface strings of the command line and the slash commands: key -> (English, Chinese)."""

from __future__ import annotations

STRINGS: dict[str, tuple[str, str]] = {
    "cli.command.bare": (
        "no command after /; available: {names}",
        "/ 后缺少命令；可用命令：{names}",
    ),
    "cli.command.near": (
        "there is no command /{typed}; did you mean /{name}?",
        "没有命令 /{typed}，您是想输入 /{name} 吗？",
    ),
    "cli.command.unknown": (
        "there is no command /{typed}; available: {names}",
        "没有命令 /{typed}；可用命令：{names}",
    ),
    "cli.usage": ("{problem}; see `{prog} --help`", "{problem}；用法见 `{prog} --help`"),
    "cli.usage.unknown": ("not understood: {given}", "无法识别：{given}"),
    "cli.usage.required": ("missing: {names}", "缺少：{names}"),
    "cli.usage.value": ("{name} needs a value", "{name} 需要一个值"),
    "cli.usage.choice": (
        "{name}: “{given}” is none of {choices}",
        "{name}：“{given}”不是以下之一：{choices}",
    ),
    "cli.format_without_prompt": (
        "--output-format goes with -p PROMPT",
        "--output-format 需与 -p PROMPT 一起使用",
    ),
    "cli.help": (
        """\
catmem: a coding agent in your terminal that remembers what it learns.

  catmem                     start a conversation in the current directory
  catmem -p PROMPT           one turn: answer on stdout, progress on stderr;
                             piped input is added to PROMPT as data
  catmem memory ...          the memory for scripts; see `catmem memory --help`
  catmem trust [--revoke]    use the memories and settings that came with this
                             project

Options
  -p, --prompt PROMPT        run one turn and end
  --output-format FORMAT     with -p: text (default), json, or stream-json
  --provider NAME            auto, anthropic, openai (any compatible server),
                             or local (the embedded model)
  --model NAME               the model to use
  --permission-mode MODE     ask (default): asks before each change and command
                             accept-edits: edits files in the workspace unasked
                             plan: looks and plans, changes nothing
                             auto: asks only when something leaves the workspace
  --no-memory                remember and recall nothing in this session
  --config FILE              use FILE instead of ~/.catmem/config.yaml
  --version, --help

Examples
  catmem -p "why does make test fail?"
  git diff | catmem -p "review this" --output-format json
  catmem memory add "deploys run on Fridays only"

Environment
  ANTHROPIC_API_KEY, OPENAI_API_KEY    the keys
  ANTHROPIC_BASE_URL, OPENAI_BASE_URL  another server, as in
                                       http://127.0.0.1:11434/v1
  CATMEM_HOME                          where catmem keeps its files (~/.catmem)
  CATMEM_...                           any setting, e.g. CATMEM_UI_LANGUAGE=zh

In the session: /help lists commands and keys; Ctrl+D ends it and shows what it
learned. Exit codes: 0 done, 1 the turn failed, 2 wrong usage or settings,
75 try again, 130 interrupted.
""",
        """\
catmem：终端里的编程助手，会记住它学到的东西。

  catmem                     在当前目录开始对话
  catmem -p PROMPT           只运行一轮：回答写到标准输出，进度写到标准错误；
                             管道输入会作为数据附在 PROMPT 之后
  catmem memory ...          供脚本使用的记忆命令，见 `catmem memory --help`
  catmem trust [--revoke]    允许使用随本项目带来的记忆和设置

选项
  -p, --prompt PROMPT        运行一轮后结束
  --output-format FORMAT     配合 -p：text（默认）、json 或 stream-json
  --provider NAME            auto、anthropic、openai（任何兼容的服务）
                             或 local（内置模型）
  --model NAME               使用的模型
  --permission-mode MODE     ask（默认）：修改文件或执行命令前先询问
                             accept-edits：编辑工作区内的文件不再询问
                             plan：只查看和规划，不做任何修改
                             auto：只有涉及工作区之外时才询问
  --no-memory                本次会话不记忆、不回忆
  --config FILE              用 FILE 代替 ~/.catmem/config.yaml
  --version, --help

示例
  catmem -p "make test 为什么失败？"
  git diff | catmem -p "审查这些改动" --output-format json
  catmem memory add "只在周五发布"

环境变量
  ANTHROPIC_API_KEY、OPENAI_API_KEY    密钥
  ANTHROPIC_BASE_URL、OPENAI_BASE_URL  其他服务，如 http://127.0.0.1:11434/v1
  CATMEM_HOME                          catmem 存放文件的位置（~/.catmem）
  CATMEM_...                           任意设置，例如 CATMEM_UI_LANGUAGE=zh

会话中：/help 列出命令和按键；Ctrl+D 结束会话并显示学到了什么。
退出码：0 完成，1 本轮失败，2 用法或配置错误，75 可重试，130 被中断。
""",
    ),
    "cli.memory.help": (
        """\
catmem memory: the long-term memory, for scripts.

  catmem memory list                    every entry, one line each
  catmem memory show NAME               one entry in full
  catmem memory search WORDS            the entries that WORDS are about, best
                                        first; - for WORDS: one query a line
                                        from standard input
  catmem memory history NAME            its versions: when, from which words,
                                        and where the text is
  catmem memory undo                    take back the last run, then the one
                                        before
  catmem memory add TEXT                store TEXT as an entry, without a model
         [--name N] [--type user|feedback|project|reference]
         [--scope user|project] [--replace]
  catmem memory edit NAME               open it in $VISUAL or $EDITOR
  catmem memory move NAME user|project  move it to the other store
  catmem memory pin NAME, unpin NAME    keep it always at hand, or no longer
  catmem memory forget NAME|WORDS       archive for good what matches; asks
         [--purge] [--yes]              --purge: remove its traces too
  catmem memory clear [--yes]           archive every entry; asks first
  catmem memory status                  what is stored where, what waits, what
                                        failed, the last run
  catmem memory extract                 learn from sessions where it is not done
  catmem memory retry                   try again what was set aside after three
                                        failures
  catmem memory doctor                  find and repair what is wrong with the
                                        files

  --json     with list, show, search, history, status and doctor: JSON, no text
  --config FILE, --provider NAME        as for catmem

Exit code 1: the name is unknown, or exists already and --replace is missing;
doctor: something is left that only you can repair; undo: nothing to take back,
or an entry was edited since and kept.
""",
        """\
catmem memory：供脚本使用的长期记忆命令。

  catmem memory list                    列出全部条目，每行一条
  catmem memory show NAME               显示一个条目的全部内容
  catmem memory search WORDS            与 WORDS 相关的条目，最相关的在前；
                                        WORDS 为 - 时从标准输入逐行读取查询
  catmem memory history NAME            一个条目的各个版本：时间、依据的原话、
                                        文本所在位置
  catmem memory undo                    撤销最近一次改动，再次使用则撤销更早一次
  catmem memory add TEXT                不经过模型，直接把 TEXT 存为条目
         [--name N] [--type user|feedback|project|reference]
         [--scope user|project] [--replace]
  catmem memory edit NAME               用编辑器打开（$VISUAL 或 $EDITOR）
  catmem memory move NAME user|project  移到另一个库
  catmem memory pin NAME、unpin NAME    置顶，或取消置顶
  catmem memory forget NAME|WORDS       永久忘记相符的条目（移到归档），会先询问
         [--purge] [--yes]              --purge：同时清除旧版本和痕迹
  catmem memory clear [--yes]           把全部条目移到归档，会先询问
  catmem memory status                  存放位置和数量、待处理和失败的会话、
                                        最近一次运行
  catmem memory extract                 从尚未处理的会话中学习
  catmem memory retry                   重试三次失败后被搁置的会话
  catmem memory doctor                  查找并修复文件的问题

  --json     用于 list、show、search、history、status 和 doctor：输出 JSON
  --config FILE、--provider NAME        与 catmem 相同

以下情况退出码为 1：名称不存在，或名称已存在而未加 --replace；
doctor：有问题需要您手动处理；
undo：没有可撤销的记录，或有条目之后被修改过而未改动。
""",
    ),
    "cli.model.now": ("model: {model}", "模型：{model}"),
    "cli.clear.done": (
        "the conversation starts over; what came before is kept and still learned from at the end",
        "对话已重新开始；之前的记录仍保留，结束时照常从中学习",
    ),
    "cli.help.help": ("commands and keys", "命令与按键"),
    "cli.help.memory": ("learn from this conversation now", "立即从本次对话中学习"),
    "cli.help.remember": ("remember TEXT now, in your words", "立即按原话记住 TEXT"),
    "cli.help.memory.list": ("every memory, one line each", "列出全部记忆，每行一条"),
    "cli.help.memory.show": ("one memory in full", "显示一条记忆的全部内容"),
    "cli.help.memory.search": ("the memories that WORDS are about", "查找与 WORDS 相关的记忆"),
    "cli.help.memory.forget": (
        "forget what matches, for good; asks first",
        "永久忘记相符的记忆，会先询问",
    ),
    "cli.help.memory.doctor": (
        "find and repair what is wrong with the files",
        "查找并修复文件的问题",
    ),
    "cli.help.memory.clear": (
        "move every memory to the archive; asks first",
        "把全部记忆移到归档，会先询问",
    ),
    "cli.help.memory.history": (
        "its versions: when, and from which words",
        "各个版本：时间和依据的原话",
    ),
    "cli.help.memory.undo": (
        "take back the last run, then the one before",
        "撤销最近一次改动，再次使用则撤销更早一次",
    ),
    "cli.help.memory.add": ("the same as /remember", "与 /remember 相同"),
    "cli.help.memory.edit": ("open it in your editor", "用您的编辑器打开"),
    "cli.help.memory.move": ("move it to the other store", "移到另一个库"),
    "cli.help.memory.pin": ("keep it always at hand", "置顶"),
    "cli.help.memory.unpin": ("no longer keep it always at hand", "取消置顶"),
    "cli.help.memory.off": ("write and recall nothing from now on", "从现在起不记忆、不回忆"),
    "cli.help.memory.on": ("go on remembering", "恢复记忆"),
    "cli.help.memory.retry": ("try again what was set aside", "重试被搁置的会话"),
    "cli.help.memory.status": (
        "what is stored, what waits, what failed",
        "已存的、待处理的和失败的",
    ),
    "cli.help.model": ("show the model, or use another one", "显示当前模型，或切换模型"),
    "cli.help.clear": ("start the conversation over", "重新开始对话"),
    "cli.help.status": ("model, files and memory of this session", "本次会话的模型、文件和记忆"),
    "cli.help.exit": ("end the session and learn from it", "结束会话并从中学习"),
    "cli.help.keys": (
        """\
  Enter             send; while catmem works: queue
  Ctrl+J, Alt+Enter new line
  Esc, Ctrl+C       stop what is running; your draft stays
  Ctrl+C            clear the line; twice on an empty line: leave
  Ctrl+D            on an empty line: leave, and learn from the session
  Up, Down, Ctrl+R  earlier lines
  Tab               complete a command
""",
        """\
  Enter             发送；catmem 工作时则排队
  Ctrl+J、Alt+Enter 换行
  Esc、Ctrl+C       停止正在进行的工作，草稿保留
  Ctrl+C            清空输入行；空行连按两次：退出
  Ctrl+D            空行时：退出，并从会话中学习
  Up、Down、Ctrl+R  之前的输入
  Tab               补全命令
""",
    ),
    "cli.trust.help": (
        """\
catmem trust: use what came with this project.

  catmem trust             trust its memories and its settings
                           (.catmem/config.yaml) as they are now; what changes
                           or comes later is asked about again
  catmem trust --revoke    forget every such decision about this project

  --config FILE            as for catmem
""",
        """\
catmem trust：使用随本项目带来的内容。

  catmem trust             信任其记忆和设置（.catmem/config.yaml）的当前内容；
                           之后改动或新增的内容会再次询问
  catmem trust --revoke    忘记对本项目做过的所有此类决定

  --config FILE            与 catmem 相同
""",
    ),
    "cli.trust.ask_entries": (
        "Memories that came with this project: {count}. May catmem use them?",
        "随该项目带来的记忆：{count} 条。允许 catmem 使用吗？",
    ),
    "cli.trust.ask_settings": (
        "This project has settings of its own. May they apply, from the next start on?",
        "该项目自带设置。允许从下次启动起生效吗？",
    ),
    "cli.trust.ask_both": (
        "Memories that came with this project: {count}, and settings. May catmem use them?",
        "随该项目带来的记忆：{count} 条，以及设置。允许 catmem 使用吗？",
    ),
    "cli.trust.entries": (
        "now trusted: {count} ({names}) · undo: catmem trust --revoke",
        "已信任 {count} 条记忆（{names}） · 撤销：catmem trust --revoke",
    ),
    "cli.trust.settings": (
        "{name} applies from the next start on",
        "{name} 从下次启动起生效",
    ),
    "cli.trust.later": (
        "left out for now; asked again at the next start",
        "暂不使用，下次启动时再询问",
    ),
    "cli.trust.declined": (
        "left out; `catmem trust` changes that",
        "不使用；如需更改，请运行 `catmem trust`",
    ),
    "cli.trust.left_out": (
        "memories that came with this project and are left out: {count}; to use them: catmem trust",
        "随该项目带来、未予使用的记忆：{count} 条；如需使用：catmem trust",
    ),
    "cli.trust.ignored": (
        "{name} is not trusted and was ignored; to use it: catmem trust",
        "{name} 未受信任，已忽略；如需使用：catmem trust",
    ),
    "cli.trust.nothing": ("nothing to do here", "此处无需操作"),
    "cli.trust.revoked": (
        "nothing is trusted here any more that came with the project",
        "此项目带来的内容均不再受信任",
    ),
    "cli.status.version": ("version", "版本"),
    "cli.status.model": ("model", "模型"),
    "cli.status.provider": ("provider", "提供商"),
    "cli.status.key": ("key", "密钥"),
    "cli.status.mode": ("permissions", "权限模式"),
    "cli.status.workspace": ("workspace", "工作区"),
    "cli.status.config": ("config", "配置文件"),
    "cli.status.session": ("session", "会话记录"),
    "cli.status.memory": ("memory", "记忆"),
    "cli.status.off": ("off", "已关闭"),
    "cli.banner": (
        "catmem {version} · {model} · /help for commands, Ctrl+D to leave",
        "catmem {version} · {model} · /help 查看命令，Ctrl+D 退出",
    ),
    "cli.no_directory": (
        "the current directory does not exist any more; change to another one",
        "当前目录已不存在，请切换到其他目录",
    ),
    "cli.empty_prompt": (
        "-p needs a prompt, or piped input",
        "-p 需要提示内容或管道输入",
    ),
    "cli.memory.needs_yes": (
        "`catmem memory {action}` asks first and there is nobody to ask; add --yes",
        "`catmem memory {action}` 会先询问，但现在无法询问；请加 --yes",
    ),
    "cli.first.server": (
        "{name} at {url}, no key needed",
        "{name}（{url}），无需密钥",
    ),
    "cli.status.no_key": ("none", "无"),
    "cli.first.keys": (
        "no API key in the environment",
        "环境变量中没有 API 密钥",
    ),
    "cli.first.servers": ("model servers on this machine: {names}", "本机的模型服务：{names}"),
    "cli.first.no_servers": (
        "no model server on the usual ports (Ollama, LM Studio, llama.cpp, vLLM)",
        "常用端口上没有模型服务（Ollama、LM Studio、llama.cpp、vLLM）",
    ),
    "cli.first.kept": (
        "your choice is written to config.yaml, where you can change it",
        "您的选择会写入 config.yaml，之后可随时修改",
    ),
    "cli.first.embedded": (
        (
            "an embedded model: no key, no network after a download of 1.1 GB; small (1.5B), good "
            "for simple edits and questions, a few seconds per step; uses 1.7 GB of memory"
        ),
        (
            "内置模型：无需密钥，下载 1.1 GB 后无需联网；模型很小（1.5B），"
            "适合简单的修改和问答，每步需数秒，占用 1.7 GB 内存"
        ),
    ),
    "cli.first.anthropic": (
        "Claude, with a key from Anthropic in {variable}",
        "Claude，使用 {variable} 中的 Anthropic 密钥",
    ),
    "cli.first.openai": (
        "OpenAI, with a key from OpenAI in {variable}",
        "OpenAI，使用 {variable} 中的 OpenAI 密钥",
    ),
    "cli.first.none": (
        "nothing chosen; set ANTHROPIC_API_KEY or OPENAI_API_KEY and start catmem again",
        "未作选择；请设置 ANTHROPIC_API_KEY 或 OPENAI_API_KEY 后重新启动 catmem",
    ),
}
