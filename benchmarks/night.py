"""Compare two workers with one, for bots that use 5 ms of CPU time a turn, and measure the arena's own share of it."""

from __future__ import annotations

from arena.model.rules import LeagueRules
from arena.sandbox.probe import probe
from arena.schedules.plan import NightPlan
from arena.text.words import counted
from benchmarks.bots import python_bot
from benchmarks.games import offer_games
from benchmarks.measure import Figures, interleaved, show
from benchmarks.nights import NightCase, NightFigures, play_night

BOTS = 4
ENCOUNTERS = 20
"""Encounters of each bot; this gives 80 matches and about nine seconds of CPU time."""


def run() -> None:
    """Print rates and shares."""
    offer_games()
    rules = LeagueRules(name="busy", game="connect_four", seats=(2,))
    sandbox = probe("auto")
    taken: dict[int, list[NightFigures]] = {1: [], 2: []}

    def night(workers: int) -> float:
        plan = NightPlan((2,), encounters=ENCOUNTERS, repeat=True)
        figures = play_night(NightCase(rules, python_bot("busy"), BOTS, plan, workers, sandbox))
        taken[workers].append(figures)
        return figures.rate

    rates = interleaved({"one worker": lambda: night(1), "two workers": lambda: night(2)})
    show("A night of bots that use 5 ms a turn", "matches a second", rates, "one worker")
    shares = {
        counted(workers, "worker"): Figures(tuple(figures.arena_share * 100 for figures in found[1:]))
        for workers, found in taken.items()
    }
    show("The arena's own share of all CPU time in these nights", "per cent", shares)
