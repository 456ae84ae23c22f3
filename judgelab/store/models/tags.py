"""Tags that say why a judge and people disagree about a response."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, Text, UniqueConstraint

from judgelab.store.models.base import Base, Mapped, mapped_column, now


class Tag(Base):
    """One failure mode of a disagreement.

    `judge` is the name of the judge or metric that disagrees with people. The tag was set by a person
    (`person_id`) or proposed by a model (`proposer`). `state`: `accepted`, `proposed` (by a
    model; does not count until a person accepts it) or `dismissed` (kept so that it is not proposed again).
    """

    __tablename__ = "tag"
    __table_args__ = (
        UniqueConstraint("response_id", "judge", "kind"),
        Index("ix_tag_project_id", "project_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    response_id: Mapped[int] = mapped_column(ForeignKey("response.id", ondelete="CASCADE"))
    judge: Mapped[str]
    kind: Mapped[str]
    person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id", ondelete="SET NULL"))
    proposer: Mapped[str] = mapped_column(default="")
    state: Mapped[str] = mapped_column(default="accepted")
    note: Mapped[str] = mapped_column(Text, default="")
    created_at: Mapped[datetime] = mapped_column(default=now)
