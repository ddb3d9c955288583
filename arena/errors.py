"""The errors that end a command or make a match void, as one tree.

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

`arena.model.faults.BotFault` is not in this tree: a bot broke the protocol or a limit, and forfeits with a `Cause`
(`arena.model.causes`).
"""

from __future__ import annotations


class ArenaError(Exception):
    """An error whose message is for the user: what failed, what was expected, and where to look next."""

    exit_status = 1


class UsageError(ArenaError):
    """The command got an argument that it cannot accept."""

    exit_status = 2


class SettingsError(UsageError):
    """A setting is unknown or has a wrong value."""


class SubmissionRefused(ArenaError):
    """A submission is not accepted. Nothing was stored.

    `arena.submission` refuses the content (`receive`, `copying`, `manifest`, `languages`, `builds`) and a failed check
    (`register`). `arena.store.bots` refuses what conflicts with stored bots.
    """


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
