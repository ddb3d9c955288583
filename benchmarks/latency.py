"""Measure the time that the arena adds to a turn, from `latency_s` in the replays (p50, p99, maximum).

This is the time from the call of the session to the start of the bot's clock, plus the time from the answer until the
bot is frozen again. It does not include the bot's own time.
"""

from __future__ import annotations

import os

import orjson

from arena.model.records import MatchOrder
from arena.model.rules import LeagueRules
from arena.sandbox.probe import probe
from arena.workers.player import MatchPlayer
from benchmarks.bots import python_bot
from benchmarks.games import flat, offer_games
from benchmarks.measure import Figures, interleaved, pinned, show

TURNS = 2000
PARTS = {"p50": 0.5, "p99": 0.99, "maximum": 1.0}


def run() -> None:
    """Print the table."""
    offer_games()
    sandbox = probe("auto")
    taken: dict[str, list[list[float]]] = {}

    def match(size: int) -> float:
        rules = LeagueRules(name="flat", game="flat", options={"turns": TURNS, "size": size}, time_control="100+1/10")
        player = MatchPlayer(sandbox)
        record = player.play(MatchOrder("flat-1-0", os.urandom(16), rules, (python_bot(), python_bot())))
        player.close()
        times = [orjson.loads(line).get("times") for line in record.replay.splitlines()]
        found = sorted(entry["latency_s"] * 1e6 for entry in times if entry)
        taken.setdefault(f"{size} bytes", []).append(found)
        return float(found[len(found) // 2])

    with pinned():
        interleaved({f"{size} bytes": lambda size=size: match(size) for size in flat.FILL})  # type: ignore[misc]
    shown = {
        f"{name}, {part}": Figures(tuple(found[min(int(len(found) * share), len(found) - 1)] for found in rounds[1:]))
        for name, rounds in taken.items()
        for part, share in PARTS.items()
    }
    show(f"Latency that the arena adds to a turn, {TURNS:,} turns a round", "microseconds", shown)
