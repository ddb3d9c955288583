"""The values that the store accepts and returns: plain and frozen, never rows of tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from arena.errors import UsageError
from arena.model.causes import Cause
from arena.model.rules import LeagueRules
from arena.ratings.live import Rating, RatingDifference, RatingSettings
from arena.ratings.standings import Tally


def write_match_id(league: str, night: int, position: int) -> str:
    """Return a match id: `LEAGUE-NIGHT-POSITION`."""
    return f"{league}-{night}-{position}"


def read_match_id(match_id: str) -> tuple[str, int, int]:
    """Return league, night and position of a match id. A league's name may contain dashes. Raises `UsageError`.

    >>> read_match_id("friday-night-3-120")
    ('friday-night', 3, 120)
    """
    parts = match_id.rsplit("-", 2)
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts[1:]):
        raise UsageError(
            f"{match_id!r} is not the name of a match: expected LEAGUE-NIGHT-POSITION, for example lanterns-1-42"
        )
    return parts[0], int(parts[1]), int(parts[2])


class NightState(StrEnum):
    """The state of a night."""

    OPEN = "open"
    CLOSED = "closed"
    ABANDONED = "abandoned"


ATTEMPTS = 2
"""Number of void attempts after which a match is parked."""


class MatchState(StrEnum):
    """The state of a match."""

    PLANNED = "planned"
    FINISHED = "finished"
    NO_CONTEST = "no_contest"
    PARKED = "parked"
    """The match was void twice; `night resume --parked` plays it later."""
    ABANDONED = "abandoned"
    """The match was planned or parked when its night was abandoned."""


class EntrantState(StrEnum):
    """The state of an entrant in a night."""

    ACTIVE = "active"
    SUSPENDED = "suspended"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class League:
    """A stored league."""

    id: int
    name: str
    game: str
    options: Mapping[str, Any]
    rating: RatingSettings
    bots: int
    """Number of bots that are entered and not withdrawn."""
    nights: int
    created_at: str


@dataclass(frozen=True, slots=True)
class Version:
    """One immutable submission of a bot."""

    id: int
    bot: str
    number: int
    author: str
    digest: str
    build_digest: str
    command: tuple[str, ...]
    submitted_at: str
    leagues: tuple[str, ...] = ()
    """Leagues in which this version plays."""

    @property
    def label(self) -> str:
        """Return `name:version`."""
        return f"{self.bot}:{self.number}"


@dataclass(frozen=True, slots=True)
class Receipt:
    """The outcome of a submission."""

    version: Version
    is_new: bool
    """Whether the content is new for this bot. If not, `version` is the existing version with this content."""
    entered: tuple[str, ...]
    """Leagues in which this submission changed the version that plays."""
    same_content: tuple[str, ...]
    """Other bots' versions with the same content, as `name:version`, for a warning."""


@dataclass(frozen=True, slots=True)
class Action:
    """What somebody did with a bot."""

    done_at: str
    actor: str
    """User of the host."""
    kind: str
    """`submit`, `use`, `withdraw`, `restore`, `rename`, `delete` or `prune`."""
    bot: str
    """Name of the bot at that time."""
    detail: str


@dataclass(frozen=True, slots=True)
class Bot:
    """A bot with a summary of its versions and leagues."""

    name: str
    author: str
    versions: int
    newest: int
    """Number of the newest version."""
    leagues: tuple[str, ...]
    """Leagues in which the bot is entered."""
    withdrawn: tuple[str, ...]
    """Leagues from which the bot was withdrawn."""
    submitted_at: str
    """Time at which the newest version was submitted."""


@dataclass(frozen=True, slots=True)
class NewNight:
    """The values with which a night starts."""

    rules: LeagueRules
    rating: RatingSettings
    seed: bytes
    entrants: tuple[int, ...]
    """Version ids, in the order that the plan depends on."""
    sandbox: tuple[str, ...] = ()
    """The active sandbox layers."""
    plan: Mapping[str, Any] = field(default_factory=dict)
    """The schedule and its settings, as JSON that only the night reads."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A version in a night."""

    version: Version
    state: EntrantState
    since_round: int
    until_round: int | None
    """The first round in which the entrant no longer plays; None while it plays."""
    reason: str


