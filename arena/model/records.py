"""The values that the packages exchange: bots, planned matches, orders and results. All are immutable."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from arena.model.causes import Cause
from arena.model.rules import LeagueRules


@dataclass(frozen=True, slots=True)
class Program:
    """Everything that is needed to start one bot version: the folder of its files and the command that runs them."""

    name: str
    version: int
    author: str
    digest: str
    """Hex blake2b of the submitted content. Replays contain it with the name and the version number."""
    folder: str
    """Absolute path of the read-only copy. In a sandbox the bot sees it as `/bot`, without one under its own path."""
    command: tuple[str, ...]
    """Command line, relative to the folder. Its first part may be a bare name that is searched on the bot's PATH."""

    @property
    def label(self) -> str:
        """Return `name:version`, as printed everywhere, or only the name if the bot was not submitted (version 0)."""
        return f"{self.name}:{self.version}" if self.version else self.name


@dataclass(frozen=True, slots=True)
class Submission:
    """A submitted bot on its way to the store: copied, built and read-only, but not entered anywhere."""

    program: Program
    """The bot as it can be started. Its version is 0, because only the store numbers versions."""
    build_digest: str
    """Digest after the build; equal to the digest of the program if nothing is built."""
    games: tuple[str, ...] = ()
    """The games that the manifest lists; empty means every game."""
    author_claimed: bool = False
    """Whether only the manifest names this author."""


@dataclass(frozen=True, slots=True)
class PlannedMatch:
    """One row of a night's plan, before it is played."""

    position: int
    """Index in schedule order, from 0. Everything that affects a result is processed in this order."""
    round: int
    encounter: int
    """Number of the encounter: a set of bots that play on one seed."""
    rotation: int
    """Number of the rotation (the seating of the encounter), from 0 to seats - 1."""
    seating: tuple[int, ...]
    """Version id (store key) in each seat."""


@dataclass(frozen=True, slots=True)
class FinishedMatch:
    """A match with a result that counts, as schedules, ratings and reports read it.

    Raises `ValueError` if the values cannot be those of a match.
    """

    versions: tuple[int, ...]
    """Version id (store key) in each seat."""
    ranks: tuple[int, ...]
    """Rank of each seat: 0 is the best, equal ranks are a tie."""
    encounter: tuple[int, int] | None = None
    """Night (store key) and number of the encounter. Matches of one encounter share their seed. None: of no other."""
    place: int = 0
    """Place in the order in which the league's matches are rated: all nights, in schedule order."""

    def __post_init__(self) -> None:
        """Refuse a match without two seats, without a rank for each seat, or with one version in two seats."""
        if len(self.versions) != len(self.ranks) or len(self.versions) < 2:
            raise ValueError(
                "a match needs two seats and a rank for each:"
                f" got {len(self.versions)} versions, {len(self.ranks)} ranks"
            )
        if len(set(self.versions)) != len(self.versions):
            raise ValueError(f"a version cannot meet itself: got {self.versions}")


@dataclass(frozen=True, slots=True)
class MatchOrder:
    """The job of a referee: one match to play."""

    match_id: str
    """`LEAGUE-NIGHT-POSITION`, or any short name for `arena play`."""
    seed: bytes
    rules: LeagueRules
    programs: tuple[Program, ...]
    """The bot in each seat."""
    round: int = 0
    rotation: int = 0
    sandbox: tuple[str, ...] = ()
    """The active layers of the sandbox, for the header of the replay."""
    position: int = 0
    """Number by which the sender of the order finds its match again: the position in the plan of a night."""


class Outcome(StrEnum):
    """The outcome of a match that is not void."""

    FINISHED = "finished"
    NO_CONTEST = "no_contest"


@dataclass(frozen=True, slots=True)
class SeatResult:
    """The result of one seat of a played match. All times are charged time, in seconds."""

    rank: int
    score: float | None
    """Score in the game; None if the match ended before the game did."""
    cause: Cause | None = None
    """Cause of the forfeit, or None."""
    detail: str = ""
    """One line for the bot's author about the forfeit."""
    fault_turn: int | None = None
    """The turn at which the seat forfeited; None for a forfeit at start-up and for a finisher."""
    turns: int = 0
    """Number of decisions that the bot itself made."""
    time_total_s: float = 0.0
    time_max_s: float = 0.0
    strikes: int = 0
    stderr: bytes = b""
    """Head and tail of the bot's stderr in this match: 32 KiB each if it forfeited, 2 KiB each if it finished."""


@dataclass(frozen=True, slots=True)
class Unkillable:
    """A bot with a process that SIGKILL did not end. Its results count, but it plays no further round."""

    program: Program
    position: int
    """Position of the match at whose end, or after which, the process was found."""
    works: bool
    """Whether the kernel worked for it. If not, it waited, for example for a disk, which may be the host's fault."""


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """The result of one match, ready to be stored."""

    position: int
    """Position of the match, as in its order."""
    outcome: Outcome
    reason: str
    """Reason for the end of the match: `game_over` or `forfeits`."""
    turns: int
    """Number of decisions of all seats, fallbacks included."""
    seats: tuple[SeatResult, ...]
    replay: bytes
    """JSON lines as `arena.match.replay` writes them, uncompressed."""
    unkillable: tuple[Unkillable, ...] = ()
    """Bots that could not be killed in this match or since the last one: its own bots, reused and prepared bots."""

    @property
    def ranks(self) -> tuple[int, ...]:
        """Return the rank of each seat. Ratings may use the ranks only if the outcome is `FINISHED`."""
        return tuple(seat.rank for seat in self.seats)


@dataclass(frozen=True, slots=True)
class VoidRecord:
    """A void match: the arena or its host failed. The attempt is stored, but it is never a result."""

    position: int
    """Position of the match, as in its order."""
    cause: str
    """Short cause: `worker_killed`, or the name of the exception."""
    traceback: str = field(default="", repr=False)
