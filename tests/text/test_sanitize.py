"""Untrusted text cannot control a terminal, a Markdown page or a spreadsheet."""

from __future__ import annotations

import csv
import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from arena.text.sanitize import cell_width, csv_cell, markdown, terminal

# Lone surrogates too: a file's name may hold them.
ANY_TEXT = st.text(st.characters(), max_size=60)


@given(ANY_TEXT)
def test_a_terminal_gets_one_line_without_controls(text: str) -> None:
    """No escape sequence, line break, direction override or lone surrogate is left, and nothing else is changed."""
    shown = terminal(text)
    assert shown.isprintable() or all(unicodedata.category(character)[0] in "LMNPSZ" for character in shown)
    assert not set(shown) & set("\x1b\n\r\t\x07\x9b\u202e\u200b\u2028")
    shown.encode("utf-8")
    if text.isascii() and text.isprintable():
        assert shown == text


@given(ANY_TEXT, st.integers(1, 20))
def test_a_cut_text_is_as_short_as_asked(text: str, limit: int) -> None:
    """The limit counts what is shown, the mark of the cut included."""
    shown = terminal(text, limit)
    assert len(shown) <= limit
    assert shown == terminal(text) or shown.endswith("…")


@pytest.mark.parametrize(
    "text",
    [
        "a|b", "<script>alert(1)</script>", "**bold** _it_", "[x](http://e.vil)", "![x](y)", "`code`", "~~gone~~",
        "http://e.vil", "www.e.vil", "me@e.vil", "&lt;b&gt;", "\\|", "line\nbreak", "# title", "$x$",
        ":smile:", "@team",
    ],
)  # fmt: skip
def test_markdown_shows_the_text_itself(text: str) -> None:
    """Rendered in a table it is one cell of plain text, equal to what a terminal would show."""
    page = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(f"| a |\n|---|\n| {markdown(text)} |\n")
    cells = [page[index + 1] for index, token in enumerate(page) if token.type == "td_open"]
    assert len(cells) == 1
    children = cells[0].children or []
    assert {child.type for child in children} <= {"text", "text_special"}
    assert "".join(child.content for child in children) == terminal(text)


@given(ANY_TEXT)
def test_markdown_of_any_text_stays_one_cell(text: str) -> None:
    """Whatever the text, the table keeps its shape."""
    page = MarkdownIt("commonmark").enable("table").parse(f"| a | b |\n|---|---|\n| {markdown(text)} | end |\n")
    cells = [page[index + 1].content for index, token in enumerate(page) if token.type == "td_open"]
    assert len(cells) == 2
    assert cells[1] == "end"


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", " =1", "\t=1", "\r=1", "＝1"])
def test_a_spreadsheet_shows_and_does_not_compute(text: str) -> None:
    """A cell that could be a formula begins with an apostrophe, or with the escape of its control character."""
    assert csv_cell(text)[0] in "'\\"


@given(st.lists(ANY_TEXT, min_size=1, max_size=4))
def test_cells_come_back_from_a_csv_file(texts: list[str]) -> None:
    """One row stays one row."""
    buffer = io.StringIO()
    csv.writer(buffer).writerow([csv_cell(text) for text in texts])
    assert list(csv.reader(io.StringIO(buffer.getvalue()))) == [[csv_cell(text) for text in texts]]


def test_width_counts_columns() -> None:
    """Wide characters take two, marks none, so that tables stay aligned."""
    assert [cell_width(text) for text in ("", "abc", "日本", "e\u0301", "é")] == [0, 3, 4, 1, 1]
