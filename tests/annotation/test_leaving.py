"""A rater leaves: what they gave to this project is gone, others get their units, and nobody else loses."""

from __future__ import annotations

import json
import uuid
from datetime import timedelta
from typing import Any

import pytest

from judgelab.accounts import members
from judgelab.annotation import leaving, service
from judgelab.annotation.leaving import LeavePreview
from judgelab.errors import InvalidInput, NotAllowed
from judgelab.store.db import audit
from judgelab.store.db.engine import Store
from judgelab.store.models import Assignment, Base, Membership, Rating, RatingEvent, now
from judgelab.store.people import memberships
from judgelab.store.projects.projects import create_project
from judgelab.store.rating import units
from tests.annotation.conftest import CRITERIA, make_person, make_project

WORDS = "I know who wrote this"
SCORES = {"relevance": 2, "fluency": 4}


def send(store: Store, person: int, project: int, kind: str, item: int, **values: Any) -> str:
    op = {"uid": str(uuid.uuid4()), "kind": kind, "item": item, **values}
    return service.apply(store, person, project, op).state


def work(store: Store, person: int, project: int) -> None:
    """Rate one unit with a comment, flag a second one and leave a draft of it."""
    first, second, *_ = service.next_items(store, person, project)
    assert (
        send(store, person, project, "rate", first.id, scores=SCORES, comments={"fluency": WORDS}) == "stored"
    )
    assert send(store, person, project, "flag", second.id, reason=WORDS) == "stored"
    assert send(store, person, project, "draft", second.id, scores={"fluency": 1}) == "stored"


def rows_of(store: Store, person: int) -> list[int]:
    with store.reading() as session:
        return [
            session.query(table).filter_by(person_id=person).count()
            for table in (Rating, RatingEvent, Assignment)
        ]


@pytest.fixture
def project(any_store: Store) -> int:
    return make_project(any_store, answers=12, raters_per_response=1)


def rater(store: Store, project: int, name: str) -> int:
    return members.add(store, None, project, name).id


def test_what_was_given_is_deleted_and_others_get_the_units(any_store: Store, project: int) -> None:
    ada, ben = rater(any_store, project, "Ada"), rater(any_store, project, "Ben")
    work(any_store, ada, project)
    work(any_store, ben, project)
    expected = LeavePreview(2, working=True, from_link=False, answers=False, has_ending=False, learned=False)
    assert leaving.preview_leaving(any_store, ada, project) == expected
    bens = rows_of(any_store, ben)
    leaving.leave(any_store, ada, project)
    assert rows_of(any_store, ada) == [0, 0, 0]
    assert rows_of(any_store, ben) == bens
    with any_store.reading() as session:
        member = memberships.find(session, project, ada)
        (event, *_) = audit.recent_events(session, project)
        contents = json.dumps(
            [session.execute(table.select()).fetchall() for table in Base.metadata.sorted_tables], default=str
        )
    assert member is not None and member.state == "returned"
    assert (event.action, event.person) == ("deleted_own_work", "Ada")
    assert (event.detail["units"], event.detail["ratings"]) == (1, 2)
    assert contents.count(WORDS) == 4, "Ben's comment and flag, each also in the record of its operation"
    done = 1
    while items := service.next_items(any_store, ben, project):
        assert send(any_store, ben, project, "rate", items[0].id, scores=SCORES) == "stored"
        done += 1
    assert done == 12, "with one rater per response, what Ada had rated is open again"


def test_leaving_twice_changes_nothing(any_store: Store, project: int) -> None:
    ada = rater(any_store, project, "Ada")
    work(any_store, ada, project)
    leaving.leave(any_store, ada, project)
    assert leaving.preview_leaving(any_store, ada, project) is None
    with pytest.raises(InvalidInput, match="already left"):
        leaving.leave(any_store, ada, project)
    with any_store.reading() as session:
        events = audit.recent_events(session, project)
    assert [event.action for event in events].count("deleted_own_work") == 1


def test_a_second_tab_stores_nothing_afterwards(any_store: Store, project: int) -> None:
    ada = rater(any_store, project, "Ada")
    work(any_store, ada, project)
    (_, on_screen, *_) = service.next_items(any_store, ada, project)
    leaving.leave(any_store, ada, project)
    for kind, values in (
        ("rate", {"scores": SCORES}),
        ("draft", {"scores": SCORES}),
        ("undo", {}),
        ("skip", {}),
    ):
        assert send(any_store, ada, project, kind, on_screen.id, **values) == "refused"
    assert send(any_store, ada, project, "renew", 0) == "stored"
    assert service.next_items(any_store, ada, project) == []
    assert rows_of(any_store, ada) == [0, 0, 0]


