"""Rating on both databases: what is stored, what is refused, what comes back."""

from __future__ import annotations

import json
import uuid
from dataclasses import asdict
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest

from judgelab.annotation import service
from judgelab.annotation.screen import QueueItem
from judgelab.annotation.service import OperationResult
from judgelab.domain import Criterion
from judgelab.errors import InvalidInput, NotAllowed
from judgelab.store.db import audit
from judgelab.store.db.engine import Store
from judgelab.store.models import Assignment, Membership, Rating, RatingEvent, ResponseRow, now
from judgelab.store.projects.projects import update_project
from judgelab.store.rating.criteria import add_criteria, criterion_ids
from tests.annotation.conftest import given_ago, make_person, make_project
from tests.rated_units import unit_of

GOOD = {"relevance": 2, "fluency": 4}


@pytest.fixture
def store(any_store: Store) -> Store:
    return any_store


def send(store: Store, person: int, project: int, kind: str, item: int = 0, **values: Any) -> OperationResult:
    op = {"uid": str(uuid.uuid4()), "kind": kind, "item": item, **values}
    return service.apply(store, person, project, op)


def rows(store: Store, table: type[Any]) -> list[Any]:
    with store.reading() as session:
        return list(session.query(table).order_by(table.id))


def expire(store: Store) -> None:
    with store.writing() as session:
        session.query(Assignment).filter(Assignment.lease_until.is_not(None)).update(
            {"lease_until": now() - timedelta(seconds=1)}
        )


def fingerprint(item: QueueItem) -> str:
    parts = [item.question, item.answer, *([item.context] if item.context else []), *item.references]
    return sha256(json.dumps(parts).encode()).hexdigest()[:16]


def rate_all(store: Store, person: int, project: int) -> int:
    count = 0
    while items := service.next_items(store, person, project):
        for item in items:
            assert send(store, person, project, "rate", item.id, scores=GOOD).state == "stored"
            count += 1
    return count


def test_a_rating_is_stored_with_its_history_and_moves_the_queue_on(store: Store) -> None:
    project, ada = make_project(store), make_person(store, "Ada")
    item = service.next_items(store, ada, project)[0]
    given_ago(store, ada, 1)
    result = send(
        store, ada, project, "rate", item.id, scores=GOOD, comments={"fluency": "stilted"}, seconds=12.5
    )
    assert (result.state, result.surplus) == ("stored", False)
    relevance, fluency = rows(store, Rating)
    assert (relevance.score, fluency.score, fluency.comment) == (2, 4, "stilted")
    assert (fluency.blind, fluency.origin, fluency.seconds) == (True, "browser", 12.5)
    (event,) = rows(store, RatingEvent)
    assert event.shown["criteria"] == ["relevance", "fluency"]
    assert (event.shown["guidelines_version"], event.shown["position"]) == (1, 1)
    assert event.shown["texts"] == fingerprint(item)
    assert event.before["scores"] == {} and event.after["scores"] == {"relevance": 2.0, "fluency": 4.0}
    assert item.id not in {i.id for i in service.next_items(store, ada, project)}


def test_the_same_operation_sent_again_changes_nothing(store: Store) -> None:
    project, ada = make_project(store), make_person(store, "Ada")
    item = service.next_items(store, ada, project)[0]
    op = {"uid": str(uuid.uuid4()), "kind": "rate", "item": item.id, "scores": GOOD}
    assert service.apply(store, ada, project, op).state == "stored"
    assert service.apply(store, ada, project, op).state == "repeated"
    assert len(rows(store, RatingEvent)) == 1 and len(rows(store, Rating)) == 2


def test_a_rater_sees_neither_system_nor_file_names_nor_other_ratings(store: Store) -> None:
    project, ada, ben = make_project(store, answers=1), make_person(store, "Ada"), make_person(store, "Ben")
    (item,) = service.next_items(store, ada, project)
    send(store, ada, project, "rate", item.id, scores=GOOD, comments={"fluency": "Ada says so"})
    (ben_item,) = service.next_items(store, ben, project)
    assert ben_item.scores == {} and ben_item.comments == {}
    text = str(asdict(ben_item))
    assert "Secret" not in text and "secret" not in text and "Ada" not in text


def test_references_and_context_are_shown_only_where_the_project_shows_them(store: Store) -> None:
    project, ada = make_project(store, answers=1), make_person(store, "Ada")
    (item,) = service.next_items(store, ada, project)
    assert len(item.references) == 1 and item.context
    with store.writing() as session:
        update_project(session, project, settings={"show_references": False, "show_context": False})
    (item,) = service.next_items(store, ada, project)
    assert item.references == () and item.context == ""


