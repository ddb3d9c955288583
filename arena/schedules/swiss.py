"""Swiss system: many bots, little time; in every round those meet who have done equally well so far."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from arena.model.records import PlannedMatch
from arena.model.seeds import planning_rng
from arena.schedules.adaptive import Adaptive
from arena.schedules.base import Numbers, PlanningContext
from arena.schedules.history import Past, Scores


@dataclass(frozen=True, slots=True)
class Swiss(Adaptive):
    """A number of rounds, each with one encounter of everybody at each seat count.

    Where a field does not fill its tables some sit out, the last first, nobody a second time before all others did: so
    appearances at a seat count never differ by more than 1. At two seats nobody meets an opponent again as long as
    `rematch_free_rounds` says; at more seats the table of those nearest in the standings who have met least is taken.
    """

    def _rounds(self, context: PlanningContext) -> Iterator[list[PlannedMatch]]:
        numbers, past, scores = Numbers(self.seatings), Past(), Scores()
        while numbers.round < self.encounters:
            if numbers.round:
                scores.take(context.results(numbers.round - 1))
            rng = planning_rng(context.night_seed, f"swiss:{numbers.round}")
            order = list(context.entrants(numbers.round))
            rng.shuffle(order)
            order.sort(key=scores.share, reverse=True)
            standing = {version: -index for index, version in enumerate(order)}
            lineups: list[tuple[int, ...]] = []
            for seats in self.seat_counts:
                playing = past.playing(order, seats, standing.__getitem__)
                seated = pair_up(playing, past) if seats == 2 else fill_lineups(playing, seats, past)
                past.seated(seated)
                lineups += seated
            if not lineups:
                return
            yield numbers.matches(lineups)


def usual_rounds(entrants: int) -> int:
    """As many rounds as a knockout would have, and two more: enough to find the best and the order near the top.

    >>> [usual_rounds(entrants) for entrants in (2, 8, 32, 1000)]
    [3, 5, 7, 12]
    """
    return (max(entrants, 2) - 1).bit_length() + 2


def rematch_free_rounds(entrants: int) -> int:
    """In so many rounds at two seats nobody meets anybody twice, whatever the results.

    While no two bots together have met as many others as there are places in an even field, two who are left over can
    always be placed by taking one pair apart. (With an odd field somebody sits out: one less plays.)

    >>> rematch_free_rounds(32), rematch_free_rounds(7)
    (16, 3)
    """
    playing = entrants - entrants % 2
    return playing // 2


def pair_up(order: list[int], past: Past) -> list[tuple[int, ...]]:
    """Pairs from an even list, the best first, each with the nearest below whom it has not met."""
    partner: dict[int, int] = {}
    left: list[int] = []
    for index, one in enumerate(order):
        if one in partner:
            continue
        other = next((o for o in order[index + 1 :] if o not in partner and not past.met(one, o)), None)
        if other is None:
            left.append(one)
        else:
            partner[one], partner[other] = other, one
    standing = {version: index for index, version in enumerate(order)}
    while left:
        _join(left.pop(0), left.pop(0), partner, standing, past)
    return [(one, partner[one]) for one in order if standing[one] < standing[partner[one]]]


def _join(one: int, other: int, partner: dict[int, int], standing: dict[int, int], past: Past) -> None:
    """Give two who have met a partner each, by taking a pair apart, the nearest that will do; else they meet again."""
    for first in sorted(partner, key=lambda version: abs(standing[version] - standing[one])):
        second = partner[first]
        if not past.met(one, first) and not past.met(other, second):
            partner[one], partner[first] = first, one
            partner[other], partner[second] = second, other
            return
    partner[one], partner[other] = other, one


def fill_lineups(order: list[int], seats: int, past: Past) -> list[tuple[int, ...]]:
    """Tables from a list that fills them, the best first, each with the nearest below who have met least."""
    free = list(order)
    lineups: list[tuple[int, ...]] = []
    while free:
        lineup = [free.pop(0)]
        while len(lineup) < seats:
            best, least = 0, -1
            for index, version in enumerate(free):
                cost = sum(past.met(version, seated) ** 2 for seated in lineup)
                if least < 0 or cost < least:
                    best, least = index, cost
                    if cost == 0:
                        break
            lineup.append(free.pop(best))
        lineups.append(tuple(lineup))
    return lineups
