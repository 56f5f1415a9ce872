from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from catmem.ui.markdown.commit import Committer, Piece, PieceKind
from catmem.ui.markdown.render import Renderer
from tests.ui.ansi import plain

BLOCKS = [
    "{0} first line\n{1} second 中文 line\n",
    "# {0} heading\n",
    "{0}\n===\n",
    "- {0} item\n- {1} item\n  with {2} more\n- {3}\n",
    "* {0}\n  - {1} nested\n    - {2} deep\n  - {3}\n",
    "1. {0}\n2. {1}\n   ```py\n   x = '{2}'\n   - {3} = no item\n   ```\n3. {4}\n",
    "- {0}\n\n  {1} second paragraph\n\n- {2} loose\n",
    "```python\n{0} = 1\n\n- {1} = no item\n# {2} no heading\n```\n",
    "~~~\n{0}\n```\n{1}\n~~~\n",
    "    {0} indented code\n\n    {1} more\n",
    "> {0} quoted\n> {1} quoted\n{2} lazy\n",
    "| {0} | {1} |\n|---|--:|\n| {2} | 中文 {3} |\n",
    "---\n",
    "<div>\n<p>{0}</p>\n</div>\n",
    "{0} before a list:\n- {1}\n- {2}\n",
]


def documents(count: int) -> Iterator[tuple[str, list[str]]]:
    """Yield random documents with the marks in them, in order."""
    for seed in range(count):
        chance = random.Random(seed)
        text = ""
        marks: list[str] = []
        for _ in range(chance.randint(1, 9)):
            block = chance.choice(BLOCKS)
            names = [f"mk{len(marks) + n:03d}" for n in range(block.count("{"))]
            marks += names
            text += block.format(*names) + chance.choice(["\n", "\n", "\n\n"])
        yield text, marks


def chunks(text: str, seed: int) -> Iterator[str]:
    chance = random.Random(seed)
    while text:
        size = chance.choice([1, 2, 3, 7, 20, 200])
        yield text[:size]
        text = text[size:]


def commit(parts: Iterator[str] | list[str]) -> list[Piece]:
    committer = Committer()
    pieces = [piece for part in parts for piece in committer.feed(part)]
    return pieces + committer.finish()


def test_chunks_do_not_change_the_pieces() -> None:
    for seed, (text, _) in enumerate(documents(60)):
        whole = commit([text])

        assert commit(chunks(text, seed)) == whole
        assert commit(list(text)) == whole


@pytest.mark.parametrize("width", [24, 80])
def test_each_word_of_an_answer_is_drawn_exactly_once_and_in_order(width: int) -> None:
    renderer = Renderer()
    for seed, (text, marks) in enumerate(documents(60)):
        committer = Committer()
        drawn = "".join(
            plain(renderer.render(committer.feed(part), width)) for part in chunks(text, seed)
        )
        drawn += plain(renderer.render(committer.finish(), width))

        positions = [drawn.find(mark) for mark in marks]
        assert [mark for mark in marks if drawn.count(mark) != 1] == [], text
        assert positions == sorted(positions), text


def test_open_code_comes_line_by_line() -> None:
    committer = Committer()

    assert committer.feed("text\n```python\na = 1\nb") == [
        Piece(PieceKind.BLOCK, "text"),
        Piece(PieceKind.CODE, "a = 1", first=True, language="python"),
    ]
    assert committer.feed(" = 2\n") == [Piece(PieceKind.CODE, "b = 2", False, "python")]
    assert committer.feed("```\n") == []


def test_open_list_comes_item_by_item() -> None:
    committer = Committer()

    assert committer.feed("- one\n- two") == []
    assert committer.feed("\n  more\n") == [Piece(PieceKind.ITEM, "- one")]
    assert committer.tail(6) == ["- two", "  more"]
    assert committer.feed("\nend\n") == [Piece(PieceKind.ITEM, "- two\n  more", first=False)]
    assert committer.finish() == [Piece(PieceKind.BLOCK, "end")]
    assert committer.tail(6) == []


def test_paragraph_and_table_come_at_their_end() -> None:
    committer = Committer()

    assert committer.feed("| a |\n|---|\n| 1 |\n") == []
    assert committer.feed("\n") == [Piece(PieceKind.BLOCK, "| a |\n|---|\n| 1 |")]
    assert committer.feed("one\ntwo\n") == []
    assert committer.feed("# next\n") == [
        Piece(PieceKind.BLOCK, "one\ntwo"),
        Piece(PieceKind.BLOCK, "# next"),
    ]


def test_a_number_in_a_paragraph_starts_no_list() -> None:
    assert commit(["It was\n1986. A good year.\n"]) == [
        Piece(PieceKind.BLOCK, "It was\n1986. A good year.")
    ]


def test_c02_escape_sequences_split_over_chunks_do_not_survive() -> None:
    pieces = commit(["a\x1b", "]52;c;aGk=\x07b\x1b[", "2Jc\r\nnext \u202eline\n"])

    assert pieces == [Piece(PieceKind.BLOCK, "abc\nnext line")]


def test_tail_of_a_line_without_end_is_bounded() -> None:
    committer = Committer()
    for _ in range(2000):
        committer.feed("word " * 20)

    assert len(committer.tail(6)[0]) <= 4000
    assert len(committer.finish()[0].text) == 2000 * 100 - 1


def test_after_finish_a_new_answer_begins() -> None:
    committer = Committer()
    committer.feed("```\nopen code\n")
    committer.finish()

    assert committer.feed("plain\n\n") == [Piece(PieceKind.BLOCK, "plain")]
