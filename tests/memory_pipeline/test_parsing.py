from __future__ import annotations

import json
import time

import pytest

from catmem.memory.pipeline.answers.parsing import Found, find_items

MARKS = frozenset({"evidence", "content"})
A = {"name": "a", "content": "uses {braces} and ] in text"}
B = {"name": "b", "content": "two"}
BOTH = json.dumps({"candidates": [A, B]})


def read(text: str) -> Found | None:
    return find_items(text, "candidates", MARKS)


def items(text: str) -> list[dict[str, object]] | None:
    found = read(text)
    return None if found is None else list(found.items)


@pytest.mark.parametrize(
    "text",
    [
        BOTH,
        f"```json\n{BOTH}\n```\nExplanation: see above",
        f"```\n{BOTH}\n```",
        f"Here are the facts: {BOTH}",
        f"{BOTH} Hope this helps {{x}}",
        json.dumps([A, B]),
        f"[#3 user] said so: {BOTH}",
        f"{json.dumps(A)}\n{json.dumps(B)}",
        json.dumps({"result": {"candidates": [A, B]}}),
        json.dumps(BOTH),
        json.dumps({"candidates": json.dumps([A, B])}),
        json.dumps({"candidates": {"one": A, "two": B}}),
        BOTH.replace("}]}", "},],}"),
        BOTH.replace('"name": "b"', '// a comment\n "name": "b" /* } */'),
        "\ufeff" + BOTH,
        '{"candidates": []}\n' + BOTH,
        BOTH + '\n{"candidates": []}',
        json.dumps({"candidates": [A, B], "x": 1})[:-1] + ', "candidates": []}',
    ],
)
def test_b01_the_same_items_whatever_stands_around_the_object(text: str) -> None:
    assert items(text) == [A, B]


@pytest.mark.parametrize(
    "text",
    [
        f'<think>maybe {{"candidates": []}}</think>{BOTH}',
        f"so {{braces}} and a plan </think>\n{BOTH}",
        f'<think>maybe {{"candidates": []}} no: {BOTH}',
    ],
)
def test_b02_reasoning_before_the_object_is_not_the_answer(text: str) -> None:
    assert items(text) == [A, B]


def test_a_closing_tag_inside_a_string_is_text() -> None:
    item = {"content": "write </think> at the end"}

    assert items(json.dumps({"candidates": [item]})) == [item]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  \n",
        "I found nothing.",
        "<html><body>502 Bad Gateway</body></html>",
        '<think>maybe {"candidates": []}',
        '{"candidates": "none"}',
        '{"candidates": null}',
        '{"candidates": 3}',
        '{"candidates"',
        "{}",
        "null",
        "use list[] and {} here",
    ],
)
def test_what_cannot_be_read_is_not_an_empty_list(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize("text", ['{"candidates": []}', "[]", "```json\n[]\n```"])
def test_an_empty_list_is_an_answer(text: str) -> None:
    assert read(text) is not None
    assert items(text) == []


@pytest.mark.parametrize("end", [len(BOTH) - 1, len(BOTH) - 3, len(BOTH) - 10, BOTH.index("two")])
def test_b03_an_answer_that_breaks_off_keeps_what_was_finished(end: int) -> None:
    found = read(BOTH[:end])

    assert found is not None
    assert found.cut
    assert found.items[0] == A
    assert list(found.items) in ([A], [A, B])


def test_b03_an_answer_that_breaks_off_in_its_first_item_has_none() -> None:
    found = read(BOTH[:40])

    assert found is not None
    assert (found.items, found.cut) == ((), True)


def test_members_that_are_no_objects_are_counted() -> None:
    found = read('{"candidates": [1, "a", null, {"content": NaN}, {"content": Infinity}]}')

    assert found is not None
    assert (found.dropped, list(found.items)) == (3, [{"content": None}, {"content": None}])


def test_raw_line_breaks_in_a_string_are_kept() -> None:
    assert items('{"candidates": [{"content": "one\ntwo\tthree"}]}') == [
        {"content": "one\ntwo\tthree"}
    ]


@pytest.mark.parametrize(
    "pattern",
    [
        "{",
        "[",
        "[1,",
        '{"a":',
        '"',
        '["',
        '{"a":[{"b":"',
        "/*",
        "[/*",
        '{ "x',
        "[1 ",
        "[//\n",
        "\\",
    ],
)
def test_no_text_makes_it_slow(pattern: str) -> None:
    started = time.perf_counter()

    read(pattern * (100_000 // len(pattern)))

    assert time.perf_counter() - started < 3
