"""Learning in the background, and which project needs which vector."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Add what learning in the background keeps, and who needs the vectors of texts."""
    _jobs()
    _parts()
    _vectors()


def _jobs() -> None:
    for name, default in (("kind", "metrics"), ("doing", "")):
        column = sa.Column(name, sa.String(), nullable=False, server_default=default)
        op.add_column("scoring_job", column)


def _parts() -> None:
    op.create_table(
        "learned_part",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("criterion", sa.String(), nullable=False),
        sa.Column("learned_from", sa.String(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["job_id"],
            ["scoring_job.id"],
            name=op.f("fk_learned_part_job_id_scoring_job"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_learned_part")),
        sa.UniqueConstraint("job_id", "criterion", name=op.f("uq_learned_part_job_id_criterion")),
    )


def _vectors() -> None:
    # Which projects the vectors kept so far belong to was not noted; what is needed is made again.
    op.execute(sa.text("DELETE FROM embedding"))
    op.create_table(
        "embedding_use",
        sa.Column("embedding_id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["embedding_id"],
            ["embedding.id"],
            name=op.f("fk_embedding_use_embedding_id_embedding"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["project.id"],
            name=op.f("fk_embedding_use_project_id_project"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("embedding_id", "project_id", name=op.f("pk_embedding_use")),
    )
    op.create_index("ix_embedding_use_project_id", "embedding_use", ["project_id"])
