"""A project's own prompt templates."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Text, UniqueConstraint

from judgelab.store.models.base import Base, Mapped, mapped_column, now


class TemplateRow(Base):
    """One version of one part of a protocol's prompt; stored versions never change.

    `part` is the option that holds it ("instruction", "steps"), or the part's name ("output"). The version
    `in_force`, at most one per part, is the default of new judges of the protocol.
    """

    __tablename__ = "template"
    __table_args__ = (UniqueConstraint("project_id", "protocol", "part", "version"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    protocol: Mapped[str]
    part: Mapped[str]
    version: Mapped[int]
    text: Mapped[str] = mapped_column(Text)
    note: Mapped[str] = mapped_column(default="")
    in_force: Mapped[bool] = mapped_column(default=False)
    person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(default=now)
