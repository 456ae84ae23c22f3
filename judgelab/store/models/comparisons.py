"""Comparisons by people, those by judges that a file held, and adjudicators' decisions about pairs."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, Text, UniqueConstraint

from judgelab.store.models.base import Base, Mapped, mapped_column, now


class Preference(Base):
    """Which of two responses a person preferred; `response_a` is the one with the lower row id.

    `choice` is `a`, `b` or `tie`; `strength` > 1 a stronger preference; `first` the response on the left.
    """

    __tablename__ = "preference"
    __table_args__ = (
        UniqueConstraint("response_a", "response_b", "criterion_id", "person_id", "occasion"),
        Index("ix_preference_project_id_criterion_id", "project_id", "criterion_id"),
        Index("ix_preference_person_id", "person_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    item_id: Mapped[int] = mapped_column(ForeignKey("item.id", ondelete="CASCADE"))
    response_a: Mapped[int] = mapped_column(ForeignKey("response.id", ondelete="CASCADE"))
    response_b: Mapped[int] = mapped_column(ForeignKey("response.id", ondelete="CASCADE"))
    criterion_id: Mapped[int] = mapped_column(ForeignKey("criterion.id", ondelete="CASCADE"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id", ondelete="CASCADE"))
    occasion: Mapped[int] = mapped_column(default=0)
    choice: Mapped[str]
    strength: Mapped[int] = mapped_column(default=1)
    first: Mapped[str] = mapped_column(default="")
    comment: Mapped[str] = mapped_column(Text, default="")
    surplus: Mapped[bool] = mapped_column(default=False)
    blind: Mapped[bool] = mapped_column(default=True)
    origin: Mapped[str] = mapped_column(default="browser")
    seconds: Mapped[float | None]
    rated_at: Mapped[datetime] = mapped_column(default=now)


class Ranking(Base):
    """A person's ranking of the responses of an item: 1 is the best place; equal places are ties.

    `places` maps response row ids, written as text, to places; `form` is `ranking` or `best_worst`, where
    the best has place 1, the worst 3, all others 2.
    """

    __tablename__ = "ranking"
    __table_args__ = (
        UniqueConstraint("item_id", "criterion_id", "person_id", "occasion"),
        Index("ix_ranking_project_id_criterion_id", "project_id", "criterion_id"),
        Index("ix_ranking_person_id", "person_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    item_id: Mapped[int] = mapped_column(ForeignKey("item.id", ondelete="CASCADE"))
    criterion_id: Mapped[int] = mapped_column(ForeignKey("criterion.id", ondelete="CASCADE"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id", ondelete="CASCADE"))
    occasion: Mapped[int] = mapped_column(default=0)
    form: Mapped[str]
    places: Mapped[dict[str, Any]]
    shown: Mapped[list[Any]] = mapped_column(default=list)
    comment: Mapped[str] = mapped_column(Text, default="")
    surplus: Mapped[bool] = mapped_column(default=False)
    blind: Mapped[bool] = mapped_column(default=True)
    origin: Mapped[str] = mapped_column(default="browser")
    seconds: Mapped[float | None]
    rated_at: Mapped[datetime] = mapped_column(default=now)


class JudgedPair(Base):
    """Which of two responses a judge preferred, from a file; `response_a` is the one with the lower row id.

    `choice` is `a`, `b` or `tie`, or empty for the `reason`; `first` is the response shown first, `a` or `b`,
    empty if unknown. The same pair shown in both orders has two rows. Choices of runs are in their replies.
    """

    __tablename__ = "judged_pair"
    __table_args__ = (
        UniqueConstraint("run_id", "response_a", "response_b", "criterion_id", "first"),
        Index("ix_judged_pair_item_id", "item_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"))
    item_id: Mapped[int] = mapped_column(ForeignKey("item.id", ondelete="CASCADE"))
    response_a: Mapped[int] = mapped_column(ForeignKey("response.id", ondelete="CASCADE"))
    response_b: Mapped[int] = mapped_column(ForeignKey("response.id", ondelete="CASCADE"))
    criterion_id: Mapped[int] = mapped_column(ForeignKey("criterion.id", ondelete="CASCADE"))
    first: Mapped[str] = mapped_column(default="")
    choice: Mapped[str] = mapped_column(default="")
    reason: Mapped[str] = mapped_column(Text, default="")
    rationale: Mapped[str] = mapped_column(Text, default="")
    confidence: Mapped[float | None]
    judged_at: Mapped[datetime] = mapped_column(default=now)


class PairDecision(Base):
    """An adjudicator's decision about two responses; `response_a` is the one with the lower row id.

    `choice` is `a`, `b` or `tie`, or empty if the pair cannot be decided. The raters' choices stay unchanged.
    """

    __tablename__ = "pair_decision"
    __table_args__ = (
        UniqueConstraint("response_a", "response_b", "criterion_id"),
        Index("ix_pair_decision_project_id", "project_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    response_a: Mapped[int] = mapped_column(ForeignKey("response.id", ondelete="CASCADE"))
    response_b: Mapped[int] = mapped_column(ForeignKey("response.id", ondelete="CASCADE"))
    criterion_id: Mapped[int] = mapped_column(ForeignKey("criterion.id", ondelete="CASCADE"))
    person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id", ondelete="SET NULL"))
    choice: Mapped[str] = mapped_column(default="")
    reason: Mapped[str] = mapped_column(Text, default="")
    names_hidden: Mapped[bool] = mapped_column(default=True)
    decided_at: Mapped[datetime] = mapped_column(default=now)
