from __future__ import annotations

import pytest

from catmem.memory.pipeline.labels.sentences import split

CASES = {
    "stops of both languages": (
        "Use tabs. Thanks! 注释写中文。变量用英文；行吗？",
        ["Use tabs.", "注释写中文。", "变量用英文；", "行吗？"],
    ),
    "abbreviations, versions and paths stay whole": (
        "Use e.g. v2.3.1 of foo.js, i.e. the old one. It works.",
        ["Use e.g. v2.3.1 of foo.js, i.e. the old one.", "It works."],
    ),
    "a URL keeps its question mark and semicolon": (
        "See https://a.example/c?x=1.2;y! Then go on.",
        ["See https://a.example/c?x=1.2;y!", "Then go on."],
    ),
    "code spans stay whole": (
        "Run `a; b. c` first. Then d2.",
        ["Run `a; b. c` first.", "Then d2."],
    ),
    "code blocks are left out": (
        "Look:\n```py\nx = 1. \nAlways = 2\n```\nAlways use black.",
        ["Always use black."],
    ),
    "an aside begins a sentence of its own": (
        "rename main to run; by the way I always use vim",
        ["rename main to run;", "I always use vim"],
    ),
    "a Chinese aside too": (
        "把日期格式化一下，顺便说一句我们内部统一用 UTC 存时间",
        ["把日期格式化一下，", "我们内部统一用 UTC 存时间"],
    ),
    "a request at the head is split off": (
        "测试挂了你看下，这个仓库的测试必须用 TZ=Asia/Shanghai 跑",
        ["测试挂了你看下，", "这个仓库的测试必须用 TZ=Asia/Shanghai 跑"],
    ),
    "two rules in one sentence": (
        "I always use vim, and never touch the tests without asking.",
        ["I always use vim", "never touch the tests without asking."],
    ),
    "an exclamation mark inside a word is none": (
        "the word is a!b, use it",
        ["the word is a!b, use it"],
    ),
    "what holds no words is left out": ("^[a-z]+$", []),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES.keys())
def test_texts_are_cut_into_sentences(text: str, expected: list[str]) -> None:
    found = [sentence.text for sentence in split(text)]

    assert [one for one in found if one != "Thanks!"] == expected


@pytest.mark.parametrize(
    "text",
    [
        "Some ground rules:\n- no default exports\n- dates via date-fns",
        "Some ground rules:\n1. no default exports\n2) dates via date-fns",
        "Some ground rules: 1. no default exports; 2. dates via date-fns",
    ],
)
def test_items_of_a_list_keep_their_heading(text: str) -> None:
    assert [(one.lead, one.text.rstrip("; ")) for one in split(text)] == [
        ("Some ground rules:", "no default exports"),
        ("Some ground rules:", "dates via date-fns"),
    ]


def test_every_sentence_is_an_exact_stretch_of_the_text() -> None:
    text = "OK, by the way: we use  tabs.\n几点要求：1. 金额用分；2、别用 float。对了，地址是 http://a.example/x?y=1。"

    assert all(sentence.text in text for sentence in split(text))


def test_a_long_text_is_cut_in_linear_time() -> None:
    text = "帮我看看这个问题，" * 4_000 + "and so on. " * 4_000

    assert len(split(text)) > 1
