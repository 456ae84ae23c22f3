"""What the learned judge keeps beside its verdicts, and while it is learned."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, UniqueConstraint

from judgelab.store.models.base import Base, Mapped, mapped_column, now


class LearnedModelRow(Base):
    """The learned judge of one criterion: the model as JSON, what it was learned from, and how good it is.

    `data_hash` names the texts, features and ratings: the same hash and seed give the same model.
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
    """What a job that learns has finished: one criterion, kept until all are stored as a judge together.

    `learned_from` names the texts, features, ratings and options: the part counts while they are the same.
    """

    __tablename__ = "learned_part"
    __table_args__ = (UniqueConstraint("job_id", "criterion"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    job_id: Mapped[int] = mapped_column(ForeignKey("scoring_job.id", ondelete="CASCADE"))
    criterion: Mapped[str]
    learned_from: Mapped[str]
    content: Mapped[dict[str, Any]]
