"""Store each version's rating after each night, and find forfeits without reading all matches."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the history with its only known values: each version's current rating, after its last match."""
    op.create_table(
        "rating_history",
        sa.Column("night_id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("mu", sa.Float(), nullable=False),
        sa.Column("sigma", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["night_id"], ["night.id"]),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"]),
        sa.PrimaryKeyConstraint("version_id", "night_id"),
    )
    op.execute(
        "INSERT INTO rating_history (night_id, version_id, mu, sigma)"
        " SELECT night.id, rating.version_id, rating.mu, rating.sigma FROM rating"
        " JOIN night ON night.league_id = rating.league_id AND night.number = rating.through_night"
    )
    op.create_index(
        "seat_forfeit",
        "seat",
        ["night_id", "position"],
        sqlite_where=sa.text("cause IS NOT NULL"),
        postgresql_where=sa.text("cause IS NOT NULL"),
    )
