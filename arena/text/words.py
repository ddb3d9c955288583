"""Singular or plural by number, and suggestions for mistyped words."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def counted(number: int, one: str, several: str | None = None) -> str:
    """Return a number with the singular or plural of its noun.

    >>> counted(1, "match", "matches"), counted(2000, "match", "matches"), counted(0, "bot")
    ('1 match', '2,000 matches', '0 bots')
    """
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def from_one(rank: int | None) -> int | None:
    """Return a rank as commands print it, in tables and JSON alike: counted from 1. Replays and messages count from 0.

    >>> from_one(0), from_one(None)
    (1, None)
    """
    return None if rank is None else rank + 1


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a suggestion for an unknown name: the closest known name, or all known names if none is close.

    >>> nearest("workerz", ["workers", "author"])
    "did you mean 'workers'?"
    >>> nearest("x", ["workers", "author"])
    'expected one of author, workers'
    """
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1)
    return f"did you mean {close[0]!r}?" if close else f"expected one of {', '.join(names) or 'none'}"
