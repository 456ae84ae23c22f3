"""What befell the workers that took a run up: without the key, or died over a portion."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Add the column; of mishaps before this, nothing is known."""
    op.add_column("run", sa.Column("mishaps", sa.JSON(), nullable=False, server_default="{}"))
