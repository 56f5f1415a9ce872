"""Drawing finished Markdown pieces as lines for the scrollback.

markdown-it parses each piece once; this module lays its blocks out with rich's ``Text`` and
``Table``. rich's own Markdown is not used because it drops tags (``<b>``), joins a model's lines,
cuts code in narrow lists and pads every line to the window's width. Loaded after the first prompt
is up.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich import box
from rich.console import Console, JustifyMethod
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from catmem.ui.markdown.commit import Piece, PieceKind

_CODE_THEME = "ansi_dark"
_TAB = 4
_NARROWEST = 8
_CELLS_PER_COLUMN = 6
_RULE_CELLS = 40
_HEADING = {"h1": "bold underline", "h2": "bold underline", "h3": "bold"}
_INLINE = {"strong_open": "bold", "em_open": "italic", "s_open": "strike"}


class Renderer:
    """Draws pieces at a width, with the colours the terminal has."""

    def __init__(self) -> None:
        self._parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
        self._console = Console(
            file=io.StringIO(),
            force_terminal=True,
            markup=False,
            highlight=False,
            emoji=False,
            legacy_windows=False,
        )

    def render(self, pieces: Sequence[Piece], width: int) -> str:
        """Return the lines of ``pieces``, each block with a blank line before it."""
        self._console.width = max(width, _NARROWEST)
        lines: list[Text] = []
        for batch in _batches(pieces):
            if batch[0].first:
                lines.append(Text())
            source = "\n".join(piece.text for piece in batch)
            if batch[0].kind is PieceKind.CODE:
                lines += _code(source, batch[0].language)
            else:
                lines += _Layout(self._console).lay_out(self._parser.parse(source))
        if not lines:
            return ""
        with self._console.capture() as capture:
            self._console.print(Text("\n").join(lines), soft_wrap=True)
        return capture.get()


@dataclass(slots=True)
class _Container:
    """A list item or quote: what stands before its first line, and before the others."""

    first: Text
    rest: Text
    empty: bool = True

    def prefix(self) -> Text:
        text = self.first if self.empty else self.rest
        self.empty = False
        return text


@dataclass(slots=True)
class _Layout:
    """Turns one parse into lines, keeping track of the containers it is in."""

    console: Console
    lines: list[Text] = field(default_factory=list)
    containers: list[_Container] = field(default_factory=list)
    numbers: list[int | None] = field(default_factory=list)
    style: str = ""

    def lay_out(self, tokens: Sequence[Token]) -> list[Text]:
        """Return the lines of ``tokens``."""
        index = 0
        while index < len(tokens):
            token = tokens[index]
            if token.type == "table_open":
                end = next(i for i in range(index, len(tokens)) if tokens[i].type == "table_close")
                self._table(tokens[index:end])
                index = end
            else:
                self._token(token)
            index += 1
        return self.lines

    def _token(self, token: Token) -> None:
        match token.type:
            case "heading_open":
                self.style = _HEADING.get(token.tag, "bold italic")
            case "heading_close":
                self.style = ""
            case "paragraph_open":
                self._space(wanted=not token.hidden)
            case "inline":
                self._text(_inline(token.children or [], self.style))
            case "fence" | "code_block":
                self._code(token)
            case "hr":
                self._put(Text("─" * min(self._width(), _RULE_CELLS), "dim"))
            case _:
                self._container(token)

    def _container(self, token: Token) -> None:
        match token.type:
            case "bullet_list_open":
                self.numbers.append(None)
            case "ordered_list_open":
                self.numbers.append(int(token.attrs.get("start", 1)))
            case "bullet_list_close" | "ordered_list_close":
                self.numbers.pop()
            case "list_item_open":
                marker = self._marker()
                self.containers.append(_Container(Text(marker, "bold"), Text(" " * len(marker))))
            case "blockquote_open":
                bar = Text("▌ ", "dim")
                self.containers.append(_Container(bar, bar))
            case "list_item_close" | "blockquote_close":
                if self.containers[-1].empty:
                    self._put(Text())
                self.containers.pop()

    def _marker(self) -> str:
        number = self.numbers[-1]
        if number is None:
            return " • "
        self.numbers[-1] = number + 1
        return f"{number:>2}. "

    def _space(self, *, wanted: bool) -> None:
        """Put a blank line between two paragraphs of a container."""
        if wanted and self.containers and not self.containers[-1].empty:
            self._put(Text())

    def _width(self) -> int:
        taken = sum(container.rest.cell_len for container in self.containers)
        return max(self.console.width - taken, 1)

    def _put(self, text: Text) -> None:
        line = Text()
        for container in self.containers:
            line.append_text(container.prefix())
        line.append_text(text)
        line.rstrip()
        self.lines.append(line)

    def _text(self, text: Text) -> None:
        width = self._width()
        if "\n" not in text.plain and text.cell_len <= width:
            self._put(text)
            return
        for line in text.wrap(self.console, width):
            self._put(line)

    def _code(self, token: Token) -> None:
        for line in _code(token.content.rstrip("\n"), (token.info.split() or [""])[0]):
            self._put(line)

    def _table(self, tokens: Sequence[Token]) -> None:
        rows = _rows(tokens)
        columns = len(rows[0])
        if self._width() < columns * _CELLS_PER_COLUMN:
            self._narrow_table([[text for text, _ in row] for row in rows])
            return
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
        for head, justify in rows[0]:
            table.add_column(head, justify=justify, overflow="fold")
        for row in rows[1:]:
            table.add_row(*(text for text, _ in row))
        options = self.console.options.update(width=self._width())
        for segments in self.console.render_lines(table, options, pad=False):
            self._put(Text.assemble(*((part.text, part.style or "") for part in segments)))

    def _narrow_table(self, rows: list[list[Text]]) -> None:
        """Where columns have no room: one line for each cell, with its column's name."""
        for row in rows[1:]:
            for head, cell in zip(rows[0], row, strict=True):
                self._text(Text.assemble(head, ": ", cell))


