"""What sounds like a rule and is none: told by form, in both languages."""

from __future__ import annotations

import pytest

from catmem.memory.pipeline.hearsay.passages import own_words
from catmem.memory.pipeline.judging.checks import check
from catmem.memory.pipeline.labels.openings import settled
from tests.memory_pipeline.talk import said, window


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
