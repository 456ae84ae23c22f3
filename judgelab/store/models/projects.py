"""Projects and their content: criteria, items, references, responses."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, Text, UniqueConstraint

from judgelab.store.models.base import Base, Mapped, mapped_column, now


class Project(Base):
    """One study: its items, criteria, raters and judges.

    `settings`: raters_per_response, lease_minutes, show_references, show_context, demo.
    """

    __tablename__ = "project"
    __table_args__ = (UniqueConstraint("slug"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    slug: Mapped[str]
    name: Mapped[str]
    task: Mapped[str]
    study: Mapped[str]
    settings: Mapped[dict[str, Any]] = mapped_column(default=dict)
    blind: Mapped[bool] = mapped_column(default=True)
    guidelines: Mapped[str] = mapped_column(Text, default="")
    guidelines_version: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[datetime] = mapped_column(default=now)


class CriterionRow(Base):
    """A criterion of a project; `scale` is what `scale_from_json` reads."""

    __tablename__ = "criterion"
    __table_args__ = (UniqueConstraint("project_id", "key"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    key: Mapped[str]
    label: Mapped[str]
    question: Mapped[str] = mapped_column(Text, default="")
    scale: Mapped[dict[str, Any]]
    higher_is_better: Mapped[bool] = mapped_column(default=True)
    position: Mapped[int] = mapped_column(default=0)


class ItemRow(Base):
    """A question, or a document to summarise; `group` is a category or batch.

    `purpose`: `data`, or excluded from analysis: `attention` (a check), `training` (with feedback).
    `cohort` reserves the item for raters of that cohort, or for one rater as `person:NAME`.
    """

    __tablename__ = "item"
    __table_args__ = (
        UniqueConstraint("project_id", "external_id"),
        # Covers what the search for the next unit reads of an item, so that it never reads the texts.
        Index("ix_item_project_id_purpose_cohort_group", "project_id", "purpose", "cohort", "group"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    external_id: Mapped[str]
    question: Mapped[str] = mapped_column(Text, default="")
    context: Mapped[str] = mapped_column(Text, default="")
    group: Mapped[str] = mapped_column(default="")
    purpose: Mapped[str] = mapped_column(default="data")
    cohort: Mapped[str] = mapped_column(default="")
    meta: Mapped[dict[str, Any]] = mapped_column(default=dict)


class ReferenceRow(Base):
    """A reference answer of an item, in the order of its file."""

    __tablename__ = "reference"
    __table_args__ = (UniqueConstraint("item_id", "position"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    item_id: Mapped[int] = mapped_column(ForeignKey("item.id", ondelete="CASCADE"))
    position: Mapped[int]
    grade: Mapped[float | None]
    text: Mapped[str] = mapped_column(Text)
    origin: Mapped[str] = mapped_column(default="human")


class ResponseRow(Base):
    """One system's answer to an item; `system` may be empty (retrieved passages)."""

    __tablename__ = "response"
    __table_args__ = (
        UniqueConstraint("item_id", "external_id"),
        Index("ix_response_project_id_system", "project_id", "system"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    item_id: Mapped[int] = mapped_column(ForeignKey("item.id", ondelete="CASCADE"))
    external_id: Mapped[str]
    system: Mapped[str] = mapped_column(default="")
    text: Mapped[str] = mapped_column(Text, default="")
    meta: Mapped[dict[str, Any]] = mapped_column(default=dict)


class ImportRow(Base):
    """One imported file: its source, the counts of its content, and how its columns were mapped."""

    __tablename__ = "import"
    __table_args__ = (Index("ix_import_project_id", "project_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    source: Mapped[str]
    sha256: Mapped[str]
    counts: Mapped[dict[str, Any]]
    columns: Mapped[dict[str, Any]] = mapped_column(default=dict)
    imported_at: Mapped[datetime] = mapped_column(default=now)
