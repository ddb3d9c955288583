"""Run the numbered check of a bot, for `arena check` and before a submitted bot is entered.

To pass, a bot must complete the handshake and play a match from every seat, at the smallest and the largest seat count
of the league. The other seats belong to the arena and choose at random. The bot must also respect its time limits and
exit when its input ends. Seat counts that the league does not play can be tested too; their results are only advice.

The first match at each seat count of the league is always played to its end, so that no bot passes without playing. The
bot's own clock limits it. The further seats are played as long as the time of the check allows.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final

from arena.check.advice import advise
from arena.check.report import CheckFailure, CheckReport, CheckStep, Status, spent
from arena.check.seats import CheckedSession, OutOfTime, RandomSeat
from arena.errors import SubmissionRefused
from arena.match.referee import SeatSession, play_match
from arena.match.replay import read_replay
from arena.match.replay_format import TurnRecord
from arena.match.session import Session
from arena.match.spectator import Watched
from arena.model.causes import Cause
from arena.model.clock import TimeControl
from arena.model.faults import BotFault
from arena.model.records import MatchOrder, MatchRecord, Program
from arena.model.rules import LeagueRules
from arena.model.seeds import derive
from arena.protocol.messages import Decline, Ready, encode_hello
from arena.transport.base import Confinement
from engine.catalog import get_game

BUDGET_S: Final = 55.0
"""After this time no turn starts, except in the first match at each seat count of the league."""
RANDOM = Program("random", 1, "the arena", "", "", ())
_OUT_OF_TIME: Final = "the time limit of the check was reached"

Launcher = Callable[[float], SeatSession]
"""Starts the bot, with this start-up limit in seconds, and sends it `hello`."""
OnStep = Callable[[CheckStep], None]
"""Called with each step as soon as it is done."""


class SharedTime:
    """The time of a whole check, divided among its parts; later parts get the time that earlier parts did not use."""

    def __init__(self, parts: int, total_s: float = BUDGET_S, now: Callable[[], float] = time.monotonic) -> None:
        self._parts = parts
        self._now = now
        self._deadline = now() + total_s

    def next_s(self) -> float:
        """Return the seconds for the next part."""
        share_s = max(self._deadline - self._now(), 0.0) / max(self._parts, 1)
        self._parts -= 1
        return share_s


def check(
    program: Program,
    rules: LeagueRules,
    sandbox: Confinement,
    *,
    beyond: Sequence[int] = (),
    budget_s: float = BUDGET_S,
    on_step: OnStep | None = None,
) -> CheckReport:
    """Run the check of this bot by a league's game, seat counts, limits and time control, and return its report.

    Afterwards it tests the seat counts in `beyond`, only for advice. After `budget_s` only the first match at each seat
    count of the league is still played. Faults of the bot are in the report; errors like `ArenaFault` are raised.
    """

    def launcher(chosen: LeagueRules) -> Launcher:
        def launch(startup_s: float) -> SeatSession:
            limited = chosen.model_copy(update={"startup_s": startup_s})
            return Session.launch(program, encode_hello(get_game(chosen.game), chosen), limited, sandbox, once=True)

        return launch

    return check_beyond(Checking(program, rules, launcher(rules), budget_s=budget_s, on_step=on_step), launcher, beyond)


def check_beyond(checking: Checking, launcher: Callable[[LeagueRules], Launcher], beyond: Sequence[int]) -> CheckReport:
    """Run a check. If the bot passes, run one more at each further seat count, each of which adds a step of advice."""
    report = checking.run()
    if not report.passed:
        return report
    counts = [count for count in beyond if count not in checking.rules.seats]
    shared = SharedTime(len(counts), checking.deadline - checking.now(), checking.now)
    for count in counts:
        rules = checking.rules.model_copy(update={"seats": (count,)})
        left_s = shared.next_s()
        tried = None
        if left_s > 0:
            tried = Checking(checking.program, rules, launcher(rules), checking.now, left_s, advice=True).run()
        checking.add_step(f"{count} seats too", *_advice(count, tried))
        if tried is not None:
            met, chosen = (dict.fromkeys((*old, *new)) for old, new in (
                (report.kinds_met, tried.kinds_met), (report.kinds_chosen, tried.kinds_chosen)
            ))  # fmt: skip
            report = replace(report, kinds_met=tuple(met), kinds_chosen=tuple(chosen))
    return replace(report, steps=tuple(checking.steps))


def _advice(count: int, tried: CheckReport | None) -> tuple[Status, str]:
    """Return the status and the text of a step of advice."""
    if tried is None:
        return "skipped", _OUT_OF_TIME
    if tried.declined:
        return "passed", f"declines {count} seats, which this league does not play"
    if tried.failure is not None:
        lost = tried.failure
        return "warned", f"would fail at {lost.where}: {lost.cause}: {lost.detail} (--seats {count} shows more)"
    played = next(step for step in tried.steps if step.name == f"{count} seats")
    return played.status, played.seen or _OUT_OF_TIME


class _Failed(Exception):
    def __init__(self, where: str, cause: Cause, detail: str, session: CheckedSession, stderr: bytes) -> None:
        super().__init__(where)
        self.failure = CheckFailure(where, cause, detail, session.dialogue(), stderr.decode(errors="backslashreplace"))

    def advised(self, program: Program, answers: int) -> CheckFailure:
        """Return the failure with advice."""
        lost = self.failure
        return replace(lost, hint=advise(program, lost.cause, lost.detail, lost.stderr, answers))


@dataclass
class _Seen:
    """What was observed in all matches of a check, as counts."""

    matches: int = 0
    turns: int = 0
    """Number of turns, with the turns of a match that the end of the check interrupted."""
    timed_turns: int = 0
    time_total_s: float = 0.0
    slowest_s: float = 0.0
    met: dict[str, None] = field(default_factory=dict)
    chosen: dict[str, None] = field(default_factory=dict)
    stderr: bytes = b""
    """The stderr of the bot in the last match."""


class Checking:
    """One run of the check, with its results so far."""

    def __init__(
        self,
        program: Program,
        rules: LeagueRules,
        launch: Launcher,
        now: Callable[[], float] = time.monotonic,
        budget_s: float = BUDGET_S,
        on_step: OnStep | None = None,
        *,
        advice: bool = False,
    ) -> None:
        self.program = program
        self.on_step = on_step
        # Report the first late answer: strikes would hide it.
        self.rules = rules.model_copy(update={"strikes": 0})
        self.game = get_game(rules.game)
        self.launch = launch
        self.now = now
        self.deadline = now() + budget_s
        self.advice = advice
        """Whether nothing depends on the result, so that no match outlasts the time of the check."""
        self.must_play = not advice
        """Whether the present match is played to its end, however long the bot's clock allows it to take."""
        self.steps: list[CheckStep] = []
        self.seen = _Seen()
        self.ready = Ready()
        self.kept: CheckedSession | None = None
        self.exits: list[str] = []
        self.closed = 0
        self.unkillable = False
        """Whether a process of the bot survived SIGKILL."""

    def run(self) -> CheckReport:
        """Do all steps, stop every process of the bot and return the report, which has the bot's faults.

        Raises `SubmissionRefused` if a process of the bot could not be killed.
        """
        counts = sorted({self.rules.seats[0], self.rules.seats[-1]})
        planned = ["handshake", *(f"{count} seats" for count in counts), "reuse", "times", "clean exit"]
        failure: CheckFailure | None = None
        declined = False
        try:
            with self._until_deadline() as stopped:
                declined = self._handshake()
            if stopped:
                self.add_step("handshake", "warned", f"not ready yet when {_OUT_OF_TIME}")
            elif not declined:
                self._play(counts)
        except _Failed as failed:
            failure = failed.advised(self.program, self.seen.turns)
            self.add_step(planned[len(self.steps)], "failed", f"{failure.cause}: {failure.cause.meaning}")
        finally:
            self._close_kept()
        if self.unkillable:
            raise SubmissionRefused(f"{self.program.label} cannot be killed: one of its processes survived SIGKILL")
        for name in planned[len(self.steps) :] if not declined else ():
            if name == "clean exit" and failure is None and self.closed:
                self.add_step(name, "warned" if self.exits else "passed", self._exits())
            else:
                self.add_step(name, "skipped", "")
        seen = self.seen
        return CheckReport(
            bot=self.program.label,
            league=self.rules.name,
            game=self.game.key,
            declined=declined,
            steps=tuple(self.steps),
            kinds_met=tuple(seen.met),
            kinds_chosen=tuple(seen.chosen),
            turns=seen.turns,
            mean_s=seen.time_total_s / seen.timed_turns if seen.timed_turns else 0.0,
            slowest_s=seen.slowest_s,
            failure=failure,
            stderr=seen.stderr.decode(errors="backslashreplace"),
        )

    def add_step(self, name: str, status: Status, seen: str) -> None:
        """Record and report the result of the next step."""
        self.steps.append(CheckStep(len(self.steps) + 1, name, status, seen))
        if self.on_step is not None and (status != "skipped" or seen):
            self.on_step(self.steps[-1])

    # Processes

    def _new(self) -> CheckedSession:
        left_s = math.inf if self.must_play else self.deadline - self.now()
        if left_s <= 0:
            raise OutOfTime
        inner = self.launch(min(self.rules.startup_s, left_s))
        shortened = left_s < self.rules.startup_s
        return CheckedSession(inner, encode_hello(self.game, self.rules), self.now, self.deadline, shortened=shortened)

    def _session(self) -> CheckedSession:
        """Return the session for the next match: the reused one if there is one, else a new one."""
        if self.kept is None:
            self.kept = self._new()
        self.kept.deadline = math.inf if self.must_play else self.deadline
        return self.kept

    def _close_kept(self) -> None:
        if self.kept is not None:
            self._close(self.kept)
            self.kept = None

    def _close(self, session: CheckedSession) -> None:
        end = session.close(polite=True)
        if end.survivors:
            self.unkillable = True
        if session.faulty:
            return
        self.closed += 1
        if end.exit_status != 0:
            self.exits.append(f"exit status {end.exit_status}, expected 0")

    def _exits(self) -> str:
        if not self.exits:
            return f"exited after the end of its input, {self.closed} of {self.closed} times"
        return f"a bot must exit within 1 s after the end of its input: {self.exits[0]}"

    # Steps

    def _handshake(self) -> bool:
        begun = self.now()
        session = self._session()
        try:
            answer = session.greet()
        except BotFault as fault:
            stderr = session.close(polite=False).stderr
            raise _Failed("handshake", fault.cause, fault.detail, session, stderr) from None
        took = f"after {spent(self.now() - begun)} of at most {spent(self.rules.startup_s)}"
        if isinstance(answer, Decline):
            self.add_step("handshake", "passed", f"declined {took}")
            return True
        self.ready = answer
        legal = "asks for the legal actions" if answer.legal == "full" else "asks for no legal actions"
        self.add_step("handshake", "passed", f"ready {took}; {legal}")
        return False

    def _play(self, counts: list[int]) -> None:
        last: MatchRecord | None = None
        in_time = True
        for count in counts:
            matches, turns = self.seen.matches, self.seen.turns
            for seat in range(count):
                self.must_play = seat == 0 and not self.advice
                with self._until_deadline() as stopped:
                    last = self._match(count, seat, self._session())
                if stopped:
                    in_time = False
                    break
                if not self.ready.reuse:
                    self._close_kept()
            played = self.seen.matches - matches
            text = f"{played} of {count} seats played, {self.seen.turns - turns} turns"
            whole = played == count
            self.add_step(
                f"{count} seats", "passed" if whole else "warned", text if whole else f"{text}: {_OUT_OF_TIME}"
            )
        self._reuse(counts[-1], last if in_time else None)
        self._times()

    @contextmanager
    def _until_deadline(self) -> Iterator[list[bool]]:
        """Run a block of code, and fill the yielded list if the time of the check ends in it."""
        stopped: list[bool] = []
        try:
            yield stopped
        except OutOfTime:
            stopped.append(True)
            if self.kept is not None:
                # The bot is in the middle of a match, maybe of a turn, so its exit status means nothing.
                self.kept.faulty = True
            self._close_kept()

    def _match(self, count: int, seat: int, session: CheckedSession) -> MatchRecord:
        match_id = f"check-{count}-{seat}"
        programs = tuple(self.program if number == seat else RANDOM for number in range(count))
        order = MatchOrder(match_id, derive(b"self-check", match_id), self.rules, programs)
        table: list[SeatSession] = [session if number == seat else RandomSeat() for number in range(count)]
        record = play_match(order, table, lambda step: self._watch(step, seat))
        result = record.seats[seat]
        seen = self.seen
        seen.matches += 1
        seen.timed_turns += result.turns
        seen.time_total_s += result.time_total_s
        seen.slowest_s = max(seen.slowest_s, result.time_max_s)
        if result.cause is not None:
            when = "start" if result.fault_turn is None else f"turn {result.fault_turn}"
            where = f"{count} seats, seat {seat}, {when}"
            raise _Failed(where, result.cause, result.detail, session, result.stderr)
        seen.stderr = result.stderr
        return record

    def _watch(self, step: Watched, seat: int) -> None:
        state = step.state
        if state.to_act == seat:
            for action in state.legal_actions():
                self.seen.met.setdefault(self._kind(action))
        if step.actor == seat and step.action is not None:
            self.seen.turns += step.by == "bot"
            self.seen.met.setdefault(self._kind(step.action))
            self.seen.chosen.setdefault(self._kind(step.action))

    def _kind(self, action: tuple[Any, ...]) -> str:
        encoded = self.game.encode(action)
        return str(encoded.get("type", "action"))

    def _reuse(self, count: int, kept: MatchRecord | None) -> None:
        """Play the last match again in a new process: a reused process should give the same answers."""
        if not self.ready.reuse:
            self.add_step("reuse", "passed", "asks for a new process for each match")
            return
        if kept is None:
            self.add_step("reuse", "skipped", _OUT_OF_TIME)
            return
        self._close_kept()
        self.must_play = False
        fresh: MatchRecord | None = None
        with self._until_deadline():
            fresh = self._match(count, count - 1, self._session())
        if fresh is None:
            self.add_step("reuse", "skipped", _OUT_OF_TIME)
        elif _actions(fresh) == _actions(kept):
            self.add_step("reuse", "passed", "gives the same answers in a reused process as in a new one")
        else:
            self.add_step(
                "reuse",
                "warned",
                "gives different answers in a reused process: does it remember earlier matches, or use a clock?",
            )

    def _times(self) -> None:
        seen, control = self.seen, TimeControl.parse(self.rules.time_control)
        if not seen.timed_turns:
            self.add_step("times", "skipped", "no match was played to the end")
            return
        mean_s = seen.time_total_s / seen.timed_turns
        text = f"mean {spent(mean_s)}, slowest {spent(seen.slowest_s)} of at most {spent(control.cap_s)} ({control})"
        tight = seen.slowest_s > control.cap_s / 2
        self.add_step(
            "times", "warned" if tight else "passed", text + ("; that is close to the limit" if tight else "")
        )


def _actions(record: MatchRecord) -> list[dict[str, Any]]:
    return [turn.action for turn in read_replay(record.replay).records if isinstance(turn, TurnRecord)]
