"""Tests of the replay: byte-identical for equal play, verified by the engine alone, and strict about its form."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from arena.errors import VerificationError
from arena.match.replay import read_replay, steps, strip_times, verify
from arena.match.replay_format import ForfeitRecord, TurnRecord
from arena.model.causes import Cause
from arena.model.faults import BotFault
from tests.support.helpers import FakeSession, always, play, polite, until

pytestmark = pytest.mark.usefixtures("tiny_game")

LATE = BotFault(Cause.TURN_LATE, "within 0.137 s")


def played(seats: int = 3, *, wall_s: float = 0.01) -> bytes:
    """A replay with a forfeit in the middle and a note."""

    def with_note(message: dict[str, Any]) -> bytes:
        return json.dumps({"action": 0, "note": 'a "note" \u20ac'}).encode() + b"\n"

    sessions = [FakeSession(with_note, wall_s=wall_s), FakeSession(until(4, LATE))]
    sessions += [FakeSession(wall_s=wall_s) for _ in range(seats - 2)]
    return play(sessions).replay


def edited(data: bytes, line: int, change: Callable[[dict[str, Any]], object]) -> bytes:
    """The replay with one record changed."""
    lines = data.splitlines()
    record = json.loads(lines[line])
    change(record)
    lines[line] = json.dumps(record).encode()
    return b"\n".join([*lines, b""])


def line_of(data: bytes, **fields: object) -> int:
    """Index of the first record with these fields."""
    for number, line in enumerate(data.splitlines()):
        record = json.loads(line)
        if all(record.get(name) == value for name, value in fields.items()):
            return number
    raise AssertionError(fields)


def test_equal_play_gives_equal_bytes_but_for_the_times() -> None:
    """Two plays of one match differ in nothing but what was measured."""
    one, two = played(wall_s=0.01), played(wall_s=0.02)
    assert one != two
    assert strip_times(one) == strip_times(two)
    assert b'"times"' not in strip_times(one) and b"0.137" not in strip_times(one)
    verify(read_replay(strip_times(one)))


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_a_replay_of_the_referee_verifies(seats: int) -> None:
    """What the referee writes, reads back and comes out the same."""
    replay = read_replay(played(seats))
    verify(replay)
    assert replay.header.seats == seats
    assert any(isinstance(record, ForfeitRecord) for record in replay.records)


def test_the_record_of_a_turn_holds_all_that_it_promises() -> None:
    """Action, seat, who chose, note, digest and times are there."""
    replay = read_replay(played())
    turns = [record for record in replay.records if isinstance(record, TurnRecord)]
    first, fallback = turns[0], next(record for record in turns if record.by == "fallback")
    assert first.note == 'a "note" \u20ac'
    assert first.digest is not None and len(first.digest) == 16
    assert first.times is not None and first.times.wall_s == 0.01 and first.times.remaining_ms == 10_000
    assert (fallback.seat, fallback.turn, fallback.digest, fallback.times) == (1, 4, None, None)


def test_matches_that_end_at_start_up_verify() -> None:
    """Nobody ready, or one bot alone: no turn, and still a replay."""
    bad = FakeSession(ready=b"hello there\n")
    for sessions in ([bad, bad], [bad, FakeSession()], [FakeSession(), bad, bad]):
        verify(read_replay(play(sessions).replay))


CHANGES: dict[str, tuple[dict[str, object], Callable[[dict[str, Any]], object], str]] = {
    "another seed": ({"kind": "header"}, lambda r: r.update(seed="00" * 16), "line 2: chance shuffle"),
    "another chance": ({"kind": "chance", "chance": "roll:0"}, lambda r: r["action"].update(face=9), "roll:0"),
    "another legal action": ({"kind": "turn", "turn": 0}, lambda r: r.update(action={"type": "pass"}), "digest"),
    "another action at the last turn": ({"kind": "turn", "turn": 8}, lambda r: r.update(turn=7), "turn 8 of seat 2"),
    "an action that was not legal": (
        {"kind": "turn", "turn": 0},
        lambda r: r.update(action={"type": "play", "card": 299}),
        "not allowed",
    ),
    "an unreadable action": ({"kind": "turn", "turn": 0}, lambda r: r.update(action={}), "line 3: cannot be played"),
    "another digest": ({"kind": "turn", "turn": 3}, lambda r: r.update(digest="0" * 16), "what seat 0 saw at turn 3"),
    "a digest less": ({"kind": "turn", "turn": 3}, lambda r: r.pop("digest"), "digest exactly when"),
    "a fallback by a bot": ({"by": "fallback"}, lambda r: r.update(by="bot"), "cannot be played by bot"),
    "a forfeit of another turn": ({"kind": "forfeit"}, lambda r: r.update(turn=3), "turn 4 of seat 1 was next"),
    "a late start-up forfeit": ({"kind": "forfeit"}, lambda r: r.update(turn=None), "after the first turn"),
    "other ranks": ({"kind": "result"}, lambda r: r.update(ranks=[0, 0, 0]), "ranks: played again"),
    "other scores": ({"kind": "result"}, lambda r: r["scores"].reverse(), "scores: played again"),
    "another reason": ({"kind": "result"}, lambda r: r.update(reason="forfeits"), "reason"),
    "another count": ({"kind": "result"}, lambda r: r.update(turns=8), "number of turns"),
    "another outcome": ({"kind": "result"}, lambda r: r.update(outcome="no_contest"), "outcome"),
    "another version": ({"kind": "header"}, lambda r: r.update(game_version=9), "version 9 of tiny, installed is 1"),
    "an unknown game": ({"kind": "header"}, lambda r: r.update(game="tinny"), "no game 'tinny'"),
    "an unknown option": ({"kind": "header"}, lambda r: r.update(options={"x": 1}), "no option 'x'"),
    "a seed that is no hex": ({"kind": "header"}, lambda r: r.update(seed="xyz"), "seed in hex"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_verify_names_the_first_difference(name: str) -> None:
    """Whatever is changed in a replay, verification fails and says where."""
    where, change, message = CHANGES[name]
    data = played()
    data = edited(data, line_of(data, **where), change)
    with pytest.raises(VerificationError, match=message):
        verify(read_replay(data))


FORMS: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda data: b"", "cut off"),
    "cut in a line": (lambda data: data[:-5], "cut off"),
    "cut after a line": (lambda data: b"\n".join([*data.splitlines()[:-1], b""]), "expected the result"),
    "no header": (lambda data: data.split(b"\n", 1)[1], "line 1: expected the header"),
    "two headers": (lambda data: data.split(b"\n", 1)[0] + b"\n" + data, "a second header"),
    "an unknown field": (lambda data: edited(data, 3, lambda r: r.update(extra=1)), "extra"),
    "an unknown kind": (lambda data: edited(data, 3, lambda r: r.update(kind="move")), "kind"),
    "a blank line": (lambda data: data + b"\n", "line"),
    "a turn that is text": (lambda data: edited(data, 3, lambda r: r.update(turn="0")), "turn"),
    "an unknown cause": (lambda data: data.replace(b"turn_late", b"bad_luck"), "cause"),
    "another format": (lambda data: edited(data, 0, lambda r: r.update(format=2)), "format 1, got 2"),
    "a bot less": (lambda data: edited(data, 0, lambda r: r["bots"].pop()), "expected 3 bots, got 2"),
    "not UTF-8": (lambda data: data.replace(b"bot0", b"\xff"), "line"),
    "deep": (lambda data: b"[" * 100_000 + b"\n", "line 1"),
    "a huge number": (lambda data: data.replace(b'"turn":0', b'"turn":' + b"9" * 10_000), "line"),
}


@pytest.mark.parametrize("name", FORMS)
def test_the_reader_is_strict(name: str) -> None:
    """What is not exactly a replay is refused, with line and reason."""
    change, message = FORMS[name]
    with pytest.raises(VerificationError, match=message):
        verify(read_replay(change(played())))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200) | st.builds(lambda v: json.dumps(v).encode() + b"\n", json_values))
@example(b'{"kind":"header"}\n')
def test_no_garbage_gets_past_the_reader(data: bytes) -> None:
    """Any bytes are refused with a `VerificationError` and nothing else."""
    with pytest.raises(VerificationError):
        verify(read_replay(data))


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_damaged_replay_verifies_or_is_refused(data: st.DataObject) -> None:
    """One field of one record replaced by anything: only a `VerificationError` comes out, or it makes no difference."""
    whole = played()
    line = data.draw(st.integers(0, whole.count(b"\n") - 1))

    def damage(record: dict[str, Any]) -> None:
        place = record
        while True:
            name = data.draw(st.sampled_from(sorted(place)))
            if not (isinstance(place[name], dict) and place[name] and data.draw(st.booleans())):
                break
            place = place[name]
        place[name] = data.draw(json_values)

    try:
        replay = read_replay(edited(whole, line, damage))
        verify(replay)
        list(steps(replay))
    except VerificationError:
        pass


def test_steps_show_every_state_in_order() -> None:
    """Walking through a replay gives the state after each record, and what happened."""
    replay = read_replay(played())
    turns = []
    for state, record, events in steps(replay):
        turns.append(state.observation(None)["turn"])
        assert bool(events) == (not isinstance(record, ForfeitRecord))
    assert turns == sorted(turns) and turns[-1] == replay.result.turns == 9


def test_an_action_that_cannot_be_played_stops_the_walk() -> None:
    """A walk through a wrong replay ends in the same error as its verification."""
    data = played()
    data = edited(data, line_of(data, kind="turn", turn=0), lambda r: r.update(action={"type": "play", "card": 299}))
    with pytest.raises(VerificationError, match="line 3"):
        list(steps(read_replay(data)))


def test_stripping_what_is_no_replay_is_refused() -> None:
    """`strip_times` refuses lines that are no objects."""
    for data in (b"[]\n", b"x\n", b"\n"):
        with pytest.raises(VerificationError, match="line 1"):
            strip_times(data)


def test_a_strike_is_played_again_as_a_strike() -> None:
    """A forgiven late answer is on record as such, and verifies only as the first legal action."""
    late_once = [None]

    def slow(message: dict[str, Any]) -> bytes | BotFault | None:
        return late_once.pop() if late_once else polite(message)

    data = play([FakeSession(slow), FakeSession(always(b'{"action":1}\n'))], strikes=1).replay
    verify(read_replay(data))
    line = line_of(data, by="strike")
    with pytest.raises(VerificationError, match="not allowed to strike"):
        verify(read_replay(edited(data, line, lambda r: r.update(action={"type": "pass"}))))
