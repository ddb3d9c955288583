"""Points and ranks at the end of a match (R7.3, R8)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.burn_my_village.components import TYPES, WILD_PENALTY
from engine.burn_my_village.counts import COUNT, FIELD, SHIFTS, WILD_SHIFT
from engine.core import ranks_from_scores


def joining(hand: int, columns: int) -> int:
    """Return the Treasures of a hand that join a column of the seat at the end (R7.3)."""
    joined = 0
    for shift in SHIFTS[: len(TYPES)]:
        if columns >> shift & COUNT:
            joined |= hand & (COUNT << shift)
    return joined


def score(hand: int, laid: int, track: Sequence[int], values: Sequence[int]) -> int:
    """Return the points of one seat (R8.2).

    `hand` is what stays in hand, `laid` has all cards of each column, and `track` and `values` go by space. A column
    may hold 14 Treasures and 20 Wilds. That is more than `counts.COUNT`, so the whole field is read.
    """
    points = -WILD_PENALTY * (hand >> WILD_SHIFT & COUNT)
    for code, value in zip(track, values, strict=True):
        shift = SHIFTS[code]
        points += value * ((laid >> shift & FIELD) - (hand >> shift & COUNT))
    return points


def ranks(scores: Sequence[int], laid: Sequence[int], track: Sequence[int]) -> tuple[int, ...]:
    """Return the rank of each seat: by points, then by cards in the columns of the tokens, highest first (R8.3)."""
    return ranks_from_scores(
        [
            (points, *(columns >> SHIFTS[code] & FIELD for code in reversed(track)))
            for points, columns in zip(scores, laid, strict=True)
        ]
    )
