"""Messages between a rater and the study team about a unit."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"

PARENTS = {"project_id": "project", "unit_id": "unit", "person_id": "person"}


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "message",
        sa.Column("id", sa.Integer(), nullable=False),
        *(sa.Column(column, sa.Integer(), nullable=False) for column in PARENTS),
        sa.Column("uid", sa.String(), nullable=False),
        sa.Column("answer", sa.Boolean(), nullable=False),
        sa.Column("answered_by", sa.Integer(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("read_at", sa.DateTime(), nullable=True),
        *(
            sa.ForeignKeyConstraint(
                [column], [f"{table}.id"], name=op.f(f"fk_message_{column}_{table}"), ondelete="CASCADE"
            )
            for column, table in PARENTS.items()
        ),
        sa.ForeignKeyConstraint(
            ["answered_by"], ["person.id"], name=op.f("fk_message_answered_by_person"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_message")),
        sa.UniqueConstraint("unit_id", "uid", name=op.f("uq_message_unit_id_uid")),
    )
    op.create_index("ix_message_project_id_person_id", "message", ["project_id", "person_id"])
    op.create_index("ix_message_person_id", "message", ["person_id"])
