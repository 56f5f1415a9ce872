"""What sounds like a rule and is none: told by form, in both languages."""

from __future__ import annotations

import pytest

from catmem.memory.pipeline.hearsay import remarks
from catmem.memory.pipeline.hearsay.passages import own_words
from catmem.memory.pipeline.judging.checks import check
from catmem.memory.pipeline.labels import cues
from catmem.memory.pipeline.labels.judge import kind_of
from catmem.memory.pipeline.labels.openings import settled
from tests.memory_pipeline.talk import said, window


@pytest.mark.parametrize(
    "sentence",
    [
        "the linter complains: prefer const over let",
        'The guide of that framework says "always export a default".',
        "my old company always deployed on Fridays",
        "in the tutorial they always use global state",
        "maybe one day we switch to Bazel",
        "we could move everything to Go at some point",
        "sure, let's never lock a door again 🙄",
        "write a slogan that says never stop learning",
        "网上都说永远不要用 eval",
        "隔壁组从来不写文档",
        "过阵子可能会考虑分库",
        "行啊，以后都不用备份了呗",
        "帮我写一句标语：永远不要停止学习",
    ],
)
def test_words_of_others_wishes_irony_and_texts_speak_against(sentence: str) -> None:
    assert remarks.against(sentence) >= 3


@pytest.mark.parametrize(
    "sentence",
    [
        "error messages should tell the user what to do next",
        "We may not use GPL code in this product.",
        "The client says every page needs an imprint.",
        "comments only where the code can't say it",
        "write commit messages like 'fix: what was broken'",
        "if you touch the schema, run the generator",
        "权限的事找同事小王",
        "以后提交前都要跑测试",
        "设计接口要考虑并发",
    ],
)
def test_rules_that_look_alike_are_left_alone(sentence: str) -> None:
    assert remarks.against(sentence) == 0


@pytest.mark.parametrize(
    "text",
    [
        "以后 bug 都留给用户发现呗，多省事 🙃",
        "Write a sample guide with 'always sign your work' in it",
        "why?\n\nTraceback (most recent call last):\nValueError: always pass a zone; never none",
        "look:\nTypeError: never call this twice",
    ],
)
def test_no_request_is_heard_in_irony_texts_and_pasted_errors(text: str) -> None:
    assert check(window(said(text)), ()).candidates == ()


def test_only_the_persons_own_lines_are_left_of_a_paste() -> None:
    text = (
        "what is this\n"
        "src/app.ts:12:3: error TS2304\n"
        "error[E0308]: mismatched types\n"
        "    at run (main.js:4:1)\n"
        "> you must always reply\n"
        "$ make all\n"
        "warning: never run this on production, that is our rule\n"
        "# Rules\n"
    )

    assert [line for line in own_words(text).split("\n") if line] == [
        "what is this",
        "warning: never run this on production, that is our rule",
        "# Rules",
    ]
    assert own_words(text).count("\n") == text.count("\n")


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("the proxy is on 3128, no wait, 3129", "the proxy is on 3129"),
        ("we use jest - sorry, vitest", "we use vitest"),
        ("代理端口是 3128，哦不对，3129。", "代理端口是 3129。"),
        ("one line, no body please", "one line, no body please"),
        ("我用的是 zsh，不是 bash", "我用的是 zsh，不是 bash"),
        ("version 2, sorry, postgres", "version 2, sorry, postgres"),
    ],
)
def test_slips_of_the_tongue_are_put_right(sentence: str, expected: str) -> None:
    assert settled(sentence) == expected


@pytest.mark.parametrize(
    ("moment", "lasting"),
    [
        ("the title must be red", "all titles must be red"),
        ("i prefer the second version", "i prefer short versions"),
        ("add a check so the form never submits twice", "add a test for every bug you fix"),
        ("don't use a macro for this", "don't use macros"),
        ("这个函数必须返回数组", "所有函数必须返回数组"),
        ("我们昨天把库迁完了", "我们昨天决定以后只用 pg"),
    ],
)
def test_words_tell_one_thing_now_from_a_rule(moment: str, lasting: str) -> None:
    assert cues.lean(moment) < cues.lean(lasting)
    assert cues.lean(moment) <= 0 < cues.lean(lasting)


@pytest.mark.parametrize(
    ("text", "kinds", "expected"),
    [
        ("I'm the only tester on the team, so explain", (0.1, 0.6, 0.2, 0), "user"),
        ("mac user here, no apt", (0.3, 0.4, 0.2, 0), "user"),
        ("new to Rust, explain the borrow checker", (0.1, 0.6, 0.1, 0), "user"),
        ("我看代码喜欢先看测试", (0.2, 0.1, 0.6, 0), "user"),
        ("order numbers are strings", (0.4, 0.1, 0.2, 0), "project"),
        ("keep it plain unless I say otherwise", (0.4, 0.25, 0.3, 0), "feedback"),
        ("the tokens are in the brand file", (0, 0, 0.1, 0.9), "reference"),
        ("use early returns", (0, 0.3, 0.1, 0.4), "feedback"),
    ],
)
def test_words_correct_the_type(
    text: str, kinds: tuple[float, float, float, float], expected: str
) -> None:
    named = dict(zip(("user", "feedback", "project", "reference"), kinds, strict=True))

    assert kind_of(text, named) == expected
