"""Ablation grids, and links to shared results."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, UniqueConstraint

from judgelab.store.models.base import Base, Mapped, mapped_column, now


class GridRow(Base):
    """An ablation grid: one protocol with some of its settings varied, planned and read as one table.

    `axes` is a list of [setting, values]; a setting is an option of the protocol, "samples", or a sampling
    parameter as "parameters.NAME". `shape`: `product` (every combination) or `one_at_a_time` (the base, and
    the base with one setting changed). `options` and `parameters` hold the fixed settings.
    """

    __tablename__ = "grid"
    __table_args__ = (UniqueConstraint("project_id", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    name: Mapped[str]
    protocol: Mapped[str]
    shape: Mapped[str] = mapped_column(default="product")
    axes: Mapped[list[Any]] = mapped_column(default=list)
    options: Mapped[dict[str, Any]] = mapped_column(default=dict)
    parameters: Mapped[dict[str, Any]] = mapped_column(default=dict)
    samples: Mapped[int | None]
    aggregation: Mapped[str] = mapped_column(default="")
    backend: Mapped[str] = mapped_column(default="")
    endpoint_id: Mapped[int | None] = mapped_column(ForeignKey("endpoint.id", ondelete="SET NULL"))
    model: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime] = mapped_column(default=now)


class ShareLink(Base):
    """A link through which anybody reads a project's results, without texts and names, stored as a hash."""

    __tablename__ = "share_link"
    __table_args__ = (UniqueConstraint("token_hash"), Index("ix_share_link_project_id", "project_id"))

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    token_hash: Mapped[str]
    note: Mapped[str] = mapped_column(default="")
    created_by: Mapped[int | None] = mapped_column(ForeignKey("person.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]
