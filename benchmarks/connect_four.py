"""Measure connect-four matches a second: nights of subprocess bots, stored and rated, against in-process play.

kaggle-environments and pettingzoo call functions in one process, without pipes, limits and sandbox, and store nothing.
The arena plays the starter bot in Python and a bot in C. All choose like the functions of the other tools; the C bot
always takes the first open column. A process is reused for 1,000 matches (the default of a league is 100).
"""

from __future__ import annotations

from collections.abc import Callable

from arena.model.records import Program
from arena.model.rules import LeagueRules
from arena.sandbox.probe import probe
from arena.schedules.plan import NightPlan
from benchmarks.bots import c_bot, python_bot
from benchmarks.games import offer_games
from benchmarks.measure import interleaved, show
from benchmarks.nights import NightCase, play_night
from benchmarks.peers import measure_peer

ENCOUNTERS = 1000
"""Encounters of each bot in a night. Two bots play twice this number of matches, four bots four times this number."""


def run() -> None:
    """Print the table."""
    offer_games()
    sandbox = probe("auto")
    rules = LeagueRules(name="four", game="connect_four", seats=(2,), reuse_matches=1000)

    def night(program: Program, bots: int, workers: int) -> Callable[[], float]:
        plan = NightPlan((2,), encounters=ENCOUNTERS, repeat=True)
        return lambda: play_night(NightCase(rules, program, bots, plan, workers, sandbox)).rate

    cases = {
        "kaggle-environments, functions": lambda: measure_peer("kaggle_connect_four.py"),
        "pettingzoo, stepped": lambda: measure_peer("pettingzoo_connect_four.py"),
        "a night, Python bots, one worker": night(python_bot(), 4, 1),
        "a night, Python bots, two workers": night(python_bot(), 4, 2),
        "a night, C bots, one worker": night(c_bot(), 4, 1),
        "a night, C bots, two workers": night(c_bot(), 4, 2),
    }
    figures = interleaved(cases)
    show("Connect four", "matches a second", figures, "kaggle-environments, functions")
