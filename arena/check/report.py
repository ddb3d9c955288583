"""The result of a check, as data and as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from arena.model.causes import Cause
from arena.text.sanitize import terminal

Status = Literal["passed", "warned", "failed", "skipped"]

_MARKS: Final[dict[Status, str]] = {"passed": "ok", "warned": "ok?", "failed": "FAILED", "skipped": "-"}
_STDERR_LINES: Final = 40


@dataclass(frozen=True, slots=True)
class CheckStep:
    """One numbered step of a check: its name, its result, and the observed details."""

    number: int
    name: str
    status: Status
    seen: str

    def line(self) -> str:
        """Return the step as a line of text."""
        return f"{self.number:3}  {self.name:<12}  {_MARKS[self.status]:<6}  {terminal(self.seen)}".rstrip()


@dataclass(frozen=True, slots=True)
class CheckFailure:
    """The reason why the bot would forfeit, with the details from which its author can find the mistake."""

    where: str
    """`handshake`, or `2 seats, seat 1, turn 5`."""
    cause: Cause
    detail: str
    """The expected answer, and the line that the bot sent."""
    dialogue: tuple[str, ...]
    """The last messages, shortened: `>` to the bot, `<` from it and `!` the fault that the arena found."""
    stderr: str
    hint: str | None = None
    """One sentence of advice, if the arena recognises a common mistake."""

    def lines(self) -> list[str]:
        """Return the failure as lines of text."""
        lines = [f"failed: {self.where}: {self.cause} ({self.cause.meaning})", f"  {terminal(self.detail)}"]
        lines += ["dialogue up to the fault:", *(f"  {line}" for line in self.dialogue)]
        lines += stderr_lines("the bot", self.stderr) if self.stderr else []
        return lines if self.hint is None else [*lines, f"hint: {terminal(self.hint)}"]


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The result of the check of one bot, by the rules of one league."""

    bot: str
    league: str
    game: str
    declined: bool
    """Whether the bot declined this game; the check then neither passed nor failed."""
    steps: tuple[CheckStep, ...]
    kinds_met: tuple[str, ...] = ()
    """Types of the legal actions, over all turns of the bot."""
    kinds_chosen: tuple[str, ...] = ()
    turns: int = 0
    mean_s: float = 0.0
    slowest_s: float = 0.0
    """`mean_s` and `slowest_s` are the mean and the longest charged time of a turn."""
    failure: CheckFailure | None = None
    stderr: str = ""
    """Head and tail of what the bot wrote to stderr in its last match that was played to the end."""

    @property
    def passed(self) -> bool:
        """Whether the bot may be entered."""
        return self.failure is None and not self.declined

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON data."""
        return {**asdict(self), "passed": self.passed}

    def lines(self) -> list[str]:
        """Return the report as lines of text, without the steps that were not reached."""
        steps = [step.line() for step in self.steps if step.status != "skipped" or step.seen]
        return [heading(self.bot, self.league, self.game), *steps, *self.conclusion()]

    def conclusion(self) -> list[str]:
        """Return the lines after the steps: the kinds of decision that were seen, and the details of a failure."""
        if self.declined:
            return [f"the bot does not play {self.game}"]
        lines = []
        if self.kinds_met:
            missed = [kind for kind in self.kinds_met if kind not in self.kinds_chosen]
            never = f"; never chosen: {', '.join(missed)}" if missed else ""
            lines.append(f"kinds of decision seen: {', '.join(self.kinds_met)}{never}")
        return lines + (self.failure.lines() if self.failure is not None else [])


def heading(bot: str, league: str, game: str) -> str:
    """Return the first line of a report."""
    return f"{bot} plays {game}:" if league == game else f"{bot} plays {game} in league {league}:"


def stderr_lines(whose: str, stderr: str) -> list[str]:
    r"""Return the last lines of a bot's stderr as text, with a heading.

    >>> stderr_lines("seat 0", "a\nb\n")
    ['stderr of seat 0:', '  a', '  b']
    """
    lines = stderr.splitlines()
    cut = f", the last {_STDERR_LINES} of {len(lines)} lines" if len(lines) > _STDERR_LINES else ""
    return [f"stderr of {whose}{cut}:", *(f"  {terminal(line)}" for line in lines[-_STDERR_LINES:])]


def declines(bot: str, games: Sequence[str], of_what: str) -> str:
    """Return a sentence about a bot that plays none of these games.

    >>> declines("shy", ["go"], "of the league"), declines("shy", ["go", "nim"], "of these leagues")
    ('shy declines go, the only game of the league', 'shy declines every game of these leagues: go, nim')
    """
    if len(games) == 1:
        return f"{bot} declines {games[0]}, the only game {of_what}"
    return f"{bot} declines every game {of_what}: {', '.join(games)}"


def spent(seconds: float) -> str:
    """Return a duration as text.

    >>> spent(0.00042), spent(0.0326), spent(1.5), spent(10)
    ('0.4 ms', '33 ms', '1.5 s', '10 s')
    """
    if seconds >= 1:
        return f"{seconds:.3g} s"
    return f"{seconds * 1000:.1f} ms" if seconds < 0.01 else f"{seconds * 1000:.0f} ms"