IMPOSSIBLE: tuple[Any, ...] = (
    None,
    [],
    "rate",
    {"uid": "short", "kind": "rate"},
    {"kind": "drop table"},
    {"scores": {"relevance": 4, "fluency": 4}},
    {"scores": {"relevance": 1.5, "fluency": 4}},
    {"scores": {"relevance": True, "fluency": 4}},
    {"scores": {"relevance": "2", "fluency": 4}},
    {"scores": {"relevance": float("nan"), "fluency": 4}},
    {"scores": {"relevance": 10**400}},
    {"scores": {}},
    {"scores": {"unknown": 1}},
    {"scores": [1, 2]},
    {"item": "1"},
    {"item": True},
    {"item": -1},
    {"item": 10**30},
    {"item": 999_999},
    {"comments": {"fluency": 7}},
    {"comments": {"fluency": "x" * 5_001}},
)


def test_what_a_screen_could_not_have_sent_is_refused_whole(store: Store) -> None:
    project, ada = make_project(store), make_person(store, "Ada")
    item = service.next_items(store, ada, project)[0]
    good = {"kind": "rate", "item": item.id, "scores": GOOD}
    for invalid in IMPOSSIBLE:
        op = {"uid": str(uuid.uuid4()), **good, **invalid} if isinstance(invalid, dict) else invalid
        result = service.apply(store, ada, project, op)
        assert result.state == "refused" and result.message.endswith("."), invalid
    assert rows(store, Rating) == [] and rows(store, RatingEvent) == []


def test_another_persons_answer_or_uid_is_refused(store: Store) -> None:
    project, ada, ben = make_project(store), make_person(store, "Ada"), make_person(store, "Ben")
    ada_item, ben_item = (
        service.next_items(store, ada, project)[0],
        service.next_items(store, ben, project)[0],
    )
    assert send(store, ada, project, "rate", ben_item.id, scores=GOOD).state == "refused"
    uid = str(uuid.uuid4())
    op = {"uid": uid, "kind": "rate", "scores": GOOD}
    assert service.apply(store, ada, project, {**op, "item": ada_item.id}).state == "stored"
    assert service.apply(store, ben, project, {**op, "item": ben_item.id}).state == "refused"


def test_readers_and_strangers_may_not_rate_unless_the_project_lets_them(store: Store) -> None:
    project, reader = make_project(store), make_person(store, "Rita", "reader")
    for person in (reader, 12345):
        with pytest.raises(NotAllowed):
            service.next_items(store, person, project)
        with pytest.raises(NotAllowed):
            send(store, person, project, "renew")
    with store.writing() as session:
        session.add(Membership(project_id=project, person_id=reader, role="annotator"))
    assert service.next_items(store, reader, project)


def test_a_unit_never_gets_too_many_raters(store: Store) -> None:
    project = make_project(store, answers=4, raters_per_response=2)
    counts = [rate_all(store, make_person(store, name), project) for name in ("Ada", "Ben", "Cleo")]
    assert counts == [4, 4, 0]
    progress = service.progress(store, make_person(store, "Cleo"), project)
    assert (progress.done, progress.total, progress.complete, progress.waiting) == (0, 0, 4, 0)


def test_units_on_other_screens_count_as_waiting_and_become_free(store: Store) -> None:
    project = make_project(store, answers=2, raters_per_response=1)
    ada, ben = make_person(store, "Ada"), make_person(store, "Ben")
    assert len(service.next_items(store, ada, project)) == 2
    assert service.next_items(store, ben, project) == []
    assert service.progress(store, ben, project).waiting == 2
    expire(store)
    assert len(service.next_items(store, ben, project)) == 2


def test_a_rating_that_arrives_after_its_place_was_filled_is_surplus(store: Store) -> None:
    project = make_project(store, answers=1, raters_per_response=1)
    ada, ben = make_person(store, "Ada"), make_person(store, "Ben")
    (expired_item,) = service.next_items(store, ada, project)
    expire(store)
    (item,) = service.next_items(store, ben, project)
    assert not send(store, ben, project, "rate", item.id, scores=GOOD).surplus
    assert send(store, ada, project, "rate", expired_item.id, scores=GOOD).surplus
    assert sorted((r.person_id, r.surplus) for r in rows(store, Rating)) == sorted(
        [(ada, True), (ada, True), (ben, False), (ben, False)]
    )


