"""Sandboxes: copies of a demo project, one for each guest of an open demo, and their end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, delete, func, insert, select
from sqlalchemy.orm import Session

from judgelab.domain import Role
from judgelab.store.models import (
    Completion,
    CriterionRow,
    FilterPolicyRow,
    ItemRow,
    JudgeRow,
    Judgment,
    Membership,
    MetricScore,
    Person,
    Project,
    Rating,
    ReferenceRow,
    ResponseRow,
    Run,
    Unit,
    Verdict,
)
from judgelab.store.people import memberships
from judgelab.store.projects.deletion import delete_project

GUIDED = "guided"  # of a demo project's settings: the script whose replies its guided path plays
SANDBOX = "sandbox"  # of a project's settings: it was made for a guest
GUEST: Role = "guest"
Ids = dict[int, int]  # row id in the template -> row id in the copy


def copy_project(session: Session, template_id: int, *, slug: str) -> int:
    """Copy a project with its texts, ratings, judges and scores as they are; return the row id of the copy.

    Shared are people and prompts. Left behind is what was done in it (assignments, drafts, the log), what
    leads out of it (links, endpoints) and what is prepared or learned there.
    """
    template = session.get_one(Project, template_id)
    project = Project(
        **{name: getattr(template, name) for name in ("name", "task", "study", "blind", "guidelines")},
        slug=slug,
        guidelines_version=template.guidelines_version,
        settings={**template.settings, SANDBOX: True},
    )
    session.add(project)
    session.flush()
    here = {template_id: project.id}
    criteria = _copy(session, CriterionRow, CriterionRow.project_id == template_id, project_id=here)
    items = _copy(session, ItemRow, ItemRow.project_id == template_id, project_id=here)
    _copy(session, ReferenceRow, ReferenceRow.item_id.in_(items), item_id=items)
    responses = _copy(
        session, ResponseRow, ResponseRow.project_id == template_id, project_id=here, item_id=items
    )
    about = {"project_id": here, "response_id": responses}
    units = (Unit.project_id == template_id) & Unit.other_id.is_(None)
    _copy(session, Unit, units, **about, item_id=items)
    _copy(session, Rating, Rating.project_id == template_id, **about, criterion_id=criteria)
    _copy(session, MetricScore, MetricScore.project_id == template_id, **about)
    _copy(session, FilterPolicyRow, FilterPolicyRow.project_id == template_id, project_id=here)
    members = (Membership.project_id == template_id) & Membership.study_link_id.is_(None)
    _copy(session, Membership, members & (Membership.role == "annotator"), project_id=here)
    own = (JudgeRow.project_id == template_id) & JudgeRow.endpoint_id.is_(None)
    # What somebody replayed in the template is for each guest to start.
    own &= JudgeRow.model != str(template.settings.get(GUIDED, ""))
    judges = _copy(session, JudgeRow, own, project_id=here)
    ended = Run.judge_id.in_(judges) & (Run.state == "done")
    runs = _copy(session, Run, ended, project_id=here, judge_id=judges)
    judgments = _copy(session, Judgment, Judgment.run_id.in_(runs), run_id=runs, response_id=responses)
    of_them = Judgment.run_id.in_(runs)
    verdicts = Verdict.judgment_id.in_(select(Judgment.id).where(of_them))
    _copy(session, Verdict, verdicts, judgment_id=judgments, response_id=responses, criterion_id=criteria)
    replies = Completion.judgment_id.in_(select(Judgment.id).where(of_them))
    _copy(session, Completion, replies, judgment_id=judgments)
    return project.id


def add_guest(session: Session, project_id: int, *, name: str, most_responses: int) -> int:
    """Create a person whose only place is the sandbox; return their row id."""
    person = Person(name=name, role="")
    session.add(person)
    session.flush()
    memberships.join(session, project_id, person.id, role=GUEST, most_responses=most_responses)
    return person.id


def count_guests(session: Session) -> int:
    """Return how many sandboxes have a guest."""
    return session.scalar(select(func.count()).where(Membership.role == GUEST)) or 0


def sandboxes_before(session: Session, before: datetime) -> list[str]:
    """Return the short names of the sandboxes that were made before that moment, the oldest first."""
    query = (
        select(Project)
        .join(Membership, Membership.project_id == Project.id)
        .where(Membership.role == GUEST, Project.created_at < before)
        .order_by(Project.id)
    )
    return [project.slug for project in session.scalars(query) if project.settings.get(SANDBOX)]


def delete_sandbox(session: Session, slug: str) -> None:
    """Delete one sandbox with its guest and their sign-ins; raises `NotFound`."""
    project = select(Project.id).where(Project.slug == slug)
    guests = select(Membership.person_id).where(Membership.project_id.in_(project), Membership.role == GUEST)
    people = list(session.scalars(guests))
    delete_project(session, slug)
    session.execute(delete(Person).where(Person.id.in_(people)))


def _copy(session: Session, table: Any, which: ColumnElement[bool], **moved: Mapping[int, int]) -> Ids:
    """Insert copies of rows, their references moved to the copies of what they refer to; return the ids."""
    columns = [column.key for column in table.__mapper__.column_attrs]
    rows: Sequence[Any] = session.execute(
        select(*(getattr(table, name) for name in columns)).where(which).order_by(table.id)
    ).all()
    if not rows:
        return {}
    values = []
    for row in rows:
        copied = {name: value for name, value in row._mapping.items() if name != "id"}
        for name, ids in moved.items():
            copied[name] = None if copied[name] is None else ids[copied[name]]
        values.append(copied)
    made = session.scalars(insert(table).returning(table.id, sort_by_parameter_order=True), values).all()
    return {row.id: new for row, new in zip(rows, made, strict=True)}
