"""Tests of the referee: who wins, who forfeits, which messages each bot receives, and that no bot can void a match."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.errors import ArenaFault
from arena.match.replay import read_replay, verify
from arena.match.replay_format import ForfeitRecord
from arena.match.spectator import Watched
from arena.model.causes import Cause
from arena.model.faults import BotFault
from arena.model.records import Outcome
from arena.model.seeds import bot_seed, match_token
from engine.core import Action, Event, IllegalAction
from tests.support.helpers import SEED, FakeSession, always, an_order, play, polite, until
from tests.support.tiny_game import GAME, TinyGame, TinyState

pytestmark = pytest.mark.usefixtures("tiny_game")

NOT_READY = b"MegaBot 3000\n"


def crash() -> BotFault:
    """The fault of a bot that ended by itself."""
    return BotFault(Cause.CRASHED, "exit status 3")


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_a_match_of_polite_bots_ends_by_the_rules(seats: int) -> None:
    """Ranks and scores are the game's, nobody is closed, everyone hears the end."""
    sessions = [FakeSession() for _ in range(seats)]
    seen: list[Watched] = []
    record = play(sessions, seen.append)
    final = seen[-1].state
    assert (record.outcome, record.reason, record.turns) == (Outcome.FINISHED, "game_over", 3 * seats)
    assert record.ranks == final.ranks()
    assert tuple(seat.score for seat in record.seats) == final.scores()
    for session, seat in zip(sessions, record.seats, strict=True):
        assert (seat.cause, seat.turns, seat.stderr, session.closed) == (None, 3, b"some words", [])
        assert seat.time_total_s == pytest.approx(0.03) and seat.time_max_s == pytest.approx(0.01)
        assert session.messages[-1] == {
            "type": "end",
            "ranks": list(record.ranks),
            "scores": list(final.scores()),
            "reason": "game_over",
            "events": session.messages[-1]["events"],
        }
    verify(read_replay(record.replay))


def test_a_start_message_tells_the_seat_and_nothing_about_the_others() -> None:
    """Token, seat, seed and clock, and no name, id or match seed."""
    sessions = [FakeSession() for _ in range(3)]
    play(sessions, order=replace(an_order(3), match_id="friday-7-12"))
    for seat, session in enumerate(sessions):
        assert session.messages[0] == {
            "type": "start",
            "match": match_token(SEED, "friday-7-12"),
            "seat": seat,
            "seats": 3,
            "seed": bot_seed(SEED, "friday-7-12", seat),
            "clock": {"remaining_ms": 10_000, "cap_ms": 2000},
        }
        assert b"friday" not in b"".join(session.sent) and b"bot0" not in b"".join(session.sent)
    assert len({session.messages[0]["seed"] for session in sessions}) == 3


def test_a_turn_message_holds_what_the_seat_may_know() -> None:
    """Observation and legal list are those of the state; the turn numbers count all seats."""
    sessions = [FakeSession(), FakeSession()]
    expected: list[dict[str, Any]] = []

    def watch(step: Watched) -> None:
        actor = step.state.to_act
        if isinstance(actor, int):
            legal = [GAME.encode(action) for action in step.state.legal_actions()]
            expected.append({"observation": step.state.observation(actor), "legal": legal})

    play(sessions, watch)
    turns = sorted((m for s in sessions for m in s.messages if m["type"] == "turn"), key=lambda m: m["turn"])
    assert [turn["turn"] for turn in turns] == list(range(6))
    assert [{name: turn[name] for name in ("observation", "legal")} for turn in turns] == expected


def test_events_reach_each_seat_once_in_order_and_redacted() -> None:
    """Over a whole match a seat hears every event once, its private parts for its own alone."""
    happened: list[Event] = []
    sessions = [FakeSession() for _ in range(4)]
    play(sessions, lambda step: happened.extend(step.events))
    for seat, session in enumerate(sessions):
        heard = [event for message in session.messages for event in message.get("events", [])]
        assert heard == json.loads(json.dumps([event.seen_by(seat) for event in happened]))
        assert all("card" not in event for event in heard if event.get("seat") != seat)


