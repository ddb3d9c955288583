"""The numbered self-check of a bot: what `arena check` prints, and what intake asks before it enters a bot.

A bot that passes shakes hands, plays a match from every seat of the smallest and the largest seat count of a league
against seats that choose at random inside the arena, keeps its times, and leaves when its input ends. Seat counts that
the league does not play can be tried as well; what happens there is advice.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final

from arena.check.report import CheckFailure, CheckReport, CheckStep, Status, spent
from arena.check.seats import CheckedSession, OutOfTime, RandomSeat
from arena.errors import Cause, SubmissionRefused
from arena.match.referee import TableSession, play_match
from arena.match.replay import read_replay
from arena.match.replay_format import TurnRecord
from arena.match.session import Session
from arena.match.spectator import Watched
from arena.model.clock import TimeControl
from arena.model.faults import BotFault
from arena.model.records import MatchOrder, MatchRecord, Program
from arena.model.rules import LeagueRules
from arena.model.seeds import derive
from arena.protocol.messages import Decline, Ready, encode_hello
from arena.transport.base import Confinement
from engine.catalog import get_game

BUDGET_S: Final = 55.0
"""After this much time no turn is begun, so that the whole check stays within a minute."""
RANDOM = Program("random", 1, "the arena", "", "", ())
_OUT_OF_TIME: Final = "the time of the check was used up"

Launcher = Callable[[float], TableSession]
"""Starts the bot, under that start-up limit in seconds, and sends it `hello`."""
StepHeard = Callable[[CheckStep], None]
"""Hears each step as soon as it is done."""


class SharedTime:
    """The time of a whole check, divided among its parts: what one leaves over, the later ones have."""

    def __init__(self, parts: int, total_s: float = BUDGET_S, now: Callable[[], float] = time.monotonic) -> None:
        self._parts = parts
        self._now = now
        self._deadline = now() + total_s

    def next_s(self) -> float:
        """The time of the next part."""
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
    heard: StepHeard | None = None,
) -> CheckReport:
    """Run the self-check of this bot for a league's game, seat counts, limits and time control.

    The seat counts `beyond` the league's are tried afterwards, for advice only. Takes about `budget_s` at most. A bot's
    faults are in the report; only `ArenaFault` and the like are raised.
    """

    def launcher(chosen: LeagueRules) -> Launcher:
        def launch(startup_s: float) -> TableSession:
            limited = chosen.model_copy(update={"startup_s": startup_s})
            return Session.launch(program, encode_hello(get_game(chosen.game), chosen), limited, sandbox, once=True)

        return launch

    return check_beyond(Checking(program, rules, launcher(rules), budget_s=budget_s, heard=heard), launcher, beyond)


def check_beyond(checking: Checking, launcher: Callable[[LeagueRules], Launcher], beyond: Sequence[int]) -> CheckReport:
    """Run a check and, if it passes, a further one at each of these seat counts, which gives one step of advice."""
    report = checking.run()
    if not report.passed:
        return report
    counts = [count for count in beyond if count not in checking.rules.seats]
    shared = SharedTime(len(counts), checking.deadline - checking.now(), checking.now)
    for count in counts:
        rules = checking.rules.model_copy(update={"seats": (count,)})
        left_s = shared.next_s()
        tried = Checking(checking.program, rules, launcher(rules), checking.now, left_s).run() if left_s > 0 else None
        checking.add_step(f"{count} seats too", *_advice(count, tried))
        if tried is not None:
            met, chosen = (dict.fromkeys((*old, *new)) for old, new in (
                (report.kinds_met, tried.kinds_met), (report.kinds_chosen, tried.kinds_chosen)
            ))  # fmt: skip
            report = replace(report, kinds_met=tuple(met), kinds_chosen=tuple(chosen))
    return replace(report, steps=tuple(checking.steps))


def _advice(count: int, tried: CheckReport | None) -> tuple[Status, str]:
    """How a step of advice came out."""
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


@dataclass
class _Seen:
    """What was gathered over all matches."""

    matches: int = 0
    turns: int = 0
    """Those of a match that the end of the check's time cut off are counted too."""
    timed_turns: int = 0
    time_total_s: float = 0.0
    slowest_s: float = 0.0
    met: dict[str, None] = field(default_factory=dict)
    chosen: dict[str, None] = field(default_factory=dict)


