"""What a quote must be to prove something."""

from __future__ import annotations

import pytest

from tests.judging.talks import fact, kept
from tests.memory_pipeline.talk import answered, said


@pytest.mark.parametrize(
    ("quote", "stands"),
    [
        ("use", False),
        ("vim", False),
        ("the", False),
        ("please use", False),
        ("or code review", False),
        ("tests", True),
        ("test", False),
        ("use vim", True),
        ("USE  «VIM»", True),
        ("se vi", False),
        ("vim for code and tests", True),
        ("vim 编辑", False),
    ],
)
def test_a_quote_must_say_enough_and_stand_there_in_whole_words(quote: str, stands: bool) -> None:
    text = "please use vim for code and tests, and nano when you write commit messages for me"

    assert kept([said(text)], fact(1, quote, "user", "The user edits with vim.")) == (
        ["user"] if stands else []
    )


@pytest.mark.parametrize(
    ("quote", "stands"),
    [("的", False), ("用", False), ("编辑器", True), ("用 vim", True), ("用ＶＩＭ，写代码", True)],
)
def test_a_chinese_quote_must_say_enough_too(quote: str, stands: bool) -> None:
    text = "我的编辑器很老了，平时用 vim 写代码，写文档的时候偶尔也打开别的东西看一看"

    assert kept([said(text)], fact(1, quote, "user", "用户用 vim 写代码。")) == (
        ["user"] if stands else []
    )


def test_a_short_message_may_be_quoted_whole_but_thanks_prove_nothing() -> None:
    editor = fact(2, "vim", "user", "The user edits with vim.")
    talk = [answered("Which editor do you use, vim or emacs?"), said("vim")]

    assert kept(talk, editor) == ["user"]
    assert kept([*talk[:1], said("ok, thanks!")], fact(2, "ok, thanks", "user", "vim")) == []


def test_a_quote_of_the_agents_words_makes_no_preference() -> None:
    talk = [said("which editor is good?"), answered("You prefer vim, I think.")]

    assert kept(talk, fact(2, "You prefer vim", "user", "The user prefers vim.")) == []
    assert kept(talk, fact(2, "You prefer vim", "project", "vim is in use")) == ["project"]
