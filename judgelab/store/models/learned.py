"""What the learned judge keeps beside its verdicts."""

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
