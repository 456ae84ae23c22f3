"""A project to rate in."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import update

from judgelab.domain import Criterion
from judgelab.store.db.engine import Store
from judgelab.store.models import Assignment, ItemRow, ReferenceRow, ResponseRow, now
from judgelab.store.people import people
from judgelab.store.projects.projects import create_project
from judgelab.store.rating import units

CRITERIA = (
    Criterion("relevance", "Relevance", {"kind": "ordinal", "low": 0, "high": 3}),
    Criterion("fluency", "Fluency", {"kind": "ordinal", "low": 1, "high": 5}),
)


def make_project(
    store: Store, *, answers: int = 6, systems: int = 1, criteria: Any = CRITERIA, **settings: Any
) -> int:
    """Store a project whose answers `a0`, `a1`, ... come from systems that raters must not see.

    With several systems each question has several answers: `a0`, `a0.1`, `a0.2`, ...
    """
    with store.writing() as session:
        project = create_project(session, name="Soup flasks", criteria=criteria, settings=settings)
        items = [
            ItemRow(project_id=project.id, external_id=f"q{n}", question=f"question {n}", context=f"text {n}")
            for n in range(answers)
        ]
        session.add_all(items)
        session.flush()
        session.add_all(ReferenceRow(item_id=item.id, position=0, text=f"known {item.id}") for item in items)
        session.add_all(
            ResponseRow(
                project_id=project.id,
                item_id=item.id,
                external_id=f"secret-{n}.{k}" if k else f"secret-{n}",
                system=f"SecretSystem{k or ''}",
                text=f"a{n}.{k}" if k else f"a{n}",
            )
            for n, item in enumerate(items)
            for k in range(systems)
        )
        session.flush()
        units.offer_units(session, project.id)
        return project.id


def make_person(store: Store, name: str, role: str = "annotator") -> int:
    """Store a person."""
    with store.writing() as session:
        return people.find_or_create(session, name, role=role)


def given_ago(store: Store, person: int, minutes: float) -> None:
    """Set when the person first got the units assigned to them to `minutes` ago."""
    with store.writing() as session:
        given_at = now() - timedelta(minutes=minutes)
        session.execute(update(Assignment).where(Assignment.person_id == person).values(given_at=given_at))
