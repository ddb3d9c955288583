"""Compute the ranks of a match from the order of the game and the forfeits. Referee and verifier share it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

STARTUP = -1
"""The turn of a forfeit before the first turn. All such forfeits are tied."""


def rank_seats(seats: int, forfeits: Mapping[int, int], game_ranks: Sequence[int] | None) -> tuple[int, ...]:
    """Return the rank of each seat: first the finishers from 0 in the order of the game, then the forfeits.

    A later forfeit ranks ahead of an earlier forfeit. `forfeits` contains the turn of each forfeit by seat (`STARTUP`
    before the first turn). `game_ranks` is None if the match ended before the game did; then at most one seat has not
    forfeited.

    >>> rank_seats(4, {2: 5, 0: 9}, (0, 1, 0, 0))
    (2, 1, 3, 0)
    >>> rank_seats(4, {0: STARTUP, 1: STARTUP, 3: 7}, None)
    (2, 2, 0, 1)
    """
    order = game_ranks if game_ranks is not None else (0,) * seats
    finishers = [seat for seat in range(seats) if seat not in forfeits]
    return tuple(
        len(finishers) + sum(turn > forfeits[seat] for turn in forfeits.values())
        if seat in forfeits
        else sum(order[other] < order[seat] for other in finishers)
        for seat in range(seats)
    )