def _batches(pieces: Sequence[Piece]) -> Iterator[list[Piece]]:
    """Group what is drawn at once: new items of one list, new lines of one code block."""
    batch: list[Piece] = []
    for piece in pieces:
        if batch and (piece.first or piece.kind is not batch[-1].kind):
            yield batch
            batch = []
        batch.append(piece)
    if batch:
        yield batch


def _code(code: str, language: str) -> list[Text]:
    """Return the lines of a piece of code, coloured where its language is known; not wrapped."""
    code = code.expandtabs(_TAB)
    lexer = Syntax("", language, theme=_CODE_THEME).lexer if language else None
    if lexer is None:
        return [Text(line, "cyan") for line in code.split("\n")]
    syntax = Syntax("", lexer, theme=_CODE_THEME, background_color="default")
    lines = list(syntax.highlight(code).split("\n", allow_blank=True))
    return lines[: code.count("\n") + 1]


def _inline(tokens: Sequence[Token], base: str) -> Text:
    """Return a paragraph's text with its styles; a model's line breaks stay."""
    text = Text(style=base)
    styles: list[str] = []
    links: list[tuple[int, str]] = []
    for token in tokens:
        match token.type:
            case "text" | "text_special":
                text.append(token.content, " ".join(styles) or None)
            case "code_inline":
                text.append(token.content, " ".join([*styles, "cyan"]))
            case "softbreak" | "hardbreak":
                text.append("\n")
            case "strong_open" | "em_open" | "s_open":
                styles.append(_INLINE[token.type])
            case "strong_close" | "em_close" | "s_close" | "link_close":
                styles.pop()
                if token.type == "link_close":
                    _link_address(text, *links.pop())
            case "link_open":
                styles.append("underline")
                links.append((len(text), str(token.attrs.get("href", ""))))
            case "image":
                text.append(f"![{token.content}]({token.attrs.get('src', '')})")
            case _:
                text.append(token.content)
    return text


def _link_address(text: Text, start: int, address: str) -> None:
    if text.plain[start:] != address.removeprefix("mailto:"):
        text.append(f" ({address})", "dim")


def _rows(tokens: Sequence[Token]) -> list[list[tuple[Text, JustifyMethod]]]:
    """Return the cells of a table with their alignment, head row first."""
    rows: list[list[tuple[Text, JustifyMethod]]] = []
    justify: JustifyMethod = "left"
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type in {"th_open", "td_open"}:
            style = str(token.attrs.get("style", ""))
            justify = "right" if "right" in style else "center" if "center" in style else "left"
        elif token.type == "inline":
            rows[-1].append((_inline(token.children or [], ""), justify))
    return rows
