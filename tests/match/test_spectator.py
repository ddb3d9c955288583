"""Tests of watching: a running match and its replay give the same text, and no bot's text moves the cursor."""

from __future__ import annotations

import json

import pytest

from arena.match.replay import read_replay
from arena.match.spectator import Watcher, watched_steps
from arena.model.causes import Cause
from arena.model.faults import BotFault
from tests.support.helpers import FakeSession, always, play, until
from tests.support.tiny_game import GAME

pytestmark = pytest.mark.usefixtures("tiny_game")

NAMES = ["bot0:1", "bot1:1", "bot2:1"]
LOUD = json.dumps({"action": 0, "note": "mine\x1b[2J\u202e"}).encode() + b"\n"


def table() -> list[FakeSession]:
    """A bot with loud notes, one that crashes, and a polite one."""
    return [FakeSession(always(LOUD)), FakeSession(until(4, BotFault(Cause.CRASHED, "status 3"))), FakeSession()]


@pytest.mark.parametrize("viewer", [None, 2])
def test_a_match_and_its_replay_read_the_same(viewer: int | None) -> None:
    """Line for line, for a spectator and for a seat."""
    live: list[str] = []
    watcher = Watcher(GAME, NAMES, viewer)
    record = play(table(), lambda step: live.append(watcher.text(step)))
    replay = read_replay(record.replay)
    assert [Watcher.of_replay(replay, viewer).text(step) for step in watched_steps(replay)] == live


def test_each_turn_says_who_did_what_and_draws_the_table() -> None:
    """Seat and bot, the events in words, the note escaped, the table after it."""
    shown: list[str] = []
    watcher = Watcher(GAME, NAMES)
    record = play(table(), lambda step: shown.append(watcher.text(step)))
    first = next(text for text in shown if text.startswith("---")).splitlines()
    assert first[0] == "--- turn 0: seat 0 (bot0:1)"
    assert first[1] == "    seat 0 play"
    assert first[2] == r'    "mine\x1b[2J\u202e"'
    assert first[3] == "round 0, 9 cards in the deck"
    assert "*** seat 1 (bot1:1) forfeits at turn 4: crashed - status 3" in shown
    assert any(text.startswith("--- turn 4: seat 1 (bot1:1), forfeited") for text in shown)
    assert all(char.isprintable() or char == "\n" for text in shown for char in text)
    result = watcher.result(record).splitlines()
    assert result[0] == "the game is over after 9 turns"
    assert result[1].startswith("rank 1: seat ") and ", score " in result[1]
    assert result[3] == f"rank 3: seat 1 (bot1:1), score {record.seats[1].score:g}, forfeit: crashed - status 3"


def test_only_a_seat_sees_its_own_hidden_events() -> None:
    """A spectator is not told the cards."""
    for viewer, seen in ((None, False), (0, True)):
        shown: list[str] = []
        watcher = Watcher(GAME, NAMES, viewer)
        play(table(), lambda step: shown.append(watcher.text(step)))  # noqa: B023 - called at once
        played = next(line for line in "\n".join(shown).splitlines() if line.startswith("    seat 0 play"))
        assert (played != "    seat 0 play") == seen


def test_strikes_no_contest_and_early_ends_are_said() -> None:
    """What is not plain play has its words."""
    late = FakeSession(lambda message: None)
    shown: list[str] = []
    watcher = Watcher(GAME, NAMES)
    play([late, FakeSession()], lambda step: shown.append(watcher.text(step)), strikes=3)
    assert "--- turn 0: seat 0 (bot0:1), too late: the first legal action is played" in "\n".join(shown)
    bad = FakeSession(ready=b"hi\n")
    nobody = watcher.result(play([bad, FakeSession(ready=b"hi\n")])).splitlines()
    assert nobody[0] == "ended by forfeits after 0 turns: nobody finished, no contest"
    assert nobody[1].startswith("rank 1: seat 0 (bot0:1), forfeit: no_handshake - ")
