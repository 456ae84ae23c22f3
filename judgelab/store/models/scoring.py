"""Text embeddings, and background jobs that score or learn."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, LargeBinary, String, Text, UniqueConstraint

from judgelab.store.models.base import Base, Mapped, mapped_column, now


class EmbeddingRow(Base):
    """An encoder's vector of a text, as little-endian float16; the text itself is not stored here."""

    __tablename__ = "embedding"
    __table_args__ = (UniqueConstraint("text_hash", "model"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    text_hash: Mapped[str] = mapped_column(String(64))
    model: Mapped[str]
    vector: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(default=now)


class EmbeddingUse(Base):
    """A project that uses a vector; a vector that no project uses any more is removed."""

    __tablename__ = "embedding_use"
    __table_args__ = (Index("ix_embedding_use_project_id", "project_id"),)

    embedding_id: Mapped[int] = mapped_column(
        ForeignKey("embedding.id", ondelete="CASCADE"), primary_key=True
    )
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"), primary_key=True)


class ScoringJob(Base):
    """A background job that computes metrics or learns a judge.

    `kind` is `metrics` or `learn`. `wanted` is the desired state (`run`, `pause`, `cancel`), `state`
    the actual one (`waiting`, `running`, `paused`, `cancelled`, `done`, `stopped`). `options` are those of
    each metric by its name, or of the learning. For metrics, `total` is how many scores were missing at the
    start, and `report` each metric's result; for learning, `done` and `total` are hundredths, and
    `doing` is the criterion being learned.
    """

    __tablename__ = "scoring_job"
    __table_args__ = (Index("ix_scoring_job_project_id_state", "project_id", "state"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    kind: Mapped[str] = mapped_column(default="metrics")
    metrics: Mapped[list[Any]] = mapped_column(default=list)
    options: Mapped[dict[str, Any]] = mapped_column(default=dict)
    state: Mapped[str] = mapped_column(default="waiting")
    wanted: Mapped[str] = mapped_column(default="run")
    attempt: Mapped[int] = mapped_column(default=1)
    reason: Mapped[str] = mapped_column(Text, default="")
    doing: Mapped[str] = mapped_column(default="")
    done: Mapped[int] = mapped_column(default=0)
    total: Mapped[int] = mapped_column(default=0)
    report: Mapped[list[Any]] = mapped_column(default=list)
    created_at: Mapped[datetime] = mapped_column(default=now)
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
