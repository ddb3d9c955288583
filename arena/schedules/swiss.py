"""Swiss system, for many bots and little time: in every round, bots with similar points play against each other."""

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
    """A number of rounds; in each one, every entrant plays one encounter at each seat count.

    If the entrants do not fill every match, the bots that rank last sit out. Nobody sits out a second time before
    everybody else has sat out once. Therefore appearances at a seat count never differ by more than 1. At two seats no
    pair meets twice within `rematch_free_rounds`. At more seats, a bot plays with the bots that it has met least and,
    among them, with the nearest in the standings.
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
    """Return the rounds of a knockout plus two: enough to find the best bot and the order near the top.

    >>> [usual_rounds(entrants) for entrants in (2, 8, 32, 1000)]
    [3, 5, 7, 12]
    """
    return (max(entrants, 2) - 1).bit_length() + 2


def rematch_free_rounds(entrants: int) -> int:
    """Return for how many rounds at two seats no pair meets twice, whatever the results are.

    Let n be the (even) number of bots that play. While no two bots together have met n others, two bots that are left
    over can always get a new opponent each, by splitting one pair. (If the number of entrants is odd, n is one less.)

    >>> rematch_free_rounds(32), rematch_free_rounds(7)
    (16, 3)
    """
    playing = entrants - entrants % 2
    return playing // 2


def pair_up(order: list[int], past: Past) -> list[tuple[int, ...]]:
    """Return pairs from an even list, best first: each bot with the nearest below that it has not met."""
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
    """Pair two bots that have met by splitting the nearest suitable pair; if there is none, they meet again."""
    for first in sorted(partner, key=lambda version: abs(standing[version] - standing[one])):
        second = partner[first]
        if not past.met(one, first) and not past.met(other, second):
            partner[one], partner[first] = first, one
            partner[other], partner[second] = second, other
            return
    partner[one], partner[other] = other, one


def fill_lineups(order: list[int], seats: int, past: Past) -> list[tuple[int, ...]]:
    """Return full tables from a list, best first: each bot with the bots below it that it has met least."""
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
