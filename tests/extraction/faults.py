"""What a model may answer to an extraction instead of the object it was asked for, by name.

`STORED`: the fact is stored in spite of it. `FAILED`: the run has failed and the window stays open.
`NOTHING`: a good answer that holds nothing, or nothing that passes the checks.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from typing import Any

from tests.support.reply import Reply

QUOTE = "I edit with vim"
FACT: dict[str, Any] = {
    "evidence": [{"seq": 1, "quote": QUOTE}],
    "type": "user",
    "scope": "user",
    "name": "user-prefers-vim",
    "description": "The user's editor is vim",
    "content": "The user edits with vim.",
    "usageScenario": ["opening a file"],
    "gist": "用户用 vim 编辑",
}
OTHER = FACT | {
    "name": "uses-pnpm",
    "type": "project",
    "scope": "project",
    "description": "The project uses pnpm",
    "content": "The project installs with pnpm.",
    "evidence": [{"seq": 1, "quote": "we install with pnpm"}],
}


class Ends(Enum):
    """How a run over such an answer ends."""

    STORED = "stored"
    FAILED = "failed"
    NOTHING = "nothing"


@dataclass(frozen=True)
class Fault:
    """An answer that is no good, given to every request for facts; `ends` is the right outcome."""

    name: str
    reply: Reply
    ends: Ends


def dumped(*candidates: object, **more: Any) -> str:
    answer = {"candidates": list(candidates), "episode": None} | more
    return json.dumps(answer, ensure_ascii=False)


WHOLE = dumped(FACT)
STORED, FAILED, NOTHING = Ends.STORED, Ends.FAILED, Ends.NOTHING


def _fault(name: str, text: str, ends: Ends, /, **reply: Any) -> Fault:
    return Fault(name, Reply(text=text, chunk=200, **reply), ends)


def _item(name: str, ends: Ends, /, **changes: Any) -> Fault:
    return _fault(name, dumped(FACT | changes), ends)


def _without(name: str, key: str, ends: Ends) -> Fault:
    return _fault(name, dumped({k: v for k, v in FACT.items() if k != key}), ends)


FORM = [
    _fault("empty", "", FAILED),
    _fault("blanks only", " \n\t ", FAILED),
    _fault("prose", "The user seems to like vim.", FAILED),
    _fault("refusal in words", "I'm sorry, but I can't help with that.", FAILED),
    _fault("refusal as the reason to stop", "", FAILED, finish="refusal"),
    _fault("content filter", "", FAILED, finish="content_filter"),
    _fault("null", "null", FAILED),
    _fault("true", "true", FAILED),
    _fault("a number", "42", FAILED),
    _fault("a string", '"nothing to remember"', FAILED),
    _fault("an empty object", "{}", FAILED),
    _fault("another object", '{"facts": ["vim"]}', FAILED),
    _fault("an error object", '{"error": {"message": "overloaded"}}', FAILED),
    _fault("candidates is null", '{"candidates": null, "episode": null}', FAILED),
    _fault("candidates is a number", '{"candidates": 3}', FAILED),
    _fault("candidates is a word", '{"candidates": "none"}', FAILED),
    _fault("HTML", "<!DOCTYPE html><html><body><h1>502 Bad Gateway</h1></body></html>", FAILED),
    _fault("XML", "<candidates><candidate>vim</candidate></candidates>", FAILED),
    _fault("YAML", "candidates:\n  - name: user-prefers-vim\n    type: user", FAILED),
    _fault("a Markdown list", "- **vim**: the user's editor\n- **pnpm**: installs", FAILED),
    _fault("thinking only", "<think>The user likes vim, so I should note it", FAILED),
    _fault("the schema itself", '{"type": "object", "properties": {"candidates": {}}}', FAILED),
    Fault("reasoning without an answer", Reply(reasoning="vim, noted"), FAILED),
    Fault("a tool call instead of text", Reply(tool_calls=[("remember", {"fact": "vim"})]), FAILED),
    _fault("a tool call written as text", '{"name": "note", "arguments": {"content": "vim"}}',
           FAILED),
    _fault("truncated before the first fact", '{"candidates": [{"evidence": [{"se', FAILED,
           finish="length"),
    _fault("truncated inside the list", dumped(FACT, OTHER)[:-60], FAILED, finish="length"),
    _fault("broken off without saying so", '{"candidates": [', FAILED),
    _fault("an empty list", dumped(), NOTHING),
    _fault("an empty array as the root", "[]", NOTHING),
    _fault("an array as the root", json.dumps([FACT], ensure_ascii=False), STORED),
    _fault("a candidate as the root", json.dumps(FACT, ensure_ascii=False), STORED),
    _fault("wrapped in another object", json.dumps({"result": json.loads(WHOLE)}), STORED),
    _fault("JSON inside a string", json.dumps(WHOLE), STORED),
    _fault("the list as a string", json.dumps({"candidates": json.dumps([FACT])}), STORED),
    _fault("a dictionary instead of the list", json.dumps({"candidates": {"1": FACT}}), STORED),
    _fault("a fence", f"```json\n{WHOLE}\n```", STORED),
    _fault("a fence and prose", f"Here you are:\n```\n{WHOLE}\n```\nAnything else?", STORED),
    _fault("prose around it", f"Sure! {WHOLE} I hope this helps.", STORED),
    _fault("thinking before it", f"<think>{{\"candidates\": []}} hm</think>{WHOLE}", STORED),
    _fault("two objects, the first empty", f"{dumped()}\n{WHOLE}", STORED),
    _fault("the same object twice", WHOLE + WHOLE, STORED),
    _fault("a byte order mark", "\ufeff" + WHOLE, STORED),
    _fault("trailing commas", WHOLE.replace("}]", "},]").replace('["o', '["a", "o'), STORED),
    _fault("comments", WHOLE.replace('"type"', '/* kind */ "type"') + " // done", STORED),
    _fault("Python's literals", WHOLE.replace("null", "None"), STORED),
    _fault("NaN and Infinity", dumped(FACT | {"importance": float("nan")}, x=float("inf")), STORED),
    _fault("raw line breaks in strings", WHOLE.replace("edits with", "edits\nwith"), STORED),
    _fault("duplicate keys", WHOLE.replace('"name":', '"name": "", "name":'), STORED),
    _fault("depth without end", '{"candidates": ' + "[" * 50_000, FAILED),
    _fault("a flood of brackets after it", WHOLE + "{[" * 20_000, STORED),
]  # fmt: skip
ITEMS = [
    _item("an unknown type", FAILED, type="preference"),
    _item("a type that was not chosen", FAILED, type="user|feedback"),
    _item("a type in capitals", STORED, type="USER"),
    _item("a type that is a list", FAILED, type=["user"]),
    _without("no type", "type", FAILED),
    _item("an unknown scope", STORED, scope="global"),
    _item("content that is a number", FAILED, content=7),
    _item("content that is a list", FAILED, content=["The user edits with vim."]),
    _item("content that is an object", FAILED, content={"en": "vim"}),
    _item("blank content", FAILED, content="  "),
    _item("a form that was not filled in", FAILED, name="kebab-case-slug"),
    _without("no evidence", "evidence", NOTHING),
    _item("evidence that is a string", NOTHING, evidence=QUOTE),
    _item("evidence without a quote", NOTHING, evidence=[{"seq": 1}]),
    _item("evidence as one object", STORED, evidence={"seq": 1, "quote": QUOTE}),
    _item("a number as text", STORED, evidence=[{"seq": "#1", "quote": QUOTE}]),
    _item("a marker as the number", STORED, evidence=[{"seq": "[#1 user]", "quote": QUOTE}]),
    _item("a number with a fraction", STORED, evidence=[{"seq": 1.0, "quote": QUOTE}]),
    _item("a message that does not exist", NOTHING, evidence=[{"seq": 99, "quote": QUOTE}]),
    _item("a negative message", NOTHING, evidence=[{"seq": -1, "quote": QUOTE}]),
    _item("a number beyond every integer", NOTHING, evidence=[{"seq": 10**30, "quote": QUOTE}]),
    _item("an invented quote", NOTHING, evidence=[{"seq": 1, "quote": "I edit with emacs"}]),
    _item("a quote in another language", NOTHING, evidence=[{"seq": 1, "quote": "我用 vim 编辑"}]),
    _item("a quote in curly marks", STORED, evidence=[{"seq": 1, "quote": f"“{QUOTE}”"}]),
    _item("a quote of one common word", NOTHING, evidence=[{"seq": 1, "quote": "with"}]),
    _item("a name that is a path", STORED, name="../../etc/passwd"),
    _item("a name with control characters", STORED, name="vim\u0000\u202e\u001b[31m"),
    _item("a name that is reserved", STORED, name="MEMORY"),
    _item("a name that is missing", STORED, name=None),
    _item("a name of ten thousand letters", STORED, name="vim" * 3_000),
    _item("a description of many lines", STORED, description="vim\n" * 500),
    _item("content without end", STORED, content="The user edits with vim. " * 3_000),
    _item("content beyond every limit", FAILED, content="The user edits with vim. " * 9_000),
    _item("unknown keys", STORED, mood="happy", confidence={"value": 2}),
    _item("optional fields of the wrong types", STORED, usageScenario={"a": 1}, gist=3, keywords=1,
          category=[], importance="high", appliesTo=True, verify=[1], module={}),
    _item("fields that are not the model's", STORED, pinned=True, status="deprecated"),
    _item("an importance that is the user's", STORED, importance=1.0),
    _item("lone surrogates", STORED, gist="\ud83d vim"),
    _fault("null among the candidates", dumped(None, FACT), STORED),
    _fault("strings among the candidates", dumped("vim", 3, FACT), STORED),
    _fault("the same candidate fifty times", dumped(*[FACT] * 50), STORED),
    _fault("one fact under fifty names",
           dumped(*[FACT | {"name": f"vim-{n}"} for n in range(50)]), STORED),
    _fault("nothing but nulls", dumped(None, None), FAILED),
    _fault("an episode that is a list", dumped(FACT, episode=["worked"]), STORED),
    _fault("an episode without end", dumped(FACT, episode="worked on it " * 4_000), STORED),
]  # fmt: skip
FAULTS = [*FORM, *ITEMS]
