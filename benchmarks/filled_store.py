"""Fill a store with generated matches, on which queries are measured."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random

from arena.model.records import MatchRecord, Outcome, PlannedMatch, Program, SeatResult, Submission
from arena.model.rules import LeagueRules
from arena.ratings.live import RatingSettings
from arena.store.store import Store
from arena.store.values import NewNight, Night

BATCH = 200
"""Number of results in one transaction, as in a night."""


def fill(store: Store, league: str, *, bots: int, matches: int, seed: int = 1, turns: int = 40) -> Night:
    """Store one closed night with random results, and return it.

    `bots` must be even; there are at least `matches` matches, all with two seats. A bot with a higher number is
    stronger. Ratings are not updated: call `Store.update_ratings`.
    """
    rng = Random(seed)
    rules, rating = LeagueRules(name=league, game="burn_my_village"), RatingSettings(draw_probability=0.01)
    store.keep_league(rules, rating)
    entrants = [
        store.submit(Submission(program, program.digest), (league,)).version.id
        for program in (Program(f"bot{number:04}", 0, "bench", f"d{number}", "", ("./bot",)) for number in range(bots))
    ]
    night = store.create_night(NewNight(rules, rating, rng.randbytes(16), tuple(entrants)))
    position = number = 0
    while position < matches:
        rng.shuffle(entrants)
        pairs = zip(entrants[::2], entrants[1::2], strict=True)
        plan = [PlannedMatch(position + at, number, position + at, 0, pair) for at, pair in enumerate(pairs)]
        store.plan_round(night, plan)
        results = list(_results(night, plan, rng, turns))
        for start in range(0, len(results), BATCH):
            store.record(night, results[start : start + BATCH])
        position, number = position + len(plan), number + 1
    return store.close_night(night)


def _results(night: Night, plan: list[PlannedMatch], rng: Random, turns: int) -> Iterator[MatchRecord]:
    for planned in plan:
        first, second = planned.seating
        first_wins = rng.random() < 1 / (1 + 10 ** ((second - first) / 400))
        seats = tuple(
            SeatResult(rank, 1.0 - rank, turns=turns // 2, time_total_s=rng.random(), time_max_s=rng.random() / 10)
            for rank in ((0, 1) if first_wins else (1, 0))
        )
        replay = "".join(json.dumps({"seat": turn % 2, "action": rng.randrange(30)}) + "\n" for turn in range(turns))
        yield MatchRecord(planned.position, Outcome.FINISHED, "game_over", turns, seats, replay.encode())
