"""Render tables as aligned text, Markdown and CSV, and escape untrusted text in them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from arena.text.sanitize import cell_width, csv_cell, terminal


def columns(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table of aligned columns; a column of numbers is aligned right.

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
    return "\n".join(aligned([list(headers), *([_cell(value) for value in row] for row in found)], right))


def aligned(lines: Sequence[Sequence[str]], right: Sequence[bool]) -> list[str]:
    """Return the lines with their cells in columns; `right` states which columns are aligned right.

    Cells are not escaped here: the caller must escape untrusted text.
    """
    widths = [max(cell_width(line[at]) for line in lines) for at in range(len(right))]
    return [
        "  ".join(
            space + cell if flush else cell + space
            for cell, width, flush in zip(line, widths, right, strict=True)
            for space in [" " * (width - cell_width(cell))]
        ).rstrip()
        for line in lines
    ]


def full_width(lines: Sequence[Sequence[str]]) -> int:
    """Return the number of terminal columns that `aligned` needs for these lines."""
    count = len(lines[0])
    return sum(max(cell_width(line[at]) for line in lines) for at in range(count)) + 2 * (count - 1)


def markdown_table(
    titles: Sequence[str], lines: Iterable[Sequence[object]], right: Sequence[bool] | None = None
) -> str:
    """Return a Markdown table without a newline at its end.

    Cells are not escaped here: the caller must escape untrusted text.

    >>> print(markdown_table(["bot", "matches"], [["ann", 7]], [False, True]))
    | bot | matches |
    |---|---:|
    | ann | 7 |
    """
    rule = "|".join("---:" if flush else "---" for flush in right or [False] * len(titles))
    text = ["| " + " | ".join(titles) + " |", f"|{rule}|"]
    text += ["| " + " | ".join(map(str, line)) + " |" for line in lines]
    return "\n".join(text)


def csv_table(titles: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    """Return CSV with a line of titles; numbers have all their digits, and text cannot become a formula.

    >>> csv_table(["bot", "share"], [["=x", 0.1], ["y", None]])
    "bot,share\\n'=x,0.1\\ny,\\n"
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(titles)
    writer.writerows([csv_cell(cell) if isinstance(cell, str) else cell for cell in line] for line in lines)
    return buffer.getvalue()


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if isinstance(value, float) else terminal(str(value))
