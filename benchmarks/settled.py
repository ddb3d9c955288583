"""Compare the time of settled ratings, plain TrueSkill and TrueSkill Through Time for the same matches, on one core.

TrueSkill Through Time is measured only in the smallest case, because it takes minutes in the others.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import trueskillthroughtime

from arena.model.records import FinishedMatch
from arena.ratings.live import RatingSettings, fold
from arena.ratings.settled.settle import settle
from benchmarks.measure import interleaved, show
from benchmarks.simulated import Field, night, skills

SETTINGS = RatingSettings(draw_probability=0.1)


def run() -> None:
    """Print a table for each size."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    for bots, seats, matches, rounds in ((10, 2, 500, 3), (100, 4, 100_000, 2), (1000, 4, 100_000, 1)):
        results = [replace(result, place=place) for place, result in enumerate(_matches(bots, seats, matches))]
        cases: dict[str, Callable[[], float]] = {
            "settled": partial(_timed, partial(settle, results)),
            "plain trueskill, once in order": partial(_timed, partial(_online, results)),
        }
        if matches <= 5_000:
            cases["trueskillthroughtime, to 1e-6"] = partial(_timed, partial(_through_time, results))
        figures = interleaved(cases, rounds)
        show(f"{matches:,} matches of {seats} seats, {bots:,} bots", "s", figures, "plain trueskill, once in order")
        print(f"\nsettled in {settle(results).sweeps} sweeps")


def _matches(bots: int, seats: int, matches: int) -> list[FinishedMatch]:
    field = Field(bots, seats, matches // bots)
    rng = np.random.default_rng(1)
    return night(field, skills(field, rng), rng)


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _online(results: list[FinishedMatch]) -> None:
    fold({}, results, SETTINGS)


def _through_time(results: list[FinishedMatch]) -> None:
    history = trueskillthroughtime.History(
        [[[str(version)] for version in result.versions] for result in results],
        [[float(-rank) for rank in result.ranks] for result in results],
        mu=25.0, sigma=25.0 / 3, beta=25.0 / 6, gamma=0.0, p_draw=0.1,
    )  # fmt: skip
    history.convergence(epsilon=1e-6, iterations=100, verbose=False)
