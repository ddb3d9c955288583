"""The values that travel between the rooms of the arena: who plays, what is played, how it came out. All immutable."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from arena.errors import Cause
from arena.model.rules import LeagueRules


@dataclass(frozen=True, slots=True)
class Program:
    """All that is needed to start one bot version: where its files lie and how to run them."""

    name: str
    version: int
    author: str
    digest: str
    """Hex blake2b of the submitted content; with the name and number it goes into replays."""
    folder: str
    """Absolute path of the read-only copy; the sandbox shows it to the bot as `/bot` (without one: as it is)."""
    command: tuple[str, ...]
    """Arguments to run, relative to the folder; the first may be a bare name that is looked up on the bot's PATH."""

    @property
    def label(self) -> str:
        """`name:version`, as printed everywhere; the bare name of what is not handed in (version 0)."""
        return f"{self.name}:{self.version}" if self.version else self.name


@dataclass(frozen=True, slots=True)
class PlannedMatch:
    """One row of a night's plan, before it is played."""

    position: int
    """Place in schedule order, from 0; all that decides anything is counted in this order."""
    round: int
    encounter: int
    """Number of the set of bots that meet on one seed."""
    rotation: int
    """Which seating of the encounter: 0 to seats - 1."""
    seating: tuple[int, ...]
    """Version id (store key) in each seat."""


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A match of a complete round, as far as a schedule may know it."""

    seating: tuple[int, ...]
    """Version id in each seat."""
    ranks: tuple[int, ...] | None
    """None where nobody finished, or where the match was set aside."""


@dataclass(frozen=True, slots=True)
class MatchOrder:
    """The job of a referee: one match to play."""

    match_id: str
    """`LEAGUE-NIGHT-POSITION`, or for `arena play` any short name."""
    seed: bytes
    rules: LeagueRules
    programs: tuple[Program, ...]
    """One per seat."""
    round: int = 0
    rotation: int = 0
    sandbox: tuple[str, ...] = ()
    """The confinement layers in force, for the replay's header."""


class Outcome(StrEnum):
    """How a match came out."""

    FINISHED = "finished"
    NO_CONTEST = "no_contest"


@dataclass(frozen=True, slots=True)
class SeatResult:
    """One seat of a played match. Times are seconds of charged time."""

    rank: int
    score: float | None
    """None when the match ended before the game did."""
    cause: Cause | None = None
    """Why the seat forfeited, or None."""
    detail: str = ""
    """One line for the bot's author about the forfeit."""
    fault_turn: int | None = None
    """The turn at which the seat forfeited; None for a forfeit at start-up and for a finisher."""
    turns: int = 0
    """Decisions that the bot itself made."""
    time_total_s: float = 0.0
    time_max_s: float = 0.0
    strikes: int = 0
    stderr: bytes = b""
    """Head and tail of what a forfeited bot wrote to stderr; empty for a finisher."""


@dataclass(frozen=True, slots=True)
class Unkillable:
    """A bot with a process that lived on after SIGKILL: its results stand, and it plays no further round."""

    bot: str
    """As `name:version`."""
    match_id: str
    """The match at whose end, or after which, that was found."""
    works: bool
    """Whether the kernel worked for it. Else it waited, for a disk perhaps, which may be the host's fault."""


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """The result of one match, ready to be stored."""

    match_id: str
    outcome: Outcome
    reason: str
    """Why the match ended: `game_over` or `forfeits`."""
    turns: int
    """Decisions of all seats, fallbacks included."""
    seats: tuple[SeatResult, ...]
    replay: bytes
    """JSON lines as `arena.match.replay` writes them, uncompressed."""
    unkillable: tuple[Unkillable, ...] = ()
    """Bots that could not be ended in this match or since the last one: of this match, kept, or started ahead."""

    @property
    def ranks(self) -> tuple[int, ...]:
        """Rank of each seat; meaningless to ratings unless the outcome is `FINISHED`."""
        return tuple(seat.rank for seat in self.seats)


@dataclass(frozen=True, slots=True)
class VoidRecord:
    """A match that the arena or its host spoiled: an attempt to be stored, never a result."""

    match_id: str
    cause: str
    """Short: `worker_killed`, or the name of the exception."""
    traceback: str = field(default="", repr=False)
