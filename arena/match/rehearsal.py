"""Play a stored match with a bot again: send the same bytes, and compare its answers with the stored actions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from arena.errors import UsageError
from arena.match.referee import SeatSession
from arena.match.replay import Replay, Rerun
from arena.match.replay_format import ForfeitRecord, TurnRecord
from arena.match.session import Session
from arena.model.causes import Cause
from arena.model.clock import Clock, TimeControl
from arena.model.faults import BotFault
from arena.model.records import Program
from arena.model.seeds import bot_seed, match_token
from arena.protocol.action_cache import action_bytes
from arena.protocol.answers import judge
from arena.protocol.event_log import EventLog
from arena.protocol.messages import Decline, Ready, encode, encode_end, encode_hello, encode_start, encode_turn
from arena.text.sanitize import terminal
from arena.transport.base import Confinement
from engine.catalog import get_game


@dataclass(frozen=True, slots=True)
class Difference:
    """The first turn at which the bot's action differs from the record. Both are JSON or words."""

    turn: int
    stored: str
    given: str


@dataclass(frozen=True, slots=True)
class RehearsedFault:
    """The fault by which the bot would have forfeited."""

    turn: int | None
    """Turn of the fault; None before the first turn."""
    cause: Cause
    detail: str


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """The result of a stored match that a bot played again."""

    match: str
    seat: int
    asked: int
    """Number of turns that were sent."""
    differences: int
    """Number of answers that differ from the record."""
    first: Difference | None
    fault: RehearsedFault | None
    slowest_s: float
    """Largest charged time of a turn."""
    stderr: bytes

    @property
    def same(self) -> bool:
        """Return whether every answer of the bot equals the record, without a fault."""
        return self.first is None and self.fault is None

    def lines(self) -> list[str]:
        """Return the report for a human reader. It is escaped, because a replay may come from outside."""
        lines = [f"{self.match}, seat {self.seat}: {self.asked} turns sent, slowest answer {self.slowest_s:.3f} s"]
        if self.first is not None:
            lines.append(f"first difference at turn {self.first.turn} ({self.differences} in all):")
            lines += [f"  stored  {self.first.stored}", f"  given   {self.first.given}"]
        if self.fault is not None:
            when = "at start-up" if self.fault.turn is None else f"at turn {self.fault.turn}"
            lines.append(f"fault {when}: {self.fault.cause} - {self.fault.detail}")
        if self.same:
            lines.append("every answer is as recorded")
        return [terminal(line) for line in lines]


def rehearse(
    replay: Replay, seat: int, program: Program, sandbox: Confinement, most_memory_mb: int | None = None
) -> Rehearsal:
    """Start the bot, let it play this seat of the stored match again, and close it.

    The bot gets the memory limit of the replay, but at most `most_memory_mb`, because a replay may come from anywhere.
    Raises `UsageError` if the match has no such seat, and `VerificationError` if the replay is not valid.
    """
    rules = replay.header.league_rules
    hello = encode_hello(get_game(replay.header.game), rules)
    memory_mb = rules.memory_mb if most_memory_mb is None else min(rules.memory_mb, most_memory_mb)
    limited = rules.model_copy(update={"memory_mb": memory_mb})
    return rehearse_with(replay, seat, lambda: Session.launch(program, hello, limited, sandbox))


def rehearse_with(replay: Replay, seat: int, launch: Callable[[], SeatSession]) -> Rehearsal:
    """Do the same with the bot that `launch` starts, and close that bot."""
    if not 0 <= seat < replay.header.seats:
        raise UsageError(f"match {replay.header.match} has the seats 0 to {replay.header.seats - 1}, got {seat}")
    return _Rehearsing(replay, seat, launch()).run()


class _Rehearsing:
    def __init__(self, replay: Replay, seat: int, session: SeatSession) -> None:
        header = replay.header
        self.replay = replay
        self.seat = seat
        self.session = session
        self.clock = Clock(TimeControl.parse(header.league_rules.time_control))
        self.rerun = Rerun(replay, exact=True)
        self.actions = action_bytes(self.rerun.game)
        self.events = EventLog(header.seats)
        self.full = True
        self.asked = 0
        self.differences = 0
        self.first: Difference | None = None
        self.slowest_s = 0.0

    def run(self) -> Rehearsal:
        fault: RehearsedFault | None = None
        turn: int | None = None
        try:
            self._start()
            walk = self.rerun.steps()
            for record in self.replay.records:
                if isinstance(record, TurnRecord | ForfeitRecord) and record.seat == self.seat and record.digest:
                    turn = record.turn
                    self._ask(record)
                if isinstance(record, ForfeitRecord) and record.seat == self.seat:
                    break
                _, _, events = next(walk)
                self.events.add(events)
            else:
                next(walk, None)
                self._end()
        except BotFault as error:
            fault = RehearsedFault(turn, error.cause, error.detail)
        finally:
            end = self.session.close(polite=fault is None)
        return Rehearsal(
            match=self.replay.header.match,
            seat=self.seat,
            asked=self.asked,
            differences=self.differences,
            first=self.first,
            fault=fault,
            slowest_s=self.slowest_s,
            stderr=end.stderr,
        )

    def _start(self) -> None:
        header = self.replay.header
        match self.session.greet():
            case Ready(legal=legal):
                self.full = legal == "full"
            case Decline():
                raise BotFault(Cause.NO_HANDSHAKE, "expected ready, got decline")
        token = match_token(header.seed_bytes, header.match)
        seed = bot_seed(header.seed_bytes, header.match, self.seat)
        self.session.start(encode_start(token, self.seat, header.seats, seed, self.clock))

    def _ask(self, record: TurnRecord | ForfeitRecord) -> None:
        state, turn = self.rerun.state, record.turn
        assert turn is not None
        if record.times is not None:
            self.clock.remaining_s = record.times.remaining_ms / 1000
        legal = state.legal_actions()
        message = encode_turn(
            turn,
            encode(state.observation(self.seat)),
            self.events.news(self.seat),
            self.actions.all(legal) if self.full else None,
            self.clock,
        )
        self.asked += 1
        heard = self.session.ask(message, turn=turn, limit_s=self.clock.limit_s, late=self.clock.late_cause)
        self.slowest_s = max(self.slowest_s, heard.times.charged_s)
        if heard.answer is None:
            raise BotFault(self.clock.late_cause, "no answer within the limit")
        action = judge(self.rerun.game, heard.answer, legal, turn)
        self._compare(record, turn, self.actions.one(action))

    def _compare(self, record: TurnRecord | ForfeitRecord, turn: int, given: bytes) -> None:
        if isinstance(record, ForfeitRecord):
            stored = f"forfeit: {record.cause} - {record.detail or record.cause.meaning}"
        elif record.by == "strike":
            return  # the late answer was dropped, so there is nothing to compare with
        else:
            decoded = self.rerun.game.decode(record.action)
            stored = self.actions.one(decoded).decode()
        if stored != given.decode():
            self.differences += 1
            if self.first is None:
                self.first = Difference(turn, stored, given.decode())

    def _end(self) -> None:
        result = self.replay.result
        self.session.end(encode_end(result.ranks, result.scores, result.reason, self.events.news(self.seat)))
