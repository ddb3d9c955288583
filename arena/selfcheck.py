"""The numbered self-check of a bot: what `arena check` prints, and what intake asks before it enters a bot.

A bot that passes shakes hands, plays a match from every seat of the smallest and the largest seat count against seats
that choose at random inside the arena, keeps its times, and leaves when its input ends.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal

from arena.checkseats import CheckedSession, OutOfTime, RandomSeat
from arena.clock import TimeControl
from arena.errors import BotFault, Cause
from arena.protocol import Decline, Ready, encode_hello
from arena.records import MatchOrder, MatchRecord, Program
from arena.referee import TableSession, play_match
from arena.replay import read_replay
from arena.replay_records import TurnRecord
from arena.seeds import derive
from arena.session import Session
from arena.settings import LeagueRules
from arena.transport import Confinement
from arena.watching import Watched, printable
from engine.catalog import get_game

BUDGET_S: Final = 55.0
"""After this much time no turn is begun, so that the whole check stays within a minute."""
RANDOM = Program("random", 1, "the arena", "", "", ())

Status = Literal["passed", "warned", "failed", "skipped"]
Launcher = Callable[[float], TableSession]
"""Starts the bot, under that start-up limit in seconds, and sends it `hello`."""


@dataclass(frozen=True, slots=True)
class CheckStep:
    """One numbered step: what was looked at, how it came out, and what was seen."""

    number: int
    name: str
    status: Status
    seen: str


@dataclass(frozen=True, slots=True)
class CheckFailure:
    """What the bot would lose by, with all that its author needs to find the reason."""

    where: str
    """`handshake`, or `2 seats, seat 1, turn 5`."""
    cause: Cause
    detail: str
    """What was expected and the line that came."""
    dialogue: tuple[str, ...]
    """The last messages, `>` to the bot and `<` from it, each cut."""
    stderr: str

    def lines(self) -> list[str]:
        """The failure for a person."""
        lines = [f"failed: {self.where}: {self.cause} ({self.cause.meaning})", f"  {printable(self.detail)}"]
        lines += ["dialogue up to the fault:", *(f"  {line}" for line in self.dialogue)]
        if self.stderr:
            lines += ["stderr of the bot:", *(f"  {printable(line)}" for line in self.stderr.splitlines()[-40:])]
        return lines


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a self-check found out about one bot in one game."""

    bot: str
    game: str
    declined: bool
    """The bot says that it does not play this game: neither passed nor failed."""
    steps: tuple[CheckStep, ...]
    kinds_met: tuple[str, ...] = ()
    """Types of the actions that the bot could choose from, over all its turns."""
    kinds_chosen: tuple[str, ...] = ()
    turns: int = 0
    mean_s: float = 0.0
    slowest_s: float = 0.0
    """Mean and largest charged time of a turn."""
    failure: CheckFailure | None = None

    @property
    def passed(self) -> bool:
        """Whether the bot may be entered."""
        return self.failure is None and not self.declined

    def to_json(self) -> dict[str, Any]:
        """The report as JSON data."""
        return {**asdict(self), "passed": self.passed}

    def lines(self) -> list[str]:
        """The report for a person."""
        marks = {"passed": "ok", "warned": "ok?", "failed": "FAILED", "skipped": "-"}
        lines = [f"{self.bot} plays {self.game}:"]
        lines += [f"{step.number:2} {step.name:<20} {marks[step.status]:<7}{step.seen}" for step in self.steps]
        if self.declined:
            return [*lines, f"the bot does not play {self.game}"]
        if self.kinds_met:
            missed = [kind for kind in self.kinds_met if kind not in self.kinds_chosen]
            never = f"; never chosen: {', '.join(missed)}" if missed else ""
            lines.append(f"kinds of decision met: {', '.join(self.kinds_met)}{never}")
        if self.failure is not None:
            lines += self.failure.lines()
        return lines


def check(program: Program, rules: LeagueRules, sandbox: Confinement) -> CheckReport:
    """Run the self-check of this bot for a league's game, seat counts, limits and time control.

    Takes at most a minute. A bot's faults are in the report; only `ArenaFault` and the like are raised.
    """

    def launch(startup_s: float) -> TableSession:
        limited = rules.model_copy(update={"startup_s": startup_s})
        return Session.launch(program, encode_hello(get_game(rules.game), rules), limited, sandbox)

    return check_with(program, rules, launch)


def check_with(
    program: Program,
    rules: LeagueRules,
    launch: Launcher,
    now: Callable[[], float] = time.monotonic,
    budget_s: float = BUDGET_S,
) -> CheckReport:
    """The same with a bot that `launch` starts; every bot that it started is closed."""
    return _Checking(program, rules, launch, now, budget_s).run()


class _Failed(Exception):
    def __init__(self, where: str, cause: Cause, detail: str, session: CheckedSession, stderr: bytes) -> None:
        super().__init__(where)
        self.failure = CheckFailure(where, cause, detail, session.dialogue(), stderr.decode(errors="backslashreplace"))


