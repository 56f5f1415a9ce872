from __future__ import annotations

import json

import pytest

from catmem.providers.local.acting.reply import JsonText, ReplyReader

TEXTS = ["plain", 'a "quoted" \\ word', "tab\tand\nline", "猫 und 🐈", "", "ends with \\"]


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
@pytest.mark.parametrize("text", TEXTS)
def test_a_json_string_is_decoded_wherever_it_is_cut(
    text: str, size: int, ascii_only: bool
) -> None:
    inside = json.dumps(text, ensure_ascii=ascii_only)[1:]
    reader = JsonText()

    out = "".join(reader.feed(inside[at : at + size]) for at in range(0, len(inside), size))

    assert (out, reader.closed) == (text, True)


def test_a_lone_surrogate_becomes_the_replacement_character() -> None:
    assert JsonText().feed('\\udc08x"') == "\ufffdx"


def test_an_answer_shows_before_it_is_whole_and_other_actions_do_not() -> None:
    answer, other = ReplyReader(), ReplyReader()

    shown = [list(answer.feed(p)) for p in ('{"action": "ans', 'wer", "text": "Hel', 'lo"}')]
    silent = [list(other.feed(p)) for p in ('{"action": "read", ', '"path": "a.py"}')]

    assert (shown, answer.is_answer) == ([[], ["Hel"], ["lo"]], True)
    assert (silent, other.is_answer) == ([[], []], False)
    assert other.action() == {"action": "read", "path": "a.py"}


def test_a_cut_action_is_none() -> None:
    reader = ReplyReader()
    list(reader.feed('{"action": "write", "path": "a.py", "content": "x = '))

    assert reader.action() is None
