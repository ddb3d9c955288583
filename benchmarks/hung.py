"""A bot that hangs: milliseconds from the message to the verdict, from there to no process left, and survivors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import NamedTuple

from arena.clock import MARGIN_S
from arena.errors import ArenaFault, BotFault, Cause
from arena.protocol import encode_hello
from arena.sandbox import Sandbox
from arena.sandbox.probing import probe
from arena.session import Session
from arena.settings import LeagueRules
from benchmarks.bots import python_bot
from benchmarks.games import offer_games
from benchmarks.measure import Figures, interleaved, pinned
from engine.catalog import get_game

LIMIT_S = 0.1
HELD_MS = 50
"""At p99 a verdict comes at most so long after limit and margin."""
ROUNDS = 100
WAYS = ("sleep", "spin", "threads", "children")


class Hung(NamedTuple):
    """What became of one bot that hung."""

    verdict_ms: float
    """From the message."""
    gone_ms: float
    """From the verdict to no process left."""
    survivors: int


def run() -> None:
    """Print the table; a verdict that is too late at p99, and anybody who survives, is an error."""
    offer_games()
    sandbox = probe("auto")
    found: dict[str, list[Hung]] = {way: [] for way in WAYS}

    def case(way: str) -> float:
        found[way].append(hang(way, sandbox))
        return 0.0

    cases: dict[str, Callable[[], float]] = {way: lambda way=way: case(way) for way in WAYS}  # type: ignore[misc]
    with pinned():
        interleaved(cases, ROUNDS)
    judge({way: hung[1:] for way, hung in found.items()})


def judge(found: Mapping[str, Sequence[Hung]]) -> None:
    """Print the table of what was found for each way to hang. Raises `ArenaFault` where the promise is not held."""
    limit = f"a limit of {LIMIT_S * 1e3:.0f} ms and its margin of {MARGIN_S * 1e3:.0f} ms"
    print(f"\n### From the message to the verdict, {limit}, and from there to no process left: {ROUNDS} bots a row")
    print("\n| a bot that hangs by | verdict: median | p99 | maximum | no process left: median | p99 | maximum (ms) |")
    print("|---|---|---|---|---|---|---|")
    broken = []
    for way, bots in found.items():
        verdict, gone = (Figures(tuple(bot[place] for bot in bots)) for place in (0, 1))
        cells = (value for case in (verdict, gone) for value in (case.median, case.p99, case.maximum))
        print(f"| {way} | {' | '.join(f'{cell:.1f}' for cell in cells)} |")
        after_ms = verdict.p99 - (LIMIT_S + MARGIN_S) * 1e3
        if after_ms > HELD_MS:
            broken.append(f"{way}: at p99 the verdict came {after_ms:.0f} ms after limit and margin")
    survivors = sum(bot.survivors for bots in found.values() for bot in bots)
    print(f"\nsurvivors of {sum(map(len, found.values()))} bots: {survivors}")
    if survivors:
        broken.append(f"{survivors} processes survived")
    if broken:
        raise ArenaFault(f"{'; '.join(broken)}: expected at most {HELD_MS} ms on an idle core, and no survivor")


def hang(way: str, sandbox: Sandbox) -> Hung:
    """Start a bot that hangs in this way on its first turn, and end it."""
    rules = LeagueRules(name="flat", game="flat")
    program = python_bot("hanging")
    program = replace(program, command=(*program.command, way))
    session = Session.launch(program, encode_hello(get_game("flat"), rules), rules, sandbox)
    try:
        session.greet()
        began = perf_counter()
        try:
            session.ask(b'{"type":"turn","turn":0}\n', turn=0, limit_s=LIMIT_S)
        except BotFault as fault:
            if fault.cause is not Cause.TURN_LATE:
                raise
        verdict = perf_counter()
        ending = session.close(polite=False)
        gone = perf_counter()
    finally:
        session.close(polite=False)
    return Hung((verdict - began) * 1e3, (gone - verdict) * 1e3, ending.survivors)
