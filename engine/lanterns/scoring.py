"""What a seat's tokens are worth, and who finishes where (R10.3, R10.4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.core import ranks_from_scores


def score(taken: Iterable[int]) -> int:
    """The sum of the tokens: nothing else scores (R10.3)."""
    return sum(taken)


def ranks(scores: Sequence[int], favor: Sequence[int], cards: Sequence[int]) -> tuple[int, ...]:
    """Finishing order: by score, then favor tokens left, then held cards left, then shared (R10.4).

    >>> ranks([12, 12], [2, 2], [3, 4])
    (1, 0)
    >>> ranks([5, 9, 5, 5], [0, 1, 0, 0], [2, 0, 2, 1])
    (1, 0, 1, 3)
    """
    return ranks_from_scores(list(zip(scores, favor, cards, strict=True)))
