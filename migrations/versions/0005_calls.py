"""Units of several calls, and items judged as a whole."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add what protocols of several calls need."""
    op.add_column("judgment", _json("members", "[]"))
    op.add_column("completion", sa.Column("call_key", sa.String(), nullable=False, server_default=""))
    op.add_column("completion", _json("call_data", "{}"))
    op.add_column("judge", sa.Column("own_scale", sa.Boolean(), nullable=False, server_default=sa.false()))
    with op.batch_alter_table("verdict") as table:
        table.drop_constraint("uq_verdict_judgment_id_criterion_id", type_="unique")
        table.create_unique_constraint(
            "uq_verdict_judgment_id_response_id_criterion_id", ["judgment_id", "response_id", "criterion_id"]
        )


def _json(name: str, default: str) -> sa.Column:
    return sa.Column(name, sa.JSON(), nullable=False, server_default=default)
