"""Human ratings: assignments, answers, and what was on the screen."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, Text, UniqueConstraint, text

from judgelab.store.models.base import Base, Mapped, mapped_column, now


class Unit(Base):
    """The content of one rating screen: a response, two responses to compare, or all responses of an item.

    `kind` is `response`, `pair` (`response_id` and `other_id`) or `list` (all of the item). Only `offered`
    units are assigned: a project that changes its form keeps the units rated before. `turn` is the unit's
    position among those that the learned judge proposes to rate next; 1 is the first.
    """

    __tablename__ = "unit"
    __table_args__ = (
        UniqueConstraint("project_id", "key"),
        Index("ix_unit_response_id", "response_id"),
        Index("ix_unit_item_id", "item_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    item_id: Mapped[int] = mapped_column(ForeignKey("item.id", ondelete="CASCADE"))
    kind: Mapped[str]
    key: Mapped[str]
    response_id: Mapped[int | None] = mapped_column(ForeignKey("response.id", ondelete="CASCADE"))
    other_id: Mapped[int | None] = mapped_column(ForeignKey("response.id", ondelete="CASCADE"))
    offered: Mapped[bool] = mapped_column(default=True)
    turn: Mapped[int | None]


class Assignment(Base):
    """A unit assigned to a person, with all criteria on one screen.

    `state`: `leased` is held by the person until `lease_until`; `done` is rated; `surplus` was rated after
    the unit had all its raters; `skipped` comes back at the end; `returned` was skipped twice. A rated
    unit with a running lease is open for changes and keeps its state. `occasion` > 0 is a planned repeat;
    `purpose` says why it was assigned: `work`, `gold`, `attention`, `training`, `repeat`. `shown` is the
    order of several responses on the screen. `turn` is the position that the unit had among the
    proposed ones when it was assigned; empty if it was not proposed. `question_answers` are the answers to
    the questions that the project asks beside its criteria. `given_at` is when the person first
    got it in the browser.
    """

    __tablename__ = "assignment"
    __table_args__ = (
        UniqueConstraint("unit_id", "person_id", "occasion"),
        # Covers all columns that the search for the next unit reads, so that it never reads the table.
        Index(
            "ix_assignment_project_id_unit_id",
            "project_id",
            "unit_id",
            "person_id",
            "state",
            "lease_until",
            "occasion",
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
    unit_id: Mapped[int] = mapped_column(ForeignKey("unit.id", ondelete="CASCADE"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id", ondelete="CASCADE"))
    occasion: Mapped[int] = mapped_column(default=0)
    purpose: Mapped[str] = mapped_column(default="work")
    state: Mapped[str] = mapped_column(default="leased")
    order: Mapped[int] = mapped_column(default=0)
    shown: Mapped[list[Any]] = mapped_column(default=list)
    lease_until: Mapped[datetime | None]
    draft: Mapped[dict[str, Any]] = mapped_column(default=dict)
    flag: Mapped[str | None] = mapped_column(Text)
    question_answers: Mapped[dict[str, Any]] = mapped_column(default=dict, server_default=text("'{}'"))
    turn: Mapped[int | None]
    given_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]


class Rating(Base):
    """One score of one response under one criterion by one person.

    No score means "cannot be judged". `evidence` holds the spans that the rater marked, each
    with part, start, end and text. `occasion` > 0 is a planned repeat; `aggregate` an imported mean, which
    may lie between points; `surplus` came after the unit had all its raters; `blind` is false if the person
    had seen judges' scores.
    """

    __tablename__ = "rating"
    __table_args__ = (
        UniqueConstraint("response_id", "criterion_id", "person_id", "occasion"),
        Index("ix_rating_project_id_criterion_id", "project_id", "criterion_id"),
        # Who rated, here or in a file, is asked for on every page, and is read from the index alone.
        Index("ix_rating_project_id_origin_person_id", "project_id", "origin", "person_id"),
        Index("ix_rating_person_id_response_id", "person_id", "response_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    response_id: Mapped[int] = mapped_column(ForeignKey("response.id", ondelete="CASCADE"))
    criterion_id: Mapped[int] = mapped_column(ForeignKey("criterion.id", ondelete="CASCADE"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id", ondelete="CASCADE"))
    occasion: Mapped[int] = mapped_column(default=0)
    score: Mapped[float | None]
    comment: Mapped[str] = mapped_column(Text, default="")
    evidence: Mapped[list[Any]] = mapped_column(default=list)
    aggregate: Mapped[bool] = mapped_column(default=False)
    surplus: Mapped[bool] = mapped_column(default=False)
    blind: Mapped[bool] = mapped_column(default=True)
    origin: Mapped[str] = mapped_column(default="browser")
    seconds: Mapped[float | None]
    rated_at: Mapped[datetime] = mapped_column(default=now)


class GoldScore(Base):
    """A score known before rating starts, for gold items, attention checks and training.

    A rater passes within `tolerance` points. For a list, `places` maps response row ids, written as text, to
    their known places; the score is then 1, the likeness of that order to itself, and the rater's
    likeness to it is compared. `loud` checks give feedback at once; `explanation` is the feedback.
    """

    __tablename__ = "gold_score"
    __table_args__ = (UniqueConstraint("unit_id", "criterion_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    unit_id: Mapped[int] = mapped_column(ForeignKey("unit.id", ondelete="CASCADE"))
    criterion_id: Mapped[int] = mapped_column(ForeignKey("criterion.id", ondelete="CASCADE"))
    purpose: Mapped[str] = mapped_column(default="gold")
    score: Mapped[float]
    tolerance: Mapped[float] = mapped_column(default=0.0)
    places: Mapped[dict[str, Any]] = mapped_column(default=dict)
    loud: Mapped[bool] = mapped_column(default=False)
    explanation: Mapped[str] = mapped_column(Text, default="")


class Decision(Base):
    """An adjudicator's decision about a response in conflict; the raw ratings stay unchanged."""

    __tablename__ = "decision"
    __table_args__ = (
        UniqueConstraint("response_id", "criterion_id"),
        Index("ix_decision_project_id", "project_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    response_id: Mapped[int] = mapped_column(ForeignKey("response.id", ondelete="CASCADE"))
    criterion_id: Mapped[int] = mapped_column(ForeignKey("criterion.id", ondelete="CASCADE"))
    person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id", ondelete="SET NULL"))
    score: Mapped[float | None]
    reason: Mapped[str] = mapped_column(Text, default="")
    names_hidden: Mapped[bool] = mapped_column(default=True)
    decided_at: Mapped[datetime] = mapped_column(default=now)


class RatingEvent(Base):
    """One operation of a rater, kept permanently; `uid` makes replays harmless.

    A uid is only unique within a unit, so that a project and its copy can share a database.
    """

    __tablename__ = "rating_event"
    __table_args__ = (
        UniqueConstraint("uid", "unit_id"),
        Index("ix_rating_event_person_id_unit_id", "person_id", "unit_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    uid: Mapped[str]
    unit_id: Mapped[int] = mapped_column(ForeignKey("unit.id", ondelete="CASCADE"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id", ondelete="CASCADE"))
    kind: Mapped[str]
    shown: Mapped[dict[str, Any]] = mapped_column(default=dict)
    before: Mapped[dict[str, Any]] = mapped_column(default=dict)
    after: Mapped[dict[str, Any]] = mapped_column(default=dict)
    seconds: Mapped[float | None]
    at: Mapped[datetime] = mapped_column(default=now)


class Message(Base):
    """One message between a rater, `person_id`, and the study team about a unit.

    `answered_by` wrote it if it is an answer, and is empty for the command line. `uid` makes replays
    harmless; it is only unique within a unit, as those of `RatingEvent`. `read_at` is when the rater opened
    the answer.
    """

    __tablename__ = "message"
    __table_args__ = (
        UniqueConstraint("unit_id", "uid"),
        Index("ix_message_project_id_person_id", "project_id", "person_id"),
        Index("ix_message_person_id", "person_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    unit_id: Mapped[int] = mapped_column(ForeignKey("unit.id", ondelete="CASCADE"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id", ondelete="CASCADE"))
    uid: Mapped[str]
    answer: Mapped[bool] = mapped_column(default=False)
    answered_by: Mapped[int | None] = mapped_column(ForeignKey("person.id", ondelete="SET NULL"))
    text: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(default=now)
    read_at: Mapped[datetime | None]


class WorkListMark(Base):
    """That a flag, a skip, messages, comments or failed checks of a rater on a unit are dealt with.

    `kind` is `message`, `flag`, `skip`, `comment` or `check`; `person_id` is the rater. The mark counts
    while the fingerprint of the entry is `content`.
    """

    __tablename__ = "work_list_mark"
    __table_args__ = (
        UniqueConstraint("unit_id", "person_id", "kind"),
        Index("ix_work_list_mark_project_id", "project_id"),
        Index("ix_work_list_mark_person_id", "person_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    unit_id: Mapped[int] = mapped_column(ForeignKey("unit.id", ondelete="CASCADE"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id", ondelete="CASCADE"))
    kind: Mapped[str]
    content: Mapped[str] = mapped_column(Text, default="")
    note: Mapped[str] = mapped_column(Text, default="")
    done_by: Mapped[int | None] = mapped_column(ForeignKey("person.id", ondelete="SET NULL"))
    done_at: Mapped[datetime] = mapped_column(default=now)


class FilterPolicyRow(Base):
    """A named version of a filter; its options never change once stored.

    A locked version has `locked_at`, the `sha256` of what was locked, and in `lock` its `content`, the number
    of `ratings` at that time, and `left`: when another filter was put in use instead, which one and why.
    """

    __tablename__ = "filter_policy"
    __table_args__ = (UniqueConstraint("project_id", "name", "version"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    name: Mapped[str]
    version: Mapped[int] = mapped_column(default=1)
    options: Mapped[dict[str, Any]]
    in_use: Mapped[bool] = mapped_column(default=False)
    sha256: Mapped[str] = mapped_column(default="")
    lock: Mapped[dict[str, Any]] = mapped_column(default=dict)
    locked_at: Mapped[datetime | None]
    created_by: Mapped[int | None] = mapped_column(ForeignKey("person.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(default=now)
