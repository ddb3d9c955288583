"""Tests of bots that misbehave: the verdict, the message, the rank of every seat, and no leaked process or file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.check.runner import check
from arena.config.home import Home
from arena.config.settings import ArenaSettings
from arena.doctor import examine
from arena.match.referee import play_match
from arena.match.rehearsal import rehearse
from arena.match.replay import Replay, read_replay, strip_times, verify
from arena.match.replay_format import TurnRecord
from arena.match.session import Session
from arena.model.causes import Cause
from arena.model.faults import BotFault
from arena.model.records import MatchOrder, MatchRecord, Outcome
from arena.protocol.messages import encode, encode_hello
from arena.sandbox.launcher import Sandbox
from arena.sandbox.probe import LAYERS, probe
from tests.faulty_bots.table import TABLE, Row
from tests.support.bench import (
    CONTROL,
    FAULTY_SEAT,
    Bench,
    Polite,
    at_table,
    bot_files,
    make_bench,
    make_targets,
    played,
    traces,
    with_faulty,
)
from tests.support.helpers import SEED, FakeSession, play, tiny_rules
from tests.support.tiny_game import GAME

pytestmark = pytest.mark.usefixtures("tiny_game")


@pytest.fixture(scope="module", params=["off", "auto"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Without confinement, and with as much as this host has."""
    os.environ["SECRET_OF_THE_ARENA"] = "token"
    return probe(request.param)


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    """All bots, and what they may look for."""
    with make_bench() as made, make_targets(made):
        yield made


@pytest.fixture(scope="module")
def polite(sandbox: Sandbox) -> Iterator[Polite]:
    """Polite bots that are kept from match to match; under a mark of their own, so that they are nobody's remains."""
    with make_bench() as made:
        kept = Polite(made, sandbox)
        yield kept
        kept.close()


def met(bench: Bench, sandbox: Sandbox, polite: Polite, row: Row, seats: int) -> tuple[MatchOrder, MatchRecord]:
    """The match of a faulty bot with polite ones that are kept; they must be as good as before afterwards."""
    rules = tiny_rules(time_control=CONTROL, startup_s=row.startup_s)
    programs = tuple(bench.program(file) for file in with_faulty(row.file, seats))
    order = MatchOrder("tiny-1-0", SEED, rules, programs, sandbox=tuple(sandbox.layers))
    with polite.lend(seats - 1) as others:
        before = traces(sandbox)
        faulty = Session.launch(programs[FAULTY_SEAT], encode_hello(GAME, rules), rules, sandbox)
        try:
            record = play_match(order, [*others[:FAULTY_SEAT], faulty, *others[FAULTY_SEAT:]])
        finally:
            end = faulty.close(polite=True)
        assert end.survivors == 0
        assert bench.alive() == []
        assert traces(sandbox) == before
    return order, record


class StandIn(FakeSession):
    """A polite bot in memory."""

    def __init__(self) -> None:
        self.seed = 0
        super().__init__(lambda message: b'{"action":%d}' % ((self.seed + message["turn"]) % len(message["legal"])))

    def start(self, message: bytes) -> None:
        super().start(message)
        self.seed = self.messages[-1]["seed"]


def stand_in_for_faulty(record: MatchRecord, replay: Replay) -> FakeSession:
    """A bot in memory that plays what the faulty one played, and then loses by what it lost by."""
    seat = record.seats[FAULTY_SEAT]
    actions = {
        turn.turn: encode({"action": turn.action, "note": turn.note or ""})
        for turn in replay.records
        if isinstance(turn, TurnRecord) and turn.seat == FAULTY_SEAT and turn.by == "bot"
    }
    fault = None if seat.cause is None else BotFault(seat.cause, seat.detail)
    legal = replay.header.bots[FAULTY_SEAT].legal
    ready = encode({"type": "ready", "legal": legal or "full"}) + b"\n"
    at_startup = fault is not None and seat.fault_turn is None
    return FakeSession(
        lambda message: actions.get(message["turn"], fault),
        ready=fault if at_startup and fault is not None else ready,
    )


