"""The tables, in the words of the glossary. Only this package sees them; callers get what `arena.store.values` defines.

Durations are whole microseconds (sums then do not depend on the order of adding), moments are text, UTC, ISO 8601
with Z. A match is known by its night and position; `LEAGUE-NIGHT-POSITION` is how that is written.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKeyConstraint,
    Index,
    LargeBinary,
    Table,
    UniqueConstraint,
    text,
)
from sqlmodel import Field, SQLModel

CLUSTERED = {"sqlite_with_rowid": False}
"""Tables read in the order of their own key are kept in that order, without a second tree."""


class League(SQLModel, table=True):
    """A league; `game`, `options` and `rating` stay as they are from its first night on."""

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    game: str
    options: str
    rating: str
    rated_place: int = -1
    """All matches up to this place of the fold are in the ratings."""
    created_at: str


class Bot(SQLModel, table=True):
    """A submitted program; its name belongs to its first author."""

    __table_args__ = (CheckConstraint("name = lower(name)"),)

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    author: str
    created_at: str


class Version(SQLModel, table=True):
    """One immutable submission of a bot."""

    __table_args__ = (UniqueConstraint("bot_id", "number"), UniqueConstraint("bot_id", "digest"))

    id: int | None = Field(default=None, primary_key=True)
    bot_id: int = Field(foreign_key="bot.id")
    number: int
    digest: str = Field(index=True)
    build_digest: str
    command: str
    submitted_at: str


class Entry(SQLModel, table=True):
    """A bot in a league: the newest version that was accepted there."""

    league_id: int = Field(foreign_key="league.id", primary_key=True)
    bot_id: int = Field(foreign_key="bot.id", primary_key=True)
    version_id: int = Field(foreign_key="version.id")
    entered_at: str
    withdrawn_at: str | None = None


class Night(SQLModel, table=True):
    """One run of a league, with the rules that it is played by."""

    __table_args__ = (
        UniqueConstraint("league_id", "number"),
        Index(
            "night_open",
            "league_id",
            unique=True,
            sqlite_where=text("state = 'open'"),
            postgresql_where=text("state = 'open'"),
        ),
    )

    id: int | None = Field(default=None, primary_key=True)
    league_id: int = Field(foreign_key="league.id")
    number: int
    state: str
    seed: str
    rules: str
    plan: str
    sandbox: str
    started_at: str
    ended_at: str | None = None


class Entrant(SQLModel, table=True):
    """A version that plays in a night."""

    night_id: int = Field(foreign_key="night.id", primary_key=True)
    version_id: int = Field(foreign_key="version.id", primary_key=True)
    place: int
    """Order of the entrants, which the plan depends on."""
    state: str
    since_round: int
    until_round: int | None = None
    """The first round that it no longer plays."""
    reason: str = ""


class Match(SQLModel, table=True):
    """One planned match, and when it is played how it came out."""

    __table_args__ = (
        UniqueConstraint("league_id", "place"),
        Index(
            "match_waiting",
            "night_id",
            "position",
            sqlite_where=text("state IN ('planned', 'parked')"),
            postgresql_where=text("state IN ('planned', 'parked')"),
        ),
        CLUSTERED,
    )

    night_id: int = Field(foreign_key="night.id", primary_key=True)
    position: int = Field(primary_key=True)
    league_id: int = Field(foreign_key="league.id")
    place: int | None = None
    """Place in the fold of the league, over all nights; None while it takes no part (parked or abandoned)."""
    round: int
    encounter: int
    rotation: int
    seats: int
    state: str
    reason: str | None = None
    turns: int | None = None
    finished_at: str | None = None


def _of_match() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["night_id", "position"], ["match.night_id", "match.position"])


class Seat(SQLModel, table=True):
    """A version at the table of a match; the unique key also finds the matches of a version."""

    __table_args__ = (
        _of_match(),
        UniqueConstraint("version_id", "night_id", "position"),
        Index(
            "seat_forfeit",
            "night_id",
            "position",
            sqlite_where=text("cause IS NOT NULL"),
            postgresql_where=text("cause IS NOT NULL"),
        ),
        CheckConstraint("seat >= 0"),
        CLUSTERED,
    )

    night_id: int = Field(primary_key=True)
    position: int = Field(primary_key=True)
    seat: int = Field(primary_key=True)
    version_id: int = Field(foreign_key="version.id")
    rank: int | None = None
    score: float | None = None
    cause: str | None = None
    detail: str = ""
    fault_turn: int | None = None
    turns: int = 0
    time_us: int = Field(default=0, sa_type=BigInteger)
    time_max_us: int = Field(default=0, sa_type=BigInteger)
    strikes: int = 0


class SeatOutput(SQLModel, table=True):
    """What a forfeited bot wrote to stderr."""

    __tablename__ = "seat_output"
    __table_args__ = (
        ForeignKeyConstraint(["night_id", "position", "seat"], ["seat.night_id", "seat.position", "seat.seat"]),
    )

    night_id: int = Field(primary_key=True)
    position: int = Field(primary_key=True)
    seat: int = Field(primary_key=True)
    stderr: bytes = Field(sa_type=LargeBinary)


class Replay(SQLModel, table=True):
    """The compressed replay of a match, apart so that reading matches does not read replays."""

    __table_args__ = (_of_match(),)

    night_id: int = Field(primary_key=True)
    position: int = Field(primary_key=True)
    data: bytes = Field(sa_type=LargeBinary)


class Attempt(SQLModel, table=True):
    """A try at a match that the arena or its host spoiled."""

    __table_args__ = (_of_match(),)

    night_id: int = Field(primary_key=True)
    position: int = Field(primary_key=True)
    number: int = Field(primary_key=True)
    cause: str
    traceback: str
    at: str


class Unkillable(SQLModel, table=True):
    """A bot with a process that lived on after SIGKILL, and the match after which that was found."""

    __table_args__ = (_of_match(),)

    night_id: int = Field(primary_key=True)
    position: int = Field(primary_key=True)
    version_id: int = Field(foreign_key="version.id", primary_key=True)
    works: bool
    """Whether the kernel worked for it; else it waited."""


class RatingRow(SQLModel, table=True):
    """The rating of a version in a league, through the last match of it that was folded in."""

    __tablename__ = "rating"

    league_id: int = Field(foreign_key="league.id", primary_key=True)
    version_id: int = Field(foreign_key="version.id", primary_key=True)
    mu: float
    sigma: float
    through_night: int
    through_position: int


class RatingHistory(SQLModel, table=True):
    """The rating of a version after its last match of a night."""

    __tablename__ = "rating_history"

    version_id: int = Field(foreign_key="version.id", primary_key=True)
    night_id: int = Field(foreign_key="night.id", primary_key=True)
    mu: float
    sigma: float


class TallyRow(SQLModel, table=True):
    """What a version did in a night at one seat count, counted in the transaction that stores the results."""

    __tablename__ = "tally"
    __table_args__ = (CLUSTERED,)

    night_id: int = Field(foreign_key="night.id", primary_key=True)
    seats: int = Field(primary_key=True)
    version_id: int = Field(foreign_key="version.id", primary_key=True)
    matches: int
    no_contests: int
    rank_sum: int = Field(sa_type=BigInteger)
    opponents: int = Field(sa_type=BigInteger)
    points: int = Field(sa_type=BigInteger)
    wins: int
    draws: int
    losses: int
    turns: int = Field(sa_type=BigInteger)
    time_us: int = Field(sa_type=BigInteger)
    time_max_us: int = Field(sa_type=BigInteger)
    strikes: int


class ForfeitTally(SQLModel, table=True):
    """How often a version forfeited in a night at one seat count, by cause."""

    __tablename__ = "forfeit_tally"
    __table_args__ = (CLUSTERED,)

    night_id: int = Field(foreign_key="night.id", primary_key=True)
    seats: int = Field(primary_key=True)
    version_id: int = Field(foreign_key="version.id", primary_key=True)
    cause: str = Field(primary_key=True)
    forfeits: int


def _table(name: str) -> Table:
    return SQLModel.metadata.tables[name]


league = _table("league")
bot = _table("bot")
version = _table("version")
entry = _table("entry")
night = _table("night")
entrant = _table("entrant")
match = _table("match")
seat = _table("seat")
seat_output = _table("seat_output")
replay = _table("replay")
attempt = _table("attempt")
unkillable = _table("unkillable")
rating = _table("rating")
rating_history = _table("rating_history")
tally = _table("tally")
forfeit_tally = _table("forfeit_tally")

metadata = SQLModel.metadata
