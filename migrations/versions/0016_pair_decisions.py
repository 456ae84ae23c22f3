"""Adjudicators' decisions about pairs of responses whose raters chose differently."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"

PARENTS = {
    "project_id": "project",
    "response_a": "response",
    "response_b": "response",
    "criterion_id": "criterion",
}


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "pair_decision",
        sa.Column("id", sa.Integer(), nullable=False),
        *(sa.Column(column, sa.Integer(), nullable=False) for column in PARENTS),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("choice", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("names_hidden", sa.Boolean(), nullable=False),
        sa.Column("decided_at", sa.DateTime(), nullable=False),
        *(
            sa.ForeignKeyConstraint(
                [column], [f"{table}.id"], name=op.f(f"fk_pair_decision_{column}_{table}"), ondelete="CASCADE"
            )
            for column, table in PARENTS.items()
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_pair_decision_person_id_person"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pair_decision")),
        sa.UniqueConstraint(
            "response_a",
            "response_b",
            "criterion_id",
            name=op.f("uq_pair_decision_response_a_response_b_criterion_id"),
        ),
    )
    op.create_index("ix_pair_decision_project_id", "pair_decision", ["project_id"])
