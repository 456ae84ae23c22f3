"""The language a person chose; how long a crowd worker may take, and that one id has one place; known orders."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add what a reader's language and open study links need."""
    op.add_column("person", sa.Column("language", sa.String(), nullable=True))
    op.add_column("membership", sa.Column("due_at", sa.DateTime(), nullable=True))
    op.add_column("membership", sa.Column("left_at", sa.DateTime(), nullable=True))
    op.add_column("gold_score", sa.Column("places", sa.JSON(), nullable=False, server_default="{}"))
    op.drop_index("ix_membership_study_link_id", "membership")
    op.create_index(
        "ix_membership_study_link_id_external_id",
        "membership",
        ["study_link_id", "external_id"],
        unique=True,
    )
