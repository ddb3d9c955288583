"""Store the bots that could not be killed, and after which match."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the table. It is empty for earlier nights, in which such matches were void."""
    op.create_table(
        "unkillable",
        sa.Column("night_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("works", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["night_id", "position"], ["match.night_id", "match.position"]),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"]),
        sa.PrimaryKeyConstraint("night_id", "position", "version_id"),
    )
