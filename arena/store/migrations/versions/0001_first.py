"""The first schema."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create every table in an empty database."""
    op.create_table(
        "bot",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.CheckConstraint("name = lower(name)"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
    )
    op.create_table(
        "league",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("options", sa.String(), nullable=False),
        sa.Column("rating", sa.String(), nullable=False),
        sa.Column("rated_place", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
    )
    op.create_table(
        "night",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("league_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("seed", sa.String(), nullable=False),
        sa.Column("rules", sa.String(), nullable=False),
        sa.Column("plan", sa.String(), nullable=False),
        sa.Column("sandbox", sa.String(), nullable=False),
        sa.Column("started_at", sa.String(), nullable=False),
        sa.Column("ended_at", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(
            ["league_id"],
            ["league.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("league_id", "number"),
    )
    op.create_index(
        "night_open",
        "night",
        ["league_id"],
        unique=True,
        sqlite_where=sa.text("state = 'open'"),
        postgresql_where=sa.text("state = 'open'"),
    )
    op.create_table(
        "version",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("build_digest", sa.String(), nullable=False),
        sa.Column("command", sa.String(), nullable=False),
        sa.Column("submitted_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["bot_id"],
            ["bot.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("bot_id", "digest"),
        sa.UniqueConstraint("bot_id", "number"),
    )
    op.create_index(op.f("ix_version_digest"), "version", ["digest"], unique=False)
    op.create_table(
        "entrant",
        sa.Column("night_id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("since_round", sa.Integer(), nullable=False),
        sa.Column("until_round", sa.Integer(), nullable=True),
        sa.Column("reason", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["night_id"],
            ["night.id"],
        ),
        sa.ForeignKeyConstraint(
            ["version_id"],
            ["version.id"],
        ),
        sa.PrimaryKeyConstraint("night_id", "version_id"),
    )
    op.create_table(
        "entry",
        sa.Column("league_id", sa.Integer(), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("entered_at", sa.String(), nullable=False),
        sa.Column("withdrawn_at", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(
            ["bot_id"],
            ["bot.id"],
        ),
        sa.ForeignKeyConstraint(
            ["league_id"],
            ["league.id"],
        ),
        sa.ForeignKeyConstraint(
            ["version_id"],
            ["version.id"],
        ),
        sa.PrimaryKeyConstraint("league_id", "bot_id"),
    )
    op.create_table(
        "forfeit_tally",
        sa.Column("night_id", sa.Integer(), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("cause", sa.String(), nullable=False),
        sa.Column("forfeits", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["night_id"],
            ["night.id"],
        ),
        sa.ForeignKeyConstraint(
            ["version_id"],
            ["version.id"],
        ),
        sa.PrimaryKeyConstraint("night_id", "seats", "version_id", "cause"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "match",
        sa.Column("night_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("league_id", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=True),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("encounter", sa.Integer(), nullable=False),
        sa.Column("rotation", sa.Integer(), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("turns", sa.Integer(), nullable=True),
        sa.Column("finished_at", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(
            ["league_id"],
            ["league.id"],
        ),
        sa.ForeignKeyConstraint(
            ["night_id"],
            ["night.id"],
        ),
        sa.PrimaryKeyConstraint("night_id", "position"),
        sa.UniqueConstraint("league_id", "place"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "match_waiting",
        "match",
        ["night_id", "position"],
        unique=False,
        sqlite_where=sa.text("state IN ('planned', 'parked')"),
        postgresql_where=sa.text("state IN ('planned', 'parked')"),
    )
    op.create_table(
        "rating",
        sa.Column("league_id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("mu", sa.Float(), nullable=False),
        sa.Column("sigma", sa.Float(), nullable=False),
        sa.Column("through_night", sa.Integer(), nullable=False),
        sa.Column("through_position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["league_id"],
            ["league.id"],
        ),
        sa.ForeignKeyConstraint(
            ["version_id"],
            ["version.id"],
        ),
        sa.PrimaryKeyConstraint("league_id", "version_id"),
    )
    op.create_table(
        "tally",
        sa.Column("night_id", sa.Integer(), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.Column("no_contests", sa.Integer(), nullable=False),
        sa.Column("rank_sum", sa.BigInteger(), nullable=False),
        sa.Column("opponents", sa.BigInteger(), nullable=False),
        sa.Column("points", sa.BigInteger(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("draws", sa.Integer(), nullable=False),
        sa.Column("losses", sa.Integer(), nullable=False),
        sa.Column("turns", sa.BigInteger(), nullable=False),
        sa.Column("time_us", sa.BigInteger(), nullable=False),
        sa.Column("time_max_us", sa.BigInteger(), nullable=False),
        sa.Column("strikes", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["night_id"],
            ["night.id"],
        ),
        sa.ForeignKeyConstraint(
            ["version_id"],
            ["version.id"],
        ),
        sa.PrimaryKeyConstraint("night_id", "seats", "version_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "attempt",
        sa.Column("night_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("cause", sa.String(), nullable=False),
        sa.Column("traceback", sa.String(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["night_id", "position"],
            ["match.night_id", "match.position"],
        ),
        sa.PrimaryKeyConstraint("night_id", "position", "number"),
    )
    op.create_table(
        "replay",
        sa.Column("night_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["night_id", "position"],
            ["match.night_id", "match.position"],
        ),
        sa.PrimaryKeyConstraint("night_id", "position"),
    )
    op.create_table(
        "seat",
        sa.Column("night_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=True),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("cause", sa.String(), nullable=True),
        sa.Column("detail", sa.String(), nullable=False),
        sa.Column("fault_turn", sa.Integer(), nullable=True),
        sa.Column("turns", sa.Integer(), nullable=False),
        sa.Column("time_us", sa.BigInteger(), nullable=False),
        sa.Column("time_max_us", sa.BigInteger(), nullable=False),
        sa.Column("strikes", sa.Integer(), nullable=False),
        sa.CheckConstraint("seat >= 0"),
        sa.ForeignKeyConstraint(
            ["night_id", "position"],
            ["match.night_id", "match.position"],
        ),
        sa.ForeignKeyConstraint(
            ["version_id"],
            ["version.id"],
        ),
        sa.PrimaryKeyConstraint("night_id", "position", "seat"),
        sa.UniqueConstraint("version_id", "night_id", "position"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "seat_output",
        sa.Column("night_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("stderr", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["night_id", "position", "seat"],
            ["seat.night_id", "seat.position", "seat.seat"],
        ),
        sa.PrimaryKeyConstraint("night_id", "position", "seat"),
    )
