"""A bot's process is reused for another match only if that is fair, and exits otherwise."""

import os
from dataclasses import replace
from typing import Any

import pytest

from arena.errors import ArenaFault
from arena.match.session import Session
from arena.model.causes import Cause
from arena.model.faults import BotFault
from arena.model.records import MatchOrder, Program, Unkillable
from arena.sandbox.launcher import Sandbox, Tools
from arena.sandbox.probe import probe
from arena.transport.base import PostMortem
from arena.workers.player import KEPT_BOTS, MatchPlayer
from tests.support.helpers import FakeSession, a_program, always, an_order
from tests.support.tiny_game import GAME

NEVER = -1
"""A descriptor that nothing comes from: poll passes over negative ones."""
REUSE = b'{"type":"ready","reuse":true}\n'


class Hosted(FakeSession):
    """A bot in memory that knows which program it is."""

    def __init__(self, program: Program, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.program = program
        self.fit = True

    def fit_for_another(self) -> bool:
        return self.fit

    def died_unasked(self) -> bool:
        return not self.fit


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tiny_game: str) -> list[Hosted]:
    """Every bot that was started, in order; each asks to be kept."""
    bots: list[Hosted] = []

    def launch(program: Program, hello: bytes, rules: object, sandbox: object) -> Hosted:
        bots.append(Hosted(program, ready=REUSE))
        return bots[-1]

    monkeypatch.setattr(Session, "launch", launch)
    monkeypatch.setattr("arena.workers.player.wait_for_handshakes", lambda _sessions, _until: None)
    return bots


@pytest.fixture
def player() -> MatchPlayer:
    return MatchPlayer(Sandbox(Tools()))


def order(number: int = 0, *, round: int = 0, rotation: int = 0, **rules: Any) -> MatchOrder:
    return replace(an_order(position=number, **rules), round=round, rotation=rotation)


def test_a_bot_that_asks_for_it_plays_on_in_the_same_process(player: MatchPlayer, started: list[Hosted]) -> None:
    """Further matches in one rotation, of any round, start no process, and nothing is closed before `close`."""
    player.play(order(0))
    player.play(order(1))
    player.play(order(2, round=1))
    assert len(started) == 2
    assert [bot.closed for bot in started] == [[], []]
    player.close()
    assert [bot.closed for bot in started] == [[True], [True]]


def test_no_process_plays_two_rotations(player: MatchPlayer, started: list[Hosted]) -> None:
    """A second match on one seed can only lie in another rotation: it is played by other processes."""
    player.play(order(0))
    player.play(order(1, rotation=1))
    assert len(started) == 4
    assert [len(bot.sent) for bot in started[:2]] == [len(bot.sent) for bot in started[2:]]


@pytest.mark.parametrize("rules", [{"reuse": False}, {"reuse_matches": 1}])
def test_a_league_may_want_fresh_processes(player: MatchPlayer, started: list[Hosted], rules: dict[str, Any]) -> None:
    """`reuse = false`, or so many matches served, ends a bot after the match."""
    player.play(order(0, **rules))
    player.play(order(1, **rules))
    assert len(started) == 4
    assert all(bot.closed == [True] for bot in started)


