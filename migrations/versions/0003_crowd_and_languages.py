"""The language a person chose."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add what a reader's language needs."""
    op.add_column("person", sa.Column("language", sa.String(), nullable=True))
