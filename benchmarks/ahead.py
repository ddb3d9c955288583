"""Measure how much time it saves, at the ends of rounds, to start bots ahead of their match.

The bots take 0.4 s to start and get a new process for each match. They think for 0 to 29 ms a turn, drawn for each
match, so that workers reach the end of a round at different times.
"""

from __future__ import annotations

from arena.model.rules import LeagueRules
from arena.sandbox.probe import probe
from arena.schedules.plan import NightPlan
from benchmarks.bots import python_bot
from benchmarks.games import offer_games
from benchmarks.measure import interleaved, show
from benchmarks.nights import NightCase, play_night

BOTS = 3
ENCOUNTERS = 20
"""Encounters of each bot; this gives 60 matches."""


def run() -> None:
    """Print the table."""
    offer_games()
    rules = LeagueRules(name="heavy", game="connect_four", seats=(2,), reuse=False)
    sandbox = probe("auto")
    plan = NightPlan((2,), encounters=ENCOUNTERS, repeat=True)

    def night(*, ahead: bool) -> float:
        return play_night(NightCase(rules, python_bot("heavy"), BOTS, plan, 2, sandbox, ahead=ahead)).rate

    cases = {"started when its match begins": lambda: night(ahead=False), "started ahead": lambda: night(ahead=True)}
    title = "A night of bots that take 0.4 s to start, two workers"
    show(title, "matches a second", interleaved(cases), "started when its match begins")