def test_the_legal_list_is_left_out_on_demand() -> None:
    """A bot that asked for no list gets none, and answers with an action."""
    bot = FakeSession(always(b'{"action":{"type":"pass"}}\n'), ready=b'{"type":"ready","legal":"none"}\n')
    record = play([bot, FakeSession()])
    assert record.seats[0].cause is None
    assert all("legal" not in message for message in bot.messages)
    header = read_replay(record.replay).header
    assert [seat.legal for seat in header.bots] == ["none", "full"]


def test_the_clock_runs_down_and_limits_the_turn() -> None:
    """Each turn is charged, the increment added after it, and bots are told what is left."""
    bot = FakeSession(wall_s=0.4)
    play([bot, FakeSession()], time_control="1+0.1/0.9")
    assert [m["clock"]["remaining_ms"] for m in bot.messages if "clock" in m] == [1000, 1000, 700, 400]
    assert [limit for limit, _ in bot.limits] == pytest.approx([0.9, 0.7, 0.4])


def test_an_answer_that_is_not_allowed_is_charged_once_and_keeps_its_times() -> None:
    """Whoever answers in time but wrongly has used its time: it stands in the counts and in the replay."""
    record = play([FakeSession(always(b'{"action":9999}\n'), wall_s=0.25), FakeSession()])
    assert (record.seats[0].cause, record.seats[0].time_total_s) == (Cause.ILLEGAL_ACTION, 0.25)
    (forfeit,) = [found for found in read_replay(record.replay).records if isinstance(found, ForfeitRecord)]
    assert forfeit.times is not None and forfeit.times.wall_s == 0.25


@pytest.mark.parametrize(("control", "cause"), [("10+0/2", Cause.TURN_LATE), ("1+0/2", Cause.CLOCK_EXHAUSTED)])
def test_a_late_answer_is_judged_by_the_limit_that_it_broke(control: str, cause: Cause) -> None:
    """Where the clock was shorter than the cap, it is the clock that ran out."""
    record = play([FakeSession(always(BotFault(Cause.TURN_LATE, "late"))), FakeSession()], time_control=control)
    assert record.seats[0].cause is cause


