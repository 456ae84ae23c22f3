"""Marks of what is done on the work list of flags, skips, comments and failed checks."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"

PARENTS = {"project_id": "project", "unit_id": "unit", "person_id": "person"}


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "work_list_mark",
        sa.Column("id", sa.Integer(), nullable=False),
        *(sa.Column(column, sa.Integer(), nullable=False) for column in PARENTS),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("done_by", sa.Integer(), nullable=True),
        sa.Column("done_at", sa.DateTime(), nullable=False),
        *(
            sa.ForeignKeyConstraint(
                [column], [f"{table}.id"], name=op.f(f"fk_work_list_mark_{column}_{table}"), ondelete="CASCADE"
            )
            for column, table in PARENTS.items()
        ),
        sa.ForeignKeyConstraint(
            ["done_by"], ["person.id"], name=op.f("fk_work_list_mark_done_by_person"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_work_list_mark")),
        sa.UniqueConstraint(
            "unit_id", "person_id", "kind", name=op.f("uq_work_list_mark_unit_id_person_id_kind")
        ),
    )
    op.create_index("ix_work_list_mark_project_id", "work_list_mark", ["project_id"])
    op.create_index("ix_work_list_mark_person_id", "work_list_mark", ["person_id"])
