"""Measure one decision of a Python bot in dimensions-ai (Node.js) and in the arena; both freeze bots between turns."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from time import perf_counter

from arena.model.records import MatchOrder
from arena.model.rules import LeagueRules
from arena.sandbox.probe import probe
from arena.workers.player import MatchPlayer
from benchmarks.bots import HERE, python_bot
from benchmarks.games import offer_games
from benchmarks.measure import interleaved, pinned, show
from benchmarks.peers import HERE as PEERS

TURNS = 2000


def run() -> None:
    """Print the table."""
    offer_games()
    with pinned():
        cases = {"dimensions-ai": _dimensions, "the arena, whole match": _arena}
        show("One decision of 300 bytes, with freezing in both", "microseconds", interleaved(cases), "dimensions-ai")


def _dimensions() -> float:
    command = ["node", str(PEERS / "dimensions_turns.js"), str(HERE / "deaf.py"), str(TURNS // 2), "300"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(done.stdout.splitlines()[-1])


def _arena() -> float:
    rules = LeagueRules(name="flat", game="flat", options={"turns": TURNS}, time_control="100+1/10", reuse=True)
    player = MatchPlayer(probe("auto"))
    program = python_bot("lean")
    orders = [
        MatchOrder(f"flat-1-{number}", os.urandom(16), rules, (program, replace(program, name="other")))
        for number in (0, 1)
    ]
    player.play(orders[0])
    began = perf_counter()
    player.play(orders[1])
    spent = perf_counter() - began
    player.close()
    return spent / TURNS * 1e6
