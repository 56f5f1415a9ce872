"""What was learned from labelled sentences: how words and a model's answer are weighed."""

from __future__ import annotations

import json

import pytest

from catmem.memory.pipeline.learned.weighing import CLASSES, WEIGHTS, by_both, by_words


@pytest.mark.parametrize(
    ("lasting", "passing"),
    [
        ("We use tabs in this project.", "Use tabs in this file."),
        ("Always run the formatter before you commit.", "Run the formatter again."),
        ("I prefer ripgrep over grep.", "grep for TODO in src"),
        ("Never log tokens in this repo, legal would kill us.", "it never logs anything"),
        ("All dates in the API are UTC.", "the date on the invoice must be bold"),
        ("i prefer short answers", "i prefer the second version"),
        ("we decided to stay on postgres", "maybe one day we switch to postgres"),
        ("keep commits small", "keep it in one file"),
        ("以后提交都用英文", "这次提交用英文"),
        ("我们的接口统一走网关鉴权", "把这个接口加上鉴权"),
        ("我习惯用 emacs", "打开 emacs 看看"),
        ("我们决定以后只用 pg", "我们昨天把库迁完了"),
        ("权限的事找同事小王", "小王刚才说权限好了"),
        ("提交前都要先跑测试", "先跑一下测试"),
    ],
)
def test_words_tell_lasting_from_passing(lasting: str, passing: str) -> None:
    assert by_words(lasting).lasting > 0 > by_words(passing).lasting


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'm the only tester on the team and new to Rust.", "user"),
        ("我平时用 emacs，不用 vim", "user"),
        ("stop rewriting my comments, just change the code", "feedback"),
        ("改代码之前先跟我说一声", "feedback"),
        ("order numbers are stored as strings because of leading zeros", "project"),
        ("我们的接口一律返回 snake_case", "project"),
        ("the runbook is at https://wiki.corp.example/runbook", "reference"),
        ("接口文档在飞书知识库里，有问题找老周", "reference"),
    ],
)
def test_words_tell_the_type(text: str, expected: str) -> None:
    kinds = by_words(text).kinds

    assert max(kinds, key=kinds.__getitem__) == expected


@pytest.mark.parametrize(
    "text", ["show all dates in UTC here", "keep commits small", "提交信息用英文"]
)
def test_a_model_decides_where_words_do_not(text: str) -> None:
    as_rule = by_both(text, {"feedback": 0.98, "now": 0.02})
    as_request = by_both(text, {"now": 0.98, "feedback": 0.02})

    assert as_rule.lasting > 0 > as_request.lasting
    assert max(as_rule.kinds, key=as_rule.kinds.__getitem__) == "feedback"


def test_every_feature_has_a_weight_for_each_class() -> None:
    weights = json.loads(WEIGHTS.read_text("utf-8"))

    rows = [*weights["words"].values(), *weights["joint"], weights["bias"], weights["joint_bias"]]
    assert {len(row) for row in rows} == {len(CLASSES)}