def test_a_lease_revived_by_a_clock_set_back_does_not_bring_too_many_raters(store: Store) -> None:
    project = make_project(store, answers=1, raters_per_response=1)
    ada, ben = make_person(store, "Ada"), make_person(store, "Ben")
    (first,) = service.next_items(store, ada, project)
    expire(store)
    (second,) = service.next_items(store, ben, project)
    with store.writing() as session:
        session.query(Assignment).update({"lease_until": now() + timedelta(minutes=30)})
    assert not send(store, ben, project, "rate", second.id, scores=GOOD).surplus
    assert send(store, ada, project, "rate", first.id, scores=GOOD).surplus


def test_a_late_rating_counts_when_its_place_is_still_free(store: Store) -> None:
    project, ada = make_project(store, answers=1), make_person(store, "Ada")
    (item,) = service.next_items(store, ada, project)
    expire(store)
    assert not send(store, ada, project, "rate", item.id, scores=GOOD).surplus


def test_an_open_page_renews_its_leases(store: Store) -> None:
    project = make_project(store, answers=1, raters_per_response=1)
    ada, ben = make_person(store, "Ada"), make_person(store, "Ben")
    service.next_items(store, ada, project)
    with store.writing() as session:
        session.query(Assignment).update({"lease_until": now() + timedelta(seconds=5)})
    send(store, ada, project, "renew")
    (row,) = rows(store, Assignment)
    assert row.lease_until > now() + timedelta(minutes=29)
    assert service.next_items(store, ben, project) == []


def test_a_draft_is_restored_after_a_reload_and_gone_after_the_rating(store: Store) -> None:
    project, ada = make_project(store), make_person(store, "Ada")
    first = service.next_items(store, ada, project)[0]
    send(store, ada, project, "draft", first.id, scores={"relevance": 1}, comments={"relevance": "hm"})
    restored = service.next_items(store, ada, project)[0]
    assert (restored.id, restored.scores, restored.comments) == (
        first.id,
        {"relevance": 1},
        {"relevance": "hm"},
    )
    send(store, ada, project, "rate", first.id, scores=GOOD)
    send(store, ada, project, "draft", first.id, scores={"relevance": 0})  # came late
    assert {row.id: row.draft for row in rows(store, Assignment)}[first.id] == {}


def test_undo_brings_the_named_answer_back_first_and_it_stays_rated(store: Store) -> None:
    project, ada = make_project(store), make_person(store, "Ada")
    first, second = service.next_items(store, ada, project)[:2]
    for item in (first, second):
        send(store, ada, project, "rate", item.id, scores=GOOD)
    send(store, ada, project, "undo", first.id)
    reopened = service.next_items(store, ada, project)[0]
    assert (reopened.id, reopened.scores, reopened.again) == (first.id, GOOD, True)
    assert service.progress(store, ada, project).done == 2
    send(store, ada, project, "rate", first.id, scores={"relevance": 0, "fluency": 4})
    assert [e.kind for e in rows(store, RatingEvent)] == ["rate", "rate", "undo", "rate"]
    assert rows(store, RatingEvent)[-1].before["scores"]["relevance"] == 2
    assert service.next_items(store, ada, project)[0].id not in (first.id, second.id)


def test_a_skipped_unit_comes_back_at_the_end_and_after_a_second_skip_only_on_request(store: Store) -> None:
    project, ada = make_project(store, answers=3), make_person(store, "Ada")
    first, *remaining = service.next_items(store, ada, project)
    send(store, ada, project, "skip", first.id)
    assert [i.id for i in service.next_items(store, ada, project)] == [i.id for i in remaining]
    for item in remaining:
        send(store, ada, project, "rate", item.id, scores=GOOD)
    assert [i.id for i in service.next_items(store, ada, project)] == [first.id]
    send(store, ada, project, "skip", first.id)
    assert service.next_items(store, ada, project) == []
    progress = service.progress(store, ada, project)
    assert (progress.done, progress.total, progress.passed) == (2, 2, 1)
    send(store, ada, project, "offer", 0)
    assert [i.id for i in service.next_items(store, ada, project)] == [first.id]


def test_undoing_a_skip_brings_the_answer_back(store: Store) -> None:
    project, ada = make_project(store), make_person(store, "Ada")
    first = service.next_items(store, ada, project)[0]
    send(store, ada, project, "skip", first.id)
    send(store, ada, project, "undo", first.id)
    assert service.next_items(store, ada, project)[0].id == first.id


