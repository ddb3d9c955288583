"""What the end of a match is worth (R7.3, R8)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.burn_my_village.components import TYPES, WILD_PENALTY
from engine.burn_my_village.counts import COUNT, FIELD, SHIFTS, WILD_SHIFT
from engine.core import ranks_from_scores


def joining(hand: int, columns: int) -> int:
    """The Treasures of a hand that join a column of the seat at the end (R7.3)."""
    joined = 0
    for shift in SHIFTS[: len(TYPES)]:
        if columns >> shift & COUNT:
            joined |= hand & (COUNT << shift)
    return joined


def score(hand: int, laid: int, track: Sequence[int], values: Sequence[int]) -> int:
    """Points of one seat (R8.2): `hand` as it stays, `laid` = all cards of each column, track and values by space.

    A column may hold 14 Treasures and 20 Wilds: more than `counts.COUNT`, so its whole field is read.
    """
    points = -WILD_PENALTY * (hand >> WILD_SHIFT & COUNT)
    for code, value in zip(track, values, strict=True):
        shift = SHIFTS[code]
        points += value * ((laid >> shift & FIELD) - (hand >> shift & COUNT))
    return points


def ranks(scores: Sequence[int], laid: Sequence[int], track: Sequence[int]) -> tuple[int, ...]:
    """Rank of each seat: by points, then cards in the column of the highest token, of the next lower, ... (R8.3)."""
    return ranks_from_scores(
        [
            (points, *(columns >> SHIFTS[code] & FIELD for code in reversed(track)))
            for points, columns in zip(scores, laid, strict=True)
        ]
    )
