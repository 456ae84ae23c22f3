"""What metrics keep beside their numbers: vectors of texts, and work that goes on in the background."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, LargeBinary, String, Text, UniqueConstraint

from judgelab.store.models.base import Base, Mapped, mapped_column, now


class EmbeddingRow(Base):
    """A text's vector as an encoder made it: float16 numbers, little-endian; the text itself is not here."""

    __tablename__ = "embedding"
    __table_args__ = (UniqueConstraint("text_hash", "model"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    text_hash: Mapped[str] = mapped_column(String(64))
    model: Mapped[str]
    vector: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(default=now)


class EmbeddingUse(Base):
    """A project that asked for a vector; a vector that no project uses any more is removed."""

    __tablename__ = "embedding_use"
    __table_args__ = (Index("ix_embedding_use_project_id", "project_id"),)

    embedding_id: Mapped[int] = mapped_column(
        ForeignKey("embedding.id", ondelete="CASCADE"), primary_key=True
    )
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"), primary_key=True)


class ScoringJob(Base):
    """Metrics, or a judge to be learned, that were asked for in the background.

    `kind` is `metrics` or `learn`. `wanted` is what the user asked for (`run`, `pause`, `cancel`), `state`
    what is so (`waiting`, `running`, `paused`, `cancelled`, `done`, `stopped`). `options` are those of each
    metric by its name, or of the learning. Of metrics `total` is how many numbers were missing at the
    beginning, `report` what each came to at the end; of learning `done` and `total` are hundredths, and
    `doing` is the criterion at work.
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
