"""Options of metrics, embeddings kept, the learned judge."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add what metrics and the learned judge keep."""
    _embeddings()
    _scoring()
    _learned()


def _embeddings() -> None:
    op.create_table(
        "embedding",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("text_hash", sa.String(64), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_embedding")),
        sa.UniqueConstraint("text_hash", "model", name=op.f("uq_embedding_text_hash_model")),
    )


def _scoring() -> None:
    op.create_table(
        "scoring_job",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("metrics", sa.JSON(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("wanted", sa.String(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("report", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("started_at", sa.DateTime(), nullable=True),
        sa.Column("finished_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_scoring_job_project_id_project"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_scoring_job")),
    )
    op.create_index("ix_scoring_job_project_id_state", "scoring_job", ["project_id", "state"])


def _learned() -> None:
    op.create_table(
        "learned_model",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("judge_id", sa.Integer(), nullable=False),
        sa.Column("criterion_id", sa.Integer(), nullable=False),
        sa.Column("data_hash", sa.String(), nullable=False),
        sa.Column("model", sa.JSON(), nullable=False),
        sa.Column("report", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["judge_id"], ["judge.id"], name=op.f("fk_learned_model_judge_id_judge"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["criterion_id"],
            ["criterion.id"],
            name=op.f("fk_learned_model_criterion_id_criterion"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_learned_model")),
        sa.UniqueConstraint("judge_id", "criterion_id", name=op.f("uq_learned_model_judge_id_criterion_id")),
    )
    with op.batch_alter_table("unit") as table:
        table.add_column(sa.Column("turn", sa.Integer(), nullable=True))
    with op.batch_alter_table("assignment") as table:
        table.add_column(sa.Column("turn", sa.Integer(), nullable=True))
