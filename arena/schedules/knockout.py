"""Knockout: the loser of a pairing is eliminated; the losers of the semi-finals play for third place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass

from arena.errors import UsageError
from arena.model.records import FinishedMatch, PlannedMatch
from arena.model.seeds import planning_rng
from arena.schedules.base import Numbers, PlanningContext, check_numbers
from arena.schedules.history import points_of

EXTRA_LEGS = 3
"""A tied pairing gets at most this many extra encounters, one at a time; then the draw decides."""


@dataclass(slots=True)
class Pairing:
    """Two bots, of which one advances; `one` comes before `other` in the draw."""

    one: int
    other: int
    winner: int | None = None

    @property
    def loser(self) -> int:
        """The bot that is eliminated."""
        return self.other if self.winner == self.one else self.one


@dataclass(frozen=True, slots=True)
class Knockout:
    """A night of pairings at two seats; the night seed decides the draw.

    If the number of entrants is not a power of two, the first bots in the draw have a bye. Every pairing is played on
    the same number of seeds, with both seatings on each seed. A bot that leaves the night loses its pairing. The
    numbers of encounters of two bots in the same stage differ by at most `EXTRA_LEGS`.
    """

    seat_counts: tuple[int, ...]
    encounters: int
    """Encounters (seeds) of each pairing."""

    takes_newcomers = False
    looks_at_results = True

    def rounds(self, context: PlanningContext) -> Iterator[list[PlannedMatch]]:
        """Return the rounds of the night: one per stage, with up to `EXTRA_LEGS` more if a pairing is tied."""
        self._check(len(context.entrants(0)))
        return self._night(context)

    def podium(self, context: PlanningContext) -> tuple[int, ...]:
        """Return the first four bots of a night that is over, best first (fewer if it had fewer entrants)."""
        night = self._night(context)
        while True:
            try:
                next(night)
            except StopIteration as end:
                podium: tuple[int, ...] = end.value
                return podium

    def matches_ahead(self, entrants: int) -> int:
        """Return the number of matches, without the extra matches of tied pairings."""
        pairings = entrants - 1 + (entrants >= 4)
        return 2 * self.encounters * pairings

    def matches_in_all(self, context: PlanningContext, complete: int) -> int:
        """Return the number of matches, with the extra matches of complete rounds and no later ones."""
        planned: dict[int, list[PlannedMatch]] = {}

        def results(number: int) -> Iterable[FinishedMatch]:
            # For later rounds, let one bot win every match of a pairing, so that no pairing is tied.
            return context.results(number) if number < complete else map(_won_by_the_first, planned[number])

        total = 0
        for number, matches in enumerate(self._night(PlanningContext(context.night_seed, context.entrants, results))):
            planned[number] = matches
            total += len(matches)
        return total

    def rounds_ahead(self, entrants: int) -> int:
        """Return the number of rounds, without the extra rounds of tied pairings."""
        return (entrants - 1).bit_length()

    def _check(self, entrants: int) -> None:
        if self.seat_counts != (2,):
            raise UsageError("a knockout is played at two seats: expected --seats 2")
        check_numbers(self.seat_counts, entrants, self.encounters)

    def _night(self, context: PlanningContext) -> Generator[list[PlannedMatch], None, tuple[int, ...]]:
        draw = list(context.entrants(0))
        planning_rng(context.night_seed, "draw").shuffle(draw)
        standing = {version: index for index, version in enumerate(draw)}
        numbers = Numbers()
        still = draw
        losers: list[int] = []
        while len(still) > 1:
            size = 1 << (len(still) - 1).bit_length()
            byes = size - len(still)
            rest = still[byes:]
            # Pair the first with the last, so that two high seeds meet late.
            pairings = [Pairing(one, other) for one, other in zip(rest, reversed(rest), strict=True)]
            pairings = pairings[: len(rest) // 2]
            third = Pairing(*sorted(losers, key=standing.__getitem__)) if len(still) == 2 and len(losers) == 2 else None
            yield from self._stage(context, numbers, [*pairings, third] if third else pairings)
            if len(still) == 2:
                (final,) = pairings
                assert final.winner is not None
                behind = (third.winner, third.loser) if third and third.winner is not None else tuple(losers)
                return (final.winner, final.loser, *behind)
            losers = [pairing.loser for pairing in pairings]
            winners = {pairing.winner for pairing in pairings}
            still = sorted(
                [version for version in still if version in winners or version in still[:byes]],
                key=standing.__getitem__,
            )
        return tuple(still)

    def _stage(
        self, context: PlanningContext, numbers: Numbers, pairings: list[Pairing]
    ) -> Generator[list[PlannedMatch], None, None]:
        """Yield the matches of these pairings until each pairing has a winner."""
        points: Counter[int] = Counter()
        for legs in (self.encounters, *[1] * EXTRA_LEGS):
            present = set(context.entrants(numbers.round))
            for pairing in pairings:
                if pairing.winner is None and not {pairing.one, pairing.other} <= present:
                    pairing.winner = pairing.other if pairing.one not in present else pairing.one
            level = [pairing for pairing in pairings if pairing.winner is None]
            if not level:
                return
            yield numbers.matches([(pairing.one, pairing.other) for pairing in level for _ in range(legs)])
            for match in context.results(numbers.round - 1):
                points.update(dict(zip(match.versions, (int(2 * p) for p in points_of(match.ranks)), strict=True)))
            for pairing in level:
                if points[pairing.one] != points[pairing.other]:
                    pairing.winner = max(pairing.one, pairing.other, key=points.__getitem__)
        for pairing in pairings:
            if pairing.winner is None:
                pairing.winner = pairing.one


def _won_by_the_first(match: PlannedMatch) -> FinishedMatch:
    """Return a result that the bot with the lower version id wins, in whichever seat it is."""
    return FinishedMatch(match.seating, (0, 1) if match.seating[0] < match.seating[1] else (1, 0))
