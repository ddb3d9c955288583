"""Measure whole matches of 2 and 200 turns, from process start to stop, with and without reuse and sandbox."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from time import perf_counter

from arena.model.records import MatchOrder, Program
from arena.model.rules import LeagueRules
from arena.sandbox.launcher import Sandbox
from arena.sandbox.probe import probe
from arena.workers.player import MatchPlayer
from benchmarks.bots import c_bot, python_bot
from benchmarks.games import offer_games
from benchmarks.measure import interleaved, pinned, show

MATCHES = 10


def run() -> None:
    """Print a table for each bot."""
    offer_games()
    sandboxes = {"sandbox": probe("auto"), "no sandbox": probe("off")}
    with pinned():
        for bot, words in ((python_bot("lean"), "Python bots"), (c_bot(), "C bots")):
            cases = {
                f"{turns} turns, {'reused' if reuse else 'new'} processes, {name}": _matches(bot, turns, reuse, sandbox)
                for turns in (2, 200)
                for reuse in (False, True)
                for name, sandbox in sandboxes.items()
            }
            show(f"One match, start to stop, {words}", "milliseconds", interleaved(cases))


def _matches(program: Program, turns: int, reuse: bool, sandbox: Sandbox) -> Callable[[], float]:
    rules = LeagueRules(name="flat", game="flat", options={"turns": turns, "size": 300}, seats=(2,), reuse=reuse)
    programs = (program, replace(program, name="opponent"))

    def measure() -> float:
        player = MatchPlayer(sandbox)
        orders = [MatchOrder(f"flat-1-{number}", os.urandom(16), rules, programs) for number in range(MATCHES + 1)]
        try:
            player.play(orders[0])
            began = perf_counter()
            for order in orders[1:]:
                player.play(order)
            return (perf_counter() - began) / MATCHES * 1e3
        finally:
            player.close()

    return measure
