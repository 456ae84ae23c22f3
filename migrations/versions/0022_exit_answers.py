"""Answers to the exit questionnaire of a recruitment link."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    """Add the column; nobody was asked before."""
    op.add_column("membership", sa.Column("exit_answers", sa.JSON(), nullable=True))