def test_a_bot_that_does_not_ask_for_it_is_not_kept(
    player: MatchPlayer, started: list[Hosted], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The default of a ready message is a process for each match."""

    def launch(program: Program, *_: object) -> Hosted:
        started.append(Hosted(program))
        return started[-1]

    monkeypatch.setattr(Session, "launch", launch)
    player.play(order(0))
    assert [bot.closed for bot in started] == [[True], [True]]


def test_a_bot_that_forfeits_is_not_kept(
    player: MatchPlayer, started: list[Hosted], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After any fault a new process is started for the next match; its opponent stays."""
    faulty = always(BotFault(Cause.MALFORMED, "odd"))

    def launch(program: Program, *_: object) -> Hosted:
        extra: dict[str, Any] = {"answer": faulty} if program.name == "bot0" else {}
        started.append(Hosted(program, ready=REUSE, **extra))
        return started[-1]

    monkeypatch.setattr(Session, "launch", launch)
    record = player.play(order(0))
    assert record.seats[0].cause is Cause.MALFORMED
    assert started[0].closed and started[1].closed == []


def test_a_void_match_leaves_no_process(
    player: MatchPlayer, started: list[Hosted], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever leaves the referee voids the match; every bot of it is closed."""

    def launch(program: Program, *_: object) -> Hosted:
        started.append(Hosted(program, answer=lambda message: 1 / 0))
        return started[-1]

    monkeypatch.setattr(Session, "launch", launch)
    with pytest.raises(ZeroDivisionError):
        player.play(order(0))
    assert all(bot.closed for bot in started)


def test_kept_bots_are_bounded(player: MatchPlayer, started: list[Hosted]) -> None:
    """A worker holds the memory of so many bots at most; the one that was used longest ago ends first."""
    for number in range(KEPT_BOTS):
        programs = (a_program(f"left{number}"), a_program(f"right{number}"))
        player.play(replace(order(number), programs=programs))
    assert sum(not bot.closed for bot in started) == KEPT_BOTS
    assert started[0].closed == started[1].closed == [True]


def test_a_kept_bot_that_died_meanwhile_is_started_again(player: MatchPlayer, started: list[Hosted]) -> None:
    """What happens to a bot between two matches costs it none."""
    player.play(order(0))
    started[0].fit = False
    record = player.play(order(1))
    assert all(seat.cause is None for seat in record.seats)
    assert [bot.closed for bot in started] == [[False], [], []]


def test_whatever_fails_at_the_end_of_one_bot_all_are_closed(
    player: MatchPlayer, started: list[Hosted], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of the others may run beside the next match."""
    player.play(order(0))
    fine = started[1].close

    def fails(*, polite: bool) -> PostMortem:
        fine(polite=polite)
        raise OSError("the host is out of order")

    monkeypatch.setattr(started[1], "close", fails)
    with pytest.raises(OSError, match="out of order"):
        player.close()
    assert [bot.closed for bot in started] == [[True], [True]]


def test_one_program_in_two_seats_leaves_no_process(player: MatchPlayer, started: list[Hosted]) -> None:
    """Of two bots of one program one is kept, the other ends."""
    twins = replace(order(0), programs=(a_program("twin"), a_program("twin")))
    player.play(twins)
    assert sorted(bot.closed for bot in started) == [[], [True]]


def test_bots_that_were_started_ahead_are_taken(player: MatchPlayer, started: list[Hosted]) -> None:
    """The match that was expected starts no process; whoever is kept already is not started ahead."""
    player.play(order(0))
    player.prepare(order(1), NEVER)
    assert len(started) == 2
    upcoming = replace(order(1, rotation=1), programs=(a_program("bot1"), a_program("other")))
    player.prepare(upcoming, NEVER)
    assert [bot.program.name for bot in started[2:]] == ["bot1", "other"]
    assert [bot.sent for bot in started[2:]] == [[], []]
    player.play(upcoming)
    assert len(started) == 4
    assert all(bot.sent for bot in started)


def test_a_wrong_guess_is_gone_before_anybody_is_on_turn(player: MatchPlayer, started: list[Hosted]) -> None:
    """What was started ahead and is not needed does not run beside a match; nor is anything of it left at the end."""
    player.prepare(replace(order(0), programs=(a_program("guess"), a_program("bot1"))), NEVER)
    guess = started[0]

    def watch(_step: object) -> None:
        assert guess.closed == [False]

    player.play(order(0), watch)
    assert [bot.program.name for bot in started] == ["guess", "bot1", "bot0"]
    player.prepare(replace(order(1), programs=(a_program("last"), a_program("bot1"))), NEVER)
    player.close()
    assert all(bot.closed for bot in started)


def test_who_died_while_it_waited_is_started_again(player: MatchPlayer, started: list[Hosted]) -> None:
    """A bot that was started ahead loses nothing by what happens before its match."""
    player.prepare(order(0), NEVER)
    started[1].fit = False
    record = player.play(order(0))
    assert [bot.closed for bot in started] == [[], [False], []]
    assert all(seat.cause is None for seat in record.seats)


@pytest.mark.parametrize("fails", ["start", "greeting"])
def test_what_fails_ahead_is_begun_anew_in_the_match(
    player: MatchPlayer, started: list[Hosted], monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    """A fault of the host before the match neither voids it nor leaves a bot that nobody listens to."""

    def fail(*_: object) -> None:
        raise ArenaFault("the host is tired")

    launch = Session.launch
    with monkeypatch.context() as tired:
        if fails == "start":
            tired.setattr(Session, "launch", lambda program, *rest: fail() if started else launch(program, *rest))
        else:
            tired.setattr("arena.workers.player.wait_for_handshakes", fail)
        with pytest.raises(ArenaFault):
            player.prepare(order(0), NEVER)
    ahead = list(started)
    assert ahead
    assert all(bot.closed == [False] for bot in ahead)
    record = player.play(order(0))
    assert all(seat.cause is None for seat in record.seats)
    assert len(started) == len(ahead) + 2


def test_a_match_that_cannot_start_leaves_nothing_that_was_started_ahead(
    player: MatchPlayer, started: list[Hosted], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a wrong guess, too, no process is alive when the match is void."""
    player.prepare(replace(order(0), programs=(a_program("guess"), a_program("bot1"))), NEVER)

    def fail(*_: object) -> None:
        raise ArenaFault("the host is tired")

    monkeypatch.setattr(Session, "launch", fail)
    with pytest.raises(ArenaFault, match="tired"):
        player.play(order(0))
    assert [bot.closed for bot in started] == [[False], [False]]


def test_greetings_are_heard_ahead_only_while_there_is_nothing_else_to_do() -> None:
    """A bot that has not answered when the order comes is heard on in its match, with the limit that it had."""
    came, told = os.pipe()
    program = replace(a_program("slow"), command=("sh", "-c", "read hello; read never"), folder="/usr")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("arena.workers.player.get_game", lambda _key: GAME)
        player = MatchPlayer(probe("off"))
        os.write(told, b"order")
        player.prepare(replace(order(0), programs=(program,)), came)
        (session,) = player._prepared.values()
        assert session._greeting is None
        player.close()
    assert session.close(polite=False).survivors == 0
    os.close(came)
    os.close(told)


def test_bots_leave_together(player: MatchPlayer, started: list[Hosted], monkeypatch: pytest.MonkeyPatch) -> None:
    """All are let go before the first is waited for: one second is enough for all of them."""
    steps: list[str] = []
    monkeypatch.setattr(Hosted, "dismiss", lambda self: steps.append("dismiss"))

    def close(_bot: Hosted, *, polite: bool) -> PostMortem:
        steps.append("close")
        return PostMortem()

    monkeypatch.setattr(Hosted, "close", close)
    player.play(order(0, reuse=False))
    assert steps == ["dismiss", "dismiss", "close", "close"]


class Clinging(Hosted):
    """A bot of which a process lives on after SIGKILL."""

    def close(self, *, polite: bool) -> PostMortem:
        return replace(super().close(polite=polite), survivors=1, works=True)


@pytest.fixture
def clinging(started: list[Hosted], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What bot0 does at the table; it cannot be ended."""
    how: dict[str, Any] = {"ready": REUSE}

    def launch(program: Program, *_: object) -> Hosted:
        mine = program.name == "bot0"
        started.append(Clinging(program, **how) if mine else Hosted(program, ready=REUSE))
        return started[-1]

    monkeypatch.setattr(Session, "launch", launch)
    return how


def told(position: int) -> tuple[Unkillable, ...]:
    return (Unkillable(a_program("bot0"), position, works=True),)


@pytest.mark.parametrize(
    ("how", "cause"),
    [
        ({"ready": BotFault(Cause.STARTUP_LATE, "late")}, Cause.STARTUP_LATE),
        ({"answer": always(BotFault(Cause.TURN_LATE, "late"))}, Cause.TURN_LATE),
        ({"ready": b'{"type":"ready"}\n'}, None),
    ],
    ids=["startup", "turn", "end"],
)
def test_a_bot_that_cannot_be_ended_does_not_undo_its_match(
    player: MatchPlayer, started: list[Hosted], clinging: dict[str, Any], how: dict[str, Any], cause: Cause | None
) -> None:
    """The result is what the referee recorded; it says who lived on, once, and the opponent is kept."""
    clinging.update(how)
    record = player.play(order(0))
    assert [seat.cause for seat in record.seats] == [cause, None]
    assert record.unkillable == told(0)
    assert started[0].closed and not started[1].closed
    assert player.close() == ()


def test_a_kept_bot_that_cannot_be_ended_is_told_of_with_the_last_match(
    player: MatchPlayer, started: list[Hosted], clinging: dict[str, Any]
) -> None:
    """When the worker leaves, when it is found dead, and when it has to make room."""
    assert player.play(order(0)).unkillable == ()
    assert player.close() == told(0)
    player.play(order(1))
    next(bot for bot in started[2:] if bot.program.name == "bot0").fit = False
    record = player.play(order(2))
    assert record.unkillable == told(2)
    assert [seat.cause for seat in record.seats] == [None, None]
    others = [player.play(replace(order(3 + n), programs=(a_program(f"l{n}"), a_program(f"r{n}")))) for n in range(4)]
    assert [record.unkillable for record in others] == [(), (), (), told(6)]


def test_a_bot_that_was_started_ahead_and_cannot_be_ended_costs_nobody_a_match(
    player: MatchPlayer, started: list[Hosted], clinging: dict[str, Any]
) -> None:
    """A wrong guess, one that died while it waited, and one of a match that became void are told of next."""
    others = replace(order(0), programs=(a_program("left"), a_program("right")))
    player.prepare(order(0), NEVER)
    assert player.play(others).unkillable == told(0)
    player.prepare(order(1), NEVER)
    started[-2].fit = False
    record = player.play(order(1))
    assert record.unkillable == told(1) and [seat.cause for seat in record.seats] == [None, None]
    player.close()
    clinging["answer"] = lambda message: 1 / 0
    with pytest.raises(ZeroDivisionError):
        player.play(order(2))
    assert player.play(replace(others, position=3)).unkillable == told(3)


def test_the_next_match_waits_until_the_core_is_free(
    player: MatchPlayer, started: list[Hosted], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No bot is started beside a killed process that still works."""
    steps: list[int] = []
    monkeypatch.setattr("arena.linux.survivors.wait_for_the_core", lambda: steps.append(len(started)))
    player.play(order(0))
    assert steps == [0]
