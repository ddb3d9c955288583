"""What the store gives and takes: plain frozen values, never rows of tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from arena.errors import Cause
from arena.model.rules import LeagueRules
from arena.ratings.live import Rating, RatingDifference, RatingSettings
from arena.ratings.standings import Tally


class NightState(StrEnum):
    """Where a night stands."""

    OPEN = "open"
    CLOSED = "closed"
    ABANDONED = "abandoned"


ATTEMPTS = 2
"""A match that was void so often is parked."""


class MatchState(StrEnum):
    """Where a match stands."""

    PLANNED = "planned"
    FINISHED = "finished"
    NO_CONTEST = "no_contest"
    PARKED = "parked"
    """The arena spoiled it twice; `night resume --parked` plays it later."""
    ABANDONED = "abandoned"
    """It was still to be played when its night was abandoned."""


class EntrantState(StrEnum):
    """Whether an entrant still plays."""

    ACTIVE = "active"
    SUSPENDED = "suspended"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class League:
    """A league as it is stored."""

    id: int
    name: str
    game: str
    options: Mapping[str, Any]
    rating: RatingSettings
    bots: int
    """Bots entered and not withdrawn."""
    nights: int
    created_at: str


@dataclass(frozen=True, slots=True)
class HandIn:
    """A checked submission, to be stored."""

    bot: str
    author: str
    digest: str
    build_digest: str
    command: tuple[str, ...]
    leagues: tuple[str, ...]
    """Leagues to enter it in; each must be stored (`keep_league`)."""


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
    """Leagues in which this is the version that plays."""

    @property
    def label(self) -> str:
        """`name:version`."""
        return f"{self.bot}:{self.number}"


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a hand-in."""

    version: Version
    is_new: bool
    """False: this bot had handed in the same content before; it is that version."""
    entered: tuple[str, ...]
    """Leagues in which this hand-in changed the version that plays."""
    same_content: tuple[str, ...]
    """Other bots' versions with the same content, as `name:version`: a reason to warn."""


@dataclass(frozen=True, slots=True)
class Bot:
    """A bot in a list."""

    name: str
    author: str
    versions: int
    newest: int
    """Number of its newest version."""
    leagues: tuple[str, ...]
    """Leagues that it is entered in."""
    withdrawn: tuple[str, ...]
    """Leagues that it was withdrawn from."""
    submitted_at: str
    """When the newest version was handed in."""


@dataclass(frozen=True, slots=True)
class NewNight:
    """What a night is begun with."""

    rules: LeagueRules
    rating: RatingSettings
    seed: bytes
    entrants: tuple[int, ...]
    """Version ids, in the order that the plan depends on."""
    sandbox: tuple[str, ...] = ()
    """The confinement layers in force."""
    plan: Mapping[str, Any] = field(default_factory=dict)
    """Schedule and its settings: JSON that only the night reads."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A version in a night."""

    version: Version
    state: EntrantState
    since_round: int
    until_round: int | None
    """The first round that it no longer plays; None while it plays."""
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
        """`LEAGUE-NIGHT-POSITION`."""
        return f"{self.league}-{self.number}-{position}"


@dataclass(frozen=True, slots=True)
class NightCounts:
    """How far a night is."""

    planned: int
    """Matches still to be played."""
    finished: int
    no_contests: int
    parked: int
    abandoned: int
    attempts: int
    """Tries that the arena or its host spoiled."""
    rounds: int

    @property
    def played(self) -> int:
        """Matches that have a result."""
        return self.finished + self.no_contests


@dataclass(frozen=True, slots=True)
class ForfeitStreak:
    """How many matches in a row, the last ones in schedule order, a version has forfeited in a night."""

    version_id: int
    length: int


@dataclass(frozen=True, slots=True)
class UnkillableView:
    """A bot that could not be ended, and the match after which that was found."""

    match_id: str
    version_id: int
    bot: str
    """As `name:version`."""
    author: str
    works: bool
    """Whether the kernel worked for it; else it waited, maybe for a disk of the host."""

    @property
    def meaning(self) -> str:
        """In words."""
        did = "the kernel worked for it" if self.works else "it waited in the kernel"
        return f"a process of it lived on after SIGKILL, and {did}"


@dataclass(frozen=True, slots=True)
class SeatView:
    """One seat of a stored match; the result is None until it is played."""

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
        """`name:version`."""
        return f"{self.bot}:{self.version}"


@dataclass(frozen=True, slots=True)
class MatchView:
    """One match as it is stored, without its replay."""

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
    """Which matches to list; None and False leave all in."""

    league: str | None = None
    night: int | None = None
    bot: str | None = None
    """A bot's name, or `name:version`."""
    state: MatchState | None = None
    forfeits: bool = False
    """Only matches in which a seat (of that bot, if one is named) forfeited."""


@dataclass(frozen=True, slots=True)
class AttemptView:
    """A try at a match that the arena or its host spoiled."""

    match_id: str
    number: int
    cause: str
    traceback: str = field(repr=False)
    at: str


@dataclass(frozen=True, slots=True)
class View:
    """Which part of a league's matches a board shows; the default is all of it."""

    night: int | None = None
    """Only this night, by number."""
    seats: int | None = None
    """Only matches of this many seats."""
    since: str | None = None
    """Only nights that started at or after this moment (ISO 8601, UTC, Z) or day."""

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left out."""
        return self == View()


@dataclass(frozen=True, slots=True)
class PlayedResult:
    """A finished match as those see it who look at all matches at once."""

    night_id: int
    position: int
    encounter: int
    """With the night: which matches share their seed."""
    versions: tuple[int, ...]
    """Version id in each seat."""
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RatingPoint:
    """A version's rating after its last match of a night, and what it did in that night."""

    league: str
    night: int
    version: int
    rating: Rating
    tally: Tally
    started_at: str
    """When the night began."""


@dataclass(frozen=True, slots=True)
class Verification:
    """What came out when a league's ratings and counts were made again from its matches."""

    ratings: int
    """Ratings that were computed."""
    matches: int
    """Matches that they were computed from: all up to the checkpoint of the stored ratings."""
    different_ratings: tuple[RatingDifference, ...]
    different_counts: tuple[int, ...]
    """Ids of versions whose counts on the board are not those of their matches."""

    @property
    def holds(self) -> bool:
        """Whether all is as stored."""
        return not self.different_ratings and not self.different_counts


TELLING_S: Final = 3.0
"""Nights that took less say nothing: the moments of their matches are stored in whole seconds."""


@dataclass(frozen=True, slots=True)
class PlayingTime:
    """How many matches of each seat count a night had, and in how many seconds: bots' starts and all else included."""

    night: int
    """Its number in the league."""
    matches: Mapping[int, int]
    wall_s: float
