"""What every schedule is, and what all of them share: lazy, pure rounds of matches.

A schedule is a pure function of the entrants of each round, the night seed and the results of complete earlier
rounds. It is asked for one round at a time, so that a night of a million matches needs the memory of one round."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import factorial
from typing import Literal, Protocol, get_args

from arena.errors import UsageError
from arena.model.records import FinishedMatch, PlannedMatch

DEFAULT_ENCOUNTERS = 10
"""Encounters of every bot at each seat count, where there are that many."""
ASK_ABOVE_MATCHES = 100_000
"""A night of more matches is only started after a question."""

Seatings = Literal["rotations", "all"]
"""On which seatings an encounter is played: turned through the seats, or in every order."""
SEATINGS: tuple[Seatings, ...] = get_args(Seatings)
MOST_SEATS_FOR_ALL = 5
"""At more seats there are too many orders (six: 720) to play each encounter on all of them."""


@dataclass(frozen=True, slots=True)
class PlanningContext:
    """What a schedule plans from. Both functions are asked about a round only when the next one is planned."""

    night_seed: bytes
    entrants: Callable[[int], Sequence[int]]
    """Version ids that take part in a round, in the order in which they were entered."""
    results: Callable[[int], Iterable[FinishedMatch]]
    """The matches of one complete round that have a result, in schedule order."""

    @classmethod
    def fixed(cls, night_seed: bytes, entrants: Sequence[int]) -> PlanningContext:
        """A field that nobody leaves or joins, for schedules that look at no result."""
        return cls(night_seed, lambda _round: entrants, lambda _round: ())


class Schedule(Protocol):
    """The seam for every kind of night. Rounds come lazily; the same field gives the same rounds again."""

    @property
    def takes_newcomers(self) -> bool:
        """Whether a bot may join after the first round."""

    @property
    def looks_at_results(self) -> bool:
        """Whether a round can be planned only when all before it are played."""

    def rounds(self, context: PlanningContext) -> Iterator[list[PlannedMatch]]:
        """The matches of round 0, 1, …; positions go on from round to round, and so do encounters."""

    def matches_ahead(self, entrants: int) -> int:
        """How many matches the whole night will have if nobody leaves it."""

    def matches_in_all(self, context: PlanningContext, complete: int) -> int:
        """How many matches a night has in all of which so many rounds are complete, if nobody leaves it any more.

        Who came and left so far is counted.
        """

    def rounds_ahead(self, entrants: int) -> int:
        """How many rounds that will be."""


class Numbers:
    """Counts rounds, positions and encounters through a night."""

    def __init__(self, seatings: Seatings = "rotations") -> None:
        self.round = 0
        self.position = 0
        self.encounter = 0
        self._seatings = seatings

    def matches(self, lineups: Sequence[tuple[int, ...]]) -> list[PlannedMatch]:
        """The next round: each of these tables is an encounter, played on all its seatings."""
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
    """Every table on each of its seatings, one pass of the whole round after the other.

    First the whole round in seating 0, then in seating 1 and so on: a bot process that is kept within one pass never
    sees a seed twice.

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
    """The orders in which a table sits down: first its rotations, then (where all are wanted) those of other orders."""
    seatings_of(seats, seatings)
    turns = [tuple((start + step) % seats for step in range(seats)) for start in range(seats)]
    if seatings == "rotations":
        return turns
    return [tuple(order[at] for at in turn) for order in permutations(range(seats)) if order[0] == 0 for turn in turns]


def seatings_of(seats: int, seatings: Seatings) -> int:
    """How many matches an encounter is. Raises `UsageError` where those would be too many.

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
    """How many rounds a schedule that looks at no result plans; takes the time of planning them."""
    return sum(1 for _ in schedule.rounds(PlanningContext.fixed(b"", range(entrants))))


def count_matches(schedule: Schedule, context: PlanningContext, complete: int) -> int:
    """How many matches a schedule that looks at no result plans for a field that may have changed.

    A change is counted by planning the night again, unless that would take long: then as if the field had always been
    what it is now.
    """
    first = list(context.entrants(0))
    ahead = schedule.matches_ahead(len(first))
    if all(list(context.entrants(number)) == first for number in range(1, complete + 2)):
        return ahead
    if ahead > ASK_ABOVE_MATCHES:
        return schedule.matches_ahead(len(context.entrants(complete + 1)))
    return sum(len(matches) for matches in schedule.rounds(context))


def check_numbers(seat_counts: Sequence[int], entrants: int, encounters: int | None) -> None:
    """Raises `UsageError` where a round robin of these numbers cannot be."""
    if not seat_counts:
        raise UsageError("no seat count is left to play; expected at least one that the field can fill")
    for seats in seat_counts:
        if not 2 <= seats <= entrants:
            raise UsageError(f"a table of {seats} seats needs at least {max(seats, 2)} bots, got {entrants}")
    if encounters is not None and encounters < 1:
        raise UsageError(f"the number of encounters must be at least 1, got {encounters}")
