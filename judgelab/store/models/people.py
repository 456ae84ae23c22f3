"""People, their roles, and their sign-ins (hashes only)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, UniqueConstraint

from judgelab.store.models.base import Base, Mapped, mapped_column, now


class Person(Base):
    """Somebody who rates or researches; `role` holds in every project."""

    __tablename__ = "person"
    __table_args__ = (UniqueConstraint("name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    role: Mapped[str] = mapped_column(default="annotator")
    created_at: Mapped[datetime] = mapped_column(default=now)


class Membership(Base):
    """A person's role in one project."""

    __tablename__ = "membership"
    __table_args__ = (UniqueConstraint("project_id", "person_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id", ondelete="CASCADE"))
    role: Mapped[str]


class Invite(Base):
    """A link that signs somebody in; only its hash is kept."""

    __tablename__ = "invite"
    __table_args__ = (UniqueConstraint("token_hash"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    token_hash: Mapped[str]
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id", ondelete="CASCADE"))
    project_id: Mapped[int | None] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


class SignIn(Base):
    """A browser that is signed in; only the hash of its cookie is kept."""

    __tablename__ = "session"
    __table_args__ = (UniqueConstraint("token_hash"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    token_hash: Mapped[str]
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id", ondelete="CASCADE"))
    created_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]


class Audit(Base):
    """Who did what, for the list of late events and for defence of the numbers."""

    __tablename__ = "audit"
    __table_args__ = (Index("ix_audit_project_id_at", "project_id", "at"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int | None] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id", ondelete="SET NULL"))
    action: Mapped[str]
    detail: Mapped[dict[str, Any]] = mapped_column(default=dict)
    at: Mapped[datetime] = mapped_column(default=now)
