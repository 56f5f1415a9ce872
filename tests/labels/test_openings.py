from __future__ import annotations

import pytest

from catmem.memory.pipeline.labels import openings
from catmem.memory.pipeline.labels.openings import Reversal


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Wait, use 8080.", Reversal.OWN),
        ("hmm, actually no, stay with English", Reversal.OWN),
        ("不对，说错了，是 2 个空格", Reversal.OWN),
        ("等等，还是 30 分钟吧", Reversal.OWN),
        ("还是用中文吧", Reversal.OWN),
        ("No, the tests run with just.", Reversal.CONTRADICTION),
        ("no it's 8443", Reversal.CONTRADICTION),
        ("不是，开发库在另一台", Reversal.CONTRADICTION),
        ("No default exports.", None),
        ("Nothing else.", None),
        ("不要用 var", None),
        ("Waiting takes long.", None),
    ],
)
def test_reversals_are_known_by_their_opening(sentence: str, expected: Reversal | None) -> None:
    assert openings.reversal(sentence) is expected


@pytest.mark.parametrize("sentence", ["Wait, no.", "不对，", "Hmm, actually no"])
def test_a_reversal_may_stand_alone(sentence: str) -> None:
    assert openings.is_bare_reversal(sentence)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("How do I run the linter?", True),
        ("这里一定要加锁吗", True),
        ("压测脚本在哪", True),
        ("一般别人都怎么做", True),
        ("what is idempotent", True),
        ("Could you always answer in English?", False),
        ("你怎么又用 var 了，我们只用 const", False),
        ("代码里的注释只写为什么这么做", False),
        ("Don't use mocks.", False),
    ],
)
def test_questions(sentence: str, expected: bool) -> None:
    assert openings.is_question(sentence) is expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Nothing of it is shipped, so leave it alone.", True),
        ("财务每个月还要手动跑它", True),
        ("Keep it short.", False),
        ("rename it and push", False),
        ("I always use vim.", False),
    ],
)
def test_pronouns_point_back(sentence: str, expected: bool) -> None:
    assert openings.points_back(sentence) is expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("算了", True),
        ("算了，不改了。", True),
        ("never mind", True),
        ("scratch that", True),
        ("算了，不要 emoji，老板说不专业，以后都不要", False),
        ("Don't do it here, but in general do.", False),
    ],
)
def test_taking_back_puts_nothing_in_its_place(sentence: str, expected: bool) -> None:
    assert openings.is_cancelling(sentence) is expected
