"""Sandboxes: copies of a demo project, one for each guest of an open demo, deleted afterwards."""

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
    ImageRow,
    ItemRow,
    JudgedPair,
    JudgeRow,
    Judgment,
    Membership,
    MetricScore,
    Person,
    Preference,
    Project,
    Ranking,
    Rating,
    ReferenceRow,
    ResponseRow,
    Run,
    Unit,
    Verdict,
)
from judgelab.store.people import memberships
from judgelab.store.projects.deletion import delete_project
from judgelab.store.rating import units

GUIDED = "guided"  # setting of a demo project: the script with the replies of its guided tour
SANDBOX = "sandbox"  # setting of a project made for a guest
GUEST: Role = "guest"
Ids = dict[int, int]  # row id in the template -> row id in the copy


def copy_project(session: Session, template_id: int, *, slug: str) -> int:
    """Copy a project with its texts, ratings, comparisons, judges and scores; return the row id of the copy.

    People and prompts are shared. Not copied: activity (assignments, drafts, the log), references to
    the outside (links, endpoints), prepared material and learned judges.
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
    project_ids = {template_id: project.id}
    criteria = _copy(session, CriterionRow, CriterionRow.project_id == template_id, project_id=project_ids)
    items = _copy(session, ItemRow, ItemRow.project_id == template_id, project_id=project_ids)
    _copy(session, ReferenceRow, ReferenceRow.item_id.in_(items), item_id=items)
    _copy(session, ImageRow, ImageRow.project_id == template_id, project_id=project_ids)
    responses = _copy(
        session, ResponseRow, ResponseRow.project_id == template_id, project_id=project_ids, item_id=items
    )
    response_keys = {"project_id": project_ids, "response_id": responses}
    pair_keys = {"item_id": items, "response_a": responses, "response_b": responses, "criterion_id": criteria}
    _copy(session, Unit, Unit.project_id == template_id, **response_keys, other_id=responses, item_id=items)
    units.renew_keys(session, project.id)
    _copy(session, Rating, Rating.project_id == template_id, **response_keys, criterion_id=criteria)
    _copy(session, Preference, Preference.project_id == template_id, project_id=project_ids, **pair_keys)
    _copy_rankings(
        session, template_id, responses, project_id=project_ids, item_id=items, criterion_id=criteria
    )
    _copy(session, MetricScore, MetricScore.project_id == template_id, **response_keys)
    _copy(session, FilterPolicyRow, FilterPolicyRow.project_id == template_id, project_id=project_ids)
    members = (Membership.project_id == template_id) & Membership.study_link_id.is_(None)
    _copy(session, Membership, members & (Membership.role == "annotator"), project_id=project_ids)
    copied_judges = (JudgeRow.project_id == template_id) & JudgeRow.endpoint_id.is_(None)
    # Each guest starts the guided run again, so runs of it in the template are not copied.
    copied_judges &= JudgeRow.model != str(template.settings.get(GUIDED, ""))
    judges = _copy(session, JudgeRow, copied_judges, project_id=project_ids)
    ended = Run.judge_id.in_(judges) & (Run.state == "done")
    runs = _copy(session, Run, ended, project_id=project_ids, judge_id=judges)
    _copy(session, JudgedPair, JudgedPair.run_id.in_(runs), run_id=runs, **pair_keys)
    judgments = _copy(session, Judgment, Judgment.run_id.in_(runs), run_id=runs, response_id=responses)
    in_runs = Judgment.run_id.in_(runs)
    verdicts = Verdict.judgment_id.in_(select(Judgment.id).where(in_runs))
    _copy(session, Verdict, verdicts, judgment_id=judgments, response_id=responses, criterion_id=criteria)
    replies = Completion.judgment_id.in_(select(Judgment.id).where(in_runs))
    _copy(session, Completion, replies, judgment_id=judgments)
    return project.id


def add_guest(session: Session, project_id: int, *, name: str, most_responses: int) -> int:
    """Create a person who only belongs to the sandbox; return their row id."""
    person = Person(name=name, role="")
    session.add(person)
    session.flush()
    memberships.join(session, project_id, person.id, role=GUEST, most_responses=most_responses)
    return person.id


def count_guests(session: Session) -> int:
    """Return how many sandboxes have a guest."""
    return session.scalar(select(func.count()).where(Membership.role == GUEST)) or 0


def sandboxes_before(session: Session, before: datetime) -> list[str]:
    """Return the slugs of the sandboxes created before that time, oldest first."""
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


def _copy_rankings(session: Session, template_id: int, responses: Ids, **moved: Mapping[int, int]) -> None:
    """Copy rankings, whose places and orders on the screen contain row ids of responses."""
    copied = _copy(session, Ranking, Ranking.project_id == template_id, **moved)
    for ranking in session.scalars(select(Ranking).where(Ranking.id.in_(copied.values()))):
        ranking.places = {str(responses[int(key)]): place for key, place in ranking.places.items()}
        ranking.shown = [responses[shown] for shown in ranking.shown]


def _copy(session: Session, table: Any, which: ColumnElement[bool], **moved: Mapping[int, int]) -> Ids:
    """Copy rows, mapping the references in `moved` to new ids; return the new row id of each row."""
    columns = [column.key for column in table.__mapper__.column_attrs]
    rows: Sequence[Any] = session.execute(
        select(*(getattr(table, name) for name in columns)).where(which).order_by(table.id)
    ).all()
    if not rows:
        return {}
    values = []
    for row in rows:
        copy = {name: value for name, value in row._mapping.items() if name != "id"}
        for name, ids in moved.items():
            copy[name] = None if copy[name] is None else ids[copy[name]]
        values.append(copy)
    new_ids = session.scalars(insert(table).returning(table.id, sort_by_parameter_order=True), values).all()
    return {row.id: new for row, new in zip(rows, new_ids, strict=True)}