def other_project(store: Store) -> int:
    with store.writing() as session:
        other = create_project(session, name="Other soups", criteria=CRITERIA, settings={}).id
        item = Base.metadata.tables["item"].insert().values(project_id=other, external_id="q", question="?")
        item_id = session.execute(item).inserted_primary_key[0]
        response = {"project_id": other, "item_id": item_id, "external_id": "r", "text": "!"}
        session.execute(Base.metadata.tables["response"].insert().values(response))
        units.offer_units(session, other)
    return int(other)


def test_ratings_in_another_project_stay(any_store: Store, project: int) -> None:
    other = other_project(any_store)
    ada = rater(any_store, project, "Ada")
    with any_store.writing() as session:
        memberships.join(session, other, ada)
    (item,) = service.next_items(any_store, ada, other)
    assert send(any_store, ada, other, "rate", item.id, scores=SCORES) == "stored"
    work(any_store, ada, project)
    leaving.leave(any_store, ada, project)
    assert rows_of(any_store, ada) == [2, 1, 1]
    assert service.progress(any_store, ada, other).deleted is None
    with any_store.reading() as session:
        states = {row.project_id: row.state for row in session.query(Membership).filter_by(person_id=ada)}
    assert states == {project: "returned", other: "active"}


def test_an_hour_is_paid_once_whoever_leaves_in_between(any_store: Store, project: int) -> None:
    other = other_project(any_store)
    ada = rater(any_store, project, "Ada")
    with any_store.writing() as session:
        memberships.join(session, other, ada)
    hour_ago = now() - timedelta(hours=1)
    with any_store.writing() as session:
        session.query(Membership).update({"joined_at": hour_ago})

    def rate(where: int, seconds: float) -> None:
        item = service.next_items(any_store, ada, where)[0]
        with any_store.writing() as session:
            session.query(Assignment).filter_by(id=item.id).update({"given_at": hour_ago})
        assert send(any_store, ada, where, "rate", item.id, scores=SCORES, seconds=seconds) == "stored"

    rate(project, 2400)
    leaving.leave(any_store, ada, project)
    assert service.progress(any_store, ada, project).seconds == pytest.approx(2400, abs=1)
    rate(other, 3600)  # only 20 of the 60 minutes are left
    assert service.progress(any_store, ada, other).seconds == pytest.approx(1200, abs=5)


@pytest.mark.parametrize("role", ["owner", "researcher", "reader"])
def test_only_who_is_no_more_than_a_rater_leaves_by_themselves(
    any_store: Store, project: int, role: str
) -> None:
    rita = make_person(any_store, "Rita", role=role)
    with any_store.writing() as session:
        memberships.join(session, project, rita)
    work(any_store, rita, project)
    assert leaving.preview_leaving(any_store, rita, project) is None
    with pytest.raises(NotAllowed, match="only raters"):
        leaving.leave(any_store, rita, project)
    stranger = make_person(any_store, "Sam", role="")
    assert leaving.preview_leaving(any_store, stranger, project) is None
    with pytest.raises(NotAllowed):
        leaving.leave(any_store, stranger, project)
    assert rows_of(any_store, rita)[0] == 2


def test_who_only_looked_can_leave_and_returns_what_was_reserved(any_store: Store, project: int) -> None:
    ada = rater(any_store, project, "Ada")
    assert service.next_items(any_store, ada, project)
    assert service.progress(any_store, ada, project).total == 12
    leaving.leave(any_store, ada, project)
    assert rows_of(any_store, ada) == [0, 0, 0]
    progress = service.progress(any_store, ada, project)
    assert (progress.state, progress.done, progress.total) == ("returned", 0, 0)


@pytest.mark.parametrize("state", ["finished", "released", "screened_out", "timed_out", "paused"])
def test_whose_part_is_over_has_nothing_left_to_do(any_store: Store, project: int, state: str) -> None:
    ada = rater(any_store, project, "Ada")
    work(any_store, ada, project)
    with any_store.writing() as session:
        memberships.set_state(session, project, ada, state)
    progress = service.progress(any_store, ada, project)
    assert (progress.done, progress.total) == (1, 12 if state == "paused" else 1)
