"""Who meets whom: lazy, pure rounds of matches.

A schedule is a pure function of the entrants of each round, the night seed and the results of complete earlier rounds.
It is asked for one round at a time, so that a night of a million matches needs the memory of one round.

Two schemes lie below the round robin, both over the entrants in an order drawn from the night seed:

*Circles* (two seats, and every subset for more seats). The entrants sit on a circle; one set of places, turned by one
place at a time until it comes back to itself, is an *orbit*. Every entrant is in the same number of its sets, whether
their number is odd or even, so nobody ever sits out. Every subset lies in exactly one orbit.

*Selections* (three seats and more with a number of encounters). Each next set takes those who have played least and,
among them, those who have met each other least. So appearances never differ by more than 1, and no pair meets more
than `pair_bound` times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import comb
from random import Random
from typing import Protocol

from arena.errors import UsageError
from arena.records import PlannedMatch
from arena.seeds import planning_rng

DEFAULT_ENCOUNTERS = 10
"""Encounters of every bot at each seat count, where there are that many."""
ASK_ABOVE_MATCHES = 100_000
"""A night of more matches is only started after a question."""
ROUND_ENCOUNTERS = 5
"""About this many encounters of every bot, at each seat count, make a round of a small field."""
ROUND_MATCHES = 1_000
"""A larger field has shorter rounds, of about this many matches at each seat count."""
TRIES = 8
"""How many sets are looked at for the next place of a selection; the one whose bots met least is taken."""
PAIR_SLACK = 4
"""How much oftener than the average (rounded up) a pair may meet in a selection."""

Block = tuple[int, ...]
"""The places (on the circle of entrants) of the bots of one encounter."""


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A match of a complete earlier round, as far as a schedule may know it."""

    round: int
    seating: tuple[int, ...]
    ranks: tuple[int, ...] | None
    """None where nobody finished, or where the match is parked."""


@dataclass(frozen=True, slots=True)
class Field:
    """What a schedule plans from. Both functions are asked about a round only when that round is planned."""

    night_seed: bytes
    entrants: Callable[[int], Sequence[int]]
    """Version ids that take part in a round, in the order in which they were entered."""
    results: Callable[[int], Iterable[PlayedMatch]]
    """The matches of all rounds before the given one, in schedule order."""

    @classmethod
    def fixed(cls, night_seed: bytes, entrants: Sequence[int]) -> Field:
        """A field that nobody leaves or joins, for schedules that look at no result."""
        return cls(night_seed, lambda _round: entrants, lambda _round: ())


class Schedule(Protocol):
    """The seam for every kind of night. Rounds come lazily; the same field gives the same rounds again."""

    def rounds(self, field: Field) -> Iterator[list[PlannedMatch]]:
        """The matches of round 0, 1, …; positions go on from round to round, and so do encounters."""

    def matches_ahead(self, entrants: int) -> int:
        """How many matches the whole night will have if nobody leaves it."""


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """Every bot meets every other equally, at one or several seat counts.

    `encounters` is the number of encounters of every bot at each seat count; None is every subset once.
    """

    seat_counts: tuple[int, ...]
    encounters: int | None = None
    repeat: bool = True
    """Where there are fewer subsets than that, play them all again on new seeds; else once is enough."""

    def rounds(self, field: Field) -> Iterator[list[PlannedMatch]]:
        """The rounds of the night; a round without matches is left out.

        Who is no longer in the field (suspended, dropped) is in no later match. Circles leave the sets of such a bot
        out; selections go on with those who are left.
        """
        circle = list(field.entrants(0))
        planning_rng(field.night_seed, "entrants").shuffle(circle)
        check_numbers(self.seat_counts, len(circle), self.encounters)
        places = {version: place for place, version in enumerate(circle)}
        present = _Present(len(circle))
        slices = [
            _Slices(
                seats,
                len(circle),
                self._wanted(seats, len(circle)),
                present,
                planning_rng(field.night_seed, f"blocks:{seats}"),
            )
            for seats in self.seat_counts
        ]
        number, position, encounter = 0, 0, 0
        while not all(piece.exhausted for piece in slices):
            present.keep(places[version] for version in field.entrants(number) if version in places)
            blocks = [block for piece in slices for block in piece.next_round() if present.all_of(block)]
            if not blocks:
                continue
            # Sets of the same bots lie close together, so that a worker can keep their processes.
            blocks.sort(key=lambda block: block[0])
            seatings = [tuple(circle[place] for place in block) for block in blocks]
            matches = list(with_rotations(seatings, number, position, encounter))
            yield matches
            number, position, encounter = number + 1, position + len(matches), encounter + len(blocks)

    def matches_ahead(self, entrants: int) -> int:
        """Exact: the encounters at every seat count, times their rotations."""
        return sum(seats * sets_ahead(seats, entrants, self._wanted(seats, entrants)) for seats in self.seat_counts)

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


