"""Measure bots that hang: the time from the message to the forfeit, from there to the last exit, and survivors.

The promise holds for an idle core. On a busy core a bot is excused for the time in which it waits for the CPU, and it
forfeits later. Such bots are skipped; the arena's own measurement of the excused time decides which.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import NamedTuple

from arena.errors import ArenaFault
from arena.match.session import Session
from arena.model.causes import Cause
from arena.model.clock import MARGIN_S
from arena.model.faults import BotFault
from arena.model.rules import LeagueRules
from arena.protocol.messages import encode_hello
from arena.sandbox.launcher import Sandbox
from arena.sandbox.probe import probe
from benchmarks.bots import python_bot
from benchmarks.games import offer_games
from benchmarks.measure import Figures, pinned
from engine.catalog import get_game

LIMIT_S = 0.1
HELD_MS = 50
"""At p99 a bot forfeits at most this long after limit and margin."""
BOTS = 100
"""Number of bots of each kind that are needed, each alone on its core."""
MOST = 3 * BOTS
"""Most bots of each kind that are tried. So an arena that excuses bots for no reason fails this benchmark."""
IDLE_MS = 20
"""A bot that was excused for more time is skipped: its core was not idle."""
WAYS = ("sleep", "spin", "threads", "children")


class Hung(NamedTuple):
    """The measurements of one bot that hung."""

    verdict_ms: float
    """Time from the message to the forfeit."""
    gone_ms: float
    """Time from the forfeit to the exit of the last process."""
    survivors: int
    excused_ms: float = 0.0
    """Time that the arena excused, because other programs used the CPU."""


def run() -> None:
    """Print the table; a verdict that is too late at p99, and anybody who survives, is an error."""
    offer_games()
    sandbox = probe("auto")
    with pinned():
        for way in WAYS:
            hang(way, sandbox)  # warm caches and imports
        found: dict[str, list[Hung]] = {way: [] for way in WAYS}
        for _ in range(MOST):
            for way, bots in found.items():
                bots.append(hang(way, sandbox))
            if all(len(idle(bots)) >= BOTS for bots in found.values()):
                break
    judge(found)


def idle(bots: Iterable[Hung]) -> list[Hung]:
    """Return the bots that were alone on their core."""
    return [bot for bot in bots if bot.excused_ms <= IDLE_MS]


def judge(found: Mapping[str, Sequence[Hung]]) -> None:
    """Print a table with one line for each way to hang.

    Raises `ArenaFault` if the promise is broken, or could not be measured.
    """
    limit = f"limit {LIMIT_S * 1e3:.0f} ms, margin {MARGIN_S * 1e3:.0f} ms"
    print(f"\n### From the message to the forfeit ({limit}), and from there to the end of the last process (ms)")
    print(
        "\n| hangs by | bots | forfeit: median | p99 | maximum | last process ended: median | p99 | maximum | skipped |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    broken = []
    for way, all_bots in found.items():
        bots = idle(all_bots)
        if len(bots) < BOTS:
            broken.append(f"{way}: only {len(bots)} of {len(all_bots)} bots were alone on the core")
            continue
        verdict, gone = (Figures(tuple(bot[place] for bot in bots)) for place in (0, 1))
        cells = (value for case in (verdict, gone) for value in (case.median, case.p99, case.maximum))
        print(f"| {way} | {len(bots)} | {' | '.join(f'{cell:.1f}' for cell in cells)} | {len(all_bots) - len(bots)} |")
        after_ms = verdict.p99 - (LIMIT_S + MARGIN_S) * 1e3
        if after_ms > HELD_MS:
            broken.append(f"{way}: at p99 the bot forfeited {after_ms:.0f} ms after limit and margin")
    survivors = sum(bot.survivors for bots in found.values() for bot in bots)
    print(f"\nsurvivors of {sum(map(len, found.values()))} bots: {survivors}")
    if survivors:
        broken.append(f"{survivors} processes survived")
    if broken:
        raise ArenaFault(f"{'; '.join(broken)}: expected at most {HELD_MS} ms on an idle core, and no survivor")


def hang(way: str, sandbox: Sandbox) -> Hung:
    """Start a bot that hangs in this way on its first turn, kill it, and return the measurements."""
    rules = LeagueRules(name="flat", game="flat")
    program = python_bot("hanging")
    program = replace(program, command=(*program.command, way))
    session = Session.launch(program, encode_hello(get_game("flat"), rules), rules, sandbox)
    try:
        session.greet()
        excused_s = 0.0
        began = perf_counter()
        try:
            session.ask(b'{"type":"turn","turn":0}\n', turn=0, limit_s=LIMIT_S)
        except BotFault as fault:
            if fault.cause is not Cause.TURN_LATE:
                raise
            excused_s = fault.times.excused_s if fault.times else 0.0
        verdict = perf_counter()
        end = session.close(polite=False)
        gone = perf_counter()
    finally:
        session.close(polite=False)
    return Hung((verdict - began) * 1e3, (gone - verdict) * 1e3, end.survivors, excused_s * 1e3)
