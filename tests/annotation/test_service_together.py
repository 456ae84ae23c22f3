"""Many raters at once: nothing over k, nothing lost, nothing stored twice."""

from __future__ import annotations

import time
import uuid
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from judgelab.annotation import service
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.models import Assignment, ItemRow, Rating, RatingEvent, ResponseRow, Unit, now
from judgelab.store.rating import units
from tests.annotation.conftest import make_person, make_project
from tests.databases import new_sqlite

RATERS, ANSWERS, K = 20, 100, 3


@pytest.fixture
def store(any_store: Store) -> Iterator[Store]:
    yield any_store


def _rate_until_nothing_is_left(store: Store, person: int, project: int) -> int:
    rated = 0
    for _ in range(2000):
        items = service.next_items(store, person, project)
        if not items:
            progress = service.progress(store, person, project)
            if progress.total == progress.done and not progress.waiting:
                return rated
            time.sleep(0.02)
        for item in items:
            op = {"uid": str(uuid.uuid4()), "kind": "rate", "item": item.id}
            op["scores"] = {"relevance": 1, "fluency": 5}
            states = [service.apply(store, person, project, op).state for _ in range(2)]
            assert states == ["stored", "repeated"]
            rated += 1
    raise AssertionError("a rater was still waiting for work")


@pytest.mark.timeout(300)
def test_twenty_raters_share_a_hundred_answers(store: Store) -> None:
    project = make_project(store, answers=ANSWERS, raters_per_response=K)
    people = [make_person(store, f"rater {n}") for n in range(RATERS)]
    with ThreadPoolExecutor(RATERS) as pool:
        rated = sum(pool.map(lambda person: _rate_until_nothing_is_left(store, person, project), people))
    with store.reading() as session:
        ratings_per_unit = Counter(
            unit for (unit,) in session.query(Assignment.unit_id).filter(Assignment.state == "done")
        )
        ratings = session.query(Rating.response_id, Rating.criterion_id, Rating.person_id).all()
        events = session.query(RatingEvent.uid).all()
    assert rated == ANSWERS * K
    assert set(ratings_per_unit.values()) == {K} and len(ratings_per_unit) == ANSWERS
    assert len(ratings) == len(set(ratings)) == 2 * rated
    assert len(events) == rated


def test_the_next_answer_of_ten_thousand_is_found_in_a_few_milliseconds(tmp_path: Path) -> None:
    """About 15 ms, 8 of them in the database; only this thread's time is measured."""
    store = open_store(new_sqlite(tmp_path / "large.db"))
    project = make_project(store, answers=0)
    people = [make_person(store, f"rater {n}") for n in range(4)]
    with store.writing() as session:
        session.bulk_insert_mappings(
            ItemRow, [{"project_id": project, "external_id": f"i{n}"} for n in range(10_000)]
        )
        items = [item for (item,) in session.query(ItemRow.id)]
        session.bulk_insert_mappings(
            ResponseRow,
            [{"project_id": project, "item_id": i, "external_id": f"r{i}", "text": "t" * 500} for i in items],
        )
        units.offer_units(session, project)
        unit_ids = [unit for (unit,) in session.query(Unit.id)]
        session.bulk_insert_mappings(
            Assignment,
            [
                {"project_id": project, "unit_id": unit, "person_id": person, "state": "done"}
                for unit in unit_ids[:8000]
                for person in people[:3]
            ],
        )
    times = []
    for _ in range(5):
        begin = time.thread_time()
        assert len(service.next_items(store, people[3], project)) == 5
        times.append(time.thread_time() - begin)
        with store.writing() as session:  # free all units, so that the next search starts afresh
            session.query(Assignment).filter(Assignment.lease_until > now()).delete()
    progress = service.progress(store, people[3], project)
    assert (progress.answers, progress.complete) == (10_000, 8000)
    assert min(times) < 0.05
    store.close()
