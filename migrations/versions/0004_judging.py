"""What hardened judging keeps: failed calls, cached replies, hand-entered scores, keys in a keyring, batches."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the tables and columns of judging."""
    _failed_calls()
    _cache()
    _columns("endpoint", _text("key_header", "Authorization"), _json("headers"), _json("query"))
    op.add_column("endpoint", sa.Column("keyring_name", sa.String(), nullable=True))
    _columns("run", _text("mode", "live"), _json("remote"), _text("code_version"), _flag("cache", sa.true()))
    _columns("completion", _json("usage"), _text("request_id"), _flag("cached", sa.false()), _text("code_version"))
    op.add_column("completion", sa.Column("top_logprobs", sa.JSON(), nullable=True))
    _columns("worker", _text("kind", "api"), _text("doing"), _json("uses"), _json("holds"))
    with op.batch_alter_table("verdict") as table:
        table.add_column(_json("detail"))
        table.add_column(_text("origin", "judge"))
        table.add_column(sa.Column("person_id", sa.Integer(), nullable=True))
        table.add_column(sa.Column("entered_at", sa.DateTime(), nullable=True))
        table.create_foreign_key(
            "fk_verdict_person_id_person", "person", ["person_id"], ["id"], ondelete="SET NULL"
        )


def _failed_calls() -> None:
    op.create_table(
        "failed_call",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("judgment_id", sa.Integer(), nullable=False),
        sa.Column("sample", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("cause", sa.String(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("request_id", sa.String(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("sent", sa.JSON(), nullable=False),
        sa.Column("latency", sa.Double(), nullable=True),
        sa.Column("waited", sa.Double(), nullable=False),
        sa.Column("prompt_tokens", sa.Integer(), nullable=True),
        sa.Column("completion_tokens", sa.Integer(), nullable=True),
        sa.Column("cost", sa.Double(), nullable=True),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["judgment_id"],
            ["judgment.id"],
            name=op.f("fk_failed_call_judgment_id_judgment"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_failed_call")),
    )
    op.create_index("ix_failed_call_judgment_id", "failed_call", ["judgment_id"])


def _cache() -> None:
    op.create_table(
        "completion_cache",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("endpoint_id", sa.Integer(), nullable=True),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("reply", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["endpoint_id"],
            ["endpoint.id"],
            name=op.f("fk_completion_cache_endpoint_id_endpoint"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_completion_cache")),
    )
    op.create_index("ix_completion_cache_endpoint_id", "completion_cache", ["endpoint_id"])


def _columns(table: str, *columns: sa.Column) -> None:
    for column in columns:
        op.add_column(table, column)


def _text(name: str, default: str = "") -> sa.Column:
    return sa.Column(name, sa.String(), nullable=False, server_default=default)


def _json(name: str) -> sa.Column:
    return sa.Column(name, sa.JSON(), nullable=False, server_default="{}")


def _flag(name: str, default: sa.ColumnElement[bool]) -> sa.Column:
    return sa.Column(name, sa.Boolean(), nullable=False, server_default=default)