@dataclass
class _Seen:
    """What was gathered over all matches."""

    matches: int = 0
    turns: int = 0
    time_total_s: float = 0.0
    slowest_s: float = 0.0
    met: dict[str, None] = field(default_factory=dict)
    chosen: dict[str, None] = field(default_factory=dict)


class _Checking:
    def __init__(
        self, program: Program, rules: LeagueRules, launch: Launcher, now: Callable[[], float], budget_s: float
    ) -> None:
        self.program = program
        # One late answer is enough to report: strikes would hide it.
        self.rules = rules.model_copy(update={"strikes": 0})
        self.game = get_game(rules.game)
        self.launch = launch
        self.now = now
        self.deadline = now() + budget_s
        self.steps: list[CheckStep] = []
        self.seen = _Seen()
        self.ready = Ready()
        self.kept: CheckedSession | None = None
        self.exits: list[str] = []
        self.closed = 0

    def run(self) -> CheckReport:
        counts = sorted({self.rules.seats[0], self.rules.seats[-1]})
        planned = ["handshake", *(f"{count} seats" for count in counts), "reuse", "times", "clean exit"]
        failure: CheckFailure | None = None
        declined = False
        try:
            declined = self._handshake()
            if not declined:
                self._play(counts)
        except _Failed as failed:
            failure = failed.failure
            self._step(planned[len(self.steps)], "failed", f"{failure.cause}: {failure.cause.meaning}")
        finally:
            self._close_kept()
        for name in planned[len(self.steps) :]:
            if name == "clean exit" and failure is None:
                self._step(name, "warned" if self.exits else "passed", self._exits())
            else:
                self._step(name, "skipped", "")
        seen = self.seen
        return CheckReport(
            bot=self.program.label,
            game=self.game.key,
            declined=declined,
            steps=tuple(self.steps),
            kinds_met=tuple(seen.met),
            kinds_chosen=tuple(seen.chosen),
            turns=seen.turns,
            mean_s=seen.time_total_s / seen.turns if seen.turns else 0.0,
            slowest_s=seen.slowest_s,
            failure=failure,
        )

    def _step(self, name: str, status: Status, seen: str) -> None:
        self.steps.append(CheckStep(len(self.steps) + 1, name, status, seen))

    # Processes

    def _new(self) -> CheckedSession:
        left_s = self.deadline - self.now()
        if left_s <= 0:
            raise OutOfTime
        inner = self.launch(min(self.rules.startup_s, left_s))
        # The first start is judged even so: a bot that is not ready within a whole check cannot be checked.
        shortened = left_s < self.rules.startup_s and bool(self.steps)
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
        ending = session.close(polite=True)
        self.closed += 1
        if session.faulty:
            return
        if ending.survivors:
            self.exits.append(f"{ending.survivors} processes could not be ended")
        elif ending.exit_status != 0:
            self.exits.append(f"exit status {ending.exit_status}, expected 0")

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
        took = f"after {self.now() - begun:.2f} s of at most {self.rules.startup_s:g}"
        if isinstance(answer, Decline):
            self._step("handshake", "passed", f"declined {took}")
            return True
        self.ready = answer
        legal = "wants the legal list" if answer.legal == "full" else "wants no legal list"
        self._step("handshake", "passed", f"ready {took}; {legal}")
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
            self._step(
                f"{count} seats",
                "passed" if in_time else "warned",
                text if in_time else f"{text}: the time of the check was used up",
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
        seen.turns += result.turns
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
            self.seen.met.setdefault(self._kind(step.action))
            self.seen.chosen.setdefault(self._kind(step.action))

    def _kind(self, action: tuple[Any, ...]) -> str:
        encoded = self.game.encode(action)
        return str(encoded.get("type", "action"))

    def _reuse(self, count: int, kept: MatchRecord | None) -> None:
        """A kept process must play as a new one does: the last match again, in a process of its own."""
        if not self.ready.reuse:
            self._step("reuse", "passed", "asks for a new process for each match")
            return
        if kept is None:
            self._step("reuse", "skipped", "the time of the check was used up")
            return
        self._close_kept()
        fresh: MatchRecord | None = None
        with self._until_deadline():
            fresh = self._match(count, count - 1, self._session())
        if fresh is None:
            self._step("reuse", "skipped", "the time of the check was used up")
        elif _actions(fresh) == _actions(kept):
            self._step("reuse", "passed", "plays the same in a kept process as in a new one")
        else:
            self._step(
                "reuse", "warned", "plays differently in a kept process: does it carry something over, or use a clock?"
            )

    def _times(self) -> None:
        seen, control = self.seen, TimeControl.parse(self.rules.time_control)
        if not seen.turns:
            self._step("times", "skipped", "no turn was played")
            return
        mean_s = seen.time_total_s / seen.turns
        text = f"mean {mean_s:.3f} s, slowest {seen.slowest_s:.3f} s of at most {control.cap_s:g}, control {control}"
        tight = seen.slowest_s > control.cap_s / 2
        self._step("times", "warned" if tight else "passed", text + ("; that is close" if tight else ""))


def _actions(record: MatchRecord) -> list[dict[str, Any]]:
    return [turn.action for turn in read_replay(record.replay).records if isinstance(turn, TurnRecord)]
