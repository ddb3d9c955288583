"""Helpers for tests of the store: a league, its bots, planned matches and their results."""

from __future__ import annotations

from arena.model.causes import Cause
from arena.model.records import FinishedMatch, MatchRecord, Outcome, PlannedMatch, SeatResult
from arena.model.rules import LeagueRules
from arena.ratings.live import RatingSettings
from arena.store.base import league_id
from arena.store.rating_log import next_page
from arena.store.store import Store
from arena.store.values import NewNight, Night, Receipt
from tests.support.helpers import submission

RULES = LeagueRules(name="friday-night", game="lanterns", seats=(2, 3))
RATING = RatingSettings(draw_probability=0.01)


def submit(store: Store, name: str, digest: str = "", author: str = "ann") -> Receipt:
    """Submit this bot to the league."""
    return store.submit(submission(name, author, digest or f"d-{name}", ("python3", "bot.py")), (RULES.name,))


def begin(store: Store, bots: int = 3) -> Night:
    """Store the league and a night of this number of bots, named from `bot0` on; return the night."""
    store.keep_league(RULES, RATING)
    ids = tuple(submit(store, f"bot{number}").version.id for number in range(bots))
    return store.create_night(NewNight(RULES, RATING, b"s" * 16, ids, ("rlimits",), {"schedule": "round_robin"}))


def entrants(store: Store, night: Night) -> tuple[int, ...]:
    """Return the version ids that play."""
    return tuple(entrant.version.id for entrant in store.entrants(night))


def plan(ids: tuple[int, ...], matches: int, *, start: int = 0, round_number: int = 0) -> list[PlannedMatch]:
    """Return a plan of two-seat matches that cycles through the ids; every fifth match has three seats."""
    count = len(ids)
    planned = []
    for position in range(start, start + matches):
        seats = 3 if position % 5 == 4 else 2
        seating = tuple(ids[(position + seat) % count] for seat in range(seats))
        planned.append(PlannedMatch(position, round_number, position // 2, position % 2, seating))
    return planned


def rated_matches(store: Store, league: str = RULES.name, *, seats: int | None = None) -> list[FinishedMatch]:
    """Return all matches that the ratings of a league are computed from, in order."""
    found: list[FinishedMatch] = []
    after, more = -1, True
    with store._database.reading() as connection:
        while more:
            page, after, more = next_page(connection, league_id(connection, league), after)
            found += [match for match in page if seats in (None, len(match.versions))]
    return found


def result(
    night: Night,
    position: int,
    ranks: tuple[int, ...] | None = None,
    *,
    cause: Cause | None = None,
    outcome: Outcome = Outcome.FINISHED,
) -> MatchRecord:
    """Return a result that depends only on the position; the losers forfeit by `cause`, if given."""
    ranks = ranks or (
        (0, 1, 1) if position % 5 == 4 else (0, 0) if position % 7 == 3 else (position % 2, 1 - position % 2)
    )
    seats = tuple(
        SeatResult(
            rank=rank,
            score=None if cause else float(10 - rank),
            cause=cause if rank or outcome is Outcome.NO_CONTEST else None,
            detail="late" if cause else "",
            turns=3 + seat,
            time_total_s=0.1 * (position + 1),
            time_max_s=0.05 + position / 1000,
            stderr=b"oh" if cause and rank else b"",
        )
        for seat, rank in enumerate(ranks)
    )
    return MatchRecord(position, outcome, "game_over", 6, seats, b'{"replay":%d}\n' % position)
