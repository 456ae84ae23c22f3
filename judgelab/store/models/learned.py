"""Models of learned judges, and the finished parts of learning jobs."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, UniqueConstraint

from judgelab.store.models.base import Base, Mapped, mapped_column, now


class LearnedModelRow(Base):
    """A learned judge's model of one criterion, as JSON, with its report.

    `data_hash` identifies texts, features and ratings: the same hash and seed give the same model.
    """

    __tablename__ = "learned_model"
    __table_args__ = (UniqueConstraint("judge_id", "criterion_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    judge_id: Mapped[int] = mapped_column(ForeignKey("judge.id", ondelete="CASCADE"))
    criterion_id: Mapped[int] = mapped_column(ForeignKey("criterion.id", ondelete="CASCADE"))
    data_hash: Mapped[str]
    model: Mapped[dict[str, Any]]
    report: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(default=now)


class LearnedPart(Base):
    """One finished criterion of a learning job, kept until all are stored together as a judge.

    `learned_from` identifies texts, features, ratings and options: the part is valid while they are the same.
    """

    __tablename__ = "learned_part"
    __table_args__ = (UniqueConstraint("job_id", "criterion"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    job_id: Mapped[int] = mapped_column(ForeignKey("scoring_job.id", ondelete="CASCADE"))
    criterion: Mapped[str]
    learned_from: Mapped[str]
    content: Mapped[dict[str, Any]]
