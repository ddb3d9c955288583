"""Who meets whom: lazy, pure rounds of matches.

A schedule is a pure function of the entrants of each round, the night seed and the results of complete earlier rounds.
It is asked for one round at a time, so that a night of a million matches needs the memory of one round.

Here are the seam, what all schedules share, and the round robin; `arena.schedules` holds the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import comb, factorial
from typing import Literal, Protocol, get_args

from arena.errors import UsageError
from arena.model.records import PlannedMatch, PlayedMatch
from arena.model.seeds import planning_rng
from arena.schedules.sets import Circle, Sets

DEFAULT_ENCOUNTERS = 10
"""Encounters of every bot at each seat count, where there are that many."""
ASK_ABOVE_MATCHES = 100_000
"""A night of more matches is only started after a question."""
PAIR_SLACK = 4
"""How much oftener than the average (rounded up) a pair may meet in a selection."""

Seatings = Literal["rotations", "all"]
"""On which seatings an encounter is played: turned through the seats, or in every order."""
SEATINGS: tuple[Seatings, ...] = get_args(Seatings)
MOST_SEATS_FOR_ALL = 5
"""At more seats there are too many orders (six: 720) to play each encounter on all of them."""


@dataclass(frozen=True, slots=True)
class Field:
    """What a schedule plans from. Both functions are asked about a round only when the next one is planned."""

    night_seed: bytes
    entrants: Callable[[int], Sequence[int]]
    """Version ids that take part in a round, in the order in which they were entered."""
    results: Callable[[int], Iterable[PlayedMatch]]
    """The matches of one complete round, in schedule order."""

    @classmethod
    def fixed(cls, night_seed: bytes, entrants: Sequence[int]) -> Field:
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

    def rounds(self, field: Field) -> Iterator[list[PlannedMatch]]:
        """The matches of round 0, 1, …; positions go on from round to round, and so do encounters."""

    def matches_ahead(self, entrants: int) -> int:
        """How many matches the whole night will have if nobody leaves it."""

    def matches_in_all(self, field: Field, complete: int) -> int:
        """How many matches a night has in all of which so many rounds are complete, if nobody leaves it any more.

        Who came and left so far is counted.
        """

    def rounds_ahead(self, entrants: int) -> int:
        """How many rounds that will be."""


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """Every bot meets every other equally, at one or several seat counts.

    `encounters` is the number of encounters of every bot at each seat count; None is every subset once.
    """

    seat_counts: tuple[int, ...]
    encounters: int | None = None
    repeat: bool = True
    """Where there are fewer subsets than that, play them all again on new seeds; else once is enough."""
    seatings: Seatings = "rotations"

    takes_newcomers = True
    looks_at_results = False

    def rounds(self, field: Field) -> Iterator[list[PlannedMatch]]:
        """The rounds of the night; a round without matches is left out.

        Who is no longer in the field (suspended, dropped) is in no later match. Subsets leave the sets of such a bot
        out; selections go on with those who are left. What a newcomer plays, `arena.schedules.sets.Sets` says.
        """
        entrants = list(field.entrants(0))
        planning_rng(field.night_seed, "entrants").shuffle(entrants)
        circle = Circle(entrants)
        check_numbers(self.seat_counts, len(circle), self.encounters)
        slices = [
            Sets(
                seats,
                self._wanted(seats, len(circle)),
                circle,
                planning_rng(field.night_seed, f"blocks:{seats}"),
            )
            for seats in self.seat_counts
        ]
        return rounds_of_sets(field, circle, slices, self.seatings)

    def matches_ahead(self, entrants: int) -> int:
        """Exact: the encounters at every seat count, times their seatings."""
        return sum(
            seatings_of(seats, self.seatings) * sets_ahead(seats, entrants, self._wanted(seats, entrants))
            for seats in self.seat_counts
        )

    def matches_in_all(self, field: Field, complete: int) -> int:
        """Exact but in huge nights whose field has changed."""
        return count_matches(self, field, complete)

    def rounds_ahead(self, entrants: int) -> int:
        """Exact: what planning comes to."""
        return count_rounds(self, entrants)

    def _wanted(self, seats: int, entrants: int) -> int:
        whole = all_encounters(seats, entrants)
        if self.encounters is None:
            return whole
        return self.encounters if self.repeat else min(self.encounters, whole)


def plan_rounds(
    seat_counts: Sequence[int], entrants: Sequence[int], encounters: int | None, night_seed: bytes
) -> Iterator[list[PlannedMatch]]:
    """The rounds of a round robin that nobody leaves.

    >>> night = list(plan_rounds((2,), [11, 12, 13], None, b"seed"))
    >>> [len(matches) for matches in night]
    [6]
    >>> sorted(tuple(sorted(match.seating)) for match in night[0] if match.rotation == 0)
    [(11, 12), (11, 13), (12, 13)]
    """
    return RoundRobin(tuple(seat_counts), encounters).rounds(Field.fixed(night_seed, entrants))


def rounds_of_sets(
    field: Field, circle: Circle, slices: Sequence[Sets], seatings: Seatings, always: tuple[int, ...] = ()
) -> Iterator[list[PlannedMatch]]:
    """Rounds of the sets of several seat counts; each set is joined by those who are `always` there."""
    numbers = Numbers(seatings)
    while True:
        entrants = field.entrants(numbers.round)
        if not set(entrants).issuperset(always):
            return
        circle.settle(version for version in entrants if version not in always)
        blocks = [block for piece in slices for block in piece.next_round()]
        if blocks:
            # Sets of the same bots lie close together, so that a worker can keep their processes.
            blocks.sort(key=lambda block: block[0])
            yield numbers.matches([always + tuple(circle.versions[place] for place in block) for block in blocks])
        elif all(piece.exhausted for piece in slices):
            return


class Numbers:
    """Counts rounds, positions and encounters through a night."""

    def __init__(self, seatings: Seatings = "rotations") -> None:
        self.round = 0
        self.position = 0
        self.encounter = 0
        self._seatings = seatings

    def matches(self, tables: Sequence[tuple[int, ...]]) -> list[PlannedMatch]:
        """The next round: each of these tables is an encounter, played on all its seatings."""
        planned = list(with_seatings(tables, self.round, self.position, self.encounter, self._seatings))
        self.round += 1
        self.position += len(planned)
        self.encounter += len(tables)
        return planned


def with_seatings(
    tables: Sequence[tuple[int, ...]],
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
    orders = {seats: seat_orders(seats, seatings) for seats in set(map(len, tables))}
    for turn in range(max(map(len, orders.values()), default=0)):
        for offset, table in enumerate(tables):
            if turn < len(orders[len(table)]):
                order = orders[len(table)][turn]
                seating = tuple(table[place] for place in order)
                yield PlannedMatch(position, round_number, encounter + offset, turn, seating)
                position += 1


def seat_orders(seats: int, seatings: Seatings) -> list[tuple[int, ...]]:
    """The orders in which a table sits down: first its rotations, then (where all are wanted) those of other orders."""
    seatings_of(seats, seatings)
    turns = [tuple((start + step) % seats for step in range(seats)) for start in range(seats)]
    if seatings == "rotations":
        return turns
    return [
        tuple(order[place] for place in turn) for order in permutations(range(seats)) if order[0] == 0 for turn in turns
    ]


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
    return sum(1 for _ in schedule.rounds(Field.fixed(b"", range(entrants))))


def count_matches(schedule: Schedule, field: Field, complete: int) -> int:
    """How many matches a schedule that looks at no result plans for a field that may have changed.

    A change is counted by planning the night again, unless that would take long: then as if the field had always been
    what it is now.
    """
    first = list(field.entrants(0))
    ahead = schedule.matches_ahead(len(first))
    if all(list(field.entrants(number)) == first for number in range(1, complete + 2)):
        return ahead
    if ahead > ASK_ABOVE_MATCHES:
        return schedule.matches_ahead(len(field.entrants(complete + 1)))
    return sum(len(matches) for matches in schedule.rounds(field))


def all_encounters(seats: int, entrants: int) -> int:
    """Encounters of each bot when every subset meets once."""
    return comb(entrants - 1, seats - 1)


def sets_ahead(seats: int, entrants: int, encounters: int | None) -> int:
    """How many sets of bots meet at this seat count, each on a seed of its own.

    >>> sets_ahead(2, 1000, None), sets_ahead(4, 10, 10), sets_ahead(3, 3, 5)
    (499500, 25, 5)
    """
    whole = all_encounters(seats, entrants)
    if encounters is None:
        encounters = whole
    again, rest = divmod(encounters, whole)
    return again * comb(entrants, seats) + -(-entrants * rest // seats)


def pair_bound(seats: int, entrants: int, encounters: int) -> int:
    """The most often that any two bots meet at one seat count.

    A night of every subset, and any two-seat night, is as even as the numbers allow. Of a selection the average
    number of meetings, rounded up, is exceeded by at most `PAIR_SLACK` (a search of the fields of up to 25 bots, 6
    seats and 24 encounters found 3 at most). The same set of bots may meet again, then on another seed.

    >>> pair_bound(2, 100, 10), pair_bound(4, 100, 10)
    (1, 5)
    """
    again, rest = divmod(encounters, all_encounters(seats, entrants))
    met = again * comb(entrants - 2, seats - 2)
    if rest == 0:
        return met
    if seats == 2:
        return met + 1
    return met + -(-(rest + 1) * (seats - 1) // (entrants - 1)) + PAIR_SLACK


def check_numbers(seat_counts: Sequence[int], entrants: int, encounters: int | None) -> None:
    """Raises `UsageError` where a round robin of these numbers cannot be."""
    if not seat_counts:
        raise UsageError("no seat count is left to play; expected at least one that the field can fill")
    for seats in seat_counts:
        if not 2 <= seats <= entrants:
            raise UsageError(f"a table of {seats} seats needs at least {max(seats, 2)} bots, got {entrants}")
    if encounters is not None and encounters < 1:
        raise UsageError(f"the number of encounters must be at least 1, got {encounters}")
