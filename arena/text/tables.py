"""Text for a terminal: aligned columns, and nothing from outside that could control it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arena.text.sanitize import cell_width, terminal


def columns(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of aligned columns; a column of numbers is flushed right.

    >>> print(columns(["bot", "matches"], [["greedy", 12], ["x", 7]]))
    bot     matches
    greedy       12
    x             7
    >>> print(columns(["author", "bot"], [["機械", "a"], ["eve", "b"]]))
    author  bot
    機械    a
    eve     b
    """
    found = [list(row) for row in rows]
    right = [bool(found) and all(isinstance(row[i], (int, float)) for row in found) for i in range(len(headers))]
    lines = [list(headers), *([_cell(value) for value in row] for row in found)]
    widths = [max(cell_width(line[i]) for line in lines) for i in range(len(headers))]
    return "\n".join(
        "  ".join(
            " " * (width - cell_width(cell)) + cell if flush else cell + " " * (width - cell_width(cell))
            for cell, width, flush in zip(line, widths, right, strict=True)
        ).rstrip()
        for line in lines
    )


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if isinstance(value, float) else terminal(str(value))
