"""Which sets of bots meet at one number of seats: every subset, or a balanced selection; cut into rounds.

A *selection* takes for each next set those who have played least and, among them, those who have met each other
least. So appearances never differ by more than 1, and no pair meets more than `pair_bound` times.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import comb
from random import Random

from arena.model.records import PlannedMatch
from arena.schedules.base import Numbers, PlanningContext, Seatings
from arena.schedules.necklaces import Gaps, Subset, necklace_of, necklaces, orbit, pairs

ROUND_ENCOUNTERS = 5
"""About this many encounters of every bot, at each seat count, make a round of a small field."""
MANY_ROUNDS = 10
"""A night of more rounds has longer ones: planning and closing a round costs as much as many short matches."""
ROUND_MATCHES = 1_000
"""A larger field has shorter rounds, of about this many matches at each seat count."""
TRIES = 8
"""How many sets are looked at for the next place of a selection; the one whose bots met least is taken."""


class Circle:
    """The entrants by their place; who comes later gets the next place, who leaves keeps an empty one."""

    def __init__(self, entrants: Iterable[int]) -> None:
        self.versions = list(entrants)
        self.points = {version: point for point, version in enumerate(self.versions)}
        self.present = set(self.points.values())

    def __len__(self) -> int:
        """How many places there are, the empty ones among them."""
        return len(self.versions)

    def update(self, entrants: Iterable[int]) -> None:
        """Those who take part from now on."""
        self.present = set()
        for version in entrants:
            if version not in self.points:
                self.points[version] = len(self.versions)
                self.versions.append(version)
            self.present.add(self.points[version])

    def all_of(self, subset: Subset) -> bool:
        """Whether all of these places are taken."""
        return self.present.issuperset(subset)


class Sets:
    """The sets of one number of seats, cut into rounds.

    When somebody joins, what has been played stays, and the rest is planned anew: with a number of encounters the
    newcomer has as many still ahead as everybody; of all subsets it is in each of its own, as soon as may be.
    """

    def __init__(self, seats: int, encounters: int, circle: Circle, rng: Random) -> None:
        size = len(circle)
        longest = max(1, min(max(ROUND_ENCOUNTERS, encounters // MANY_ROUNDS), ROUND_MATCHES // size))
        rounds = -(-encounters // longest)
        self._seats = seats
        self._circle = circle
        self._rng = rng
        self._sets_a_round = -(-size * encounters // (rounds * seats))
        self._pieces = self._all_pieces(*divmod(encounters, comb(size - 1, seats - 1)))
        self.exhausted = False

    def next_round(self) -> list[Subset]:
        """Whole pieces until the round is long enough; empty when there are no more."""
        subsets: list[Subset] = []
        while len(subsets) < self._sets_a_round:
            piece = next(self._pieces, None)
            if piece is None:
                self.exhausted = True
                break
            subsets += filter(self._circle.all_of, piece)
        return subsets

    def _all_pieces(self, again: int, rest: int) -> Iterator[list[Subset]]:
        """Lists of sets, each list as even as can be: orbits, or one encounter of everybody."""
        for _ in range(again):
            yield from self._every_subset()
        if rest:
            yield from self._selection(rest)

    def _every_subset(self) -> Iterator[list[Subset]]:
        """Each subset once; with a newcomer the circle grows, and its subsets that were played are left out."""
        played: list[tuple[int, Gaps]] = []
        while True:
            size = len(self._circle)
            last: Gaps = ()
            for gaps in necklaces(self._seats, size):
                subsets = orbit(gaps, size)
                yield [subset for subset in subsets if not _was_played(subset, played)] if played else subsets
                last = gaps
                if len(self._circle) != size:
                    break
            if len(self._circle) == size:
                return
            played.append((size, last))

    def _selection(self, encounters: int) -> Iterator[list[Subset]]:
        """A balanced choice among the subsets, one encounter of everybody at a time."""
        size, done = len(self._circle), 0
        balance = Balance(size, self._rng)
        if self._seats == 2:
            given = 0
            for piece in pairs(size, encounters):
                yield piece
                given += 1
                if len(self._circle) != size:
                    break
            if len(self._circle) == size:
                return
            # From here on the circle is no longer even: what was given is counted, the rest is chosen.
            for piece in islice(pairs(size, encounters), given):
                for subset in piece:
                    balance.count(subset)
            done = min(2 * given, encounters)
        for encounter in range(done + 1, encounters + 1):
            balance.grow(len(self._circle), encounter - 1)
            subsets: list[Subset] = []
            points = sorted(self._circle.present)
            while len(points) >= self._seats and min(balance.appearances[point] for point in points) < encounter:
                subset = balance.next_subset(points, self._seats)
                balance.count(subset)
                subsets.append(subset)
            yield subsets


def _was_played(subset: Subset, played: Sequence[tuple[int, Gaps]]) -> bool:
    """Whether a smaller circle, which got as far as its last necklace, has had this set."""
    return any(max(subset) < size and necklace_of(subset, size) <= last for size, last in played)


class Balance:
    """Who has played how often, and with whom; memory does not grow with the matches."""

    def __init__(self, size: int, rng: Random) -> None:
        self.appearances = [0] * size
        self._meetings = [bytearray(size) for _ in range(size)]
        self._rng = rng

    def grow(self, size: int, appearances: int) -> None:
        """Take in newcomers, as if they had played so often already."""
        more = size - len(self.appearances)
        if more > 0:
            for row in self._meetings:
                row.extend(bytes(more))
            self._meetings += [bytearray(size) for _ in range(more)]
            self.appearances += [appearances] * more

    def count(self, subset: Subset) -> None:
        """A set was chosen."""
        for point in subset:
            self.appearances[point] += 1
            row = self._meetings[point]
            for other in subset:
                row[other] = min(255, row[other] + 1)

    def next_subset(self, points: Sequence[int], seats: int) -> Subset:
        """Those who played least and, among the tries, the set whose bots met least."""
        least = min(self.appearances[point] for point in points)
        lowest = [point for point in points if self.appearances[point] == least]
        fixed: list[int] = []
        if len(lowest) <= seats:
            fixed = lowest
            following = min((self.appearances[p] for p in points if self.appearances[p] > least), default=least)
            lowest = [point for point in points if self.appearances[point] == following]
            if len(fixed) + len(lowest) < seats:
                lowest = [point for point in points if point not in fixed]
        best, best_cost = self._try(fixed, lowest, seats)
        for _ in range(TRIES - 1):
            if best_cost == 0:
                break
            subset, cost = self._try(fixed, lowest, seats)
            if cost < best_cost:
                best, best_cost = subset, cost
        return best

    def _try(self, fixed: Sequence[int], pool: list[int], seats: int) -> tuple[Subset, int]:
        """A set that grows by the bot that costs least, from a random order; and what it costs."""
        self._rng.shuffle(pool)
        subset: list[int] = []
        cost = 0
        for point in fixed:
            cost += self._cost(point, subset)
            subset.append(point)
        while len(subset) < seats:
            extra, chosen = min(self._cheapest(subset, pool))
            cost += extra
            subset.append(pool[chosen])
        return tuple(subset), cost

    def _cheapest(self, subset: list[int], pool: list[int]) -> Iterator[tuple[int, int]]:
        """Cost and index of each candidate, up to the first that has met none of the block."""
        for index, point in enumerate(pool):
            if point not in subset:
                cost = self._cost(point, subset)
                yield cost, index
                if cost == 0:
                    return

    def _cost(self, point: int, subset: list[int]) -> int:
        """Squares: one pair that meets four times is worse than four pairs that meet twice."""
        row = self._meetings[point]
        return sum(row[other] ** 2 for other in subset)


PAIR_SLACK = 4
"""How much oftener than the average (rounded up) a pair may meet in a selection."""


def rounds_of_sets(
    context: PlanningContext, circle: Circle, slices: Sequence[Sets], seatings: Seatings, always: tuple[int, ...] = ()
) -> Iterator[list[PlannedMatch]]:
    """Rounds of the sets of several seat counts; each set is joined by those who are `always` there."""
    numbers = Numbers(seatings)
    while True:
        entrants = context.entrants(numbers.round)
        if not set(entrants).issuperset(always):
            return
        circle.update(version for version in entrants if version not in always)
        subsets = [subset for piece in slices for subset in piece.next_round()]
        if subsets:
            # Sets of the same bots lie close together, so that a worker can keep their processes.
            subsets.sort(key=lambda subset: subset[0])
            yield numbers.matches([always + tuple(circle.versions[point] for point in subset) for subset in subsets])
        elif all(piece.exhausted for piece in slices):
            return


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
