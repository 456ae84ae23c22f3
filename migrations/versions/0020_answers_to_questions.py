"""Raters' answers to the questions that a project asks beside its criteria."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """Add the column."""
    op.add_column(
        "assignment", sa.Column("question_answers", sa.JSON(), nullable=False, server_default=sa.text("'{}'"))
    )
