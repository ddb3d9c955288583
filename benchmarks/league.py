"""Measure the cost per match of the league runner itself: psyleague next to a night of the arena.

psyleague starts a command for each match, here a command that prints a result. The arena's night is measured with
generated results, and with real matches of two processes and two turns.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from arena.model.rules import LeagueRules
from arena.sandbox.probe import probe
from arena.schedules.plan import NightPlan
from benchmarks.bots import c_bot
from benchmarks.games import offer_games
from benchmarks.made_up import make_up
from benchmarks.measure import interleaved, show
from benchmarks.nights import NightCase, play_night
from benchmarks.peers import PEERS_PYTHON

BOTS = 4
ENCOUNTERS = 250
"""Encounters of each bot; this gives 1,000 matches."""
PEER_GAMES = 60
"""Number of matches of psyleague. It polls for results ten times a second, so more would only take longer."""


def run() -> None:
    """Print the table."""
    offer_games()
    sandbox = probe("auto")
    rules = LeagueRules(name="flat", game="flat", options={"turns": 2}, seats=(2,))
    plan = NightPlan((2,), encounters=ENCOUNTERS, repeat=True)
    case = NightCase(rules, c_bot(), BOTS, plan, 1, sandbox)

    def night(workers: int, *, made_up: bool) -> Callable[[], float]:
        given = NightCase(rules, case.program, BOTS, plan, workers, sandbox, play=make_up if made_up else None)
        return lambda: play_night(given).rate

    cases = {
        "psyleague, one worker": lambda: _psyleague(1),
        "psyleague, two workers": lambda: _psyleague(2),
        "a night, generated results, one worker": night(1, made_up=True),
        "a night, generated results, two workers": night(2, made_up=True),
        "a night, two turns of C bots, one worker": night(1, made_up=False),
        "a night, two turns of C bots, two workers": night(2, made_up=False),
    }
    show("A league of matches that do nothing", "matches a second", interleaved(cases), "psyleague, one worker")


def _psyleague(workers: int) -> float:
    program = PEERS_PYTHON.with_name("psyleague")
    folder = Path(tempfile.mkdtemp(prefix="arena-benchmark-psyleague-"))
    try:
        subprocess.run([str(program), "config"], cwd=folder, check=True, capture_output=True)
        settings = (folder / "psyleague.cfg").read_text()
        result = r"""{\"ranks\":[0,1],\"errors\":[0,0],\"test_data\":{},\"player_data\":[{},{}]}"""
        (folder / "play.sh").write_text(f'echo "{result}"\n')
        lines = [
            'cmd_bot_setup = "true"' if line.startswith("cmd_bot_setup") else
            'cmd_play_game = "sh play.sh %ALL_PLAYERS%"' if line.startswith("cmd_play_game") else
            f"n_workers = {workers}" if line.startswith("n_workers") else line
            for line in settings.splitlines()
        ]  # fmt: skip
        (folder / "psyleague.cfg").write_text("\n".join(lines) + "\n")
        for number in range(BOTS):
            add = [str(program), "bot", "add", f"bot{number}"]
            subprocess.run(add, cwd=folder, check=True, capture_output=True)
        began = perf_counter()
        play = [str(program), "run", "--games", str(PEER_GAMES), "--silent", "--workers", str(workers)]
        subprocess.run(play, cwd=folder, check=True, capture_output=True)
        return PEER_GAMES / (perf_counter() - began)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
