from __future__ import annotations

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