def with_rotations(
    seatings: Sequence[tuple[int, ...]], round_number: int, position: int, encounter: int
) -> Iterator[PlannedMatch]:
    """Every seating turned through all seats, rotation by rotation.

    First the whole round in rotation 0, then in rotation 1 and so on: a bot process that is kept within one rotation
    never sees a seed twice.
    """
    for rotation in range(max(map(len, seatings), default=0)):
        for offset, seating in enumerate(seatings):
            if rotation < len(seating):
                turned = seating[rotation:] + seating[:rotation]
                yield PlannedMatch(position, round_number, encounter + offset, rotation, turned)
                position += 1


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


class _Present:
    """Which places of the circle still take part; shared by all seat counts."""

    def __init__(self, size: int) -> None:
        self.places = set(range(size))

    def keep(self, places: Iterable[int]) -> None:
        self.places = set(places)

    def all_of(self, block: Block) -> bool:
        return self.places.issuperset(block)


class _Slices:
    """The sets of one seat count, cut into rounds."""

    def __init__(self, seats: int, size: int, total: int, present: _Present, rng: Random) -> None:
        longest = max(1, min(ROUND_ENCOUNTERS, ROUND_MATCHES // size))
        rounds = -(-total // longest)
        self._sets_a_round = -(-size * total // (rounds * seats))
        self._pieces = _pieces(seats, size, total, present, rng)
        self.exhausted = False

    def next_round(self) -> list[Block]:
        """Whole pieces until the round is long enough; empty when there are no more."""
        blocks: list[Block] = []
        while len(blocks) < self._sets_a_round:
            piece = next(self._pieces, None)
            if piece is None:
                self.exhausted = True
                break
            blocks += piece
        return blocks


def _pieces(seats: int, size: int, encounters: int, present: _Present, rng: Random) -> Iterator[list[Block]]:
    """Lists of sets, each list as even as can be: orbits, or one encounter of everybody."""
    again, rest = divmod(encounters, all_encounters(seats, size))
    for _ in range(again):
        yield from orbits(seats, size)
    if rest and seats == 2:
        yield from _pairs(size, rest)
    elif rest:
        yield from _selection(seats, size, rest, present, rng)


def orbits(seats: int, size: int) -> Iterator[list[Block]]:
    """Every subset of `seats` places out of `size` once, orbit by orbit.

    >>> [len(orbit) for orbit in orbits(2, 6)], [len(orbit) for orbit in orbits(3, 6)]
    ([6, 6, 3], [6, 6, 6, 2])
    """
    for gaps in _necklaces(seats, size):
        period = next(step for step in range(1, seats + 1) if gaps[step:] + gaps[:step] == gaps)
        yield [_turned(gaps, start, size) for start in range(size * period // seats)]


def _turned(gaps: Block, start: int, size: int) -> Block:
    places = [start]
    for gap in gaps[:-1]:
        places.append((places[-1] + gap) % size)
    return tuple(places)


def _necklaces(seats: int, size: int) -> Iterator[Block]:
    """Every way to place bots on the circle, turnings counted once: gaps that add up to the size, least turning."""

    def extend(gaps: Block, left: int) -> Iterator[Block]:
        missing = seats - len(gaps)
        if missing == 1:
            whole = (*gaps, left)
            if left >= gaps[0] and all(whole <= whole[step:] + whole[:step] for step in range(1, seats)):
                yield whole
            return
        least = gaps[0] if gaps else 1
        for gap in range(least, left - least * (missing - 1) + 1):
            # The first gap is a least one: all that follow are at least as wide.
            if gaps or gap * seats <= size:
                yield from extend((*gaps, gap), left - gap)

    return extend((), size)


def _pairs(size: int, encounters: int) -> Iterator[list[Block]]:
    """Two seats, fewer encounters than opponents: nobody meets anybody twice.

    An orbit gives everybody two encounters. A single one more is half an orbit: exact in an even field, in an odd one
    somebody has to play once more.
    """
    for distance in range(1, encounters // 2 + 1):
        yield [(place, (place + distance) % size) for place in range(size)]
    if encounters % 2:
        # The widest distance is not used yet, and stepping by it visits every place.
        distance = size // 2
        if size % 2 == 0:
            yield [(place, place + distance) for place in range(distance)]
        else:
            steps = range(0, size, 2)
            yield [(step * distance % size, (step + 1) * distance % size) for step in steps]


def _selection(seats: int, size: int, encounters: int, present: _Present, rng: Random) -> Iterator[list[Block]]:
    """A balanced choice among the subsets, one encounter of everybody at a time."""
    balance = _Balance(size, rng)
    for encounter in range(1, encounters + 1):
        blocks: list[Block] = []
        places = sorted(present.places)
        while len(places) >= seats and min(balance.appearances[place] for place in places) < encounter:
            block = balance.next_block(places, seats)
            balance.count(block)
            blocks.append(block)
        yield blocks


class _Balance:
    """Who has played how often, and with whom; memory does not grow with the matches."""

    def __init__(self, size: int, rng: Random) -> None:
        self.appearances = [0] * size
        self._meetings = [bytearray(size) for _ in range(size)]
        self._rng = rng

    def count(self, block: Block) -> None:
        for place in block:
            self.appearances[place] += 1
            row = self._meetings[place]
            for other in block:
                row[other] = min(255, row[other] + 1)

    def next_block(self, places: Sequence[int], seats: int) -> Block:
        """Those who played least and, among the tries, the set whose bots met least."""
        least = min(self.appearances[place] for place in places)
        lowest = [place for place in places if self.appearances[place] == least]
        fixed: list[int] = []
        if len(lowest) <= seats:
            fixed, lowest = lowest, [place for place in places if self.appearances[place] == least + 1]
        best, best_cost = self._try(fixed, lowest, seats)
        for _ in range(TRIES - 1):
            if best_cost == 0:
                break
            block, cost = self._try(fixed, lowest, seats)
            if cost < best_cost:
                best, best_cost = block, cost
        return best

    def _try(self, fixed: Sequence[int], pool: list[int], seats: int) -> tuple[Block, int]:
        """A set that grows by the bot that costs least, from a random order; and what it costs."""
        self._rng.shuffle(pool)
        block: list[int] = []
        cost = 0
        for place in fixed:
            cost += self._cost(place, block)
            block.append(place)
        while len(block) < seats:
            extra, chosen = min(self._cheapest(block, pool))
            cost += extra
            block.append(pool[chosen])
        return tuple(block), cost

    def _cheapest(self, block: list[int], pool: list[int]) -> Iterator[tuple[int, int]]:
        """Cost and index of each candidate, up to the first that has met none of the block."""
        for index, place in enumerate(pool):
            if place not in block:
                cost = self._cost(place, block)
                yield cost, index
                if cost == 0:
                    return

    def _cost(self, place: int, block: list[int]) -> int:
        """Squares: one pair that meets four times is worse than four pairs that meet twice."""
        row = self._meetings[place]
        return sum(row[other] ** 2 for other in block)
