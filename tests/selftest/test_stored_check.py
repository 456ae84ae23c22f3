"""The look afterwards finds what was lost, altered or given too often; and a real run finds nothing."""

from __future__ import annotations

import uuid

import pytest
from sqlalchemy import delete, update

from judgelab.annotation import service
from judgelab.errors import InvalidInput
from judgelab.selftest.run import SelftestPlan, run_selftest
from judgelab.selftest.simulated_raters import RaterLog, SentRating
from judgelab.selftest.stored_check import StoredCheck, check_stored
from judgelab.store.db.engine import Store
from judgelab.store.models import Assignment, Rating, RatingEvent
from judgelab.store.people import people
from tests.annotation.conftest import make_person, make_project

SCORES = {"relevance": 2.0, "fluency": 4.0}


@pytest.fixture
def rated(any_store: Store) -> tuple[Store, int, RaterLog]:
    """Two ratings, sent and acknowledged."""
    project, person = make_project(any_store), make_person(any_store, "Ada")
    diary = RaterLog(person)
    for item in service.next_items(any_store, person, project)[:2]:
        rating = SentRating(str(uuid.uuid4()), item.id, SCORES, acknowledged=True)
        op = {"uid": rating.uid, "kind": "rate", "item": item.id, "scores": SCORES}
        assert service.apply(any_store, person, project, op).state == "stored"
        diary.sent.append(rating)
    return any_store, project, diary


def found(rated: tuple[Store, int, RaterLog], *, k: int = 3) -> StoredCheck:
    store, project, diary = rated
    return check_stored(store, project, [diary], k=k)


def test_nothing_is_found_where_nothing_is_wrong(rated: tuple[Store, int, RaterLog]) -> None:
    assert found(rated) == StoredCheck(acknowledged=2, lost=0, altered=0, doubled=0, over_k=0, repeated=0)
    assert found(rated).clean


def test_an_operation_without_a_trace_is_lost(rated: tuple[Store, int, RaterLog]) -> None:
    store, _, diary = rated
    with store.writing() as session:
        session.execute(delete(RatingEvent).where(RatingEvent.uid == diary.sent[0].uid))
    assert found(rated).lost == 1 and not found(rated).clean


def test_scores_that_are_gone_or_other_ones_are_found(rated: tuple[Store, int, RaterLog]) -> None:
    store, project, _ = rated
    with store.writing() as session:
        first = session.query(Rating.id).order_by(Rating.id).first()
        session.execute(update(Rating).where(Rating.id == first[0]).values(score=1))
    assert (found(rated).altered, found(rated).lost) == (1, 0)
    with store.writing() as session:
        session.execute(delete(Rating).where(Rating.project_id == project))
    assert (found(rated).altered, found(rated).lost) == (0, 2)


def test_what_was_never_acknowledged_is_not_missed(rated: tuple[Store, int, RaterLog]) -> None:
    rated[2].sent.append(SentRating("never-arrived", 999, SCORES))
    assert found(rated).clean and found(rated).acknowledged == 2


def test_one_rater_too_many_is_found(rated: tuple[Store, int, RaterLog]) -> None:
    store, project, _ = rated
    with store.writing() as session:
        unit = session.query(Assignment.unit_id).order_by(Assignment.id).first()[0]
        for name in ("Ben", "Cleo"):
            person = people.find_or_create(session, name)
            session.add(Assignment(project_id=project, unit_id=unit, person_id=person, state="done"))
    assert found(rated, k=3).over_k == 0
    assert found(rated, k=2).over_k == 1


@pytest.mark.timeout(180)
def test_a_run_of_two_processes_with_a_kill_in_the_middle_loses_nothing() -> None:
    report = run_selftest(SelftestPlan(raters=3, items=60, seconds=5, kill=True, pause=0.05, processes=2))
    assert report.findings.acknowledged > 3
    assert report.passed, report
    assert (report.judged.missing, report.judged.state) == (0, "done")
    assert report.p95 is not None


def test_a_plan_without_raters_is_refused() -> None:
    with pytest.raises(InvalidInput, match="at least one rater"):
        run_selftest(SelftestPlan(raters=0))