class TestForfeits:
    """A forfeited seat is closed at once, ranks last, and the others play on as if it were there."""

    def test_with_two_seats_the_match_ends(self) -> None:
        """The survivor wins, there are no scores, and it hears why."""
        loser, winner = FakeSession(until(2, crash())), FakeSession()
        record = play([loser, winner])
        assert (record.outcome, record.reason, record.turns) == (Outcome.FINISHED, "forfeits", 2)
        lost, won = record.seats
        assert (lost.rank, lost.score, lost.cause, lost.detail, lost.fault_turn, lost.turns) == (
            1, None, Cause.CRASHED, "exit status 3", 2, 1,
        )  # fmt: skip
        assert lost.stderr == b"last words" and lost.time_total_s == pytest.approx(0.02)
        assert (won.rank, won.score, won.cause) == (0, None, None)
        assert loser.closed == [False] and loser.messages[-1]["type"] == "turn"
        assert winner.closed == [] and winner.messages[-1]["type"] == "end"
        assert winner.messages[-1]["scores"] is None and winner.messages[-1]["reason"] == "forfeits"
        verify(read_replay(record.replay))

    def test_with_four_seats_the_others_play_on(self) -> None:
        """The first legal action is played for it, by nobody's clock, and it ranks below every finisher."""
        sessions = [FakeSession(), FakeSession(until(5, crash())), FakeSession(), FakeSession()]
        seen: list[Watched] = []
        record = play(sessions, seen.append)
        assert (record.reason, record.turns, record.seats[1].rank) == ("game_over", 12, 3)
        final = seen[-1].state
        others = [seat for seat in range(4) if seat != 1]
        for seat in others:
            ahead = sum(final.ranks()[other] < final.ranks()[seat] for other in others)
            assert (record.seats[seat].rank, record.seats[seat].score) == (ahead, final.scores()[seat])
        fallbacks = [step for step in seen if step.by == "fallback"]
        assert [step.turn for step in fallbacks] == [5, 9]
        assert sum(message["type"] == "turn" for message in sessions[1].messages) == 2
        assert record.seats[1].turns == 1
        verify(read_replay(record.replay))

    def test_the_others_are_told_nothing_of_a_forfeit(self) -> None:
        """Until the end, the messages to the others are those of a bot that plays the fallback itself."""

        def plays_first(message: dict[str, Any]) -> bytes | BotFault | None:
            return polite(message) if message["turn"] < 5 else b'{"action":0}\n'

        quiet, loud = ([FakeSession(), FakeSession(bot), FakeSession()] for bot in (plays_first, until(4, crash())))
        plays = [play(sessions) for sessions in (quiet, loud)]
        assert plays[0].seats[1].cause is None and plays[1].seats[1].cause is Cause.CRASHED
        # Up to the same fallback: turn 4 is seat 1's, and its polite choice there differs from the first action.
        for before, after in zip(quiet[::2], loud[::2], strict=True):
            early = [m for m in before.messages if m.get("turn", 0) <= 4 and m["type"] != "end"]
            assert early == after.messages[: len(early)]
            assert all("forfeit" not in json.dumps(m) for m in after.messages if m["type"] != "end")

    def test_later_forfeits_rank_better(self) -> None:
        """Of those who fall, who fell later comes first; the last one standing wins unplayed."""
        sessions = [FakeSession(until(turn, crash())) for turn in (8, 5, 2, 99)]
        record = play(sessions)
        assert (record.ranks, record.reason) == ((1, 2, 3, 0), "forfeits")
        assert all(seat.score is None for seat in record.seats)
        verify(read_replay(record.replay))

    def test_forfeits_at_start_up_are_equal_and_heard_together(self) -> None:
        """Every seat is greeted before any verdict; who never was ready shares the last rank."""
        sessions = [FakeSession(ready=NOT_READY), FakeSession(), FakeSession(ready=crash()), FakeSession()]
        record = play(sessions)
        assert [seat.cause for seat in record.seats] == [Cause.NO_HANDSHAKE, None, Cause.CRASHED, None]
        assert record.ranks[0] == record.ranks[2] == 2 and {record.ranks[1], record.ranks[3]} <= {0, 1}
        assert [session.closed for session in sessions] == [[False], [], [False], []]
        assert sessions[0].sent == []
        verify(read_replay(record.replay))

    def test_one_bot_alone_at_the_table_wins_unplayed(self) -> None:
        """No start message, no end message, no turn."""
        alone = FakeSession()
        record = play([FakeSession(ready=NOT_READY), alone])
        assert (record.ranks, record.turns, record.outcome) == ((1, 0), 0, Outcome.FINISHED)
        assert alone.sent == [] and alone.closed == []

    def test_nobody_finishes(self) -> None:
        """Then there is no contest, and everyone's forfeit is on record."""
        record = play([FakeSession(ready=NOT_READY) for _ in range(3)])
        assert (record.outcome, record.ranks, record.reason) == (Outcome.NO_CONTEST, (0, 0, 0), "forfeits")
        assert {seat.cause for seat in record.seats} == {Cause.NO_HANDSHAKE}

    def test_declining_at_a_table_is_no_handshake(self) -> None:
        """A bot that was entered cannot decline the match."""
        record = play([FakeSession(ready=b'{"type":"decline"}\n'), FakeSession()])
        assert record.seats[0].cause is Cause.NO_HANDSHAKE
        assert "expected ready, got decline" in record.seats[0].detail

    def test_a_fault_at_start_counts_as_start_up(self) -> None:
        """Who is gone when the match starts has lost before the first turn; all the others are started all the same."""

        class Gone(FakeSession):
            def start(self, message: bytes) -> None:
                raise crash()

        sessions = [Gone(), FakeSession(), FakeSession()]
        record = play(sessions)
        assert (record.seats[0].rank, record.seats[0].fault_turn, record.turns) == (2, None, 9)
        verify(read_replay(record.replay))

    def test_a_fault_after_the_game_changes_nothing(self) -> None:
        """The result stands, whatever a bot does at its end message."""

        class Sulks(FakeSession):
            def end(self, message: bytes) -> None:
                raise crash()

        record = play([Sulks(), FakeSession()])
        assert record.seats[0].cause is None and record.reason == "game_over"


