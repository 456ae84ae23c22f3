"""Judges' choices between two responses that a file held."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"

PARENTS = {
    "run_id": "run",
    "item_id": "item",
    "response_a": "response",
    "response_b": "response",
    "criterion_id": "criterion",
}


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "judged_pair",
        sa.Column("id", sa.Integer(), nullable=False),
        *(sa.Column(column, sa.Integer(), nullable=False) for column in PARENTS),
        sa.Column("first", sa.String(), nullable=False),
        sa.Column("choice", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("rationale", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Double(), nullable=True),
        sa.Column("judged_at", sa.DateTime(), nullable=False),
        *(
            sa.ForeignKeyConstraint(
                [column], [f"{table}.id"], name=op.f(f"fk_judged_pair_{column}_{table}"), ondelete="CASCADE"
            )
            for column, table in PARENTS.items()
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judged_pair")),
        sa.UniqueConstraint(
            "run_id",
            "response_a",
            "response_b",
            "criterion_id",
            "first",
            name=op.f("uq_judged_pair_run_id_response_a_response_b_criterion_id_first"),
        ),
    )
    op.create_index("ix_judged_pair_item_id", "judged_pair", ["item_id"])
