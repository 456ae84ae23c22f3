"""Human ratings: who was given what, what they said, what was on the screen."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, Text, UniqueConstraint

from judgelab.store.models.base import Base, Mapped, mapped_column, now


class Assignment(Base):
    """A response given to a person, all criteria on one screen.

    State `leased` lies on the screen while `lease_until` runs; `done` is rated; `surplus` was rated after
    the response had all its raters; `skipped` comes back at the end; `returned` was skipped twice. A rated
    one with a running lease is open for a change and keeps its place.
    """

    __tablename__ = "assignment"
    __table_args__ = (
        UniqueConstraint("response_id", "person_id"),
        # Holds all that the search for the next answer reads, so that it never touches the table.
        Index(
            "ix_assignment_project_id_response_id",
            "project_id",
            "response_id",
            "person_id",
            "state",
            "lease_until",
        ),
        Index(
            "ix_assignment_person_id_project_id_lease_until",
            "person_id",
            "project_id",
            "lease_until",
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    response_id: Mapped[int] = mapped_column(ForeignKey("response.id", ondelete="CASCADE"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id", ondelete="CASCADE"))
    state: Mapped[str] = mapped_column(default="leased")
    order: Mapped[int] = mapped_column(default=0)
    lease_until: Mapped[datetime | None]
    draft: Mapped[dict[str, Any]] = mapped_column(default=dict)
    flag: Mapped[str | None] = mapped_column(Text)
    finished_at: Mapped[datetime | None]


class Rating(Base):
    """One score of one response under one criterion by one person.

    `occasion` > 0 is a planned repeat; `aggregate` an imported mean, which may lie between points;
    `surplus` came after its lease was given away and filled; `blind` is false once the person saw judges.
    """

    __tablename__ = "rating"
    __table_args__ = (
        UniqueConstraint("response_id", "criterion_id", "person_id", "occasion"),
        Index("ix_rating_project_id_criterion_id", "project_id", "criterion_id"),
        Index("ix_rating_person_id_response_id", "person_id", "response_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    response_id: Mapped[int] = mapped_column(ForeignKey("response.id", ondelete="CASCADE"))
    criterion_id: Mapped[int] = mapped_column(ForeignKey("criterion.id", ondelete="CASCADE"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id", ondelete="CASCADE"))
    occasion: Mapped[int] = mapped_column(default=0)
    score: Mapped[float]
    comment: Mapped[str] = mapped_column(Text, default="")
    aggregate: Mapped[bool] = mapped_column(default=False)
    surplus: Mapped[bool] = mapped_column(default=False)
    blind: Mapped[bool] = mapped_column(default=True)
    origin: Mapped[str] = mapped_column(default="browser")
    seconds: Mapped[float | None]
    rated_at: Mapped[datetime] = mapped_column(default=now)


class RatingEvent(Base):
    """One operation of a rater, kept for good; `uid` makes replays harmless.

    A uid is unique within a response only, so that a project and its copy lie in one database.
    """

    __tablename__ = "rating_event"
    __table_args__ = (
        UniqueConstraint("uid", "response_id"),
        Index("ix_rating_event_person_id_response_id", "person_id", "response_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    uid: Mapped[str]
    response_id: Mapped[int] = mapped_column(ForeignKey("response.id", ondelete="CASCADE"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id", ondelete="CASCADE"))
    kind: Mapped[str]
    shown: Mapped[dict[str, Any]] = mapped_column(default=dict)
    before: Mapped[dict[str, Any]] = mapped_column(default=dict)
    after: Mapped[dict[str, Any]] = mapped_column(default=dict)
    seconds: Mapped[float | None]
    at: Mapped[datetime] = mapped_column(default=now)


class FilterPolicyRow(Base):
    """A named version of the quality rule; never changed once stored."""

    __tablename__ = "filter_policy"
    __table_args__ = (UniqueConstraint("project_id", "name", "version"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    name: Mapped[str]
    version: Mapped[int] = mapped_column(default=1)
    options: Mapped[dict[str, Any]]
    in_use: Mapped[bool] = mapped_column(default=False)
    locked_at: Mapped[datetime | None]
    created_by: Mapped[int | None] = mapped_column(ForeignKey("person.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(default=now)
