"""Measure the memory of a night's own process, over 20,000 matches of 1,000 bots and over a plan of 999,000 matches."""

from __future__ import annotations

import os
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter

from arena.model.rules import LeagueRules
from arena.night.control import Haste, Stop
from arena.night.events import MatchDone, NightEvent
from arena.sandbox.probe import probe
from arena.schedules.base import PlanningContext
from arena.schedules.plan import NightPlan
from arena.schedules.round_robin import RoundRobin
from benchmarks.bots import python_bot
from benchmarks.games import offer_games
from benchmarks.made_up import make_up
from benchmarks.nights import NightCase, play_night

BOTS = 1000
MATCHES = 20_000
STEP = 2_000


def run() -> None:
    """Print both tables; each is measured in a separate process, so that its memory has nothing else."""
    offer_games()
    for what in (_night, _plan):
        context = get_context("fork")
        ours, theirs = context.Pipe()
        process = context.Process(target=_apart, args=(what, theirs))
        process.start()
        theirs.close()
        print(ours.recv())
        process.join()


def _apart(what, connection: Connection) -> None:  # type: ignore[no-untyped-def]
    connection.send(what())


def _night() -> str:
    lines = [f"\n### A night of {BOTS:,} bots, generated results, two workers\n"]
    lines += ["| matches stored and rated | memory of the night's process (MB) | matches a second |", "|---|---|---|"]
    stop, began = Stop(), perf_counter()
    done = 0

    def report(event: NightEvent) -> None:
        nonlocal done, began
        if isinstance(event, MatchDone):
            done += 1
            if done % STEP == 0:
                now = perf_counter()
                lines.append(f"| {done:,} | {resident_mb():.1f} | {STEP / (now - began):.0f} |")
                began = now
            if done == MATCHES:
                stop.ask(Haste.AFTER_RUNNING)

    rules = LeagueRules(name="flat", game="flat", seats=(2,))
    plan = NightPlan((2,), encounters=None)
    play_night(NightCase(rules, python_bot(), BOTS, plan, 2, probe("off"), report=report, play=make_up, stop=stop))
    return "\n".join(lines)


def _plan() -> str:
    before, began, matches, rounds, longest = resident_mb(), perf_counter(), 0, 0, 0
    for planned in RoundRobin((2,), None).rounds(PlanningContext.fixed(b"0" * 16, range(BOTS))):
        matches, rounds, longest = matches + len(planned), rounds + 1, max(longest, len(planned))
    seconds, after = perf_counter() - began, resident_mb()
    return (
        f"\n### Planning all matches of {BOTS:,} bots\n\n{matches:,} matches in {rounds:,} rounds of at most "
        f"{longest:,}: {seconds:.1f} s, memory {before:.1f} MB before and {after:.1f} MB after"
    )


def resident_mb() -> float:
    """Return the resident memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
