"""Words that depend on a number."""

from __future__ import annotations


def counted(number: int, one: str, several: str | None = None) -> str:
    """A number and what it counts.

    >>> counted(1, "match", "matches"), counted(2000, "match", "matches"), counted(0, "bot")
    ('1 match', '2,000 matches', '0 bots')
    """
    return f"{number:,} {one if number == 1 else several or one + 's'}"
