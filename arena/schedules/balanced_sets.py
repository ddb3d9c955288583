"""Choose the sets of bots that play at one number of seats, and split them into rounds.

The sets are every subset of the entrants, or a balanced selection of the subsets. A *selection* fills each next set
with the bots that have played least and, among them, with those that have met each other least. Therefore appearances
never differ by more than 1, and no pair meets more than `pair_bound` times.
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
"""If there are few entrants, a round has about this many encounters of every bot at each seat count."""
MANY_ROUNDS = 10
"""A night with more rounds gets longer rounds: to plan and close a round costs as much as many short matches."""
ROUND_MATCHES = 1_000
"""If there are many entrants, rounds are shorter: about this many matches at each seat count."""
TRIES = 8
"""Number of candidates for the next set of a selection; the set whose bots have met least is taken."""


class Circle:
    """The entrants by their place on a circle.

    An entrant that joins later gets the next place. The place of an entrant that leaves stays empty.
    """

    def __init__(self, entrants: Iterable[int]) -> None:
        self.versions = list(entrants)
        self.points = {version: point for point, version in enumerate(self.versions)}
        self.present = set(self.points.values())

    def __len__(self) -> int:
        """Return the number of places, with the empty places."""
        return len(self.versions)

    def update(self, entrants: Iterable[int]) -> None:
        """Set the entrants that take part from now on."""
        self.present = set()
        for version in entrants:
            if version not in self.points:
                self.points[version] = len(self.versions)
                self.versions.append(version)
            self.present.add(self.points[version])

    def all_of(self, subset: Subset) -> bool:
        """Return whether the entrants of all these places take part."""
        return self.present.issuperset(subset)


class Sets:
    """The sets of one number of seats, split into rounds.

    If an entrant joins, the sets that were played stay, and the remaining sets are planned again. In a selection, the
    new entrant then has as many encounters ahead as every other bot. If all subsets are played, each subset with the
    new entrant is played as early as possible.
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
        """Return complete chunks of sets until the round is long enough; empty if no chunk is left."""
        subsets: list[Subset] = []
        while len(subsets) < self._sets_a_round:
            piece = next(self._pieces, None)
            if piece is None:
                self.exhausted = True
                break
            subsets += filter(self._circle.all_of, piece)
        return subsets

    def _all_pieces(self, again: int, rest: int) -> Iterator[list[Subset]]:
        """Yield chunks of sets, each as balanced as possible: an orbit, or one encounter of everybody."""
        for _ in range(again):
            yield from self._every_subset()
        if rest:
            yield from self._selection(rest)

    def _every_subset(self) -> Iterator[list[Subset]]:
        """Yield each subset once. If an entrant joins, start again with the larger circle and skip played subsets."""
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
        """Yield a balanced selection of the subsets, one encounter of everybody at a time."""
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
            # An entrant joined, so orbits no longer balance: count the chunks that were played, select the rest.
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
    """Return whether this set was played when the circle was smaller. Each circle ended at its last necklace."""
    return any(max(subset) < size and necklace_of(subset, size) <= last for size, last in played)


class Balance:
    """Count the appearances of each bot and the meetings of each pair; memory does not grow with the matches."""

    def __init__(self, size: int, rng: Random) -> None:
        self.appearances = [0] * size
        self._meetings = [bytearray(size) for _ in range(size)]
        self._rng = rng

    def grow(self, size: int, appearances: int) -> None:
        """Add places up to `size`, each as if its bot had already played `appearances` times."""
        more = size - len(self.appearances)
        if more > 0:
            for row in self._meetings:
                row.extend(bytes(more))
            self._meetings += [bytearray(size) for _ in range(more)]
            self.appearances += [appearances] * more

    def count(self, subset: Subset) -> None:
        """Count a set that was chosen."""
        for point in subset:
            self.appearances[point] += 1
            row = self._meetings[point]
            for other in subset:
                row[other] = min(255, row[other] + 1)

    def next_subset(self, points: Sequence[int], seats: int) -> Subset:
        """Return a set of the bots that played least: of `TRIES` candidates, the set whose bots met least."""
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
        """Return a candidate set and its cost: start from a random order and add the cheapest bot each time."""
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
        """Yield the cost and index of each candidate, up to the first that has met nobody in the block."""
        for index, point in enumerate(pool):
            if point not in subset:
                cost = self._cost(point, subset)
                yield cost, index
                if cost == 0:
                    return

    def _cost(self, point: int, subset: list[int]) -> int:
        """Return the sum of squared meetings: one pair that meets four times costs more than two that meet twice."""
        row = self._meetings[point]
        return sum(row[other] ** 2 for other in subset)


PAIR_SLACK = 4
"""How many times above the average, rounded up, a pair may meet in a selection."""


def rounds_of_sets(
    context: PlanningContext, circle: Circle, slices: Sequence[Sets], seatings: Seatings, always: tuple[int, ...] = ()
) -> Iterator[list[PlannedMatch]]:
    """Yield the rounds of the sets of several seat counts; the bots in `always` are added to each set."""
    numbers = Numbers(seatings)
    while True:
        entrants = context.entrants(numbers.round)
        if not set(entrants).issuperset(always):
            return
        circle.update(version for version in entrants if version not in always)
        subsets = [subset for piece in slices for subset in piece.next_round()]
        if subsets:
            # Put sets of the same bots next to each other, so that a worker can reuse the bots' processes.
            subsets.sort(key=lambda subset: subset[0])
            yield numbers.matches([always + tuple(circle.versions[point] for point in subset) for subset in subsets])
        elif all(piece.exhausted for piece in slices):
            return


def all_encounters(seats: int, entrants: int) -> int:
    """Return the number of encounters of each bot if every subset plays once."""
    return comb(entrants - 1, seats - 1)


def sets_ahead(seats: int, entrants: int, encounters: int | None) -> int:
    """Return how many sets of bots play at this seat count, each on its own seed.

    >>> sets_ahead(2, 1000, None), sets_ahead(4, 10, 10), sets_ahead(3, 3, 5)
    (499500, 25, 5)
    """
    whole = all_encounters(seats, entrants)
    if encounters is None:
        encounters = whole
    again, rest = divmod(encounters, whole)
    return again * comb(entrants, seats) + -(-entrants * rest // seats)


def pair_bound(seats: int, entrants: int, encounters: int) -> int:
    """Return the maximum number of times that any two bots meet at one seat count.

    A night of every subset, and any two-seat night, is as balanced as the numbers allow. In a selection a pair meets
    at most `PAIR_SLACK` times more than the average, rounded up. (A search of all nights of up to 25 bots, 6 seats and
    24 encounters found at most 3 more.) The same set of bots may play again, but then on another seed.

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
