"""Everything that can go wrong, as one tree.

ArenaError                      ends a command in one clear sentence
├── UsageError                  the command or a setting is wrong: exit status 2
│   └── SettingsError             arena.toml, environment or option: names the nearest valid one
├── SubmissionRefused           a bot cannot be handed in: says which rule and what was expected
│   └── RuntimeMissing            this host lacks what runs or builds it: names the package
├── ConfinementMissing          a league demands layers of the sandbox that this host lacks: nothing was run
├── StoreError                  the database or the home folder: unwritable, locked, full, from another version
├── NightError                  a league night cannot start, go on, or is not there
├── VerificationError           a replay or a rating does not come out as stored
└── ArenaFault                  the arena or its host failed during a match: VOID, played again, never a bot's loss
BotFault                        a bot broke the protocol or the limits: a forfeit with its `Cause`, never an ArenaError
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass


class Cause(StrEnum):
    """Why a seat forfeits. One list for code, database, command line and docs."""

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
        """One line for a person."""
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


class ArenaError(Exception):
    """One sentence for the user: what failed, what was expected, where to look next."""

    exit_status = 1


class UsageError(ArenaError):
    """The command was given something that it cannot take."""

    exit_status = 2


class SettingsError(UsageError):
    """A setting is unknown or has a wrong value."""


class SubmissionRefused(ArenaError):
    """A bot cannot be handed in; nothing was stored."""


class RuntimeMissing(SubmissionRefused):
    """The bot may be good, but this host has no program that runs or builds it."""


class ConfinementMissing(ArenaError):
    """A league demands more confinement than this host has; no bot was run."""


class StoreError(ArenaError):
    """The database or the home folder cannot be used."""


class NightError(ArenaError):
    """A league night cannot start, go on, or does not exist."""


class VerificationError(ArenaError):
    """A stored replay or rating does not come out as stored."""


class ArenaFault(ArenaError):
    """The arena or its host failed during a match; the match is void and is played again."""
