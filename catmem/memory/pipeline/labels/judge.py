"""One sentence, judged: how likely it matters later, and what kind of fact it is.

The model answers with one token, whose probabilities are read; words add what a small model does
not see (``cues``).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from catmem.memory.pipeline.labels.cues import is_about_speaker, tells_of_oneself
from catmem.memory.pipeline.labels.examples import EXAMPLES, KINDS, LABELS, SYSTEM
from catmem.messages import LabelRequest
from catmem.providers.base import LabelModel
from catmem.sanitize import one_line

_SENTENCE_CHARACTERS = 400
_FLOOR = 1e-4  # a probability nearer to 0 or 1 than this says no more
_PREFIX = "sentence: "
_EXAMPLES = tuple((_PREFIX + text, label) for text, label in EXAMPLES)

# What must be in a sentence for it to be a reference: an address, a document, somebody to ask.
_PLACE = re.compile(
    r"https?://|\w@[\w-]+\.\w|\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[\w-]+(?:\.[\w-]+)*\.(?:com|org|net"
    r"|io|dev"
    r"|cn|internal|local|lan|corp|example)\b"
    r"|\b(?:wiki|confluence|notion|figma|miro|airtable|linear|trello|asana|discord|mattermost|zulip"
    r"|sheets?|calendar|manual|datasheet|handbook|appendix|rfc ?\d+|page|jira|slack|teams"
    r"|sharepoint|drive|dashboards?|grafana|kibana"
    r"|sentry|docs?|documentation|specs?|spreadsheet|runbook|channel|repo|host|server|box)\b"
    r"|\b(?:ask|talk to|ping|contact|reach|belongs to|owned by|owns|maintained by)\b"
    r"|#[\w-]+|文档|语雀|飞书|钉钉|知识库|群里|频道|地址|域名|服务器|主机|仓库|面板|看板|负责"
    r"|找|问(?!题)|联系|对接|手册|网盘|日历|共享|蓝湖|页",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"[a-z]+://|\b\d{1,3}(?:\.\d{1,3}){3}\b|\w@[\w-]+\.\w", re.IGNORECASE)
_PERSON = re.compile(
    r"^\W*(?:(?:and|so|because|but|just so you know|fyi|btw),? )?"
    r"(?:(?:i|i'm|im|i've|ive|i'd)\b"
    r"(?! (?:want|need|expect|don't want|don't need|said|told|asked|decided|rather you|like you))"
    r"|my\b(?! (?:team|company|client|project|boss)))|^\W*我(?!们|说|想|要|觉得|希望"
    r"|看(?!.*(?:喜欢|习惯))|让)",
    re.IGNORECASE,
)
_PROJECT = re.compile(
    r"\b(?:we|our|us|the team|the (?:clients?|customers?)"
    r"|this (?:project|repo|repository|code ?base|service))\b"
    r"|我们|咱们?|团队|项目|仓库|客户",
    re.IGNORECASE,
)
_ANYBODY = re.compile(
    r"\b(?:i|i'm|im|i've|i'd|me|my|mine|myself|answers?|reply|explain|explanations?)\b"
    r"|我(?!们)|回答|回复|解释|叫",
    re.IGNORECASE,
)
_MUCH = 4.0
_SURE = 0.75


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the model makes of a text.

    Attributes:
        lasting: log-odds that it matters in later sessions.
        kinds: how likely each type of entry is, not normalised.
    """

    lasting: float
    kinds: Mapping[str, float]


class Judge:
    """Asks a model, and nothing twice.

    ``answers`` outlives a run: what was interrupted goes on at the sentence where it stopped.
    """

    def __init__(self, model: LabelModel, answers: dict[str, Mapping[str, float]]) -> None:
        self._model = model
        self._answers = answers

    async def judge(self, text: str) -> Judgement:
        """Judge a text of one or two sentences.

        Raises:
            ProviderError: the request failed.
        """
        shown = one_line(text, _SENTENCE_CHARACTERS)
        if shown not in self._answers:
            request = LabelRequest(SYSTEM, _EXAMPLES, _PREFIX + shown, LABELS)
            self._answers[shown] = await self._model.choose(request)
        answer = self._answers[shown]
        kinds = {kind: answer.get(kind, 0.0) for kind in KINDS}
        total = sum(answer.values())
        lasting = sum(kinds.values()) / total if total > 0 else 0.0
        lasting = min(max(lasting, _FLOOR), 1 - _FLOOR)
        return Judgement(math.log(lasting / (1 - lasting)), kinds)


def kind_of(text: str, kinds: Mapping[str, float]) -> str:
    """Return the type of an entry: the model's likeliest, corrected by the words of the fact."""
    weighed = dict(kinds)
    if not _PLACE.search(text) and kinds["reference"] < _SURE * sum(kinds.values()):
        weighed["reference"] = 0.0
    elif _ADDRESS.search(text):
        weighed["reference"] *= _MUCH
    if is_about_speaker(text):
        return "user"
    if _PERSON.search(text) or tells_of_oneself(text):
        weighed["user"] *= _MUCH**2
        weighed["project"] /= _MUCH
    elif is_about_project(text) or not _ANYBODY.search(text):
        weighed["user"] /= _MUCH
    else:  # what the person wants is rather a rule for the agent than one of the project
        weighed["user"] /= 2
        weighed["project"] /= 2
    return max(weighed, key=weighed.__getitem__)


def is_about_project(text: str) -> bool:
    """Whether a text speaks of the project or those who work on it."""
    return _PROJECT.search(text) is not None
