"""Store rated examples with worked reasoning, in named and versioned sets."""

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
    """One saved example; `version` is the version of its set that saving it created."""

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
        """Return whether a person edited the model's draft or wrote the reasoning alone."""
        return bool(self.reasoning.strip()) and self.reasoning.strip() != self.draft.strip()

    def shown(self) -> Demonstration:
        """Return the example in the form that prompts use."""
        return Demonstration(
            self.question,
            self.response,
            self.score,
            self.reasoning,
            self.context,
            None if self.response_id is None else str(self.response_id),
        )


class ExampleSet(NamedTuple):
    """A set of examples: its name, newest version, number of examples, and last change."""

    name: str
    version: int
    examples: int
    changed_at: datetime


class SavedSteps(NamedTuple):
    """One version of a project's reasoning steps."""

    version: int
    text: str
    draft: str
    origin: str
    created_at: datetime


def example_sets(session: Session, project_id: int) -> list[ExampleSet]:
    """Return the project's sets, the latest changed first."""
    rows = WorkedExample
    query = (
        select(rows.name, func.max(rows.version), func.max(rows.id))
        .where(rows.project_id == project_id)
        .group_by(rows.name)
        .order_by(func.max(rows.id).desc())
    )
    sets = []
    for name, version, last_id in session.execute(query):
        row = session.get_one(WorkedExample, last_id)
        examples = examples_at(session, project_id, name, version)
        sets.append(ExampleSet(name, version, len(examples), row.created_at))
    return sets


def examples_at(
    session: Session, project_id: int, name: str, version: int | None = None
) -> list[SavedExample]:
    """Return the examples of a set at a version (default: the newest), in the order of their first save."""
    newest: dict[str, SavedExample] = {}
    for example in example_history(session, project_id, name):
        if version is None or example.version <= version:
            newest[example.key] = example
    return [example for example in newest.values() if not example.removed]


def example_history(session: Session, project_id: int, name: str, key: str = "") -> list[SavedExample]:
    """Return everything ever saved in a set, or of one of its examples, oldest first."""
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
    """Store an example (or its removal, if `removed`) and return the set's new version."""
    rows = WorkedExample
    lock_project(session, project_id)  # people who save at the same time get different versions
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
    """Return all versions of the project's reasoning steps, newest first."""
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
