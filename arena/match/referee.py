"""Plays one match: a game, live bots in its seats and a seed go in, a `MatchRecord` comes out.

The referee owns the truth. A bot can lose here by what it does (`BotFault`, or an action that its position does not
allow); whatever else goes wrong leaves `play_match` as the exception that it is, and makes the match void.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from arena.errors import ArenaFault, Cause
from arena.match.ranking import STARTUP, rank_seats
from arena.match.replay import Asked, ReplayWriter
from arena.match.replay_format import By
from arena.match.session import Heard, Session, hear_all
from arena.match.spectator import Forfeit, Watched
from arena.model.clock import Clock, TimeControl, TurnTimes
from arena.model.faults import BotFault
from arena.model.records import MatchOrder, MatchRecord, Outcome, SeatResult
from arena.model.seeds import bot_seed, chance_rng, match_token
from arena.protocol.action_cache import action_bytes
from arena.protocol.answers import judge
from arena.protocol.event_log import EventLog
from arena.protocol.messages import Decline, LegalMode, Ready, encode, encode_end, encode_start, encode_turn
from arena.transport.base import Ending
from engine.catalog import get_game
from engine.core import CHANCE, Action, Event

Watch = Callable[[Watched], None]


class TableSession(Protocol):
    """What the referee asks of a bot at a table; `arena.match.session.Session` in matches, a stand-in elsewhere."""

    def greet(self) -> Ready | Decline:
        """The answer to `hello`. Raises `BotFault`."""

    def start(self, message: bytes) -> None:
        """Send the `start` message. Raises `BotFault`."""

    def ask(
        self, message: bytes, *, turn: int, limit_s: float, strike_window_s: float = 0.0, late: Cause = Cause.TURN_LATE
    ) -> Heard:
        """Send a `turn` message and hear the answer. Raises `BotFault`; `late` is the cause for none in time."""

    def end(self, message: bytes) -> None:
        """Send the `end` message. Raises `BotFault`."""

    def close(self, *, polite: bool) -> Ending:
        """End the bot."""


def play_match(order: MatchOrder, sessions: Sequence[TableSession], watch: Watch | None = None) -> MatchRecord:
    """Play the ordered match with these bots, one a seat, which have been sent `hello`; `watch` gets every step.

    A bot that forfeits is closed at once; the others are left running after their `end` message. Raises `ArenaFault`
    when the game does not end in time, and whatever a game or the arena's own parts raise: the match is then void.
    """
    return _Match(order, sessions, watch).play()


class _Seat:
    """One place at the table: its bot, its clock, what it did so far."""

    __slots__ = (
        "clock", "detail", "fault", "fault_turn", "legal", "number", "session", "stderr", "strikes", "time_max_s",
        "time_total_s", "turns",
    )  # fmt: skip

    def __init__(self, number: int, session: TableSession, control: TimeControl) -> None:
        self.number = number
        self.session = session
        self.clock = Clock(control)
        self.legal: LegalMode | None = None
        self.fault: Cause | None = None
        self.detail = ""
        self.fault_turn: int | None = None
        self.stderr = b""
        self.strikes = 0
        self.turns = 0
        self.time_total_s = 0.0
        self.time_max_s = 0.0

    def result(self, rank: int, score: float | None) -> SeatResult:
        return SeatResult(
            rank=rank,
            score=score,
            cause=self.fault,
            detail=self.detail,
            fault_turn=self.fault_turn,
            turns=self.turns,
            time_total_s=self.time_total_s,
            time_max_s=self.time_max_s,
            strikes=self.strikes,
            stderr=self.stderr,
        )


class _Match:
    """The match while it is played."""

    def __init__(self, order: MatchOrder, sessions: Sequence[TableSession], watch: Watch | None) -> None:
        rules = order.rules
        self.order = order
        self.rules = rules
        self.watch = watch
        self.game = get_game(rules.game)
        self.options = self.game.settle_options(rules.options)
        self.state = self.game.new(len(order.programs), self.options)
        control = TimeControl.parse(rules.time_control)
        self.seats = [_Seat(number, session, control) for number, session in enumerate(sessions)]
        if len(self.seats) != len(order.programs):
            raise ArenaFault(f"{order.match_id} has {len(order.programs)} seats, got {len(self.seats)} bots")
        self.actions = action_bytes(self.game)
        self.events = EventLog(len(self.seats))
        self.chances: set[str] = set()
        self.live = len(self.seats)
        """Seats that have not forfeited; with one left or none the match is decided."""
        self.turn = 0
        self.writer: ReplayWriter

    def play(self) -> MatchRecord:
        faults = self._greet()
        self.writer = ReplayWriter(self.order, self.game, self.options, [seat.legal for seat in self.seats])
        self._forfeit_at_startup(faults)
        if self.live > 1:
            self._forfeit_at_startup(self._start())
            self._play_turns()
            return self._finish(started=True)
        return self._finish(started=False)

    # Start-up

    def _greet(self) -> list[tuple[_Seat, BotFault]]:
        """Hear every seat before any verdict: nobody's loss shortens another's start-up."""
        hear_all([seat.session for seat in self.seats if isinstance(seat.session, Session)])
        faults = []
        for seat in self.seats:
            try:
                match seat.session.greet():
                    case Ready(legal=legal):
                        seat.legal = legal
                    case Decline():
                        raise BotFault(
                            Cause.NO_HANDSHAKE, f"expected ready, got decline: {self.game.key} is played here"
                        )
            except BotFault as fault:
                faults.append((seat, fault))
        return faults

    def _start(self) -> list[tuple[_Seat, BotFault]]:
        order, faults = self.order, []
        token = match_token(order.seed, order.match_id)
        for seat in self.seats:
            if seat.fault is None:
                seed = bot_seed(order.seed, order.match_id, seat.number)
                message = encode_start(token, seat.number, len(self.seats), seed, seat.clock)
                try:
                    seat.session.start(message)
                except BotFault as fault:
                    faults.append((seat, fault))
        return faults

    def _forfeit_at_startup(self, faults: Sequence[tuple[_Seat, BotFault]]) -> None:
        for seat, fault in faults:
            self._forfeit(seat, fault, None)

    # Turns

    def _play_turns(self) -> None:
        state, actions, watch = self.state, self.actions, self.watch
        while self.live > 1 and (actor := state.to_act) is not None:
            if actor == CHANCE:
                self._play_chance()
                continue
            if self.turn >= self.game.max_turns:
                raise ArenaFault(f"{self.game.key} did not end within its max_turns, {self.game.max_turns}")
            seat = self.seats[actor]
            legal = state.legal_actions()
            by: By = "fallback"
            asked, note, action = None, None, None
            if seat.fault is None:
                action, by, note, asked = self._ask(seat, legal)
                if action is None and self.live <= 1:
                    return
            if action is None:
                action = legal[0]
            # The action is one of the legal list: if the game refuses it all the same, that is no fault of a bot.
            events = state.apply(action)
            self.events.add(events)
            self.writer.turn(self.turn, actor, actions.one(action), by, asked, note)
            turn = self.turn
            self.turn += 1
            if watch is not None:
                watch(Watched(state, actor, action, events, by, turn, note))

    def _play_chance(self) -> None:
        state = self.state
        key = state.chance_key
        if key in self.chances:
            # The same key draws the same outcome again: not a fair game, and perhaps an endless one.
            raise ArenaFault(f"{self.game.key} used the chance key {key!r} twice in one match")
        self.chances.add(key)
        action = state.sample_chance(chance_rng(self.order.seed, key))
        events: tuple[Event, ...] = state.apply(action)
        self.events.add(events)
        self.writer.chance(key, encode(self.game.encode(action)))
        if self.watch is not None:
            self.watch(Watched(state, CHANCE, action, events, by="chance"))

    def _ask(self, seat: _Seat, legal: Sequence[Action]) -> tuple[Action | None, By, str | None, Asked | None]:
        """One turn of a live bot: its action, who chose it, its note, what it was asked.

        No action and "fallback" when the bot has forfeited by it, and then its forfeit is on record.
        """
        number, clock = seat.number, seat.clock
        observation = encode(self.state.observation(number))
        told_ms = clock.remaining_ms
        message = encode_turn(
            self.turn,
            observation,
            self.events.news(number),
            self.actions.all(legal) if seat.legal == "full" else None,
            clock,
        )
        window_s = self.rules.strike_window_s if seat.strikes < self.rules.strikes else 0.0
        asked = None
        try:
            heard = seat.session.ask(
                message, turn=self.turn, limit_s=clock.limit_s, strike_window_s=window_s, late=clock.late_cause
            )
            asked = Asked(observation, told_ms, heard.times)
            self._charge(seat, heard.times)
            if heard.answer is None:
                seat.strikes += 1
                return legal[0], "strike", None, asked
            action = judge(self.game, heard.answer, legal, self.turn)
        except BotFault as fault:
            if asked is None:  # else the answer came in time, and has been charged already
                asked = Asked(observation, told_ms, fault.times)
                if fault.times is not None:
                    self._charge(seat, fault.times)
            self._forfeit(seat, fault, self.turn, asked)
            return None, "fallback", None, None
        seat.turns += 1
        return action, "bot", heard.answer.note, asked

    def _charge(self, seat: _Seat, times: TurnTimes) -> None:
        charged_s = times.charged_s
        seat.clock.charge(charged_s)
        seat.time_total_s += charged_s
        if charged_s > seat.time_max_s:
            seat.time_max_s = charged_s

    # Ends

    def _forfeit(self, seat: _Seat, fault: BotFault, turn: int | None, asked: Asked | None = None) -> None:
        seat.fault, seat.detail, seat.fault_turn = fault.cause, fault.detail, turn
        self.live -= 1
        self.writer.forfeit(seat.number, turn, fault.cause, fault.detail, asked)
        seat.stderr = seat.session.close(polite=False).stderr
        if self.watch is not None:
            forfeit = Forfeit(seat.number, fault.cause, fault.detail)
            self.watch(Watched(self.state, seat.number, None, turn=turn, forfeit=forfeit))

    def _finish(self, *, started: bool) -> MatchRecord:
        state = self.state
        game_over = state.to_act is None
        reason = "game_over" if game_over else "forfeits"
        forfeits = {
            seat.number: STARTUP if seat.fault_turn is None else seat.fault_turn
            for seat in self.seats
            if seat.fault is not None
        }
        ranks = rank_seats(len(self.seats), forfeits, state.ranks() if game_over else None)
        scores = tuple(float(score) for score in state.scores()) if game_over else None
        outcome = Outcome.NO_CONTEST if len(forfeits) == len(self.seats) else Outcome.FINISHED
        if started:
            self._tell_end(ranks, scores, reason)
        return MatchRecord(
            match_id=self.order.match_id,
            outcome=outcome,
            reason=reason,
            turns=self.turn,
            seats=tuple(
                seat.result(ranks[seat.number], None if scores is None else scores[seat.number]) for seat in self.seats
            ),
            replay=self.writer.finish(outcome, reason, self.turn, ranks, scores),
        )

    def _tell_end(self, ranks: tuple[int, ...], scores: tuple[float, ...] | None, reason: str) -> None:
        for seat in self.seats:
            if seat.fault is None:
                message = encode_end(ranks, scores, reason, self.events.news(seat.number))
                try:
                    seat.session.end(message)
                except BotFault:
                    # The match is over: what a bot does now can spoil its process, but not the result.
                    continue
