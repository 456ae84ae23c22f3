"""A unit may have many raters: each place is given once, and none is left over."""

from __future__ import annotations

import uuid

from sqlalchemy import func, select

from judgelab.annotation import service
from judgelab.store.db.engine import Store
from judgelab.store.models import Rating
from tests.annotation.conftest import make_person, make_project


def test_sixty_raters_of_one_response(any_store: Store) -> None:
    project = make_project(any_store, answers=1, raters_per_response=60)
    people = [make_person(any_store, f"Rater {n}") for n in range(61)]
    for person in people[:60]:
        (unit,) = service.next_items(any_store, person, project)
        operation = {"uid": str(uuid.uuid4()), "kind": "rate", "item": unit.id}
        operation["scores"] = {"relevance": 1, "fluency": 2}
        assert service.apply(any_store, person, project, operation).state == "stored"
    assert service.next_items(any_store, people[60], project) == []
    with any_store.reading() as session:
        assert session.scalar(select(func.count(func.distinct(Rating.person_id)))) == 60
        assert not session.scalar(select(func.count()).where(Rating.surplus))
