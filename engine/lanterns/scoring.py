"""Points and ranks (R10.3, R10.4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.core import ranks_from_scores


def score(taken: Iterable[int]) -> int:
    """Return the sum of the tokens: nothing else scores (R10.3)."""
    return sum(taken)


def ranks(scores: Sequence[int], favor: Sequence[int], cards: Sequence[int]) -> tuple[int, ...]:
    """Return the rank of each seat: by score, then favor tokens, then held cards. Remaining ties are shared (R10.4).

    >>> ranks([12, 12], [2, 2], [3, 4])
    (1, 0)
    >>> ranks([5, 9, 5, 5], [0, 1, 0, 0], [2, 0, 2, 1])
    (1, 0, 1, 3)
    """
    return ranks_from_scores(list(zip(scores, favor, cards, strict=True)))
