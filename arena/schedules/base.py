"""The interface of every schedule, and the functions that all schedules share.

A schedule is a pure function of the entrants of each round, the night seed and the results of complete earlier
rounds. It plans one round at a time, so that a night of a million matches needs the memory of one round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import factorial
from typing import Literal, Protocol, get_args

from arena.errors import UsageError
from arena.model.records import FinishedMatch, PlannedMatch

DEFAULT_ENCOUNTERS = 10
"""Encounters of every bot at each seat count, if there are that many sets of bots."""
ASK_ABOVE_MATCHES = 100_000
"""The arena asks for confirmation before it starts a night with more matches."""

Seatings = Literal["rotations", "all"]
"""The seatings of an encounter: its rotations through the seats, or every order of its bots."""
SEATINGS: tuple[Seatings, ...] = get_args(Seatings)
MOST_SEATS_FOR_ALL = 5
"""With more seats there are too many orders to play each encounter in all of them (six seats: 720)."""


@dataclass(frozen=True, slots=True)
class PlanningContext:
    """The input of a schedule.

    A schedule calls `entrants` for a round only when it plans that round, and `results` only for complete rounds.
    """

    night_seed: bytes
    entrants: Callable[[int], Sequence[int]]
    """Return the version ids that take part in a round, in the order in which they were entered."""
    results: Callable[[int], Iterable[FinishedMatch]]
    """Return the matches of one complete round that have a result, in schedule order."""

    @classmethod
    def fixed(cls, night_seed: bytes, entrants: Sequence[int]) -> PlanningContext:
        """Return a context with fixed entrants, for schedules that use no results."""
        return cls(night_seed, lambda _round: entrants, lambda _round: ())


class Schedule(Protocol):
    """The interface of every schedule. Rounds are lazy; an equal context gives equal rounds again."""

    @property
    def takes_newcomers(self) -> bool:
        """Whether a bot may join after the first round."""

    @property
    def looks_at_results(self) -> bool:
        """Whether a round can be planned only after all earlier rounds were played."""

    def rounds(self, context: PlanningContext) -> Iterator[list[PlannedMatch]]:
        """Yield the matches of round 0, 1, …; positions and encounters are numbered through all rounds."""

    def matches_ahead(self, entrants: int) -> int:
        """Return the number of matches of the whole night if nobody leaves it."""

    def matches_in_all(self, context: PlanningContext, complete: int) -> int:
        """Return the number of matches of the whole night, of which `complete` rounds are complete.

        The number takes into account which bots joined and left so far, and assumes that no other bot will.
        """

    def rounds_ahead(self, entrants: int) -> int:
        """Return the number of rounds of the whole night if nobody leaves it."""


class Numbers:
    """Count rounds, positions and encounters through a night."""

    def __init__(self, seatings: Seatings = "rotations") -> None:
        self.round = 0
        self.position = 0
        self.encounter = 0
        self._seatings = seatings

    def matches(self, lineups: Sequence[tuple[int, ...]]) -> list[PlannedMatch]:
        """Return the next round: each of these tables is an encounter, played in all its seatings."""
        planned = list(with_seatings(lineups, self.round, self.position, self.encounter, self._seatings))
        self.round += 1
        self.position += len(planned)
        self.encounter += len(lineups)
        return planned


def with_seatings(
    lineups: Sequence[tuple[int, ...]],
    round_number: int,
    position: int,
    encounter: int,
    seatings: Seatings = "rotations",
) -> Iterator[PlannedMatch]:
    """Yield every encounter in each of its seatings, in passes over the whole round.

    The first pass plays the whole round in seating 0, the second in seating 1 and so on. Therefore a bot process that
    is reused within one pass never sees a seed twice.

    >>> [match.seating for match in with_seatings([(7, 8, 9)], 0, 0, 0, "all")][:4]
    [(7, 8, 9), (8, 9, 7), (9, 7, 8), (7, 9, 8)]
    """
    orders = {seats: seat_orders(seats, seatings) for seats in set(map(len, lineups))}
    for turn in range(max(map(len, orders.values()), default=0)):
        for offset, lineup in enumerate(lineups):
            if turn < len(orders[len(lineup)]):
                order = orders[len(lineup)][turn]
                seating = tuple(lineup[at] for at in order)
                yield PlannedMatch(position, round_number, encounter + offset, turn, seating)
                position += 1


def seat_orders(seats: int, seatings: Seatings) -> list[tuple[int, ...]]:
    """Return the seat orders of an encounter: first its rotations, then, for "all", the rotations of other orders."""
    seatings_of(seats, seatings)
    turns = [tuple((start + step) % seats for step in range(seats)) for start in range(seats)]
    if seatings == "rotations":
        return turns
    return [tuple(order[at] for at in turn) for order in permutations(range(seats)) if order[0] == 0 for turn in turns]


def seatings_of(seats: int, seatings: Seatings) -> int:
    """Return the number of matches of one encounter. Raises `UsageError` if there would be too many.

    >>> seatings_of(4, "rotations"), seatings_of(4, "all"), seatings_of(2, "all")
    (4, 24, 2)
    """
    if seatings == "rotations":
        return seats
    if seats > MOST_SEATS_FOR_ALL:
        raise UsageError(
            f"all seatings of {seats} bots are {factorial(seats)} matches an encounter: expected at most"
            f" {MOST_SEATS_FOR_ALL} seats, or --seatings rotations"
        )
    return factorial(seats)


def count_rounds(schedule: Schedule, entrants: int) -> int:
    """Return the number of rounds of a schedule that uses no results. This plans the whole night."""
    return sum(1 for _ in schedule.rounds(PlanningContext.fixed(b"", range(entrants))))


def count_matches(schedule: Schedule, context: PlanningContext, complete: int) -> int:
    """Return the number of matches of a schedule that uses no results, for entrants that may have changed.

    If the entrants changed, plan the night again and count. If that would take long, return the number for a night
    that had the present entrants from its start.
    """
    first = list(context.entrants(0))
    ahead = schedule.matches_ahead(len(first))
    if all(list(context.entrants(number)) == first for number in range(1, complete + 2)):
        return ahead
    if ahead > ASK_ABOVE_MATCHES:
        return schedule.matches_ahead(len(context.entrants(complete + 1)))
    return sum(len(matches) for matches in schedule.rounds(context))


def check_numbers(seat_counts: Sequence[int], entrants: int, encounters: int | None) -> None:
    """Raise `UsageError` if no night can be planned from these numbers."""
    if not seat_counts:
        raise UsageError("no seat count is left to play; expected at least one that the field can fill")
    for seats in seat_counts:
        if not 2 <= seats <= entrants:
            raise UsageError(f"a table of {seats} seats needs at least {max(seats, 2)} bots, got {entrants}")
    if encounters is not None and encounters < 1:
        raise UsageError(f"the number of encounters must be at least 1, got {encounters}")
