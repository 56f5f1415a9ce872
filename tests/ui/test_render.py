from __future__ import annotations

from catmem.ui.markdown.commit import Committer
from catmem.ui.markdown.render import Renderer
from tests.ui.ansi import plain


def draw(text: str, width: int = 60) -> list[str]:
    committer = Committer()
    pieces = committer.feed(text) + committer.finish()
    return plain(Renderer().render(pieces, width)).split("\n")


def test_blocks_and_their_spacing() -> None:
    assert draw("# Title\ntext with **bold** and `code`\n\n- a\n- b\n  1. c\n\n---\nend\n") == [
        "",
        "Title",
        "",
        "text with bold and code",
        "",
        " • a",
        " • b",
        "    1. c",
        "",
        "─" * 40,
        "",
        "end",
        "",
    ]


def test_c01_markup_and_tags_are_literal() -> None:
    assert draw("[/red] [bold]x[/bold] :smile: <b>kept</b>\n\n<thinking>\nyes\n</thinking>\n") == [
        "",
        "[/red] [bold]x[/bold] :smile: <b>kept</b>",
        "",
        "<thinking>",
        "yes",
        "</thinking>",
        "",
    ]


def test_links_show_their_address() -> None:
    text = "[docs](https://example.org/a)\n<https://example.org>\n![pic](p.png)\n"

    assert draw(text) == [
        "",
        "docs (https://example.org/a)",
        "https://example.org",
        "![pic](p.png)",
        "",
    ]


def test_c14_wide_characters_wrap_at_the_window() -> None:
    assert draw("这是一段很长的中文，没有空格，也要换行。\n", 20) == [
        "",
        "这是一段很长的中文，",
        "没有空格，也要换行。",
        "",
    ]


def test_table_with_alignment_and_wide_characters() -> None:
    assert draw("| name | n |\n|---|--:|\n| 中文 | 1 |\n| [/x] | 22 |\n") == [
        "",
        "name    n",
        "─────────",
        "中文    1",
        "[/x]   22",
        "",
    ]


def test_c05_table_without_room_becomes_lines() -> None:
    assert draw("| name | n |\n|---|--:|\n| 中文 | 1 |\n| b | 2 |\n", 10) == [
        "",
        "name: 中文",
        "n: 1",
        "name: b",
        "n: 2",
        "",
    ]


def test_code_keeps_its_lines_also_in_a_list() -> None:
    long = "x = " + "1 + " * 30 + "1"

    assert draw(f"```python\n\n{long}\n\n\ty\n```\n1. see\n   ```\n   {long}\n   ```\n", 30) == [
        "",
        "",
        long,
        "",
        "    y",
        "",
        " 1. see",
        f"    {long}",
        "",
    ]


def test_numbers_of_a_list_go_on_when_it_comes_in_pieces() -> None:
    committer, renderer = Committer(), Renderer()
    drawn = ""
    for line in ["9. nine\n", "10. ten\n", "11. eleven\n", "\n"]:
        drawn += plain(renderer.render(committer.feed(line), 40))
    drawn += plain(renderer.render(committer.finish(), 40))

    assert drawn.split("\n") == ["", " 9. nine", "10. ten", "11. eleven", ""]


def test_c05_every_width_draws_something() -> None:
    text = "# t\n> - quote 中文\n\n1. a\n   - b\n     - c\n\n| a | b |\n|--|--|\n| 1 | 2 |\n"
    for width in range(1, 30):
        assert "中" in "".join(draw(text, width))


def test_no_line_is_padded_to_the_window() -> None:
    assert [
        line for line in draw("a\n\n> b\n\n- c\n\n| d |\n|---|\n| e |\n") if line[-1:] == " "
    ] == []
