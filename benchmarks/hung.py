"""A bot that hangs: milliseconds from the message to the verdict, from there to no process left, and survivors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter

from arena.errors import BotFault, Cause
from arena.protocol import encode_hello
from arena.sandbox import Sandbox
from arena.sandbox.probing import probe
from arena.session import Session
from arena.settings import LeagueRules
from benchmarks.bots import python_bot
from benchmarks.games import offer_games
from benchmarks.measure import Figures, interleaved, pinned, show
from engine.catalog import get_game

LIMIT_S = 0.1
WAYS = ("sleep", "spin", "threads", "children")


def run() -> None:
    """Print the table."""
    offer_games()
    sandbox = probe("auto")
    verdicts: dict[str, list[float]] = {}
    survivors: list[int] = []

    def hang(way: str) -> float:
        verdict_ms, gone_ms, left = _hang(way, sandbox)
        verdicts.setdefault(way, []).append(verdict_ms)
        survivors.append(left)
        return gone_ms

    cases: dict[str, Callable[[], float]] = {way: lambda way=way: hang(way) for way in WAYS}  # type: ignore[misc]
    with pinned():
        gone = interleaved(cases)
    limit = f"a limit of {LIMIT_S * 1e3:.0f} ms and its margin of 10 ms"
    show(
        f"From the message to the verdict: {limit}",
        "milliseconds",
        {way: Figures(tuple(found[1:])) for way, found in verdicts.items()},
    )
    show("From the verdict to no process left", "milliseconds", gone)
    print(f"\nsurvivors in {len(survivors)} bots: {sum(survivors)}")


def _hang(way: str, sandbox: Sandbox) -> tuple[float, float, int]:
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
    return (verdict - began) * 1e3, (gone - verdict) * 1e3, ending.survivors
