"""Whose matter a fact is: the person's, the agent's work, the project's, or a place to look.

Models mix these up: a preference becomes "the project uses vim". Where the person's own sentence is
clear, it decides.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from catmem.memory.pipeline.extraction import Candidate
from catmem.memory.store.entry import Scope

_THE_PERSON = re.compile(
    r"\b(?:i (?:(?:usually|mostly|mainly|only|always|never|really|also|personally) )*(?:prefer"
    r"|like|love"
    r"|hate|use|edit|work|live|speak|read|write|code|type|teach|don'?t (?:use|like|know|speak|read)"
    r"|am|can'?t (?:see|read|hear))|i'm (?!going|just|trying|looking|about|on it|done)"
    r"|my (?:editor|shell|terminal|keyboard|os|laptop|machine|time ?zone|name|job|role|background"
    r"|native language|setup|preference|eyes))\b"
    r"|我(?:个人|自己|平时|一般|通常|主要|一直|更|比较)?(?:喜欢|习惯|偏好|讨厌|常用|用的?是?"
    r"|是(?!说|想|问)|不(?:用|喜欢|懂|会|熟)|住在|在(?:上海|北京)"
    r"|看不懂|叫)|我的(?:编辑器|终端|系统|电脑|时区|名字|键盘|母语)",
    re.IGNORECASE,
)
_THE_PROJECT = re.compile(
    r"\b(?:this|the|our) (?:\w+ )?(?:project|repo|repository|code ?base|service|app|team|api"
    r"|database|backend|frontend|build|pipeline|ci|product|company)\b|\b(?:we|we're|our)\b"
    r"|我们|咱们?|项目|仓库|团队|公司|线上|生产环境",
    re.IGNORECASE,
)
_THE_ANSWERS = re.compile(
    r"\b(?:answer|reply|respond|explain|talk to me|call me|address me|show me|ask me|tell me)\b"
    r"|回答|回复|答复|解释|叫我|问我|告诉我|给我看",
    re.IGNORECASE,
)
# "I deploy with make ship" may be the person's habit or the project's way; the model decides.
_WORK = re.compile(
    r"\b(?:deploy|release|publish|build|test|run|compile|migrate|ship|lint|start)(?:s|ed|ing)?\b"
    r"|发布|部署|构建|编译|测试|启动|打包|上线|运行",
    re.IGNORECASE,
)
_ONE_PERSON = re.compile(r"\b(?:i|i'm|i've|i'd|my|me)\b|我(?!们)", re.IGNORECASE)


def with_right_kind(candidate: Candidate, typed: Sequence[str]) -> Candidate:
    """Return a candidate with its type corrected where the person's sentences are clear.

    A project fact about the person, or about how to answer, is theirs; a fact about the person that
    speaks only of the project is the project's. What mentions both is left as the model has it.
    """
    said = "\n".join(typed)
    of_person = _THE_PERSON.search(said) is not None
    of_project = _THE_PROJECT.search(said) is not None
    if candidate.type == "project" and of_person and not (of_project or _WORK.search(said)):
        return replace(candidate, type="user", scope=Scope.USER)
    if candidate.type == "project" and _THE_ANSWERS.search(said) and not of_project:
        return replace(candidate, type="feedback", scope=Scope.USER)
    if candidate.type == "user" and of_project and not (of_person or _ONE_PERSON.search(said)):
        return replace(candidate, type="project", scope=Scope.PROJECT)
    return candidate
