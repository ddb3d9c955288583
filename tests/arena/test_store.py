"""The store keeps what it promises: everything once, whole or not at all, the same after any order and any kill."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.errors import Cause, NightError, SettingsError, StoreError, SubmissionRefused, UsageError
from arena.ratings import RatingSettings
from arena.records import MatchRecord, Outcome, PlannedMatch, SeatResult, VoidRecord
from arena.settings import LeagueRules
from arena.store import EntrantState, HandIn, MatchFilter, MatchState, NewNight, Night, NightState, Store, View

RULES = LeagueRules(name="friday-night", game="lanterns", seats=(2,))
RATING = RatingSettings(draw_probability=0.01)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path) as opened:
        opened.keep_league(RULES, RATING)
        yield opened


def hand_in(name: str, digest: str = "", author: str = "ann") -> HandIn:
    return HandIn(name, author, digest or f"d-{name}", digest or f"d-{name}", ("python3", "bot.py"), (RULES.name,))


def begin(store: Store, bots: int = 3) -> Night:
    ids = tuple(store.hand_in(hand_in(f"bot{number}")).version.id for number in range(bots))
    return store.create_night(NewNight(RULES, RATING, b"s" * 16, ids, ("rlimits",), {"schedule": "round_robin"}))


def plan(night_entrants: tuple[int, ...], matches: int, start: int = 0, round_number: int = 0) -> list[PlannedMatch]:
    count = len(night_entrants)
    return [
        PlannedMatch(
            position,
            round_number,
            position // 2,
            position % 2,
            (night_entrants[position % count], night_entrants[(position + 1) % count]),
        )
        for position in range(start, start + matches)
    ]


def result(night: Night, position: int, ranks: tuple[int, ...] = (0, 1), cause: Cause | None = None) -> MatchRecord:
    seats = tuple(
        SeatResult(
            rank,
            float(10 - rank),
            cause if rank else None,
            turns=3,
            time_total_s=0.1 * (position + 1),
            time_max_s=0.05 + position / 1000,
            stderr=b"oh" if cause and rank else b"",
        )
        for rank in ranks
    )
    return MatchRecord(night.match_id(position), Outcome.FINISHED, "game_over", 6, seats, b'{"replay":%d}\n' % position)


def entrants(store: Store, night: Night) -> tuple[int, ...]:
    return tuple(entrant.version.id for entrant in store.entrants(night))


def test_a_night_runs_from_hand_in_to_board(store: Store) -> None:
    """Plan, record, rate, close: the board shows each entrant with its counts and rating."""
    night = begin(store)
    store.plan_round(night, plan(entrants(store, night), 6))
    assert [match.position for match in store.unplayed(night)] == list(range(6))
    assert store.record(night, [result(night, position) for position in range(6)]) == tuple(
        night.match_id(position) for position in range(6)
    )
    assert store.unplayed(night) == []
    assert store.update_ratings(RULES.name) == 6
    assert store.close_night(night).state is NightState.CLOSED
    board = store.board(RULES.name)
    assert [entry.contender.bot for entry in board] == ["bot0", "bot1", "bot2"]
    assert all(entry.tally.matches == 4 and entry.tally.wins == 2 for entry in board)
    assert store.replay(night.match_id(3)) == b'{"replay":3}\n'
