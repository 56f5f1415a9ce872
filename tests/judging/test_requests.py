"""Explicit requests without any model: two lists for each language, and what takes one back."""

from __future__ import annotations

from pathlib import Path

import pytest

from catmem.memory.pipeline.judging.checks import check
from tests.memory_pipeline.talk import answered, said, window

SENTENCES = Path(__file__).parent / "sentences"


def sentences(name: str) -> list[str]:
    return (SENTENCES / f"{name}.txt").read_text("utf-8").splitlines()


def stored(*texts: str) -> list[str]:
    """What is stored of these messages when the model proposes nothing."""
    return [one.content for one in check(window(*map(said, texts)), ()).candidates]


@pytest.mark.parametrize("text", [*sentences("stored-en"), *sentences("stored-zh")])
def test_an_explicit_request_is_stored_in_the_persons_words(text: str) -> None:
    (content,) = stored(text)

    assert content in text


@pytest.mark.parametrize("text", [*sentences("not-stored-en"), *sentences("not-stored-zh")])
def test_what_asks_for_nothing_lasting_is_not_stored(text: str) -> None:
    assert stored(text) == []


def test_the_lists_have_the_size_that_is_asked_for() -> None:
    sizes = {path.stem: len(set(sentences(path.stem))) for path in SENTENCES.glob("*.txt")}

    assert len(sizes) == 4
    assert min(sizes.values()) >= 30


@pytest.mark.parametrize(
    ("text", "content"),
    [
        (
            "When you write SQL, always use upper-case keywords.",
            "When you write SQL, always use upper-case keywords",
        ),
        ("提交之前，永远不要跳过检查", "提交之前，永远不要跳过检查"),
        ("Use port 9000 for now, but always use 8000 in docs.", "always use 8000 in docs"),
        ("always use 8000 in docs, this time 9000 is fine", "always use 8000 in docs"),
        ("以后都用 8000，这次先用 9000", "以后都用 8000"),
        (
            'Remember the motto "never again", it is on the wiki',
            'the motto "never again", it is on the wiki',
        ),
        ("The demo box is wiped on Sundays, so never keep data there.",
         "The demo box is wiped on Sundays, so never keep data there"),
        ("签名是老王负责的，以后这类问题直接问他", "签名是老王负责的，以后这类问题直接问他"),
        ("提交信息里不放表情，以后都不要", "提交信息里不放表情，以后都不要"),
        ("Could you please remember that I hold the root key?", "I hold the root key"),
        ("以后都用中文回答，好吗？", "以后都用中文回答"),
    ],
)  # fmt: skip
def test_a_request_holds_what_belongs_to_it_and_nothing_else(text: str, content: str) -> None:
    assert stored(text) == [content]


@pytest.mark.parametrize(
    ("texts", "contents"),
    [
        (["Always use spaces.", "actually no, use tabs"], ["use tabs"]),
        (["Always use spaces.", "Wait, no.", "Use tabs."], ["Use tabs"]),
        (["Always use spaces. Actually, always use tabs."], ["always use tabs"]),
        (["Always use spaces.", "Never use spaces."], ["Never use spaces"]),
        (["以后都用 npm", "不对，还是用 pnpm"], ["用 pnpm"]),
        (["以后都用 npm。等等，用 pnpm"], ["用 pnpm"]),
        (["不要再写注释了", "算了，以后还是写注释"], ["以后还是写注释"]),
        (["Let's use spaces from now on.", "Wait, no. Tabs are what the team agreed on, use tabs."],
         ["Tabs are what the team agreed on, use tabs"]),
        (["以后缩进都用两格", "不对，说错了，是四格，和格式化工具一致"],
         ["是四格，和格式化工具一致 (更正：以后缩进都用两格)"]),
        (["Answer in Latin from now on.", "hm, actually make that Greek, my team reads along"],
         ["Greek, my team reads along (corrects: Answer in Latin from now on)"]),
        (["From now on use metric units.", "convert 5 miles", "no, give me both, metric first"],
         ["give me both, metric first (corrects: From now on use metric units)"]),
        # What has nothing to do with the request, or holds for now, leaves it alone.
        (["Always use spaces.", "wait, use port 9000 for the development server"],
         ["Always use spaces"]),
        (["Always use spaces.", "actually no, use tabs just for now"], ["Always use spaces"]),
        (["以后都用 npm", "等等，这次先用 pnpm"], ["以后都用 npm"]),
        (["Always use spaces.", "no, that test is still red"], ["Always use spaces"]),
        (["Always use spaces.", "Run the linter.", "no, always ask first"],
         ["Always use spaces", "always ask first"]),
        (["以后都用 pnpm", "不对，测试还是红的"], ["以后都用 pnpm"]),
    ],
)  # fmt: skip
def test_of_two_that_contradict_each_other_the_later_counts(
    texts: list[str], contents: list[str]
) -> None:
    assert stored(*texts) == contents


@pytest.mark.parametrize(
    ("texts", "contents"),
    [
        (["Always use spaces.", "never mind"], []),
        (["以后都用 npm", "算了"], []),
        (["记住用 9 号端口", "跑一下测试", "刚才那个别记了"], []),
        (["Remember the port is 9", "run the tests", "don't remember that"], []),
        # A "never mind" about something else does not take back what was asked long before.
        (["Always use spaces.", "Run the linter.", "never mind, it works"], ["Always use spaces"]),
        (["以后都用 pnpm", "帮我跑一下测试", "算了，不跑了"], ["以后都用 pnpm"]),
    ],
)
def test_taking_back_concerns_what_was_said_just_before(
    texts: list[str], contents: list[str]
) -> None:
    assert stored(*texts) == contents


def test_answers_in_between_do_not_part_a_reversal_from_what_it_reverses() -> None:
    talk = window(said("Always use spaces."), answered("Done."), said("Actually no, use tabs."))

    assert [one.content for one in check(talk, ()).candidates] == ["use tabs"]