def as_played_in_memory(order: MatchOrder, record: MatchRecord) -> MatchRecord:
    """The same match with stand-ins for all of its bots."""
    sessions = [StandIn() for _ in order.programs]
    faulty = stand_in_for_faulty(record, read_replay(record.replay))
    return play([*sessions[:FAULTY_SEAT], faulty, *sessions[FAULTY_SEAT + 1 :]], order=order)


def without_notes(data: bytes) -> bytes:
    """The replay without the times and the notes."""
    return re.sub(rb',"note":"(?:[^"\\\\]|\\\\.)*"', b"", strip_times(data))


def told(replay: Replay) -> str:
    """What the faulty bot told of its attempt."""
    notes = [turn.note for turn in replay.records if isinstance(turn, TurnRecord) and turn.seat == FAULTY_SEAT]
    return next((note for note in reversed(notes) if note), "")


@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.file)
def test_a_faulty_bot_gets_its_verdict_and_hurts_nobody(
    bench: Bench, sandbox: Sandbox, polite: Polite, row: Row, seats: int
) -> None:
    """Verdict, message and ranks are those of the table; the others' results are those of a match among polite bots in
    memory; nothing of the bot is left on this host; the replay verifies."""
    expected = row.expected(sandbox)
    order, record = met(bench, sandbox, polite, row, seats)
    faulty, others = record.seats[FAULTY_SEAT], [s for n, s in enumerate(record.seats) if n != FAULTY_SEAT]
    assert faulty.cause is expected, faulty.detail
    assert [seat.cause for seat in others] == [None] * (seats - 1)
    assert record.outcome is Outcome.FINISHED
    replay = read_replay(record.replay)
    verify(replay)
    undisturbed = as_played_in_memory(order, record)
    assert without_notes(record.replay) == without_notes(undisturbed.replay)
    assert [(s.rank, s.score, s.turns, s.strikes) for s in record.seats] == [
        (s.rank, s.score, s.turns, s.strikes) for s in undisturbed.seats
    ]
    if row.attempt is not None:
        judge_attempt(row, sandbox, told(replay))
    if expected is None:
        assert record.reason == "game_over" and faulty.turns == 3
        return
    assert re.search(row.says, faulty.detail), faulty.detail
    assert (faulty.fault_turn is None) == (row.at == "startup")
    assert faulty.rank == seats - 1
    assert sorted(seat.rank for seat in others)[0] == 0 and max(seat.rank for seat in others) < seats - 1
    assert record.reason == ("forfeits" if seats == 2 else "game_over")
    assert all((seat.score is None) == (seats == 2) for seat in record.seats)


def judge_attempt(row: Row, sandbox: Sandbox, note: str) -> None:
    """Prevented, or what the table says of it where nothing prevents it."""
    assert note.startswith(("done", "refused")), note
    if row.prevented(sandbox) or row.attempt == "fails":
        assert note.startswith("refused"), note
    elif row.attempt == "succeeds":
        assert note == "done", note


@pytest.mark.parametrize("row", [row for row in TABLE if row.confined is not row.unconfined or row.attempt], ids=str)
def test_doctor_says_what_is_not_prevented(sandbox: Sandbox, row: Row) -> None:
    """Where the layer that stops a bot of the table is missing, `arena doctor` says so in the layer's own words."""
    findings = examine(Home(Path("/nowhere/arena"), None, "a test"), ArenaSettings(), sandbox)
    missing = {finding.text for finding in findings if finding.subject == "not prevented"}
    if row.layer is None:
        assert row.attempt == "fails"
    else:
        assert (LAYERS[row.layer] in missing) == (not row.prevented(sandbox))


def test_every_cause_has_its_faulty_bot() -> None:
    """The list of causes and the table cover each other, and each bot of the folder has its row."""
    assert {row.confined for row in TABLE} >= set(Cause)
    assert {path.name for path in bot_files()} == {row.file for row in TABLE} | {"polite.py", "polite_reused.py"}
    assert len({row.file for row in TABLE}) == len(TABLE) >= 60


