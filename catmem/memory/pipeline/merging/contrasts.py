"""Words that set two facts apart whatever else they share: staging, production; Python, Go.

A text is marked with the members of each group that it names. Where two texts name different
members of a group they speak of different things.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_FLAGS = re.IGNORECASE
Marks = Mapping[str, frozenset[str]]

_GROUPS: dict[str, dict[str, str]] = {
    "environment": {
        "production": r"\bprod(?:uction)?\b|\blive (?:system|site|server)|生产|线上|正式环境",
        "staging": r"\bstag(?:e|ing)\b|\bpre-?prod\w*|预发|预生产|灰度",
        "development": r"\bdev(?:elopment)?\b|开发环境|开发机|开发库",
        "local": r"\blocal(?:ly|host)?\b|\bmy (?:machine|laptop)\b|本地|本机",
        "ci": r"\bci\b|\bpipelines?\b|流水线|持续集成",
        "qa": r"\bqa\b|\btest(?:ing)? (?:environment|server|system|cluster)|测试环境|测试服|测试库",
        "demo": r"\bdemo\b|\bsandbox\b|演示环境|沙箱",
    },
    "language": {
        "python": r"\bpython3?\b|(?<![\w.])py\b",
        "javascript": r"\bjavascript\b|(?<![\w.])js\b",
        "typescript": r"\btypescript\b|(?<![\w.])ts\b",
        "node": r"\bnode(?:\.?js)?\b",
        "go": (
            r"\bgolang\b|\b(?-i:Go)\b(?! to| back| through| with)"
            r"|(?<=[\u4e00-\u9fff ])(?-i:go)(?= ?(?:代码|服务|语言|模块|项目|文件))"
        ),
        "rust": r"\brust\b",
        "java": r"\bjava\b",
        "kotlin": r"\bkotlin\b",
        "swift": r"\bswift\b",
        "ruby": r"\bruby\b",
        "php": r"(?<![\w.])php\b",
        "c++": r"\bc\+\+|(?<![\w.])cpp\b",
        "c#": r"\bc#|\bdotnet\b",
        "sql": r"(?<![\w.])sql\b",
        "shell": r"\bshell scripts?\b|\bbash scripts?\b|脚本",
        "css": r"(?<![\w.])s?css\b",
        "html": r"(?<![\w.])html\b",
        "yaml": r"(?<![\w.])ya?ml\b",
        "json": r"(?<![\w.])json\b",
        "toml": r"(?<![\w.])toml\b",
        "markdown": r"\bmarkdown\b",
    },
    "system": {
        "linux": r"\blinux\b|\bubuntu\b|\bdebian\b",
        "macos": r"\bmac(?:os)?\b|\bosx\b",
        "windows": r"\bwindows\b",
        "ios": r"\bios\b|\biphone\b",
        "android": r"\bandroid\b|安卓",
    },
    "side": {
        "frontend": r"\bfront-?ends?\b|\bui\b|前端",
        "backend": r"\bback-?ends?\b|\bserver-?side\b|后端|服务端",
        "mobile": r"\bmobile\b|移动端|手机端",
        "desktop": r"\bdesktop\b|桌面端",
        "web": r"\bweb (?:app|client|site)\b|\bwebsite\b|网页端|网站",
        "admin": r"\badmin\b|管理后台|后台管理",
        "cli": r"\bcli\b|命令行",
    },
    "tests": {
        "unit": r"\bunit[- ]tests?\b|单元测试|单测",
        "integration": r"\bintegration[- ]tests?\b|集成测试",
        "e2e": r"\be2e\b|\bend-to-end\b|端到端",
        "smoke": r"\bsmoke\b|冒烟",
        "load": r"\b(?:load|performance)[- ]tests?\b|压测|性能测试",
    },
    "build": {
        "debug": r"\bdebug\b|调试版",
        "release": r"\brelease (?:build|mode|profile)s?\b|发布版",
    },
    "writing": {
        "commits": r"\bcommit messages?\b|提交信息|提交说明",
        "comments": r"\bcomments?\b|注释",
        "docs": r"\bdocs?\b|\bdocumentation\b|\breadme\b|文档",
        "logs": r"\blog(?:s| lines?| messages?)\b|日志",
        "branches": r"\bbranch(?:es)?\b|分支",
        "replies": r"\b(?:answer|repl(?:y|ies)|respond|talk|explain)\w*\b|回答|回复|答复|对话",
        "variables": r"\bvariables?\b|变量",
        "functions": r"\bfunctions?\b|函数",
        "classes": r"\bclass(?:es)?\b|类名",
        "tables": r"\btables?\b|表名|数据表",
    },
    "order": {
        "start": r"\bstart(?:s|ed|ing|up)?\b|启动",
        "stop": r"\bstop(?:s|ped|ping)?\b|停止|关闭服务",
        "build": r"\bbuild(?:s|ing)?\b|构建|编译|打包",
        "deploy": r"\bdeploy(?:s|ed|ing|ment)?\b|部署|上线|发布",
        "test": r"\btest(?:s|ed|ing)?\b|测试",
        "lint": r"\blint(?:s|ed|ing|er)?\b|代码检查",
        "format": r"\bformat(?:s|ted|ting|ter)?\b|格式化",
        "migrate": r"\bmigrat(?:e|es|ed|ion|ions|ing)\b|迁移",
        "backup": r"\bback(?:s|ed|ing)?[- ]?ups?\b|备份",
        "restore": r"\brestor(?:e|es|ed|ing)\b|恢复",
        "rollback": r"\broll(?:s|ed|ing)?[- ]?backs?\b|回滚",
    },
}
# Steps of the work are named in passing, too: that only one text names one tells nothing.
PASSING = frozenset({"order"})
_PATTERNS = {
    group: {member: re.compile(pattern, _FLAGS) for member, pattern in members.items()}
    for group, members in _GROUPS.items()
}
# What parts of a program or a company are called: the words before tell which one is meant.
_PART = re.compile(
    r"(?<![A-Za-z0-9_-])([A-Za-z0-9_-]+)[ -](?:services?|modules?|packages?|servers?"
    r"|databases?|db|tables?"
    r"|repo(?:sitory)?|teams?|queues?"
    r"|clusters?|clients?|apps?|apis?|buckets?|workers?|jobs?|crates?|plugins?|components?"
    r"|pages?|screens?"
    r"|library|folder|directory|bot|gateway|dashboard|board|channel|instance|cache|index"
    r"|node pool)\b"
    r"|([\u4e00-\u9fff]{2}|[A-Za-z0-9_-]+) ?(?:服务|模块|组件|数据库|数据表|仓库|团队|小组"
    r"|队列|集群|客户端|网关|插件|页面|面板|频道|接口|缓存|目录)",
    _FLAGS,
)
_NO_NAME = frozenset(
    [
        "the",
        "a",
        "an",
        "this",
        "that",
        "our",
        "my",
        "your",
        "their",
        "its",
        "each",
        "every",
        "all",
        "any",
        "one",
        "new",
        "old",
        "main",
        "same",
        "first",
        "second",
        "user",
        "test",
        "tests",
        "staging",
        "production",
        "dev",
        "development",
        "local",
        "shared",
        "whole",
        "other",
        "these",
        "those",
        "which",
        "what",
        "我们",
        "这个",
        "那个",
        "你们",
        "每个",
        "所有",
        "一个",
        "当前",
        "整个",
        "其他",
        "生产",
        "预发",
        "测试",
        "本地",
        "开发",
        "用的",
        "的是",
    ]
)


def marks(text: str) -> Marks:
    """Return the members that ``text`` names of each group of which it names any."""
    found = {
        group: frozenset(member for member, pattern in members.items() if pattern.search(text))
        for group, members in _PATTERNS.items()
    }
    found["part"] = _parts(text)
    return {group: members for group, members in found.items() if members}


def member_words(group: str, members: frozenset[str], text: str) -> str:
    """Return the words of ``text`` by which it names these members."""
    if group == "part":
        return " ".join(members)
    patterns = [_PATTERNS[group][member] for member in members]
    return " ".join(match.group() for pattern in patterns for match in pattern.finditer(text))


def _parts(text: str) -> frozenset[str]:
    names = (name.casefold() for match in _PART.finditer(text) for name in match.groups() if name)
    return frozenset(name for name in names if name not in _NO_NAME)
