"""Tests of encoding: no event is sent twice or to the wrong seat, and equal tuples of different types stay distinct."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.match.ranking import STARTUP, rank_seats
from arena.protocol import action_cache
from arena.protocol.action_cache import ActionBytes
from arena.protocol.event_log import EventLog
from engine.core import Event
from tests.support.tiny_game import GAME, PASS, PLAYS, ROLLS

SEATS = 3
events = st.builds(
    Event,
    st.sampled_from(["draw", "play"]),
    st.fixed_dictionaries({"seat": st.integers(0, 2)}),
    st.dictionaries(st.integers(0, SEATS - 1), st.fixed_dictionaries({"card": st.integers(0, 99)}), max_size=2),
)
steps = st.lists(st.lists(events, max_size=3) | st.integers(0, SEATS - 1), max_size=12)


@given(steps)
def test_every_seat_hears_every_event_once_as_it_may_see_it(script: list[Any]) -> None:
    """However happenings and messages are interleaved."""
    log = EventLog(SEATS)
    happened: list[Event] = []
    heard: list[list[Any]] = [[] for _ in range(SEATS)]
    for step in [*script, *range(SEATS)]:
        if isinstance(step, int):
            heard[step] += json.loads(log.news(step))
        else:
            happened += step
            log.add(step)
    assert heard == [[event.seen_by(seat) for event in happened] for seat in range(SEATS)]


def test_equal_tuples_of_two_kinds_are_encoded_apart() -> None:
    """`Play(3) == Roll(3)` for Python, but not on the wire."""
    actions = ActionBytes(GAME)
    roll: object = ROLLS[3]
    assert PLAYS[3] == roll
    assert json.loads(actions.all([PLAYS[3], ROLLS[3], PASS])) == [
        {"type": "play", "card": 3},
        {"type": "roll", "face": 3},
        {"type": "pass"},
    ]
    assert actions.all([]) == b"[]"


def test_memory_for_encoded_actions_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even of a game that makes its actions anew every time, and the bytes stay right."""
    monkeypatch.setattr(action_cache, "KNOWN_ACTIONS", 10)
    actions = ActionBytes(GAME)
    for _ in range(3):
        assert len(json.loads(actions.all(PLAYS))) == len(PLAYS)
    assert len(actions._known) <= 10


@given(st.data())
def test_places_are_in_order(data: st.DataObject) -> None:
    """Finishers come before forfeits, the game's order holds among them, later forfeits come before earlier ones."""
    seats = data.draw(st.integers(2, 5))
    forfeits = data.draw(st.dictionaries(st.integers(0, seats - 1), st.integers(STARTUP, 9), max_size=seats))
    order = data.draw(st.lists(st.integers(0, 3), min_size=seats, max_size=seats))
    ranks = rank_seats(seats, forfeits, order)

    def standing(seat: int) -> tuple[int, int]:
        return (1, -forfeits[seat]) if seat in forfeits else (0, order[seat])

    for one in range(seats):
        assert ranks[one] == sum(standing(other) < standing(one) for other in range(seats))
