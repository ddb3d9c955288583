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
from arena.schedules.necklaces import Block, necklace_of, necklaces, orbit, pairs

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
        self.places = {version: place for place, version in enumerate(self.versions)}
        self.present = set(self.places.values())

    def __len__(self) -> int:
        """Return the number of places, with the empty places."""
        return len(self.versions)

    def settle(self, entrants: Iterable[int]) -> None:
        """Set the entrants that take part from now on."""
        self.present = set()
        for version in entrants:
            if version not in self.places:
                self.places[version] = len(self.versions)
                self.versions.append(version)
            self.present.add(self.places[version])

    def all_of(self, block: Block) -> bool:
        """Return whether the entrants of all these places take part."""
        return self.present.issuperset(block)


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

    def next_round(self) -> list[Block]:
        """Return complete chunks of sets until the round is long enough; empty if no chunk is left."""
        blocks: list[Block] = []
        while len(blocks) < self._sets_a_round:
            piece = next(self._pieces, None)
            if piece is None:
                self.exhausted = True
                break
            blocks += filter(self._circle.all_of, piece)
        return blocks

    def _all_pieces(self, again: int, rest: int) -> Iterator[list[Block]]:
        """Yield chunks of sets, each as balanced as possible: an orbit, or one encounter of everybody."""
        for _ in range(again):
            yield from self._every_subset()
        if rest:
            yield from self._selection(rest)

    def _every_subset(self) -> Iterator[list[Block]]:
        """Yield each subset once. If an entrant joins, start again with the larger circle and skip played subsets."""
        played: list[tuple[int, Block]] = []
        while True:
            size = len(self._circle)
            last: Block = ()
            for gaps in necklaces(self._seats, size):
                blocks = orbit(gaps, size)
                yield [block for block in blocks if not _was_played(block, played)] if played else blocks
                last = gaps
                if len(self._circle) != size:
                    break
            if len(self._circle) == size:
                return
            played.append((size, last))

    def _selection(self, encounters: int) -> Iterator[list[Block]]:
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
                for block in piece:
                    balance.count(block)
            done = min(2 * given, encounters)
        for encounter in range(done + 1, encounters + 1):
            balance.grow(len(self._circle), encounter - 1)
            blocks: list[Block] = []
            places = sorted(self._circle.present)
            while len(places) >= self._seats and min(balance.appearances[place] for place in places) < encounter:
                block = balance.next_block(places, self._seats)
                balance.count(block)
                blocks.append(block)
            yield blocks


def _was_played(block: Block, played: Sequence[tuple[int, Block]]) -> bool:
    """Return whether this set was played on a smaller circle; each of those stopped at its last necklace."""
    return any(max(block) < size and necklace_of(block, size) <= last for size, last in played)


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

    def count(self, block: Block) -> None:
        """Count a set that was chosen."""
        for place in block:
            self.appearances[place] += 1
            row = self._meetings[place]
            for other in block:
                row[other] = min(255, row[other] + 1)

    def next_block(self, places: Sequence[int], seats: int) -> Block:
        """Return a set of the bots that played least: of `TRIES` candidates, the set whose bots met least."""
        least = min(self.appearances[place] for place in places)
        lowest = [place for place in places if self.appearances[place] == least]
        fixed: list[int] = []
        if len(lowest) <= seats:
            fixed = lowest
            following = min((self.appearances[p] for p in places if self.appearances[p] > least), default=least)
            lowest = [place for place in places if self.appearances[place] == following]
            if len(fixed) + len(lowest) < seats:
                lowest = [place for place in places if place not in fixed]
        best, best_cost = self._try(fixed, lowest, seats)
        for _ in range(TRIES - 1):
            if best_cost == 0:
                break
            block, cost = self._try(fixed, lowest, seats)
            if cost < best_cost:
                best, best_cost = block, cost
        return best

    def _try(self, fixed: Sequence[int], pool: list[int], seats: int) -> tuple[Block, int]:
        """Return a candidate set and its cost: start from a random order and add the cheapest bot each time."""
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
        """Yield the cost and index of each candidate, up to the first that has met nobody in the block."""
        for index, place in enumerate(pool):
            if place not in block:
                cost = self._cost(place, block)
                yield cost, index
                if cost == 0:
                    return

    def _cost(self, place: int, block: list[int]) -> int:
        """Return the sum of squared meetings: one pair that meets four times costs more than two that meet twice."""
        row = self._meetings[place]
        return sum(row[other] ** 2 for other in block)


PAIR_SLACK = 4
"""How many times above the average, rounded up, a pair may meet in a selection."""


def rounds_of_sets(
    field: PlanningContext, circle: Circle, slices: Sequence[Sets], seatings: Seatings, always: tuple[int, ...] = ()
) -> Iterator[list[PlannedMatch]]:
    """Yield the rounds of the sets of several seat counts; the bots in `always` are added to each set."""
    numbers = Numbers(seatings)
    while True:
        entrants = field.entrants(numbers.round)
        if not set(entrants).issuperset(always):
            return
        circle.settle(version for version in entrants if version not in always)
        blocks = [block for piece in slices for block in piece.next_round()]
        if blocks:
            # Put sets of the same bots next to each other, so that a worker can reuse the bots' processes.
            blocks.sort(key=lambda block: block[0])
            yield numbers.matches([always + tuple(circle.versions[place] for place in block) for block in blocks])
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
