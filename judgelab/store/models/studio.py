"""Material prepared by hand or with a model: panels, worked examples, reasoning steps, review pools."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, Text, UniqueConstraint

from judgelab.store.models.base import Base, Mapped, mapped_column, now


class PanelRoleRow(Base):
    """A role of a named panel: static for all items (no item), or made for one.

    `kind` is `static`, or the prompt that made the role: `coarse` or `fine`; an item's roles include
    copies of the static ones that were clustered with them. `kept` holds the panel sizes for which clustering
    keeps it, like "dynamic:4" (clusters of the item's own roles) or "all:4" (with the static ones).
    `by` is the encoder used for clustering, `origin` the model that made the role or "person".
    """

    __tablename__ = "panel_role"
    __table_args__ = (
        Index("ix_panel_role_project_id_item_id", "project_id", "item_id"),
        Index("ix_panel_role_item_id", "item_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    item_id: Mapped[int | None] = mapped_column(ForeignKey("item.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(default="roles")
    position: Mapped[int]
    kind: Mapped[str]
    type: Mapped[str]
    description: Mapped[str] = mapped_column(Text, default="")
    origin: Mapped[str] = mapped_column(default="")
    kept: Mapped[list[Any]] = mapped_column(default=list)
    by: Mapped[str] = mapped_column(default="")
    edited_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(default=now)


class WorkedExample(Base):
    """A rated example with worked reasoning, in a named and versioned set.

    Every save or removal creates the next version of its set; a set's version contains, for each `key`, the
    last row up to it, unless that row is `removed`. `draft` is what a model wrote before a person edited it,
    `origin` that model's name or "person".
    """

    __tablename__ = "worked_example"
    __table_args__ = (
        UniqueConstraint("project_id", "name", "version"),
        Index("ix_worked_example_response_id", "response_id"),
        Index("ix_worked_example_person_id", "person_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    name: Mapped[str]
    version: Mapped[int]
    key: Mapped[str]
    criterion: Mapped[str]
    response_id: Mapped[int | None] = mapped_column(ForeignKey("response.id", ondelete="SET NULL"))
    question: Mapped[str] = mapped_column(Text, default="")
    context: Mapped[str] = mapped_column(Text, default="")
    response: Mapped[str] = mapped_column(Text, default="")
    score: Mapped[float]
    reasoning: Mapped[str] = mapped_column(Text, default="")
    draft: Mapped[str] = mapped_column(Text, default="")
    origin: Mapped[str] = mapped_column(default="person")
    removed: Mapped[bool] = mapped_column(default=False)
    person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(default=now)


class EvaluationSteps(Base):
    """One version of a project's reasoning steps; `draft` is what a model wrote first."""

    __tablename__ = "evaluation_steps"
    __table_args__ = (
        UniqueConstraint("project_id", "version"),
        Index("ix_evaluation_steps_person_id", "person_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    version: Mapped[int]
    text: Mapped[str] = mapped_column(Text)
    draft: Mapped[str] = mapped_column(Text, default="")
    origin: Mapped[str] = mapped_column(default="person")
    person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(default=now)


class DocumentRow(Base):
    """A text of an item's review pool, from which its answer may be written."""

    __tablename__ = "document"
    __table_args__ = (UniqueConstraint("item_id", "position"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    item_id: Mapped[int] = mapped_column(ForeignKey("item.id", ondelete="CASCADE"))
    position: Mapped[int]
    text: Mapped[str] = mapped_column(Text)