@dataclass(frozen=True, slots=True)
class Night:
    """One run of a league."""

    id: int
    league: str
    number: int
    state: NightState
    seed: bytes = field(repr=False)
    """Secret until the night is closed."""
    rules: LeagueRules
    plan: Mapping[str, Any]
    sandbox: tuple[str, ...]
    started_at: str
    ended_at: str | None

    def match_id(self, position: int) -> str:
        """Return the id of a match of this night."""
        return write_match_id(self.league, self.number, position)


@dataclass(frozen=True, slots=True)
class NightCounts:
    """The progress of a night, in numbers of matches, void attempts and rounds."""

    planned: int
    """Number of unplayed matches, without parked and abandoned ones."""
    finished: int
    no_contests: int
    parked: int
    abandoned: int
    attempts: int
    """Number of void attempts."""
    rounds: int

    @property
    def played(self) -> int:
        """Return the number of matches that have a result."""
        return self.finished + self.no_contests


@dataclass(frozen=True, slots=True)
class ForfeitStreak:
    """The number of last matches in a row, in schedule order, that a version has forfeited in a night."""

    version_id: int
    length: int


@dataclass(frozen=True, slots=True)
class UnkillableView:
    """A bot that could not be killed, and the position of the match after which that was found."""

    position: int
    version_id: int
    bot: str
    """The version, as `name:version`."""
    author: str
    works: bool
    """Whether the kernel worked for the process. If not, the process waited, perhaps for a disk of the host."""

    @property
    def meaning(self) -> str:
        """Return a description for a human reader."""
        did = "the kernel worked for it" if self.works else "it waited in the kernel"
        return f"one of its processes survived SIGKILL, and {did}"


@dataclass(frozen=True, slots=True)
class SeatView:
    """One seat of a stored match. The result is None until the match is played."""

    seat: int
    version_id: int
    bot: str
    version: int
    rank: int | None
    score: float | None
    cause: Cause | None
    detail: str
    fault_turn: int | None
    turns: int
    time_total_s: float
    time_max_s: float
    strikes: int

    @property
    def label(self) -> str:
        """Return `name:version`."""
        return f"{self.bot}:{self.version}"


@dataclass(frozen=True, slots=True)
class MatchView:
    """One stored match, without its replay."""

    match_id: str
    league: str
    night: int
    position: int
    round: int
    encounter: int
    rotation: int
    state: MatchState
    reason: str | None
    turns: int | None
    finished_at: str | None
    seats: tuple[SeatView, ...]


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """A filter for matches. None and False filter nothing."""

    league: str | None = None
    night: int | None = None
    bot: str | None = None
    """A bot's name, or `name:version`."""
    state: MatchState | None = None
    forfeits: bool = False
    """Whether to select only matches in which a seat forfeited (a seat of `bot`, if it is set)."""


@dataclass(frozen=True, slots=True)
class AttemptView:
    """A void attempt at a match."""

    match_id: str
    number: int
    cause: str
    traceback: str = field(repr=False)
    at: str


@dataclass(frozen=True, slots=True)
class View:
    """The part of a league's matches that a leaderboard shows; by default, all matches."""

    night: int | None = None
    """Only the night with this number."""
    seats: int | None = None
    """Only matches with this number of seats."""
    since: str | None = None
    """Only nights that started at or after this timestamp (ISO 8601, UTC, Z) or day."""

    @property
    def is_whole(self) -> bool:
        """Return whether the view includes all matches."""
        return self == View()


@dataclass(frozen=True, slots=True)
class RatingPoint:
    """A version's rating after its last match of a night, and its counts in that night."""

    league: str
    night: int
    version: int
    rating: Rating
    tally: Tally
    started_at: str
    """Start time of the night."""


@dataclass(frozen=True, slots=True)
class Verification:
    """The outcome of computing a league's ratings and counts again from its matches."""

    ratings: int
    """Number of computed ratings."""
    matches: int
    """Number of matches that the ratings were computed from: all up to the checkpoint of the stored ratings."""
    different_ratings: tuple[RatingDifference, ...]
    different_counts: tuple[int, ...]
    """Ids of versions whose stored counts differ from those of their matches."""

    @property
    def holds(self) -> bool:
        """Return whether all computed values are equal to the stored values."""
        return not self.different_ratings and not self.different_counts


TELLING_S: Final = 3.0
"""Minimum length in seconds of a night that is useful for predictions, because timestamps are whole seconds."""


@dataclass(frozen=True, slots=True)
class PlayingTime:
    """The number of matches of a night by number of seats, and their total time, including the starts of bots."""

    night: int
    """Number of the night in its league."""
    matches: Mapping[int, int]
    wall_s: float
