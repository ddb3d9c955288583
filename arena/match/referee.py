"""Play one match: take a game, one running bot for each seat and a seed, and return a `MatchRecord`.

The referee is authoritative. A bot forfeits only by its own actions (`BotFault`, or an action that is not legal). Every
other exception leaves `play_match` unchanged and makes the match void.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from arena.errors import ArenaFault
from arena.match.ranking import STARTUP, rank_seats
from arena.match.replay import Asked, ReplayWriter
from arena.match.replay_format import By
from arena.match.session import Session, TurnResult, wait_for_handshakes
from arena.match.spectator import Forfeit, Watched
from arena.model.causes import Cause
from arena.model.clock import Clock, TimeControl, TurnTimes
from arena.model.faults import BotFault
from arena.model.records import MatchOrder, MatchRecord, Outcome, SeatResult
from arena.model.seeds import bot_seed, chance_rng, match_token
from arena.protocol.action_cache import action_bytes
from arena.protocol.answers import judge
from arena.protocol.event_log import EventLog
from arena.protocol.messages import Decline, LegalMode, Ready, encode, encode_end, encode_start, encode_turn
from arena.transport.base import PostMortem
from engine.catalog import get_game
from engine.core import CHANCE, Action, Event

Watch = Callable[[Watched], None]


class SeatSession(Protocol):
    """The interface that the referee needs of a bot: a `Session` in matches, a substitute elsewhere."""

    def greet(self) -> Ready | Decline:
        """Return the answer to `hello`. Raises `BotFault`."""

    def start(self, message: bytes) -> None:
        """Send the `start` message. Raises `BotFault`."""

    def ask(
        self, message: bytes, *, turn: int, limit_s: float, strike_window_s: float = 0.0, late: Cause = Cause.TURN_LATE
    ) -> TurnResult:
        """Send a `turn` message and return the answer. Raises `BotFault`, with the cause `late` for a late bot."""

    def end(self, message: bytes) -> None:
        """Send the `end` message. Raises `BotFault`."""

    def take_stderr(self) -> bytes:
        """Return head and tail of what the bot wrote to stderr since the last call."""

    def close(self, *, polite: bool) -> PostMortem:
        """Close the bot."""


def play_match(order: MatchOrder, sessions: Sequence[SeatSession], watch: Watch | None = None) -> MatchRecord:
    """Play the ordered match with these bots, one for each seat, and pass every step to `watch`.

    The bots must have been sent `hello`. A bot that forfeits is closed at once. The others still run after their `end`
    message. Raises `ArenaFault` if the game does not end within its `max_turns`, and every exception of a game or of
    the arena itself. An exception makes the match void.
    """
    return _Match(order, sessions, watch).play()


class _Seat:
    """One seat of the match: its bot, its clock and its results so far."""

    __slots__ = (
        "clock", "detail", "fault", "fault_turn", "legal", "number", "session", "stderr", "strikes", "time_max_s",
        "time_total_s", "turns",
    )  # fmt: skip

    def __init__(self, number: int, session: SeatSession, control: TimeControl) -> None:
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
    """The state of a match while it is played."""

    def __init__(self, order: MatchOrder, sessions: Sequence[SeatSession], watch: Watch | None) -> None:
        rules = order.rules
        self.order = order
        self.rules = rules
        self.watch = watch
        self.game = get_game(rules.game)
        self.options = self.game.complete_options(rules.options)
        self.state = self.game.new(len(order.programs), self.options)
        control = TimeControl.parse(rules.time_control)
        self.seats = [_Seat(number, session, control) for number, session in enumerate(sessions)]
        if len(self.seats) != len(order.programs):
            raise ArenaFault(f"{order.match_id} has {len(order.programs)} seats, got {len(self.seats)} bots")
        self.actions = action_bytes(self.game)
        self.events = EventLog(len(self.seats))
        self.chances: set[str] = set()
        self.live = len(self.seats)
        """Number of seats that have not forfeited. With one or none left, the match is over."""
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
        """Wait for all handshakes before any seat forfeits, so that no forfeit shortens another bot's start-up."""
        wait_for_handshakes([seat.session for seat in self.seats if isinstance(seat.session, Session)])
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
            # The action is in the legal list. If the game still refuses it, no bot is at fault and the match is void.
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
            # The same key would draw the same outcome again. Such a game is not fair, and it may never end.
            raise ArenaFault(f"{self.game.key} used the chance key {key!r} twice in one match")
        self.chances.add(key)
        action = state.sample_chance(chance_rng(self.order.seed, key))
        events: tuple[Event, ...] = state.apply(action)
        self.events.add(events)
        self.writer.chance(key, encode(self.game.encode(action)))
        if self.watch is not None:
            self.watch(Watched(state, CHANCE, action, events, by="chance"))

    def _ask(self, seat: _Seat, legal: Sequence[Action]) -> tuple[Action | None, By, str | None, Asked | None]:
        """Play one turn of a bot. Return its action, who chose the action, its note, and the `Asked` of the turn.

        If the bot forfeits, record the forfeit and return no action, with "fallback".
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
            if asked is None:  # if not, the answer came in time and is charged already
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
        for seat in self.seats:
            if seat.fault is None:
                seat.stderr = seat.session.take_stderr()
        return MatchRecord(
            position=self.order.position,
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
                    # The match is over. A fault now affects the process of the bot, but not the result.
                    continue
