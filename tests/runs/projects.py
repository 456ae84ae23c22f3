"""Small projects for the tests of runs."""

from __future__ import annotations

from collections.abc import Mapping

from judgelab.domain import Criterion
from judgelab.store.db.engine import Session, Store
from judgelab.store.models import ItemRow, Person, Rating, ReferenceRow, ResponseRow
from judgelab.store.projects.projects import create_project
from judgelab.store.rating.criteria import criterion_ids

SCALE = {"kind": "ordinal", "low": 0, "high": 3}


def lamp(session: Session, project: int, n: int) -> ItemRow:
    """Store the n-th question about a lamp with its reference; return it."""
    item = ItemRow(project_id=project, external_id=f"q{n}", question=f"What is lamp {n} for?")
    session.add(item)
    session.flush()
    session.add(ReferenceRow(item_id=item.id, position=0, text=f"Lamp {n} gives light."))
    return item


def flasks(store: Store, responses: int, *, criteria: tuple[str, ...] = ("helpfulness",), scale=SCALE) -> str:
    """Store a project of product questions, one response each; return its slug."""
    with store.writing() as session:
        project = create_project(
            session,
            name="Flasks",
            criteria=[Criterion(key=key, label=key.title(), scale=scale) for key in criteria],
        )
        for n in range(responses):
            item = ItemRow(
                project_id=project.id,
                external_id=f"q{n}",
                question=f"Does flask {n} leak?",
                group=f"g{n % 2}",
            )
            session.add(item)
            session.flush()
            session.add(
                ResponseRow(
                    project_id=project.id,
                    item_id=item.id,
                    external_id=f"r{n}",
                    system=f"s{n % 3}",
                    text=f"Flask {n} does not leak.",
                )
            )
    return project.slug


def rate(
    store: Store,
    slug: str,
    scores: Mapping[int, float | None],
    *,
    criterion: str = "helpfulness",
    rater: str = "Ann",
) -> None:
    """Let one person rate responses (by row id); None says that one cannot be judged."""
    from judgelab.store.projects.projects import find_project

    with store.writing() as session:
        project = find_project(session, slug)
        person = session.query(Person).filter_by(name=rater).first() or Person(name=rater)
        session.add(person)
        session.flush()
        for response_id, score in scores.items():
            session.add(
                Rating(
                    project_id=project.id,
                    response_id=response_id,
                    criterion_id=criterion_ids(session, project.id)[criterion],
                    person_id=person.id,
                    score=score,
                )
            )
