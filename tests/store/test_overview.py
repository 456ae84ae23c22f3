"""The counts of a project: of its own data and raters, whoever else rates in the same database."""

from __future__ import annotations

from sqlalchemy import update

from judgelab.store.db.engine import Store
from judgelab.store.models import ItemRow, Project, Rating
from judgelab.store.projects.overview import overview
from judgelab.store.rating.criteria import criterion_ids
from tests.annotation.conftest import make_person, make_project


def _rated(store: Store, project: int, person: int, *responses: int, occasion: int = 0) -> None:
    with store.writing() as session:
        (criterion, *_) = criterion_ids(session, project).values()
        session.add_all(
            Rating(
                **{"project_id": project, "criterion_id": criterion, "person_id": person},
                **{"response_id": response, "occasion": occasion, "score": 1.0},
            )
            for response in responses
        )


def test_counts_are_of_the_project_alone_and_of_its_data(any_store: Store) -> None:
    project = make_project(any_store, answers=4)
    with any_store.writing() as session:
        session.execute(update(Project).values(slug="here", name="Here"))
    other_project = make_project(any_store, answers=3)
    ann, bo, cy, dee = (make_person(any_store, name) for name in ("Ann", "Bo", "Cy", "Dee"))
    _rated(any_store, project, ann, 1, 2, 3)
    _rated(any_store, project, bo, 1)
    _rated(any_store, project, bo, 1, occasion=1)
    _rated(any_store, project, cy, 4)
    _rated(any_store, other_project, ann, 5)
    _rated(any_store, other_project, dee, 5, 6, 7)
    with any_store.writing() as session:
        last = session.query(ItemRow).filter_by(project_id=project).order_by(ItemRow.id.desc()).first()
        assert last is not None
        session.execute(update(ItemRow).where(ItemRow.id == last.id).values(purpose="attention"))
    with any_store.reading() as session:
        first, second = (
            overview(session, project_id, raters_wanted=2) for project_id in (project, other_project)
        )
    assert (first.items, first.responses, first.ratings, first.raters) == (3, 3, 4, 2)
    assert (first.rated, first.complete) == (3, 1)
    assert (second.items, second.ratings, second.raters, second.complete) == (3, 4, 2, 1)
