"""The tables that the queries use. `make tables` writes this file from `arena.store.models`."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    text,
)

metadata = MetaData()

action = Table(
    "action",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("done_at", String, nullable=False),
    Column("actor", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("bot", String, nullable=False),
    Column("detail", String, nullable=False),
    Index("ix_action_bot", "bot"),
)

bot = Table(
    "bot",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False),
    Column("author", String, nullable=False),
    Column("created_at", String, nullable=False),
    CheckConstraint("name = lower(name)"),
    UniqueConstraint("name"),
)

league = Table(
    "league",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False),
    Column("game", String, nullable=False),
    Column("options", String, nullable=False),
    Column("rating", String, nullable=False),
    Column("rated_place", Integer, nullable=False, default=-1),
    Column("created_at", String, nullable=False),
    UniqueConstraint("name"),
)

former_name = Table(
    "former_name",
    metadata,
    Column("name", String, primary_key=True),
    Column("bot_id", Integer, ForeignKey("bot.id"), nullable=False),
)

night = Table(
    "night",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("league_id", Integer, ForeignKey("league.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("state", String, nullable=False),
    Column("seed", String, nullable=False),
    Column("rules", String, nullable=False),
    Column("plan", String, nullable=False),
    Column("sandbox", String, nullable=False),
    Column("started_at", String, nullable=False),
    Column("ended_at", String),
    UniqueConstraint("league_id", "number"),
    Index("night_open", "league_id", unique=True, sqlite_where=text("state = 'open'")),
)

version = Table(
    "version",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("bot_id", Integer, ForeignKey("bot.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("digest", String, nullable=False),
    Column("build_digest", String, nullable=False),
    Column("command", String, nullable=False),
    Column("submitted_at", String, nullable=False),
    UniqueConstraint("bot_id", "digest"),
    UniqueConstraint("bot_id", "number"),
    Index("ix_version_digest", "digest"),
)

entrant = Table(
    "entrant",
    metadata,
    Column("night_id", Integer, ForeignKey("night.id"), primary_key=True),
    Column("version_id", Integer, ForeignKey("version.id"), primary_key=True),
    Column("place", Integer, nullable=False),
    Column("state", String, nullable=False),
    Column("since_round", Integer, nullable=False),
    Column("until_round", Integer),
    Column("reason", String, nullable=False, default=""),
)

entry = Table(
    "entry",
    metadata,
    Column("league_id", Integer, ForeignKey("league.id"), primary_key=True),
    Column("bot_id", Integer, ForeignKey("bot.id"), primary_key=True),
    Column("version_id", Integer, ForeignKey("version.id"), nullable=False),
    Column("entered_at", String, nullable=False),
    Column("withdrawn_at", String),
)

forfeit_tally = Table(
    "forfeit_tally",
    metadata,
    Column("night_id", Integer, ForeignKey("night.id"), primary_key=True),
    Column("seats", Integer, primary_key=True),
    Column("version_id", Integer, ForeignKey("version.id"), primary_key=True),
    Column("cause", String, primary_key=True),
    Column("forfeits", Integer, nullable=False),
    sqlite_with_rowid=False,
)

match = Table(
    "match",
    metadata,
    Column("night_id", Integer, ForeignKey("night.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("league_id", Integer, ForeignKey("league.id"), nullable=False),
    Column("place", Integer),
    Column("round", Integer, nullable=False),
    Column("encounter", Integer, nullable=False),
    Column("rotation", Integer, nullable=False),
    Column("seats", Integer, nullable=False),
    Column("state", String, nullable=False),
    Column("reason", String),
    Column("turns", Integer),
    Column("finished_at", String),
    UniqueConstraint("league_id", "place"),
    Index("match_waiting", "night_id", "position", sqlite_where=text("state IN ('planned', 'parked')")),
    sqlite_with_rowid=False,
)

rating = Table(
    "rating",
    metadata,
    Column("league_id", Integer, ForeignKey("league.id"), primary_key=True),
    Column("version_id", Integer, ForeignKey("version.id"), primary_key=True),
    Column("mu", Float, nullable=False),
    Column("sigma", Float, nullable=False),
    Column("through_night", Integer, nullable=False),
    Column("through_position", Integer, nullable=False),
)

rating_history = Table(
    "rating_history",
    metadata,
    Column("version_id", Integer, ForeignKey("version.id"), primary_key=True),
    Column("night_id", Integer, ForeignKey("night.id"), primary_key=True),
    Column("mu", Float, nullable=False),
    Column("sigma", Float, nullable=False),
)

tally = Table(
    "tally",
    metadata,
    Column("night_id", Integer, ForeignKey("night.id"), primary_key=True),
    Column("seats", Integer, primary_key=True),
    Column("version_id", Integer, ForeignKey("version.id"), primary_key=True),
    Column("matches", Integer, nullable=False),
    Column("no_contests", Integer, nullable=False),
    Column("rank_sum", BigInteger, nullable=False),
    Column("opponents", BigInteger, nullable=False),
    Column("points", BigInteger, nullable=False),
    Column("wins", Integer, nullable=False),
    Column("draws", Integer, nullable=False),
    Column("losses", Integer, nullable=False),
    Column("turns", BigInteger, nullable=False),
    Column("time_us", BigInteger, nullable=False),
    Column("time_max_us", BigInteger, nullable=False),
    Column("strikes", Integer, nullable=False),
    sqlite_with_rowid=False,
)

attempt = Table(
    "attempt",
    metadata,
    Column("night_id", Integer, primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("cause", String, nullable=False),
    Column("traceback", String, nullable=False),
    Column("at", String, nullable=False),
    ForeignKeyConstraint(["night_id", "position"], ["match.night_id", "match.position"]),
)

replay = Table(
    "replay",
    metadata,
    Column("night_id", Integer, primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("data", LargeBinary, nullable=False),
    ForeignKeyConstraint(["night_id", "position"], ["match.night_id", "match.position"]),
)

seat = Table(
    "seat",
    metadata,
    Column("night_id", Integer, primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("version_id", Integer, ForeignKey("version.id"), nullable=False),
    Column("rank", Integer),
    Column("score", Float),
    Column("cause", String),
    Column("detail", String, nullable=False, default=""),
    Column("fault_turn", Integer),
    Column("turns", Integer, nullable=False, default=0),
    Column("time_us", BigInteger, nullable=False, default=0),
    Column("time_max_us", BigInteger, nullable=False, default=0),
    Column("strikes", Integer, nullable=False, default=0),
    CheckConstraint("seat >= 0"),
    ForeignKeyConstraint(["night_id", "position"], ["match.night_id", "match.position"]),
    UniqueConstraint("version_id", "night_id", "position"),
    Index("seat_forfeit", "night_id", "position", sqlite_where=text("cause IS NOT NULL")),
    sqlite_with_rowid=False,
)

unkillable = Table(
    "unkillable",
    metadata,
    Column("night_id", Integer, primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("version_id", Integer, ForeignKey("version.id"), primary_key=True),
    Column("works", Boolean, nullable=False),
    ForeignKeyConstraint(["night_id", "position"], ["match.night_id", "match.position"]),
)

seat_output = Table(
    "seat_output",
    metadata,
    Column("night_id", Integer, primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("stderr", LargeBinary, nullable=False),
    ForeignKeyConstraint(["night_id", "position", "seat"], ["seat.night_id", "seat.position", "seat.seat"]),
)