def test_a_flag_keeps_its_reason_and_leaves_the_answer_on_the_screen(store: Store) -> None:
    project, ada = make_project(store), make_person(store, "Ada")
    first = service.next_items(store, ada, project)[0]
    send(store, ada, project, "flag", first.id, reason="The answer is in \x00another language \ud800")
    reloaded = service.next_items(store, ada, project)[0]
    assert (reloaded.id, reloaded.flag) == (first.id, "The answer is in another language ?")
    assert service.progress(store, ada, project).flagged == 1
    send(store, ada, project, "flag", first.id, reason="")
    assert service.progress(store, ada, project).flagged == 0


def test_only_own_ratings_can_be_reopened(store: Store) -> None:
    project, ada, ben = make_project(store), make_person(store, "Ada"), make_person(store, "Ben")
    first = service.next_items(store, ada, project)[0]
    send(store, ada, project, "rate", first.id, scores=GOOD, comments={"relevance": "x"})
    (work,) = service.my_ratings(store, ada, project)
    assert (work.values, work.comments) == (GOOD, {"relevance": "x"})
    assert service.my_ratings(store, ben, project) == []
    with pytest.raises(InvalidInput):
        service.reopen(store, ben, project, work.unit_id)
    service.reopen(store, ada, project, work.unit_id)
    assert service.next_items(store, ada, project)[0].id == first.id


def test_a_rating_from_a_file_is_not_asked_for_again_but_can_be_changed(store: Store) -> None:
    project, ada = make_project(store, answers=2), make_person(store, "Ada")
    response = _import_rating(store, ada, project)
    assert len(service.next_items(store, ada, project)) == 1
    progress = service.progress(store, ada, project)
    assert (progress.done, progress.total) == (1, 2)
    with store.reading() as session:
        unit = unit_of(session, response)
    assert unit is not None
    service.reopen(store, ada, project, unit)
    reopened = service.next_items(store, ada, project)[0]
    assert reopened.again and reopened.scores == {"relevance": 3}


def test_ratings_after_seeing_judges_are_marked_and_earlier_ones_stay_blind(store: Store) -> None:
    project, ada = make_project(store), make_person(store, "Ada")
    first, second = service.next_items(store, ada, project)[:2]
    send(store, ada, project, "rate", first.id, scores=GOOD)
    with store.writing() as session:
        audit.record(session, "opened_judges", project_id=project, person_id=ada)
    send(store, ada, project, "rate", second.id, scores=GOOD)
    send(store, ada, project, "rate", first.id, scores={**GOOD, "fluency": 1})
    assert [r.blind for r in rows(store, Rating)] == [True, False, False, False]


def test_a_criterion_added_meanwhile_brings_the_unit_back_with_its_scores(store: Store) -> None:
    project, ada = make_project(store), make_person(store, "Ada")
    first = service.next_items(store, ada, project)[0]
    with store.writing() as session:
        add_criteria(session, project, [Criterion("new", "New", {"kind": "binary"})])
    assert send(store, ada, project, "rate", first.id, scores=GOOD).state == "stored"
    reopened = service.next_items(store, ada, project)[0]
    assert (reopened.id, reopened.scores) == (first.id, GOOD)


def test_progress_states_the_pace_of_the_last_answers(store: Store) -> None:
    project, ada = make_project(store), make_person(store, "Ada")
    items = service.next_items(store, ada, project)
    given_ago(store, ada, 5)
    for item, seconds in zip(items, (10, 20, 90), strict=False):
        send(store, ada, project, "rate", item.id, scores=GOOD, seconds=seconds)
    progress = service.progress(store, ada, project)
    assert (progress.done, progress.total, progress.seconds_per_answer) == (3, 6, 20)
    assert progress.saved_at is not None
    last = service.last_rated(store, ada, project)
    assert len(last) == 3 and isinstance(last[0], QueueItem) and last[0].scores == GOOD


def _import_rating(store: Store, person: int, project: int) -> int:
    with store.writing() as session:
        response = session.query(ResponseRow).first()
        assert response is not None
        criterion = criterion_ids(session, project)["relevance"]
        session.add(
            Rating(
                project_id=project,
                response_id=response.id,
                criterion_id=criterion,
                person_id=person,
                score=3,
                origin="import",
            )
        )
        return response.id