ANSWERS = {
    b'{"action":4}': (Cause.ILLEGAL_ACTION, "turn 0: expected an index of a legal action, got 4"),
    b'{"action":{"type":"play","card":250}}': (
        Cause.ILLEGAL_ACTION,
        """turn 0: expected one of the legal actions, got '{"type":"play","card":250}'""",
    ),
    b'{"action":{"type":"roll","face":3}}': (Cause.ILLEGAL_ACTION, "expected one of the legal actions"),
    b'{"action":{"type":"pass","x":1}}': (Cause.MALFORMED, """turn 0: expected {"type":"play","card":N} or"""),
    b'{"action":{"type":"play","card":true}}': (Cause.MALFORMED, "expected"),
    b'{"action":-1}': (Cause.MALFORMED, "expected an index of at least 0"),
    b'{"action":0,"turn":1}': (Cause.STALE_TURN, "turn 0"),
    b"hello": (Cause.MALFORMED, "expected a JSON object"),
}


@pytest.mark.parametrize("line", ANSWERS)
def test_answers_are_judged_with_what_was_expected(line: bytes) -> None:
    """Illegal is told from unreadable, and the author is shown both what was expected and what came."""
    cause, detail = ANSWERS[line]
    record = play([FakeSession(always(line + b"\n")), FakeSession()])
    assert record.seats[0].cause is cause
    assert detail in record.seats[0].detail


def test_actions_by_index_and_by_object_are_the_same() -> None:
    """Two ways to say one thing: the records differ in nothing but the notes."""

    def by_object(message: dict[str, Any]) -> bytes:
        action = message["legal"][message["turn"] % len(message["legal"])]
        return json.dumps({"action": action}).encode() + b"\n"

    one, two = play([FakeSession(), FakeSession()]), play([FakeSession(by_object), FakeSession()])
    assert one.replay == two.replay


class TestStrikes:
    """A league may forgive late answers: the fallback is played, and too many of them lose."""

    def test_a_forgiven_answer_costs_a_strike(self) -> None:
        """As many as the league allows are forgiven, each in its window; the next one has no window."""
        late = FakeSession(always(None))  # type: ignore[arg-type]
        record = play([late, FakeSession()], strikes=3, strike_window_s=0.7)
        assert (record.seats[0].strikes, record.seats[0].cause, record.seats[0].turns) == (3, None, 0)
        assert [window for _, window in late.limits] == [0.7, 0.7, 0.7]

    def test_without_strikes_there_is_no_window(self) -> None:
        """By default late is late."""
        bot = FakeSession()
        play([bot, FakeSession()])
        assert {window for _, window in bot.limits} == {0.0}

    def test_used_up_strikes_open_no_window(self) -> None:
        """After the last strike the session is asked to wait no longer."""
        late = FakeSession(lambda message: None if message["turn"] == 0 else polite(message))
        play([late, FakeSession()], strikes=1, strike_window_s=0.7)
        assert [window for _, window in late.limits] == [0.7, 0.0, 0.0]


class Broken(TinyGame):
    """The tiny game with one thing that its makers got wrong."""

    key = "broken"


