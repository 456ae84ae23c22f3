"""People, their roles, and their sign-ins (hashes only)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, UniqueConstraint

from judgelab.store.models.base import Base, Mapped, mapped_column, now


class Person(Base):
    """A rater or researcher; `role` applies in every project, empty for members of some projects only.

    `password_hash` is set for those who sign in by name; `erased_at` when personal data were erased on
    request and the name became a pseudonym. `language` is the one chosen for the interface, if any.
    """

    __tablename__ = "person"
    __table_args__ = (UniqueConstraint("name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    role: Mapped[str] = mapped_column(default="annotator")
    password_hash: Mapped[str | None]
    erased_at: Mapped[datetime | None]
    language: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(default=now)


class Membership(Base):
    """A person's role and state in one project.

    `state`: `active`; `paused` by the researcher, nothing new is assigned; `released`, the work is over;
    `screened_out` by qualification or an attention check; `returned`, a crowd worker gave up the place;
    `timed_out`, a crowd worker took longer than the link allows; `finished`, the completion code was shown;
    `removed`, no more rights in the project, kept because the work stays. `cohort` is the group that
    items may be reserved for; `external_id` is the person's id on the crowd platform, `parameters` the
    link's other parameters; `background` the answers to the form before the work; `exit_answers` those to the
    questionnaire after it, None while it is not answered; `training` the attempts and last score; `due_at` is
    when a crowd worker's time ends, `left_at` when the work ended; `bonus` is an amount of money as text with
    two decimals, since SQLite has no decimals.
    """

    __tablename__ = "membership"
    __table_args__ = (
        UniqueConstraint("project_id", "person_id"),
        # One platform id is one person, even for simultaneous requests.
        Index("ix_membership_study_link_id_external_id", "study_link_id", "external_id", unique=True),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id", ondelete="CASCADE"))
    role: Mapped[str]
    state: Mapped[str] = mapped_column(default="active")
    cohort: Mapped[str] = mapped_column(default="")
    most_responses: Mapped[int | None]
    study_link_id: Mapped[int | None] = mapped_column(ForeignKey("study_link.id", ondelete="SET NULL"))
    external_id: Mapped[str | None]
    parameters: Mapped[dict[str, Any]] = mapped_column(default=dict)
    background: Mapped[dict[str, Any]] = mapped_column(default=dict)
    exit_answers: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    training: Mapped[dict[str, Any]] = mapped_column(default=dict)
    consented_at: Mapped[datetime | None]
    joined_at: Mapped[datetime] = mapped_column(default=now)
    due_at: Mapped[datetime | None]
    left_at: Mapped[datetime | None]
    bonus: Mapped[str | None]
    bonus_reason: Mapped[str | None]


class StudyLink(Base):
    """A recruitment link through which a crowd joins a project; `annotation.links.options` reads `options`.

    The token is not hashed: the link is published, and only makes people raters.
    """

    __tablename__ = "study_link"
    __table_args__ = (UniqueConstraint("token"), Index("ix_study_link_project_id", "project_id"))

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    token: Mapped[str]
    name: Mapped[str]
    options: Mapped[dict[str, Any]] = mapped_column(default=dict)
    closed_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(default=now)


class Invite(Base):
    """A link that signs a person in, stored as a hash; unless `once`, it works until it expires."""

    __tablename__ = "invite"
    __table_args__ = (UniqueConstraint("token_hash"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    token_hash: Mapped[str]
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id", ondelete="CASCADE"))
    project_id: Mapped[int | None] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    once: Mapped[bool] = mapped_column(default=True)
    created_by: Mapped[int | None] = mapped_column(ForeignKey("person.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


class SignIn(Base):
    """A signed-in browser; only the hash of its cookie is stored. `seen_at` is accurate to minutes."""

    __tablename__ = "session"
    __table_args__ = (UniqueConstraint("token_hash"), Index("ix_session_person_id", "person_id"))

    id: Mapped[int] = mapped_column(primary_key=True)
    token_hash: Mapped[str]
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id", ondelete="CASCADE"))
    invite_id: Mapped[int | None] = mapped_column(ForeignKey("invite.id", ondelete="CASCADE"))
    created_at: Mapped[datetime] = mapped_column(default=now)
    seen_at: Mapped[datetime | None]
    expires_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]


class Audit(Base):
    """An entry of the audit log: who did what and when."""

    __tablename__ = "audit"
    __table_args__ = (Index("ix_audit_project_id_at", "project_id", "at"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int | None] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id", ondelete="SET NULL"))
    action: Mapped[str]
    detail: Mapped[dict[str, Any]] = mapped_column(default=dict)
    at: Mapped[datetime] = mapped_column(default=now)
