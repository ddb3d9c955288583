"""Tests of the check of a bot: the matches that it plays, its report, and its time limit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain, repeat
from typing import Any

import pytest

from arena.check.report import CheckReport, CheckStep
from arena.check.runner import Checking, SharedTime, check_beyond
from arena.check.seats import CheckedSession
from arena.errors import SubmissionRefused
from arena.model.causes import Cause
from arena.model.faults import BotFault
from arena.transport.base import PostMortem
from tests.support.helpers import FakeSession, a_program, always, polite, tiny_rules, until

pytestmark = pytest.mark.usefixtures("tiny_game")

REUSE = b'{"type":"ready","reuse":true}\n'


class Table:
    """Starts bots made by `make`, keeps them, and tells a time that runs on with every look."""

    def __init__(self, make: Any = FakeSession, tick_s: float = 0.0) -> None:
        self.make = make
        self.started: list[FakeSession] = []
        self.limits: list[float] = []
        self.time_s = 100.0
        self.tick_s = tick_s
        self.heard: list[CheckStep] = []

    def launch(self, startup_s: float) -> FakeSession:
        self.limits.append(startup_s)
        self.started.append(self.make())
        return self.started[-1]

    def now(self) -> float:
        self.time_s += self.tick_s
        return self.time_s

    def check(self, **changes: Any) -> CheckReport:
        """The self-check of these bots."""
        return Checking(a_program(), tiny_rules(**{"seats": (2, 3, 4), **changes}), self.launch, self.now).run()

    def check_beyond(self, beyond: tuple[int, ...], **changes: Any) -> CheckReport:
        """The same, then at the seat counts that the league does not play."""
        rules = tiny_rules(**{"seats": (2, 3), **changes})
        checking = Checking(a_program(), rules, self.launch, self.now, on_step=self.heard.append)
        return check_beyond(checking, lambda _rules: self.launch, beyond)


def statuses(report: CheckReport) -> dict[str, str]:
    """Name -> status of the steps."""
    return {step.name: step.status for step in report.steps}


def test_a_good_bot_passes_every_step() -> None:
    """One match from every seat of the smallest and the largest seat count, each in a process of its own."""
    table = Table()
    report = table.check()
    assert report.passed and [step.number for step in report.steps] == [1, 2, 3, 4, 5, 6]
    assert statuses(report) == dict.fromkeys(
        ["handshake", "2 seats", "4 seats", "reuse", "times", "clean exit"], "passed"
    )
    assert (len(table.started), report.turns, report.slowest_s) == (6, 18, 0.01)
    starts = [bot.messages[0] for bot in table.started]
    assert [(start["seats"], start["seat"]) for start in starts] == [(2, 0), (2, 1), (4, 0), (4, 1), (4, 2), (4, 3)]
    assert all(bot.closed == [True] for bot in table.started)
    assert report.kinds_met == ("play", "pass")
    assert json.loads(json.dumps(report.to_json()))["passed"] is True


def test_one_seat_count_is_checked_once() -> None:
    """A league of one seat count has one step for it."""
    assert "4 seats" not in statuses(Table().check(seats=(3,)))


def test_a_bot_that_stays_alive_is_kept_and_compared_with_a_new_one() -> None:
    """All matches in one process, then the last one again in another."""
    table = Table(lambda: FakeSession(ready=REUSE))
    report = table.check()
    assert report.passed and len(table.started) == 2
    assert [bot.closed for bot in table.started] == [[True], [True]]
    assert "gives the same answers" in next(step.seen for step in report.steps if step.name == "reuse")


def test_a_bot_that_carries_something_over_is_warned() -> None:
    """Different answers in a reused process are allowed, but its author should know."""

    def forgetful() -> FakeSession:
        turns = []

        def answer(message: dict[str, Any]) -> bytes:
            turns.append(message)
            return b'{"action":0}\n' if len(turns) > 5 else b'{"action":{"type":"pass"}}\n'

        return FakeSession(answer, ready=REUSE)

    report = Table(forgetful).check()
    assert report.passed and statuses(report)["reuse"] == "warned"


def test_a_kind_of_decision_that_was_never_chosen_is_named() -> None:
    """So that an author sees what the check did not try."""
    report = Table(lambda: FakeSession(always(b'{"action":0}\n'))).check()
    assert report.kinds_chosen == ("play",)
    assert "kinds of decision seen: play, pass; never chosen: pass" in report.lines()


def test_a_fault_shows_the_line_what_was_expected_the_dialogue_and_stderr() -> None:
    """All that an author needs, and nothing is played after it."""
    table = Table(lambda: FakeSession(until(3, b"I pass\n")))
    report = table.check()
    assert not report.passed and report.failure is not None
    failure = report.failure
    assert (failure.cause, failure.where) == (Cause.MALFORMED, "2 seats, seat 0, turn 4")
    assert "expected a JSON object" in failure.detail and "'I pass" in failure.detail
    assert failure.dialogue[0].startswith('> {"type":"hello","protocol":1,"game":"tiny"')
    assert failure.dialogue[1] == '< {"type": "ready", "reuse": false, "legal": "full"}'
    assert failure.dialogue[-2].startswith('> {"type":"turn","turn":4') and "I pass" in failure.dialogue[-1]
    assert failure.stderr == "last words"
    assert statuses(report)["2 seats"] == "failed"
    assert [step.status for step in report.steps[2:]] == ["skipped"] * 4
    assert "last words" in "\n".join(report.lines()) and len(table.started) == 1


def test_an_illegal_action_shows_the_answer_in_the_dialogue() -> None:
    """The referee's verdicts are shown like the session's."""
    failure = Table(lambda: FakeSession(always(b'{"action":99}\n'))).check().failure
    assert failure is not None and failure.cause is Cause.ILLEGAL_ACTION
    assert failure.dialogue[-1] == '< {"action": 99}'
    assert failure.detail == "turn 0: expected an index of a legal action, got 99"


@pytest.mark.parametrize("ready", [b"MegaBot\n", BotFault(Cause.CRASHED, "exit status 7")])
def test_a_bot_without_handshake_fails_the_first_step(ready: bytes | BotFault) -> None:
    """And its stderr is shown."""
    table = Table(lambda: FakeSession(ready=ready))
    report = table.check()
    assert report.steps[0].status == "failed" and report.failure is not None
    assert (report.failure.where, report.failure.stderr) == ("handshake", "last words")
    assert {step.status for step in report.steps[1:]} == {"skipped"}
    assert table.started[0].closed[0] is False


def test_a_bot_that_declines_is_neither_passed_nor_failed() -> None:
    """It does not play this game, and nothing more is asked of it."""
    table = Table(lambda: FakeSession(ready=b'{"type":"decline"}\n'))
    report = table.check()
    assert report.declined and not report.passed and report.failure is None
    assert table.started[0].closed == [True] and report.lines()[-1] == "the bot does not play tiny"


def test_slow_turns_are_warned_of() -> None:
    """More than half of the cap is close to a forfeit."""
    report = Table(lambda: FakeSession(wall_s=1.5)).check()
    assert report.passed and statuses(report)["times"] == "warned"


def test_a_bot_that_does_not_leave_is_warned() -> None:
    """It loses nothing by it in a night, but its author should know."""

    class Lingers(FakeSession):
        def close(self, *, polite: bool) -> PostMortem:
            return PostMortem(exit_status=-9)

    report = Table(Lingers).check()
    assert report.passed and report.steps[-1].status == "warned" and "exit status -9" in report.steps[-1].seen


@pytest.mark.parametrize("answer", [None, BotFault(Cause.TURN_LATE, "late")], ids=["at the end", "after a fault"])
def test_a_bot_that_cannot_be_ended_is_refused(answer: BotFault | None) -> None:
    """Whatever else was found: it would hold up every night."""

    class Clings(FakeSession):
        def close(self, *, polite: bool) -> PostMortem:
            return PostMortem(survivors=2)

    with pytest.raises(SubmissionRefused, match="cannot be killed"):
        Table((lambda: Clings(lambda _message: answer)) if answer else Clings).check()


def test_the_check_ends_in_time_and_says_what_it_left_out() -> None:
    """When its time is used up, no further match is begun, nothing is held against the bot, and all is closed."""
    table = Table(tick_s=2.7)
    report = table.check()
    assert report.passed and report.failure is None
    assert statuses(report)["4 seats"] == "warned" and statuses(report)["clean exit"] in {"passed", "warned"}
    assert "time limit of the check was reached" in next(step.seen for step in report.steps if step.name == "4 seats")
    assert len(table.started) < 6 and all(bot.closed for bot in table.started)


@pytest.mark.parametrize("ready", [b'{"type":"ready"}\n', REUSE])
def test_no_bot_passes_without_a_match_at_each_seat_count(ready: bytes) -> None:
    """A bot that needs all of its clock plays one match at each of them, though the time of the check is over."""
    table = Table(lambda: FakeSession(ready=ready), tick_s=100.0)
    report = table.check(time_control="1000+0/1000")
    assert report.passed
    seen = {step.name: step.seen for step in report.steps}
    assert seen["2 seats"] == "1 of 2 seats played, 3 turns: the time limit of the check was reached"
    assert seen["4 seats"] == "1 of 4 seats played, 3 turns: the time limit of the check was reached"
    assert table.limits[0] == tiny_rules().startup_s
    played = [message for bot in table.started for message in bot.messages if message["type"] == "end"]
    assert len(played) == 2


def test_a_bot_that_is_slow_in_its_first_match_is_judged_by_its_own_clock() -> None:
    """The end of the check excuses nothing there."""

    def hangs(message: dict[str, Any]) -> Any:
        return polite(message) if message["turn"] < 2 else BotFault(Cause.TURN_LATE, "late")

    failure = Table(lambda: FakeSession(hangs), tick_s=70.0).check(time_control="100+0/50").failure
    assert failure is not None and (failure.cause, failure.where) == (Cause.TURN_LATE, "2 seats, seat 0, turn 2")
    late = BotFault(Cause.STARTUP_LATE, "late")
    failure = Table(lambda: FakeSession(ready=late), tick_s=70.0).check(startup_s=500.0).failure
    assert failure is not None and (failure.cause, failure.where) == (Cause.STARTUP_LATE, "handshake")


def test_a_turn_that_the_check_cut_short_is_not_late() -> None:
    """The bot had time left on its own clock."""

    def hangs(message: dict[str, Any]) -> Any:
        return polite(message) if message["turn"] < 2 else BotFault(Cause.TURN_LATE, "late")

    sessions = iter([FakeSession(), FakeSession(hangs), FakeSession()])
    bots = Table(lambda: next(sessions), tick_s=7.0).check(time_control="100+0/50")
    assert bots.failure is None and statuses(bots)["2 seats"] == "warned"


def test_a_start_that_the_check_cut_short_is_not_late() -> None:
    """Neither is a start-up for which the check left less than the league allows."""
    late = BotFault(Cause.STARTUP_LATE, "late")
    starts: Iterator[bytes | BotFault] = chain([b'{"type":"ready"}\n', late], repeat(b'{"type":"ready"}\n'))
    table = Table(lambda: FakeSession(ready=next(starts)), tick_s=4.0)
    report = table.check(startup_s=50.0)
    assert table.limits[1] < table.limits[0] == 50.0
    assert report.failure is None and statuses(report)["2 seats"] == "warned"


def test_a_long_message_is_cut_in_the_dialogue() -> None:
    """A dialogue is for reading: one line a message, nothing in it that moves the cursor."""
    bot = FakeSession(always(b'{"action":0,"note":"\\u001b[31m"}\n'))
    session = CheckedSession(bot, b'{"type":"hello"}', lambda: 0.0, 1.0)
    session.greet()
    session.ask(b'{"turn":0,"legal":[1],"x":"' + b"x" * 5000 + b'"}\n', turn=0, limit_s=1.0)
    question, answer = session.dialogue()[-2:]
    assert " […4429 characters…] xxx" in question and len(question) < 700
    assert answer.startswith("< ") and answer.isprintable()


def only_below(seats: int) -> Any:
    """A bot that is lost at a table of so many seats or more."""
    return lambda message: polite(message) if message["observation"]["seats"] < seats else BotFault(Cause.CRASHED, "!")


def test_other_tables_of_the_game_are_tried_for_advice() -> None:
    """One match from every seat of each further count; the steps are heard as they are done."""
    table = Table()
    report = table.check_beyond((2, 4))
    assert report.passed and report.steps[-1] == CheckStep(7, "4 seats too", "passed", "4 of 4 seats played, 12 turns")
    assert [step.name for step in report.steps].count("2 seats") == 1
    assert (report.turns, tuple(table.heard)) == (15, report.steps)


@pytest.mark.parametrize("beyond", [(4,), (3, 4)])
def test_a_bot_may_fail_where_the_league_does_not_play(beyond: tuple[int, ...]) -> None:
    """It passes all the same, and is told what would happen."""
    report = Table(lambda: FakeSession(only_below(4))).check_beyond(beyond)
    assert report.passed and report.steps[-1].status == "warned"
    assert report.steps[-1].seen == "would fail at 4 seats, seat 0, turn 0: crashed: ! (--seats 4 shows more)"
    refused = Table(lambda: FakeSession(only_below(3))).check_beyond(beyond)
    assert refused.failure is not None and refused.failure.where == "3 seats, seat 0, turn 0"
    assert refused.steps[-1].name == "clean exit"  # what is beyond is not tried


def test_a_bot_may_decline_other_tables() -> None:
    """That is no fault."""
    starts = iter([b'{"type":"ready"}\n'] * 5 + [b'{"type":"decline"}\n'])
    report = Table(lambda: FakeSession(ready=next(starts))).check_beyond((4,))
    assert report.passed and "declines 4 seats" in report.steps[-1].seen


def test_advice_takes_no_time_from_the_league() -> None:
    """What the league plays comes first; when that has used up the time, the rest is left out and says so."""
    table = Table(tick_s=2.7)
    report = table.check_beyond((4,))
    assert report.passed and report.steps[-1].status == "skipped"
    assert report.steps[-1].seen == "the time limit of the check was reached"


def test_the_time_of_a_check_is_shared() -> None:
    """Each part has an equal share of what is left, so what one does not need is there for the next."""
    table = Table()
    shared = SharedTime(3, 60.0, table.now)
    assert shared.next_s() == 20.0
    table.time_s += 4.0
    assert shared.next_s() == 28.0
    table.time_s += 100.0
    assert shared.next_s() == 0.0


def test_advice_does_not_judge_a_slow_start() -> None:
    """A bot that needs longer than the time that is left, but not than its league allows, is not late."""
    table = Table(lambda: FakeSession(ready=BotFault(Cause.STARTUP_LATE, "late")))
    late = Checking(a_program(), tiny_rules(startup_s=10.0), table.launch, table.now, 5.0, advice=True).run()
    assert late.failure is None and late.steps[0].status == "warned"
    assert "not ready yet" in late.steps[0].seen and {step.status for step in late.steps[1:]} == {"skipped"}
    judged = Checking(a_program(), tiny_rules(startup_s=4.0), table.launch, table.now, 5.0, advice=True).run()
    assert judged.failure is not None and judged.failure.cause is Cause.STARTUP_LATE
