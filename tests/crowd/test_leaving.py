"""A crowd worker deletes their ratings: they are paid all the same, keep their code, and never join twice."""

from __future__ import annotations

import uuid
from datetime import timedelta
from decimal import Decimal

import pytest
from sqlalchemy import update

from judgelab.annotation import leaving, service
from judgelab.crowd import joining, participants
from judgelab.errors import NotAllowed
from judgelab.store.db.engine import Store
from judgelab.store.models import Membership, Rating, now
from judgelab.store.people import memberships
from tests.annotation.conftest import given_ago
from tests.crowd.conftest import ANSWERS, OPTIONS, Study, counts, make_study


@pytest.fixture
def paid(any_store: Store) -> Study:
    """A study that pays 12 an hour."""
    return make_study(any_store, pay_per_hour=12, currency="GBP")


def work(study: Study, person: int, *, seconds: float) -> None:
    """Rate one unit in this time."""
    with study.store.writing() as session:
        earlier = now() - timedelta(hours=2)
        session.execute(update(Membership).where(Membership.person_id == person).values(joined_at=earlier))
    (first, *_) = service.next_items(study.store, person, study.project)
    given_ago(study.store, person, 60)
    scores = {"relevance": 1, "fluency": 1}
    op = {"uid": str(uuid.uuid4()), "kind": "rate", "item": first.id, "scores": scores, "seconds": seconds}
    assert service.apply(study.store, person, study.project, op).state == "stored"


def row_of(study: Study, external_id: str) -> dict[str, object]:
    rows = participants.participant_rows(study.store, None, study.project)
    return next(row for row in rows if row["external_id"] == external_id)


def test_the_list_for_payment_stays_true_and_says_that_ratings_were_deleted(paid: Study) -> None:
    ada = paid.join("a")
    work(paid, ada, seconds=360)
    before = row_of(paid, "a")
    assert (before["ratings"], before["active_minutes"], before["pay"]) == (
        1,
        6,
        Decimal("1.20"),
    )  # 0.1 h at 12 an hour
    assert before["ratings_deleted"] is None
    leaving.leave(paid.store, ada, paid.project)
    after = row_of(paid, "a")
    assert (after["ratings"], after["active_minutes"], after["pay"]) == (1, 6, Decimal("1.20"))
    assert after["ratings_deleted"] is not None and after["state"] == "returned"
    assert "ratings_deleted" in participants.as_csv([after]).splitlines()[0]
    progress = service.progress(paid.store, ada, paid.project)
    assert progress.seconds == 360 and progress.deleted is not None
    with paid.store.reading() as session:
        assert session.query(Rating).count() == 0
        row = session.query(Membership).one()
        assert (row.background, row.external_id) == ({}, "a")


def test_who_is_let_in_again_is_paid_for_both_times(paid: Study) -> None:
    ada = paid.join("a")
    for _ in range(2):
        work(paid, ada, seconds=360)
        leaving.leave(paid.store, ada, paid.project)
        with paid.store.writing() as session:
            memberships.set_state(session, paid.project, ada, "active")
    assert (row_of(paid, "a")["ratings"], row_of(paid, "a")["pay"]) == (2, Decimal("2.40"))


def test_who_had_finished_keeps_state_code_and_place(study: Study) -> None:
    ada = study.join("a")
    assert study.rate(ada) == 6
    preview = leaving.preview_leaving(study.store, ada, study.project)
    assert preview == leaving.LeavePreview(
        12, working=False, from_link=True, answers=True, has_ending=True, learned=False
    )
    leaving.leave(study.store, ada, study.project)
    progress = service.progress(study.store, ada, study.project)
    assert (progress.state, progress.ending) == ("finished", OPTIONS.finished)
    assert counts(study).placed == 1
    assert service.next_items(study.store, ada, study.project) == []
    assert study.join("a", None) == ada, "the link shows them their code again, and no work"
    assert study.held(ada) == 0
    ben = study.join("b")
    assert study.rate(ben) == 6


def test_who_left_before_the_end_frees_the_place_and_cannot_join_again(study: Study) -> None:
    ada = study.join("a")
    study.rate(ada, at_most=2)
    assert study.held(ada) > 0
    leaving.leave(study.store, ada, study.project)
    assert study.held(ada) == 0
    assert counts(study).placed == 0
    assert service.progress(study.store, ada, study.project).ending == type(OPTIONS.finished)()
    with pytest.raises(NotAllowed, match="You returned this study"):
        joining.join(study.store, study.link.token, {"PROLIFIC_PID": ["a"], "STUDY_ID": ["s1"]}, ANSWERS)


def test_ratings_of_a_study_that_was_returned_before_can_still_be_deleted(study: Study) -> None:
    ada = study.join("a")
    study.rate(ada, at_most=2)
    study.leave(ada)
    leaving.leave(study.store, ada, study.project)
    with study.store.reading() as session:
        assert session.query(Rating).count() == 0
    assert study.place(ada).state == "returned"