class Checking:
    """One run of the self-check, with all that it has come to know."""

    def __init__(
        self,
        program: Program,
        rules: LeagueRules,
        launch: Launcher,
        now: Callable[[], float] = time.monotonic,
        budget_s: float = BUDGET_S,
        heard: StepHeard | None = None,
    ) -> None:
        self.program = program
        self.heard = heard
        # One late answer is enough to report: strikes would hide it.
        self.rules = rules.model_copy(update={"strikes": 0})
        self.game = get_game(rules.game)
        self.launch = launch
        self.now = now
        self.deadline = now() + budget_s
        # A bot that is not ready within a whole check cannot be checked; one that had a share of it could be.
        self.judges_start = budget_s >= min(BUDGET_S, rules.startup_s)
        self.steps: list[CheckStep] = []
        self.seen = _Seen()
        self.ready = Ready()
        self.kept: CheckedSession | None = None
        self.exits: list[str] = []
        self.closed = 0
        self.unkillable = False
        """Whether a process of it lived on after SIGKILL."""

    def run(self) -> CheckReport:
        """Do all steps; every bot that was started is closed. A bot's faults are in the report.

        Raises `SubmissionRefused` for one that could not be ended.
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
            failure = failed.failure
            self.add_step(planned[len(self.steps)], "failed", f"{failure.cause}: {failure.cause.meaning}")
        finally:
            self._close_kept()
        if self.unkillable:
            raise SubmissionRefused(f"{self.program.label} cannot be ended: a process of it lived on after SIGKILL")
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
        )

    def add_step(self, name: str, status: Status, seen: str) -> None:
        """Note how the next step came out."""
        self.steps.append(CheckStep(len(self.steps) + 1, name, status, seen))
        if self.heard is not None and (status != "skipped" or seen):
            self.heard(self.steps[-1])

    # Processes

    def _new(self) -> CheckedSession:
        left_s = self.deadline - self.now()
        if left_s <= 0:
            raise OutOfTime
        inner = self.launch(min(self.rules.startup_s, left_s))
        shortened = left_s < self.rules.startup_s and (bool(self.steps) or not self.judges_start)
        return CheckedSession(inner, encode_hello(self.game, self.rules), self.now, self.deadline, shortened=shortened)

    def _session(self) -> CheckedSession:
        """The process for the next match: the one that is kept, or a new one."""
        if self.kept is None:
            self.kept = self._new()
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
            return f"left by itself after the end of its input, {self.closed} of {self.closed} times"
        return f"after the end of its input a bot should leave within 1 s by itself: {self.exits[0]}"

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
        legal = "wants the legal list" if answer.legal == "full" else "wants no legal list"
        self.add_step("handshake", "passed", f"ready {took}; {legal}")
        return False

    def _play(self, counts: list[int]) -> None:
        last: MatchRecord | None = None
        in_time = True
        for count in counts:
            matches, turns = self.seen.matches, self.seen.turns
            for seat in range(count) if in_time else ():
                with self._until_deadline() as stopped:
                    last = self._match(count, seat, self._session())
                if stopped:
                    in_time = False
                    break
                if not self.ready.reuse:
                    self._close_kept()
            text = f"{self.seen.matches - matches} of {count} seats played, {self.seen.turns - turns} turns"
            self.add_step(
                f"{count} seats",
                "passed" if in_time else "warned",
                text if in_time else f"{text}: {_OUT_OF_TIME}",
            )
        self._reuse(counts[-1], last if in_time else None)
        self._times()

    @contextmanager
    def _until_deadline(self) -> Iterator[list[bool]]:
        """Gives a list that is filled when the time ran out inside."""
        stopped: list[bool] = []
        try:
            yield stopped
        except OutOfTime:
            stopped.append(True)
            if self.kept is not None:
                # It is in the middle of a match, or even of a turn: how it leaves says nothing.
                self.kept.faulty = True
            self._close_kept()

    def _match(self, count: int, seat: int, session: CheckedSession) -> MatchRecord:
        match_id = f"check-{count}-{seat}"
        programs = tuple(self.program if number == seat else RANDOM for number in range(count))
        order = MatchOrder(match_id, derive(b"self-check", match_id), self.rules, programs)
        table: list[TableSession] = [session if number == seat else RandomSeat() for number in range(count)]
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
        """A kept process must play as a new one does: the last match again, in a process of its own."""
        if not self.ready.reuse:
            self.add_step("reuse", "passed", "asks for a new process for each match")
            return
        if kept is None:
            self.add_step("reuse", "skipped", _OUT_OF_TIME)
            return
        self._close_kept()
        fresh: MatchRecord | None = None
        with self._until_deadline():
            fresh = self._match(count, count - 1, self._session())
        if fresh is None:
            self.add_step("reuse", "skipped", _OUT_OF_TIME)
        elif _actions(fresh) == _actions(kept):
            self.add_step("reuse", "passed", "plays the same in a kept process as in a new one")
        else:
            self.add_step(
                "reuse", "warned", "plays differently in a kept process: does it carry something over, or use a clock?"
            )

    def _times(self) -> None:
        seen, control = self.seen, TimeControl.parse(self.rules.time_control)
        if not seen.timed_turns:
            self.add_step("times", "skipped", "no match was played to its end")
            return
        mean_s = seen.time_total_s / seen.timed_turns
        text = f"mean {spent(mean_s)}, slowest {spent(seen.slowest_s)} of at most {spent(control.cap_s)} ({control})"
        tight = seen.slowest_s > control.cap_s / 2
        self.add_step("times", "warned" if tight else "passed", text + ("; that is close" if tight else ""))


def _actions(record: MatchRecord) -> list[dict[str, Any]]:
    return [turn.action for turn in read_replay(record.replay).records if isinstance(turn, TurnRecord)]