def use_game(monkeypatch: pytest.MonkeyPatch, game: TinyGame, state: type[TinyState] = TinyState) -> None:
    """The referee plays this game instead."""
    monkeypatch.setattr("arena.match.referee.get_game", lambda key: game)
    monkeypatch.setattr(game, "new", lambda seats, options: state(seats, options))


class TestVoid:
    """What is not a bot's doing leaves `play_match` as the exception that it is."""

    def test_a_game_without_end(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """More turns than the game allows itself is the game's fault."""
        game = Broken()
        monkeypatch.setattr(game, "max_turns", 5, raising=False)
        use_game(monkeypatch, game)
        with pytest.raises(ArenaFault, match="did not end within its max_turns, 5"):
            play([FakeSession(), FakeSession()])

    def test_a_repeated_chance_key(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """It would draw the same outcome twice."""

        class Repeats(TinyState):
            __slots__ = ()

            @property
            def chance_key(self) -> str:
                return "roll"

        use_game(monkeypatch, Broken(), Repeats)
        with pytest.raises(ArenaFault, match="chance key 'roll' twice"):
            play([FakeSession(), FakeSession()])

    def test_a_listed_action_that_the_game_refuses(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A bot that plays from the legal list is never to blame."""

        class Refuses(TinyState):
            __slots__ = ()

            def apply(self, action: Action) -> Any:
                if self.turn == 3:
                    raise IllegalAction("no")
                return super().apply(action)

        use_game(monkeypatch, Broken(), Refuses)
        with pytest.raises(IllegalAction):
            play([FakeSession(), FakeSession()])

    def test_a_reader_that_trips_over_a_legal_action(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """If the game cannot read what it wrote itself, that is its own fault; over other text the bot has lost."""

        class CannotRead(Broken):
            def decode(self, data: Mapping[str, Any]) -> Action:
                raise TypeError("unhashable")

        use_game(monkeypatch, CannotRead())
        with pytest.raises(TypeError):
            play([FakeSession(always(b'{"action":{"type":"pass"}}\n')), FakeSession()])
        record = play([FakeSession(always(b'{"action":{"type":[]}}\n')), FakeSession()])
        assert record.seats[0].cause is Cause.MALFORMED

    def test_an_exception_of_a_session(self) -> None:
        """A host that fails is nobody's forfeit."""

        class Fails(FakeSession):
            def ask(self, *args: Any, **kwargs: Any) -> Any:
                raise OSError("no more descriptors")

        with pytest.raises(OSError, match="descriptors"):
            play([Fails(), FakeSession()])


json_text = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
near_answers = st.fixed_dictionaries(
    {},
    optional={
        "action": json_text
        | st.fixed_dictionaries(
            {"type": st.sampled_from(["play", "pass", "roll", "shuffle"]) | json_text},
            optional={"card": json_text, "cards": st.lists(json_text, max_size=3), "face": json_text},
        ),
        "turn": json_text,
        "note": json_text,
    },
).map(lambda value: json.dumps(value).encode())


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(st.binary(max_size=60) | near_answers, min_size=1, max_size=4), ready=st.none() | st.binary())
def test_nothing_that_a_bot_writes_can_void_a_match(lines: list[bytes], ready: bytes | None) -> None:
    """Any bytes at any time: there is a result, only its writer can lose by it, and the replay verifies."""
    rest = iter(lines)

    def writes(message: dict[str, Any]) -> bytes:
        return next(rest, b'{"action":0}').replace(b"\n", b" ")

    bot = FakeSession(writes) if ready is None else FakeSession(writes, ready=ready)
    record = play([FakeSession(), bot, FakeSession()])
    assert record.outcome is Outcome.FINISHED
    assert record.seats[0].cause is None and record.seats[2].cause is None
    assert record.seats[1].cause is None or record.seats[1].rank == 2
    verify(read_replay(record.replay))