def test_polite_bots_play_the_same_match_twice(bench: Bench, sandbox: Sandbox) -> None:
    """Two plays differ in nothing but what was measured."""
    one, two = (played(bench, sandbox, ["polite.py", "polite_reused.py"]) for _ in range(2))
    assert one.reason == "game_over"
    assert strip_times(one.replay) == strip_times(two.replay)


def test_stderr_of_a_faulty_bot_is_kept_and_capped(bench: Bench, sandbox: Sandbox) -> None:
    """Its author can read why it ended, and nobody can fill the arena's memory."""
    crashed = played(bench, sandbox, with_faulty("crashes_on_turn.py", 2)).seats[FAULTY_SEAT]
    assert b"KeyError: 'no such field'" in crashed.stderr
    with at_table(bench, sandbox, with_faulty("fills_stderr.py", 2)) as (order, sessions):
        stderr = play_match(order, sessions).seats[FAULTY_SEAT].stderr
    assert b"bytes left out" in stderr and len(stderr) < 70_000


def test_all_bots_faulty_at_start_is_no_contest(bench: Bench, sandbox: Sandbox) -> None:
    """Nobody wins by starting worse later."""
    record = played(bench, sandbox, ["prints_banner.py", "exits_at_once.sh"])
    assert (record.outcome, record.ranks) == (Outcome.NO_CONTEST, (0, 0))


def test_a_late_answer_can_be_forgiven(bench: Bench, sandbox: Sandbox) -> None:
    """In a league with strikes a bot that was late once plays on; its late answer is dropped for good."""
    record = played(bench, sandbox, with_faulty("late_once.py", 2), strikes=1, time_control="2+0/0.4")
    late = record.seats[FAULTY_SEAT]
    assert (late.cause, late.strikes, late.turns, record.reason) == (None, 1, 2, "game_over"), late.detail
    verify(read_replay(record.replay))


def test_a_stored_match_is_rehearsed_with_a_live_bot(bench: Bench, sandbox: Sandbox) -> None:
    """The same bot gives the same answers; another one differs, or loses by what it does."""
    replay = read_replay(played(bench, sandbox, ["polite.py", "polite.py"]).replay)
    assert rehearse(replay, 0, bench.program("polite.py"), sandbox).same
    other = rehearse(replay, 0, bench.program("polite_reused.py"), sandbox)
    assert other.first is not None and other.first.given == '{"type":"pass"}' and other.fault is None
    crashed = rehearse(replay, 1, bench.program("crashes_on_turn.py"), sandbox)
    assert crashed.fault is not None and (crashed.fault.cause, crashed.fault.turn) == (Cause.CRASHED, 1)
    assert b"KeyError" in crashed.stderr
    assert bench.alive() == []


@pytest.mark.parametrize("file", ["polite.py", "polite_reused.py"])
def test_the_self_check_passes_polite_bots(bench: Bench, sandbox: Sandbox, file: str) -> None:
    """Every step is passed, and nothing is left."""
    report = check(bench.program(file), tiny_rules(), sandbox)
    assert report.passed, report.lines()
    assert [step.status for step in report.steps] == ["passed"] * 6, report.lines()
    assert bench.alive() == []


CHECKED = {"exits_at_once.sh", "hangs_on_turn.py", "crashes_on_turn.py", "answers_twice.py", "index_too_large.py"}


@pytest.mark.parametrize("row", [row for row in TABLE if row.file in CHECKED], ids=lambda row: row.file)
def test_the_self_check_refuses_faulty_bots(bench: Bench, sandbox: Sandbox, row: Row) -> None:
    """With the verdict of a match, what was expected, and the dialogue."""
    report = check(bench.program(row.file), tiny_rules(time_control=CONTROL), sandbox)
    assert not report.passed and report.failure is not None
    assert report.failure.cause is row.expected(sandbox)
    assert report.failure.dialogue[0].startswith('> {"type":"hello"')
    assert bench.alive() == []
