"""Promises about bots that misbehave: the verdict, the message, everyone's rank, and nothing left behind."""

from __future__ import annotations

import re
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from arena.errors import Cause
from arena.protocol import encode_hello
from arena.records import MatchOrder, MatchRecord, Outcome, Program
from arena.referee import play_match
from arena.rehearse import rehearse
from arena.replay import read_replay, strip_times, verify
from arena.sandbox import Sandbox, probe
from arena.selfcheck import check
from arena.session import Session
from tests.arena.helpers import SEED, tiny_rules
from tests.arena.tiny_game import GAME
from tests.faulty_bots.table import TABLE, Row

pytestmark = pytest.mark.usefixtures("tiny_game")

FOLDER = Path(__file__).parent.parent / "faulty_bots"
CONTROL = "0.6+0/0.4"
FAULTY_SEAT = 1


@pytest.fixture(scope="module", params=["off", "auto"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Without confinement, and with as much as this host has."""
    return probe(request.param)


class Bench:
    """A folder of bots under names that occur nowhere else, so that what is left of them can be found."""

    def __init__(self, folder: Path) -> None:
        self.mark = uuid.uuid4().hex
        self.folder = folder
        for source in FOLDER.iterdir():
            if source.suffix in {".py", ".sh"}:
                shutil.copy(source, folder / self.name(source.name))

    def name(self, file: str) -> str:
        return f"{self.mark}_{file}"

    def program(self, file: str) -> Program:
        runner = "sh" if file.endswith(".sh") else "python3"
        return Program(Path(file).stem, 1, "nobody", "d1" * 16, str(self.folder), (runner, self.name(file)))

    def alive(self) -> list[str]:
        """Command lines of processes of these bots."""
        found = []
        for entry in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                command = entry.read_bytes()
            except OSError:
                continue
            if self.mark.encode() in command:
                found.append(command.decode(errors="replace"))
        return found


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    """All bots, where any user may read them."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Bench(Path(folder))


@contextmanager
def at_table(
    bench: Bench, sandbox: Sandbox, files: list[str], **changes: Any
) -> Iterator[tuple[MatchOrder, list[Session]]]:
    """Live sessions of these bots, all ended afterwards."""
    rules = tiny_rules(**{"time_control": CONTROL, **changes})
    programs = tuple(bench.program(file) for file in files)
    hello = encode_hello(GAME, rules)
    sessions: list[Session] = []
    try:
        sessions += [Session.launch(program, hello, rules, sandbox) for program in programs]
        yield MatchOrder("tiny-1-0", SEED, rules, programs, sandbox=tuple(sandbox.layers)), sessions
    finally:
        endings = [session.close(polite=True) for session in sessions]
    assert [ending.survivors for ending in endings] == [0] * len(endings)


def played(bench: Bench, sandbox: Sandbox, files: list[str], **changes: Any) -> MatchRecord:
    """The record of a match between these bots, under rules with these changes."""
    with at_table(bench, sandbox, files, **changes) as (order, sessions):
        record = play_match(order, sessions)
    assert bench.alive() == []
    return record


def with_faulty(file: str, seats: int) -> list[str]:
    """Polite bots, and this one among them."""
    return [file if seat == FAULTY_SEAT else "polite.py" for seat in range(seats)]


@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.file)
def test_a_faulty_bot_gets_its_verdict_and_hurts_nobody(bench: Bench, sandbox: Sandbox, row: Row, seats: int) -> None:
    """Cause, message and ranks are those of the table; the others finish; no process is left; the replay verifies."""
    expected = row.expected(sandbox)
    record = played(bench, sandbox, with_faulty(row.file, seats), startup_s=row.startup_s)
    faulty, others = record.seats[FAULTY_SEAT], [s for n, s in enumerate(record.seats) if n != FAULTY_SEAT]
    assert faulty.cause is expected, faulty.detail
    assert [seat.cause for seat in others] == [None] * (seats - 1)
    assert record.outcome is Outcome.FINISHED
    verify(read_replay(record.replay))
    if expected is None:
        assert record.reason == "game_over" and faulty.turns == 3
        return
    assert re.search(row.says, faulty.detail), faulty.detail
    assert (faulty.fault_turn is None) == (row.at == "startup")
    assert faulty.rank == seats - 1
    assert sorted(seat.rank for seat in others)[0] == 0 and max(seat.rank for seat in others) < seats - 1
    assert record.reason == ("forfeits" if seats == 2 else "game_over")
    assert all((seat.score is None) == (seats == 2) for seat in record.seats)


def test_every_cause_has_its_faulty_bot() -> None:
    """The list of causes and the table cover each other, and each bot of the folder has its row."""
    assert {row.confined for row in TABLE} >= set(Cause)
    files = {path.name for path in FOLDER.iterdir() if path.suffix in {".py", ".sh"}} - {"table.py"}
    assert files == {row.file for row in TABLE} | {"polite.py", "polite_reused.py"}


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
        play_match(order, sessions)
        stderr = sessions[FAULTY_SEAT].close(polite=True).stderr
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
