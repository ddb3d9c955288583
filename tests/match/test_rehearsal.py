"""Tests of a rehearsal: the same bytes, a correct comparison, and a bot that is always closed."""

from __future__ import annotations

from typing import Any

import pytest

from arena.errors import UsageError, VerificationError
from arena.match.rehearsal import Rehearsal, rehearse_with
from arena.match.replay import read_replay, strip_times
from arena.model.causes import Cause
from arena.model.faults import BotFault
from tests.support.helpers import Answerer, FakeSession, always, play, polite, until

pytestmark = pytest.mark.usefixtures("tiny_game")


def recorded(bot: FakeSession, seats: int = 3, **changes: Any) -> bytes:
    """The replay of a match in which this bot sits in seat 1."""
    sessions = [FakeSession() for _ in range(seats)]
    sessions[1] = bot
    return play(sessions, **changes).replay


def rehearsed(data: bytes, bot: FakeSession, seat: int = 1) -> Rehearsal:
    """The rehearsal of that replay."""
    return rehearse_with(read_replay(data), seat, lambda: bot)


@pytest.mark.parametrize("ready", [b'{"type":"ready"}\n', b'{"type":"ready","legal":"none","reuse":true}\n'])
def test_the_same_bot_gets_the_same_bytes_and_gives_the_same_answers(ready: bytes) -> None:
    """Every message, clock included, is what was sent in the match."""
    answer: Answerer = polite if b"none" not in ready else always(b'{"action":{"type":"pass"}}\n')
    before, after = FakeSession(answer, ready=ready, wall_s=0.123), FakeSession(answer, ready=ready)
    rehearsal = rehearsed(recorded(before), after)
    assert after.sent == before.sent
    assert rehearsal.same and rehearsal.asked == 3 and rehearsal.differences == 0
    assert after.closed == [True]
    assert rehearsal.lines()[-1] == "every answer is as recorded"


def test_a_replay_from_outside_moves_no_cursor() -> None:
    """What a replay says of a match or a forfeit may hold anything: the report shows it escaped."""
    data = recorded(FakeSession(until(4, BotFault(Cause.CRASHED, "bye"))))
    rehearsal = rehearsed(data.replace(b"bye", b"\\u001b[2J").replace(b"tiny-1-0", b"tiny\\u001b[2J"), FakeSession())
    assert rehearsal.first is not None and "\x1b" in rehearsal.first.stored
    assert all(line.isprintable() for line in rehearsal.lines())


def test_a_replay_without_times_can_be_rehearsed() -> None:
    """Then the clock in the messages is the one of the start."""
    bot = FakeSession()
    assert rehearsed(strip_times(recorded(FakeSession())), bot).same
    assert {message["clock"]["remaining_ms"] for message in bot.messages if "clock" in message} == {10_000}


def test_the_first_difference_is_named_and_the_match_goes_on_as_recorded() -> None:
    """Another answer changes nothing in what is sent afterwards."""
    before, after = FakeSession(), FakeSession(until(4, b'{"action":1}\n'))
    rehearsal = rehearsed(recorded(before), after)
    assert after.sent == before.sent
    assert rehearsal.first is not None and rehearsal.first.turn == 4 and rehearsal.differences == 2
    assert rehearsal.first.given != rehearsal.first.stored
    assert "first difference at turn 4 (2 in all):" in rehearsal.lines()


@pytest.mark.parametrize(
    ("bot", "turn", "cause"),
    [
        (FakeSession(until(4, BotFault(Cause.CRASHED, "exit status 3"))), 4, Cause.CRASHED),
        (FakeSession(always(b'{"action":17}\n')), 1, Cause.ILLEGAL_ACTION),
        (FakeSession(always(BotFault(Cause.TURN_LATE, "late"))), 1, Cause.TURN_LATE),
        (FakeSession(ready=b"hello\n"), None, Cause.NO_HANDSHAKE),
        (FakeSession(ready=b'{"type":"decline"}\n'), None, Cause.NO_HANDSHAKE),
    ],
)
def test_a_fault_ends_the_rehearsal_and_is_told(bot: FakeSession, turn: int | None, cause: Cause) -> None:
    """The verdict is the one that a match would give; the bot is closed at once and its stderr kept."""
    rehearsal = rehearsed(recorded(FakeSession()), bot)
    assert rehearsal.fault is not None and (rehearsal.fault.turn, rehearsal.fault.cause) == (turn, cause)
    assert bot.closed == [False] and rehearsal.stderr == b"last words"
    assert any("fault at" in line for line in rehearsal.lines())


def test_an_author_sees_that_a_fault_is_mended() -> None:
    """At the turn of the recorded forfeit the bot is asked again, and what it does now is shown beside it."""
    data = recorded(FakeSession(until(4, b"oops\n")))
    mended, as_bad = FakeSession(), FakeSession(until(4, b"oops\n"))
    rehearsal = rehearsed(data, mended)
    assert rehearsal.asked == 2 and rehearsal.fault is None
    assert rehearsal.first is not None and rehearsal.first.stored.startswith("forfeit: malformed")
    fault = rehearsed(data, as_bad).fault
    assert fault is not None and fault.cause is Cause.MALFORMED and fault.turn == 4


def test_an_answer_in_place_of_a_strike_is_no_difference() -> None:
    """What the bot would have said in time, nobody knows."""
    late = FakeSession(lambda message: None if message["turn"] == 1 else polite(message))
    assert rehearsed(recorded(late, strikes=1), FakeSession()).differences == 0


def test_a_seat_that_is_not_there_is_wrong_usage() -> None:
    """Before anything is started."""
    with pytest.raises(UsageError, match="seats 0 to 2, got 3"):
        rehearse_with(read_replay(recorded(FakeSession())), 3, lambda: pytest.fail("started"))


def test_an_untrue_replay_closes_the_bot() -> None:
    """A replay that does not verify ends the rehearsal, and leaves no process."""
    data = recorded(FakeSession()).replace(b'"turn":3,"seat":0', b'"turn":3,"seat":2')
    bot = FakeSession()
    with pytest.raises(VerificationError, match="turn 3 of seat 0 was next"):
        rehearsed(data, bot)
    assert bot.closed
