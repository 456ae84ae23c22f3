"""When a unit was first given to a person: no time before that is theirs for its answer."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Add the column; of units given before this, nothing is known."""
    op.add_column("assignment", sa.Column("given_at", sa.DateTime(), nullable=True))
