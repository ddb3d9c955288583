"""Measure how many matches each schedule needs to rank 32 simulated bots with a given accuracy.

Each bot has a true strength. The performance of a seat is the strength of its bot, plus a random effect of the bot in
this match, plus a random effect of the deal. The deal depends on seed and seat, and is the same in every rotation of an
encounter. Ratings are computed as in a league. All random numbers come from fixed seeds, so every run prints the same
numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
from random import Random
from statistics import NormalDist, mean

from arena.model.records import FinishedMatch, PlannedMatch
from arena.model.seeds import match_seed
from arena.ratings.live import Rating, RatingSettings, rate
from arena.schedules.base import PlanningContext, Schedule
from arena.schedules.gauntlet import Gauntlet
from arena.schedules.knockout import Knockout
from arena.schedules.ladder import Ladder
from arena.schedules.round_robin import RoundRobin
from arena.schedules.swiss import Swiss

BOTS = 32
RUNS = 12
ENOUGH = 2_600
"""Matches after which a run ends, at two seats."""
DAY = 1.0
"""Standard deviation of a bot's random effect in one match; strengths have the same spread."""
DEAL = 1.0
"""Standard deviation of the deal for a seat on a seed, which the rotations share."""
TARGETS = (0.7, 0.8, 0.85)
SETTINGS = RatingSettings(draw_probability=0.001)

STRENGTHS = [NormalDist().inv_cdf((bot + 0.5) / BOTS) for bot in range(BOTS)]

SCHEDULES: dict[str, Callable[[int, int], Schedule]] = {
    "round robin": lambda seats, _run: RoundRobin((seats,), 10),
    "swiss": lambda seats, _run: Swiss((seats,), 200),
    "ladder": lambda seats, _run: Ladder((seats,), 200),
    "gauntlet of the median bot": lambda seats, _run: Gauntlet((seats,), BOTS // 2, 10),
    "knockouts, one seed a pairing": lambda _seats, _run: Knockout((2,), 1),
    "knockouts, five seeds a pairing": lambda _seats, _run: Knockout((2,), 5),
}


def judge(night_seed: bytes, match: PlannedMatch) -> tuple[int, ...]:
    """Return the ranks of a simulated match."""
    deal = Random(match_seed(night_seed, match.encounter))
    luck = [deal.gauss(0, DEAL) for _ in match.seating]
    day = Random(f"{night_seed.hex()}:{match.position}")
    shown = [STRENGTHS[bot] + luck[seat] + day.gauss(0, DAY) for seat, bot in enumerate(match.seating)]
    return tuple(sum(other > own for other in shown) for own in shown)


def rounds_of(make: Callable[[int, int], Schedule], seats: int, run: int) -> Iterator[tuple[bytes, list[PlannedMatch]]]:
    """Yield the rounds of successive nights, with the seed of each night."""
    night = 0
    while True:
        seed = f"run {run}, night {night}".encode()
        played: list[PlannedMatch] = []

        def results(_number: int, seed: bytes = seed, played: list[PlannedMatch] = played) -> list[FinishedMatch]:
            return [FinishedMatch(match.seating, judge(seed, match)) for match in played]

        for matches in make(seats, run).rounds(PlanningContext(seed, lambda _number: range(BOTS), results)):
            played[:] = matches
            yield seed, matches
        night += 1


def curve(make: Callable[[int, int], Schedule], seats: int, run: int, enough: int) -> list[tuple[int, float, bool]]:
    """Return for each round: matches so far, Kendall's tau of ratings and true order, whether the best bot leads."""
    ratings: dict[int, Rating] = dict.fromkeys(range(BOTS), SETTINGS.prior)
    points: list[tuple[int, float, bool]] = [(0, 0.0, False)]
    done = 0
    for seed, matches in rounds_of(make, seats, run):
        for match in matches:
            after = rate([ratings[bot] for bot in match.seating], judge(seed, match), SETTINGS)
            ratings.update(zip(match.seating, after, strict=True))
        done += len(matches)
        # Bots are numbered by strength. Bots that have not played are tied at the prior, which counts as half wrong.
        pairs = [(ratings[low].mu, ratings[high].mu) for low, high in combinations(range(BOTS), 2)]
        tau = sum((high > low) - (high < low) for low, high in pairs) / len(pairs)
        points.append((done, tau, max(ratings, key=lambda bot: ratings[bot].mu) == BOTS - 1))
        if done >= enough:
            return points
    raise AssertionError("nights never end")


def matches_for(curves: list[list[tuple[int, float, bool]]], target: float) -> float | None:
    """Return the matches at which the mean accuracy of all runs reaches the target, interpolated between rounds."""
    steps = sorted({done for points in curves for done, _, _ in points})
    before = (0.0, 0.0)
    for step in steps:
        accuracy = mean(_at(points, step) for points in curves)
        if accuracy >= target:
            share = (target - before[1]) / (accuracy - before[1])
            return before[0] + share * (step - before[0])
        before = (step, accuracy)
    return None


def _at(points: list[tuple[int, float, bool]], step: int) -> float:
    for (start, low, _), (end, high, _) in pairwise(points):
        if start <= step <= end:
            return low + (high - low) * (step - start) / (end - start)
    return points[-1][1]


def run() -> None:
    """Print the tables of `docs/schedules.md`."""
    for seats, names, enough in ((2, list(SCHEDULES), ENOUGH), (4, list(SCHEDULES)[:3], 900)):
        print(f"\n### {BOTS} bots at {seats} seats, matches until Kendall's tau is reached (mean of {RUNS} runs)\n")
        print(
            "| schedule | "
            + " | ".join(f"tau {target}" for target in TARGETS)
            + f" | tau after {enough} | best leads |"
        )
        print("|---|" + "---|" * (len(TARGETS) + 2))
        for name in names:
            curves = [curve(SCHEDULES[name], seats, number, enough) for number in range(RUNS)]
            found = [matches_for(curves, target) for target in TARGETS]
            cells = ["not reached" if matches is None else f"{matches:.0f}" for matches in found]
            last = mean(_at(points, enough) for points in curves)
            best = sum(points[-1][2] for points in curves)
            print(f"| {name} | " + " | ".join(cells) + f" | {last:.3f} | {best} of {RUNS} |", flush=True)
