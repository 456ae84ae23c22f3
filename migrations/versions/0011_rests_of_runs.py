"""How long a run has rested between its start and its end, and since when it goes on."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Add the seconds and the moment; of pauses before this, nothing is known."""
    op.add_column("run", sa.Column("resumed_at", sa.DateTime(), nullable=True))
    op.add_column("run", sa.Column("rested", sa.Double(), nullable=False, server_default="0"))
