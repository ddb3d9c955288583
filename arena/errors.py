"""All errors of the arena, as one tree.

ArenaError                      ends a command with one clear sentence
├── UsageError                  the command or a setting is wrong: exit status 2
│   └── SettingsError             arena.toml, the environment or an option: the message names the nearest valid one
├── SubmissionRefused           a bot is not accepted: the message names the rule and what was expected
│   └── RuntimeMissing            this host lacks the program that runs or builds it: the message names the package
├── ConfinementMissing          a league requires sandbox layers that this host does not have: no bot was run
├── StoreError                  the database or the home folder is not writable, locked, full, or from another version
├── NightError                  a league night cannot start or resume, or does not exist
├── NoVerdict                   a comparison ended without an answer, because a bot forfeited again and again
├── VerificationError           a replay or a rating differs from the stored one
└── ArenaFault                  the arena or its host failed during a match: the match is void and is played again
BotFault                        a bot broke the protocol or a limit: it forfeits with a `Cause`; not an ArenaError
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass


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


class ArenaError(Exception):
    """An error whose message is for the user: what failed, what was expected, and where to look next."""

    exit_status = 1


class UsageError(ArenaError):
    """The command got an argument that it cannot accept."""

    exit_status = 2


class SettingsError(UsageError):
    """A setting is unknown or has a wrong value."""


class SubmissionRefused(ArenaError):
    """A submission is not accepted. Nothing was stored."""


class RuntimeMissing(SubmissionRefused):
    """The bot may be valid, but this host has no program that runs or builds it."""


class ConfinementMissing(ArenaError):
    """A league requires more sandbox layers than this host has. No bot was run."""


class StoreError(ArenaError):
    """The database or the home folder cannot be used."""


class NightError(ArenaError):
    """A league night cannot start or resume, or it does not exist."""


class NoVerdict(ArenaError):
    """A comparison has no answer, because one of its bots forfeited again and again."""


class VerificationError(ArenaError):
    """A replay is invalid, or a replay or rating that was computed again differs from the stored one."""


class ArenaFault(ArenaError):
    """The arena or its host failed during a match. The match is void and is played again; no bot loses by it."""
