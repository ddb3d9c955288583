"""The causes of a forfeit, with the text of each.

The detail of a forfeit (what was expected, what the bot sent) is written where the fault is found: see the uses of
`arena.model.faults.BotFault`.
"""

from __future__ import annotations

from enum import StrEnum


class Cause(StrEnum):
    """The reason why a seat forfeits. Code, database, command line and documentation share this list."""

    STARTUP_LATE = "startup_late"
    NO_HANDSHAKE = "no_handshake"
    TURN_LATE = "turn_late"
    CLOCK_EXHAUSTED = "clock_exhausted"
    CRASHED = "crashed"
    CLOSED_OUTPUT = "closed_output"
    OUT_OF_MEMORY = "out_of_memory"
    TOO_MANY_PROCESSES = "too_many_processes"
    MALFORMED = "malformed"
    ILLEGAL_ACTION = "illegal_action"
    STALE_TURN = "stale_turn"
    UNASKED_OUTPUT = "unasked_output"
    OUTPUT_FLOOD = "output_flood"

    @property
    def meaning(self) -> str:
        """Return the meaning of this cause in one line, for a human reader."""
        return _MEANINGS[self]


_MEANINGS = {
    Cause.STARTUP_LATE: "no answer to hello within the start-up limit",
    Cause.NO_HANDSHAKE: "the first line was not a ready or decline message",
    Cause.TURN_LATE: "no answer within the limit of one turn",
    Cause.CLOCK_EXHAUSTED: "no answer before the clock ran out",
    Cause.CRASHED: "the process ended, or closed its output, in the middle of its duty",
    Cause.CLOSED_OUTPUT: "the process lives, but has closed its output",
    Cause.OUT_OF_MEMORY: "the memory limit was reached",
    Cause.TOO_MANY_PROCESSES: "the limit of processes and threads was reached",
    Cause.MALFORMED: "an answer that cannot be read",
    Cause.ILLEGAL_ACTION: "an action that is not allowed in the position",
    Cause.STALE_TURN: "an answer that names another turn",
    Cause.UNASKED_OUTPUT: "output while it was not this bot's turn",
    Cause.OUTPUT_FLOOD: "a line longer than the limit",
}
