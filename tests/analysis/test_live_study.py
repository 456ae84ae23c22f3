"""A study while people rate: who is at work, how far each is, the pace, and when the rest will be done."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

import pytest
from sqlalchemy import select, update

from judgelab.analysis.raters import work_list
from judgelab.analysis.raters.live_study import live_study
from judgelab.annotation import service
from judgelab.store.db.engine import Store
from judgelab.store.models import Assignment, Unit, now
from judgelab.store.people import memberships
from judgelab.store.rating import gold
from tests.annotation.conftest import make_person, make_project

SLUG = "soup-flasks"
SCORES = {"relevance": 2, "fluency": 4}


def send(store: Store, person: int, project: int, kind: str, item: int, **values: object) -> None:
    operation = {"uid": str(uuid.uuid4()), "kind": kind, "item": item, **values}
    assert service.apply(store, person, project, operation).state == "stored"


def rate(store: Store, person: int, project: int, *minutes_ago: float, at: datetime) -> None:
    """Rate the next units, the first so many minutes ago, and so on."""
    for ago in minutes_ago:
        item = service.next_items(store, person, project)[0].id
        send(store, person, project, "rate", item, scores=SCORES)
        with store.writing() as session:
            finished = update(Assignment).where(Assignment.id == item)
            session.execute(finished.values(finished_at=at - timedelta(minutes=ago)))


@pytest.fixture
def running(any_store: Store) -> tuple[Store, int, int, datetime]:
    """Ten responses for two raters each: Ann rated four, three in the last hour, Bob two; Cid none."""
    store = any_store
    project = make_project(store, answers=10, raters_per_response=2, most_responses=8)
    ann, bob, cid = (make_person(store, name, role="") for name in ("ann", "Bob", "Cid"))
    with store.writing() as session:
        for person in (ann, bob, cid):
            memberships.ensure_rater(session, project, person)
    at = now()
    rate(store, ann, project, 90, 50, 40, 5, at=at)
    rate(store, bob, project, 30, 20, at=at)
    return store, project, bob, at


def test_who_is_at_work_how_far_and_how_fast(running: tuple[Store, int, int, datetime]) -> None:
    store, _project, _bob, at = running
    study = live_study(store, SLUG, at=at)
    assert study is not None
    assert [(r.name, r.now, r.done, r.limit, r.last_hour) for r in study.raters] == [
        ("ann", True, 4, 8, 3),
        ("Bob", False, 2, 8, 2),
        ("Cid", False, 0, 8, 0),
    ]
    assert study.rating_now == ("ann",) and study.raters[1].seen == at - timedelta(minutes=20)
    # 10 responses × 2 raters; 6 done, 5 of them in the last hour: 14 left take 14 / 5 hours.
    assert (study.wanted, study.done, study.last_hour, study.pace_minutes) == (20, 6, 5, 60)
    assert study.per_hour == pytest.approx(5) and study.hours_left == pytest.approx(2.8)


def test_the_pace_of_a_young_study_is_that_since_its_first_rating(any_store: Store) -> None:
    store, at = any_store, now()
    project, ann = make_project(store, answers=10, raters_per_response=1), make_person(store, "Ann")
    rate(store, ann, project, 30, 10, 1, at=at)
    study = live_study(store, SLUG, at=at)
    assert study is not None and study.pace_minutes == 30
    assert study.per_hour == pytest.approx(6) and study.hours_left == pytest.approx(7 / 6)
    later = live_study(store, SLUG, at=at + timedelta(hours=2))
    assert later is not None and (later.last_hour, later.per_hour, later.hours_left) == (0, None, None)
    assert live_study(store, SLUG, at=at + timedelta(days=8)) is None


def test_a_surplus_rating_and_a_check_do_not_bring_the_end_nearer(
    running: tuple[Store, int, int, datetime],
) -> None:
    store, project, _bob, at = running
    with store.writing() as session:
        done = select(Assignment).where(Assignment.state == "done").order_by(Assignment.id)
        rated = session.scalars(done).all()
        rated[-1].state, rated[-2].purpose = "surplus", "attention"
        known = {"relevance": 2, "fluency": 1}
        gold.set_known_scores(session, project, rated[0].unit_id, purpose="gold", scores=known, tolerance=1)
    study = live_study(store, SLUG, at=at)
    assert study is not None and (study.last_hour, study.per_hour, study.done) == (5, 3, 5)
    assert (study.raters[0].passed, study.raters[0].checked) == (1, 2)


def test_open_entries_are_those_of_the_work_list(running: tuple[Store, int, int, datetime]) -> None:
    store, project, bob, at = running
    first, second, third = service.next_items(store, bob, project)[:3]
    send(store, bob, project, "flag", first.id, reason="odd")
    send(store, bob, project, "ask", first.id, text="Why?")
    send(store, bob, project, "flag", second.id, reason="odder")
    send(store, bob, project, "skip", third.id)
    study = live_study(store, SLUG, at=at)
    assert study is not None and study.work_list == {"flag": 2, "message": 1, "skip": 1}
    assert (study.raters[1].flagged, study.raters[1].skipped) == (2, 1)
    asked = next(entry for entry in work_list.work_list(store, SLUG) if entry.key.kind == "message")
    work_list.answer(store, SLUG, asked.id, "So.", by=None)
    study = live_study(store, SLUG, at=at)
    assert study is not None and study.work_list == {"flag": 2, "skip": 1}


def test_without_work_in_the_browser_there_is_nothing_to_show(any_store: Store) -> None:
    project, person = make_project(any_store), make_person(any_store, "From a file")
    assert live_study(any_store, SLUG) is None
    with any_store.writing() as session:
        unit = session.scalars(select(Unit.id)).first()
        done = {"state": "done", "order": 0, "finished_at": now()}
        session.add(Assignment(project_id=project, unit_id=unit, person_id=person, **done))
    assert live_study(any_store, SLUG) is None
