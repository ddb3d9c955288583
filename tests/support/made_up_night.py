"""A league with generated results, for tests of nights that need no games and no bot processes."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from arena.config.home import Home
from arena.model.causes import Cause
from arena.model.records import MatchOrder, MatchRecord, Outcome, Program, SeatResult
from arena.model.rules import LeagueRules
from arena.model.seeds import derive
from arena.night.events import NightEvent
from arena.night.runner import Venue
from arena.ratings.live import RatingSettings
from arena.reports import leaderboard
from arena.schedules.plan import NightPlan
from arena.store.store import Store
from arena.store.values import MatchFilter, Version
from tests.support.databases import place
from tests.support.helpers import submission
from tests.support.players import FunctionPlayer

RULES = LeagueRules(name="friday", game="burn_my_village", seats=(2, 3), suspend_after=4)
RATING = RatingSettings.for_game(0.0)
SEED = b"a night of tests"
PLAN = NightPlan((2, 3), encounters=10)
MOMENT = datetime(2024, 3, 1, 20, 0, tzinfo=UTC)

PlayFunction = Callable[[MatchOrder], MatchRecord]


def make_up(order: MatchOrder) -> MatchRecord:
    """Return a result that depends only on the order; `crasher` forfeits every match, names decide all others."""
    strength = {
        seat: -1 if program.name == "crasher" else derive(order.seed, f"{program.label}:{seat}")[0]
        for seat, program in enumerate(order.programs)
    }
    best_first = sorted(strength, key=lambda seat: (-strength[seat], seat))
    seats = tuple(
        SeatResult(
            rank=best_first.index(seat),
            score=float(strength[seat]),
            cause=Cause.CRASHED if strength[seat] < 0 else None,
            fault_turn=0 if strength[seat] < 0 else None,
            turns=1,
        )
        for seat in range(len(order.programs))
    )
    replay = json.dumps([order.match_id, order.seed.hex(), [program.label for program in order.programs]])
    return MatchRecord(order.position, Outcome.FINISHED, "game_over", len(seats), seats, replay.encode())


def program(_home: Home, version: Version) -> Program:
    """Return a program without files for a version."""
    return Program(version.bot, version.number, version.author, version.digest, "", ("true",))


def open_store(folder: Path) -> Store:
    return Store.open(place(folder), now=lambda: MOMENT)


def hand_in_all(store: Store, names: list[str]) -> None:
    """Enter bots with these names in the league."""
    store.keep_league(RULES, RATING)
    for name in names:
        digest = hashlib.blake2b(name.encode(), digest_size=16).hexdigest()
        store.submit(submission(name, "a tester", digest, ("true",)), (RULES.name,))


def names(count: int) -> list[str]:
    """Return names of bots, of which the first one always crashes."""
    return ["crasher", *(f"bot{number}" for number in range(1, count))]


def venue(
    store: Store, folder: Path, play: PlayFunction = make_up, workers: int = 1, events: list[NightEvent] | None = None
) -> Venue:
    """Return a venue in `folder` that records all reported events."""
    here = Venue(store, Home(folder, None, "a test"), FunctionPlayer(play), workers=workers, pin=False, program=program)
    return here if events is None else replace(here, report=events.append)


def outcome(store: Store) -> tuple[str, dict[str, bytes]]:
    """Return the results that must be reproduced exactly: the leaderboard as JSON, and every replay."""
    board = leaderboard.render(leaderboard.rows(store.board(RULES.name)), "json")
    total = store.count_matches(MatchFilter(league=RULES.name))
    matches = store.matches(MatchFilter(league=RULES.name), limit=total)
    return board, {match.match_id: store.replay(match.match_id) for match in matches}


def main(folder: str, workers: str, dying: str) -> None:
    """Start or resume the night of a home; before the match at position `dying`, the process kills itself."""
    from arena.night.runner import resume_night, run_night

    parent = os.getpid()

    def play(order: MatchOrder) -> MatchRecord:
        if str(order.position) == dying:
            os.kill(parent, 9)
        return make_up(order)

    with open_store(Path(folder)) as store:
        here = venue(store, Path(folder), play, int(workers))
        if store.open_night(RULES.name) is None:
            run_night(here, RULES, RATING, PLAN, SEED)
        else:
            resume_night(here, RULES.name)


if __name__ == "__main__":
    import sys

    main(*sys.argv[1:])
