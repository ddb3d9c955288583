"""What each faulty bot must be judged as, where it is confined and where it is not. One row a bot.

To add one: write the program (its first docstring line says what it does wrong), add its row; the tests do the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from arena.errors import Cause
from arena.sandbox import Sandbox

Kind = Literal["start", "timing", "format", "processes", "resources"]


@dataclass(frozen=True)
class Row:
    """One faulty bot and its verdict."""

    file: str
    kind: Kind
    confined: Cause | None
    """The verdict; None: it commits no fault that costs a match."""
    unconfined: Cause | None
    """The verdict where that is missing; None where nothing prevents or notices what it does."""
    says: str
    """What the message for the author must match (a regular expression)."""
    at: Literal["startup", "turn"] = "turn"
    startup_s: float = 10.0
    layer: str | None = None
    """The layer of confinement that brings about the first verdict (see `arena.sandbox.LAYERS`); None: all of it."""

    def expected(self, sandbox: Sandbox) -> Cause | None:
        """The verdict under this sandbox."""
        in_force = sandbox.confined if self.layer is None else self.layer in sandbox.layers
        return self.confined if in_force else self.unconfined


def limited(file: str, kind: Kind, cause: Cause, says: str, layer: str) -> Row:
    """A bot that is stopped where that layer is in force, and else plays on."""
    return Row(file, kind, cause, None, says, layer=layer)


def row(file: str, kind: Kind, cause: Cause | None, says: str) -> Row:
    """A bot that is judged alike everywhere, at its first turn or later."""
    return Row(file, kind, cause, cause, says)


def start(file: str, cause: Cause, says: str, startup_s: float = 10.0) -> Row:
    """A bot that is judged alike everywhere, before its first turn."""
    return Row(file, "start", cause, cause, says, "startup", startup_s)


TABLE: Final = (
    start("never_says_ready.py", Cause.STARTUP_LATE, r"expected an answer to hello within 1\.5 s", 1.5),
    start("prints_banner.py", Cause.NO_HANDSHAKE, r"expected a JSON object.*got 'MegaBot 3000 \(c\) nobody'"),
    start("declines.py", Cause.NO_HANDSHAKE, r"expected ready, got decline: tiny is played here"),
    start("exits_at_once.sh", Cause.CRASHED, r"status 7; its last words: 'no licence found'"),
    start("ready_without_newline.sh", Cause.CRASHED, r"ended with status 0"),
    row("hangs_on_turn.py", "timing", Cause.TURN_LATE, r"expected an answer to turn 1 within 0\.400 s"),
    row("spins_on_turn.py", "timing", Cause.TURN_LATE, r"expected an answer to turn 1 within 0\.400 s"),
    row("drips_bytes.py", "timing", Cause.TURN_LATE, r"expected an answer to turn 1 within 0\.400 s"),
    row("ignores_signals.py", "timing", Cause.TURN_LATE, r"expected an answer to turn 1 within 0\.400 s"),
    row("late_once.py", "timing", Cause.TURN_LATE, r"expected an answer to turn 1 within 0\.400 s"),
    row("spends_its_clock.py", "timing", Cause.CLOCK_EXHAUSTED, r"expected an answer to turn \d+ within 0\.\d+ s"),
    row("crashes_on_turn.py", "format", Cause.CRASHED, r"status 1; its last words: \"?'KeyError: .*no such field"),
    row("cut_off_answer.py", "format", Cause.CRASHED, r"ended with status 0"),
    row("leaves_quietly.py", "format", Cause.CRASHED, r"ended with status 0"),
    row("closes_output.py", "format", Cause.CLOSED_OUTPUT, r"the bot has closed its output"),
    row("answers_nonsense.py", "format", Cause.MALFORMED, r"expected a JSON object.*got 'I play the three, please'"),
    row("unknown_field_in_action.py", "format", Cause.MALFORMED, r"turn 1: expected \{\"type\":\"play\".*because"),
    row("index_too_large.py", "format", Cause.ILLEGAL_ACTION, r"turn 1: expected an index below 4, got 999"),
    row("card_it_does_not_hold.py", "format", Cause.ILLEGAL_ACTION, r"expected one of the 4 legal actions, got .*250"),
    row("names_another_turn.py", "format", Cause.STALE_TURN, r"expected an answer to turn 1, got one to turn 2"),
    row("answers_twice.py", "format", Cause.UNASKED_OUTPUT, r"expected silence before turn \d+, got '\{\"action\":0\}"),
    row("endless_line.py", "format", Cause.OUTPUT_FLOOD, r"expected a line of at most 65536 bytes"),
    row("child_holds_pipes.py", "processes", Cause.CRASHED, r"ended with status 5"),
    limited(
        "starts_many_threads.py", "processes", Cause.TOO_MANY_PROCESSES, r"can't start new thread", "process-limit"
    ),
    limited(
        "starts_many_processes.py", "processes", Cause.TOO_MANY_PROCESSES, r"temporarily unavailable", "process-limit"
    ),
    limited("takes_much_memory.py", "resources", Cause.OUT_OF_MEMORY, r"last words: 'MemoryError", "memory-limit"),
    row("fills_stderr.py", "resources", None, ""),
)
