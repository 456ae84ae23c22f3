"""Rated examples with their worked reasoning, in named sets of which every version can be had again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judgelab.domain import Demonstration
from judgelab.store.models import EvaluationSteps, WorkedExample
from judgelab.store.models.base import now
from judgelab.store.rating.assignments import lock_project


@dataclass(frozen=True)
class SavedExample:
    """One example as it was saved; `version` is the one of its set that this save made."""

    key: str
    criterion: str
    question: str
    response: str
    score: float
    reasoning: str
    context: str = ""
    response_id: int | None = None
    draft: str = ""
    origin: str = "person"
    version: int = 0
    removed: bool = False
    created_at: datetime | None = None

    @property
    def refined(self) -> bool:
        """Whether a person changed what a model drafted, or wrote it alone."""
        return bool(self.reasoning.strip()) and self.reasoning.strip() != self.draft.strip()

    def shown(self) -> Demonstration:
        """Return the example as a prompt shows it."""
        return Demonstration(
            self.question,
            self.response,
            self.score,
            self.reasoning,
            self.context,
            None if self.response_id is None else str(self.response_id),
        )


class ExampleSet(NamedTuple):
    """A set by its name: its newest version, how many examples that holds, and when it was made."""

    name: str
    version: int
    examples: int
    changed_at: datetime


class SavedSteps(NamedTuple):
    """Reasoning steps of a project's judges in one version."""

    version: int
    text: str
    draft: str
    origin: str
    created_at: datetime


def example_sets(session: Session, project_id: int) -> list[ExampleSet]:
    """Return the project's sets, the one changed last first."""
    rows = WorkedExample
    query = (
        select(rows.name, func.max(rows.version), func.max(rows.id))
        .where(rows.project_id == project_id)
        .group_by(rows.name)
        .order_by(func.max(rows.id).desc())
    )
    found = []
    for name, version, last in session.execute(query):
        row = session.get_one(WorkedExample, last)
        held = examples_at(session, project_id, name, version)
        found.append(ExampleSet(name, version, len(held), row.created_at))
    return found


def examples_at(
    session: Session, project_id: int, name: str, version: int | None = None
) -> list[SavedExample]:
    """Return what a set holds at a version (the newest without one), in the order of their first save."""
    last: dict[str, SavedExample] = {}
    for one in example_history(session, project_id, name):
        if version is None or one.version <= version:
            last[one.key] = one
    return [one for one in last.values() if not one.removed]


def example_history(session: Session, project_id: int, name: str, key: str = "") -> list[SavedExample]:
    """Return all that was ever saved in a set, or of one of its examples, in that order."""
    rows = WorkedExample
    query = select(rows).where(rows.project_id == project_id, rows.name == name).order_by(rows.version)
    if key:
        query = query.where(rows.key == key)
    fields = SavedExample.__dataclass_fields__
    return [
        SavedExample(**{field: getattr(row, field) for field in fields}) for row in session.scalars(query)
    ]


def save_example(
    session: Session, project_id: int, name: str, example: SavedExample, *, person_id: int | None = None
) -> int:
    """Store an example (or, where `removed`, that it is gone) and return the set's version that it makes."""
    rows = WorkedExample
    lock_project(session, project_id)  # two who save at once get two numbers
    last = session.scalar(
        select(func.max(rows.version)).where(rows.project_id == project_id, rows.name == name)
    )
    version = (last or 0) + 1
    values = {
        field: getattr(example, field)
        for field in SavedExample.__dataclass_fields__
        if field not in ("version", "created_at")
    }
    session.add(
        WorkedExample(project_id=project_id, name=name, version=version, person_id=person_id, **values)
    )
    session.flush()
    return version


def steps_saved(session: Session, project_id: int) -> list[SavedSteps]:
    """Return all versions of the project's reasoning steps, the newest first."""
    rows = EvaluationSteps
    query = select(rows).where(rows.project_id == project_id).order_by(rows.version.desc())
    return [
        SavedSteps(*(getattr(row, field) for field in SavedSteps._fields)) for row in session.scalars(query)
    ]


def save_steps(
    session: Session,
    project_id: int,
    text: str,
    *,
    draft: str = "",
    origin: str = "person",
    person_id: int | None = None,
) -> int:
    """Store reasoning steps as the next version and return it."""
    rows = EvaluationSteps
    lock_project(session, project_id)
    last = session.scalar(select(func.max(rows.version)).where(rows.project_id == project_id))
    row = EvaluationSteps(
        project_id=project_id,
        version=(last or 0) + 1,
        text=text,
        draft=draft,
        origin=origin,
        person_id=person_id,
        created_at=now(),
    )
    session.add(row)
    session.flush()
    return row.version
