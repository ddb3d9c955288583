"""The tables as SQLModel classes, with the names of the glossary. They are the declaration of the schema.

`arena/store/tables.py` has the same tables for the queries of the arena. `make tables` writes it from these classes. So
a command that only reads results needs neither SQLModel nor the object mapper of SQLAlchemy: their import would take
longer than the work of the command. For programs of your own, these classes are the typed view of a database:

    with Session(create_engine("sqlite:///arena.db")) as session:
        forfeits = session.exec(select(Seat).where(Seat.cause != None)).all()

Durations are whole microseconds, so that sums do not depend on the order of the terms. Timestamps are text: UTC, ISO
8601 with Z. Night and position identify a match; its id for people is `LEAGUE-NIGHT-POSITION`.

The migrations create the tables. Only they name the conditions of partial indexes for PostgreSQL too: here, that would
import its dialect in every command.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKeyConstraint,
    Index,
    LargeBinary,
    UniqueConstraint,
    text,
)
from sqlmodel import Field, SQLModel

CLUSTERED = {"sqlite_with_rowid": False}
"""Store a table in the order of its key, without a second tree, because it is read in that order."""


class League(SQLModel, table=True):
    """A league. Its `game`, `options` and `rating` are fixed from its first night on."""

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    game: str
    options: str
    rating: str
    rated_place: int = -1
    """Checkpoint: the ratings include all matches up to this place of the fold."""
    created_at: str


class Bot(SQLModel, table=True):
    """A submitted program. Its name belongs to its first author."""

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
    """One run of a league, with the rules of its matches."""

    __table_args__ = (
        UniqueConstraint("league_id", "number"),
        Index(
            "night_open",
            "league_id",
            unique=True,
            sqlite_where=text("state = 'open'"),
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
    """Position in the order of entrants, which the plan depends on."""
    state: str
    since_round: int
    until_round: int | None = None
    """The first round in which the entrant no longer plays."""
    reason: str = ""


class Match(SQLModel, table=True):
    """One planned match, and its result when it has been played."""

    __table_args__ = (
        UniqueConstraint("league_id", "place"),
        Index(
            "match_waiting",
            "night_id",
            "position",
            sqlite_where=text("state IN ('planned', 'parked')"),
        ),
        CLUSTERED,
    )

    night_id: int = Field(foreign_key="night.id", primary_key=True)
    position: int = Field(primary_key=True)
    league_id: int = Field(foreign_key="league.id")
    place: int | None = None
    """Place in the rating fold of the league, over all nights; None for a parked or abandoned match."""
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
    """A version in a seat of a match. The unique key is also the index of a version's matches."""

    __table_args__ = (
        _of_match(),
        UniqueConstraint("version_id", "night_id", "position"),
        Index(
            "seat_forfeit",
            "night_id",
            "position",
            sqlite_where=text("cause IS NOT NULL"),
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
    """The stderr of a bot in one match, if it wrote anything."""

    __tablename__ = "seat_output"
    __table_args__ = (
        ForeignKeyConstraint(["night_id", "position", "seat"], ["seat.night_id", "seat.position", "seat.seat"]),
    )

    night_id: int = Field(primary_key=True)
    position: int = Field(primary_key=True)
    seat: int = Field(primary_key=True)
    stderr: bytes = Field(sa_type=LargeBinary)


class Replay(SQLModel, table=True):
    """The compressed replay of a match, in its own table, so that reading matches does not read replays."""

    __table_args__ = (_of_match(),)

    night_id: int = Field(primary_key=True)
    position: int = Field(primary_key=True)
    data: bytes = Field(sa_type=LargeBinary)


class Attempt(SQLModel, table=True):
    """A void attempt at a match: it failed because of the arena or its host."""

    __table_args__ = (_of_match(),)

    night_id: int = Field(primary_key=True)
    position: int = Field(primary_key=True)
    number: int = Field(primary_key=True)
    cause: str
    traceback: str
    at: str


class Unkillable(SQLModel, table=True):
    """A bot with a process that survived SIGKILL, and the match after which that was found."""

    __table_args__ = (_of_match(),)

    night_id: int = Field(primary_key=True)
    position: int = Field(primary_key=True)
    version_id: int = Field(foreign_key="version.id", primary_key=True)
    works: bool
    """Whether the kernel worked for the process. If not, the process waited."""


class Action(SQLModel, table=True):
    """What somebody did with a bot, by its name at that time. Rows are only added."""

    id: int | None = Field(default=None, primary_key=True)
    done_at: str
    actor: str
    """User of the host."""
    kind: str
    bot: str = Field(index=True)
    detail: str


class FormerName(SQLModel, table=True):
    """A name that a bot had before it was renamed. No other bot may take it."""

    __tablename__ = "former_name"

    name: str = Field(primary_key=True)
    bot_id: int = Field(foreign_key="bot.id")


class RatingRow(SQLModel, table=True):
    """The rating of a version in a league, after its last rated match."""

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
    """Counts of a version in a night for one number of seats, updated in the transaction that stores the results."""

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
    """Number of forfeits of a version in a night for one number of seats, by cause."""

    __tablename__ = "forfeit_tally"
    __table_args__ = (CLUSTERED,)

    night_id: int = Field(foreign_key="night.id", primary_key=True)
    seats: int = Field(primary_key=True)
    version_id: int = Field(foreign_key="version.id", primary_key=True)
    cause: str = Field(primary_key=True)
    forfeits: int
