from __future__ import annotations

import time

import pytest

from catmem.memory.pipeline.merging.keeping import merged


@pytest.mark.parametrize(
    ("old", "new", "quote", "result"),
    [
        (  # said by the person: the command is replaced
            "Tests run with `make test`.",
            "Tests run with `just test`.",
            "we run tests with just test now",
            "Tests run with `just test`.",
        ),
        (  # not said by the person: the old command stays
            "Tests run with `make test`.",
            "Tests run in Docker.",
            "tests run in docker",
            "Tests run in Docker.\nTests run with `make test`.",
        ),
        (  # a path of the old body that the correction does not touch stays
            "The user edits with vim; the configuration is in ~/.vimrc.",
            "The user edits with emacs now.",
            "I switched to emacs",
            "The user edits with emacs now.\nthe configuration is in ~/.vimrc.",
        ),
        (
            "Tests run with `make test`. Needs Docker 24.0 and port 5432.",
            "Tests run with `just test`.",
            "we run tests with just test now",
            "Tests run with `just test`.\nNeeds Docker 24.0 and port 5432.",
        ),
        (
            "The staging server is at 10.0.3.7.",
            "The staging server is at 10.0.3.9.",
            "staging moved to 10.0.3.9",
            "The staging server is at 10.0.3.9.",
        ),
        (  # two numbers are lost, one new one was named
            "Port 5432, timeout 30 s.",
            "Port 5433.",
            "the port is 5433",
            "Port 5433.\nPort 5432, timeout 30 s.",
        ),
        (
            "回滚用 `make undo`。日志在 /var/log/app。",
            "回滚改用 just undo。",
            "回滚改用 just undo，不用 make undo 了",
            "回滚改用 just undo。\n日志在 /var/log/app。",
        ),
        (  # a number inside a longer one is not the number
            "The pool has 5 connections.",
            "The pool has many connections, 50 at night.",
            "the pool has 50 connections at night, keep the 5",
            "The pool has many connections, 50 at night.\nThe pool has 5 connections.",
        ),
        (  # one goes, and the person says that the other stays
            "Pool 20, timeout 30 s.",
            "Timeout 60 s.",
            "change the timeout from 30 to 60 s and keep the pool at 20",
            "Timeout 60 s.\nPool 20",
        ),
        (  # digits next to Han
            "端口5432，超时30秒。",
            "端口改成5433。",
            "端口改成5433",
            "端口改成5433。\n端口5432，超时30秒。",
        ),
        (  # a sentence about something else, which holds nothing but words
            "The user edits with vim. Red and green look alike to them.",
            "The user edits with emacs.",
            "I switched to emacs from vim",
            "The user edits with emacs.\nRed and green look alike to them.",
        ),
        (  # a semicolon inside code does not cut it
            "Reset with `make clean; make db`. Ask Ana first.",
            "Reset the data with care.",
            "reset with care",
            "Reset the data with care.\nReset with `make clean; make db`.\nAsk Ana first.",
        ),
        (
            "Release 2026-03-01 from release/4.2 --sign, APP_ENV.",
            "Release from the new branch.",
            "release from the new branch",
            "Release from the new branch.\nRelease 2026-03-01 from release/4.2 --sign, APP_ENV.",
        ),
        (
            "发版日是2026年3月1日，脚本在 scripts/release.sh。",
            "发版日改到2026年4月2日。",
            "发版日改到2026年4月2日",
            "发版日改到2026年4月2日。\n脚本在 scripts/release.sh。",
        ),
        ("", "New.", "new", "New."),
        ("Same.", "Same.", "same", "Same."),
    ],
)
def test_literals_survive_unless_the_persons_words_replace_them(
    old: str, new: str, quote: str, result: str
) -> None:
    assert merged(old, new, [quote]) == result


def test_b10_other_subjects_of_a_long_entry_survive_a_one_line_update() -> None:
    old = "\n".join(f"- module{n} owns table{n}" for n in range(30))

    assert merged(old, "Indent with tabs.", ["indent with tabs"]) == f"Indent with tabs.\n{old}"


def test_without_typed_words_no_literal_is_replaced() -> None:
    assert merged("Use `make x`.", "Use `just x`.", []) == "Use `just x`.\nUse `make x`."


@pytest.mark.parametrize(
    ("old", "new", "quote"),
    [
        ("Tests run with `make test`. Needs port 5432.", "Tests run in Docker.", "in docker"),
        ("端口5432，超时30秒。日志在 /var/log/app。", "端口改成5433。", "端口改成5433"),
        ("Vim. Config in ~/.vimrc. Theme is dark.", "Emacs now.", "I moved to emacs"),
    ],
)
def test_the_same_update_again_does_not_grow_the_body(old: str, new: str, quote: str) -> None:
    once = merged(old, new, [quote])

    assert merged(once, new, [quote]) == once
    assert merged(once, once, [quote]) == once


@pytest.mark.parametrize("unit", ["a.", "A_", "a/", "not ", "in a ", "`", "数据，", "x", "1."])
def test_no_text_makes_it_slow(unit: str) -> None:
    begin = time.process_time()

    merged(unit * (60_000 // len(unit)), unit * (4_000 // len(unit)), [unit * 100])

    assert time.process_time() - begin < 5
