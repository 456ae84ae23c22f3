"""Bonuses of crowd workers, as text with two decimals."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    """Add the columns; nobody had a bonus."""
    op.add_column("membership", sa.Column("bonus", sa.String(), nullable=True))
    op.add_column("membership", sa.Column("bonus_reason", sa.String(), nullable=True))
