"""All forms of rating on both databases: stored, drafted, undone, in the order that was shown."""

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
from judgelab.errors import InvalidInput
from judgelab.store.db.engine import Store
from judgelab.store.frames import score_frames
from judgelab.store.models import (
    Assignment,
    Preference,
    Ranking,
    Rating,
    RatingEvent,
    ResponseRow,
    Unit,
    now,
)
from judgelab.store.projects.projects import find_project, update_project
from tests.annotation.conftest import given_ago, make_person, make_project

PASSING = (
    Criterion("right", "Right", {"kind": "binary", "cannot_judge": True}),
    Criterion("fluency", "Fluency", {"kind": "ordinal", "low": 1, "high": 5}),
)
TWO = (Criterion("overall", "Overall", {"kind": "binary"}), Criterion("clear", "Clear", {"kind": "binary"}))
FORMS = ("pointwise", "pairwise", "ranking", "best_worst")
SAID: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {  # a whole judgment, and another
    "pointwise": (
        {"scores": {"overall": 1, "clear": 0}},
        {"scores": {"overall": 0, "clear": 0}},
    ),
    "pairwise": (
        {
            "choices": {
                "overall": {"choice": "first", "strength": 2},
                "clear": {"choice": "tie", "strength": 1},
            }
        },
        {
            "choices": {
                "overall": {"choice": "second", "strength": 1},
                "clear": {"choice": "tie", "strength": 1},
            }
        },
    ),
    "ranking": (
        {"places": {"overall": [2, 1, 2], "clear": [1, 1, 1]}},
        {"places": {"overall": [1, 2, 3], "clear": [1, 1, 1]}},
    ),
    "best_worst": (
        {"places": {"overall": [3, 1, 2], "clear": [1, 2, 3]}},
        {"places": {"overall": [1, 3, 2], "clear": [1, 2, 3]}},
    ),
}
FIELD = {"pointwise": "scores", "pairwise": "choices", "ranking": "places", "best_worst": "places"}
TABLE: dict[str, type[Any]] = {
    "pointwise": Rating,
    "pairwise": Preference,
    "ranking": Ranking,
    "best_worst": Ranking,
}
in_each_form = pytest.mark.parametrize("form", FORMS)


@pytest.fixture
def store(any_store: Store) -> Store:
    return any_store


def project_of(store: Store, form: str, *, answers: int = 4, **settings: Any) -> int:
    systems = {"pointwise": 1, "pairwise": 2}.get(form, 3)
    return make_project(store, answers=answers, systems=systems, criteria=TWO, form=form, **settings)


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


def text_of(store: Store, response: int) -> str:
    with store.reading() as session:
        return session.get_one(ResponseRow, response).text


@in_each_form
def test_a_judgment_is_stored_once_and_leaves_the_screen(store: Store, form: str) -> None:
    project, ada = project_of(store, form), make_person(store, "Ada")
    item = service.next_items(store, ada, project)[0]
    given_ago(store, ada, 1)
    op = {"uid": str(uuid.uuid4()), "kind": "rate", "item": item.id, **SAID[form][0], "seconds": 4}
    assert service.apply(store, ada, project, op).state == "stored"
    assert service.apply(store, ada, project, op).state == "repeated"
    stored_rows = rows(store, TABLE[form])
    assert [(row.blind, row.origin, row.surplus, row.seconds) for row in stored_rows] == [
        (True, "browser", False, 4)
    ] * 2
    assert item.id not in {next_item.id for next_item in service.next_items(store, ada, project)}
    assert service.progress(store, ada, project).done == 1


@in_each_form
def test_history_has_what_was_shown_before_and_after(store: Store, form: str) -> None:
    project, ada = project_of(store, form), make_person(store, "Ada")
    item = service.next_items(store, ada, project)[0]
    for values in SAID[form]:
        send(store, ada, project, "rate", item.id, **values)
    first, second = rows(store, RatingEvent)
    field = FIELD[form]
    assert first.before[field] == {} and first.after[field] == SAID[form][0][field]
    assert (second.before[field], second.after[field]) == (first.after[field], SAID[form][1][field])
    answers = item.answers or (item.answer,)
    texts = [item.question, *answers, item.context, *item.references]
    assert first.shown["texts"] == sha256(json.dumps(texts).encode()).hexdigest()[:16]
    assert first.shown["guidelines_version"] == 1
    if item.answers:
        names = {f"secret-{answer.removeprefix('a')}" for answer in answers}
        assert set(first.shown["responses"]) == names
        assert first.shown["responses"] == [f"secret-{answer.removeprefix('a')}" for answer in answers]
        assert first.shown["form"] == form


@in_each_form
def test_undo_brings_the_choices_back_and_a_change_replaces_them(store: Store, form: str) -> None:
    project, ada = project_of(store, form), make_person(store, "Ada")
    item = service.next_items(store, ada, project)[0]
    send(store, ada, project, "rate", item.id, **SAID[form][0])
    send(store, ada, project, "undo", item.id)
    reopened = service.next_items(store, ada, project)[0]
    assert (reopened.id, reopened.again, reopened.answers) == (item.id, True, item.answers)
    assert getattr(reopened, FIELD[form]) == SAID[form][0][FIELD[form]]
    send(store, ada, project, "rate", item.id, **SAID[form][1])
    assert len(rows(store, TABLE[form])) == 2
    (work,) = service.my_ratings(store, ada, project)
    assert work.values == SAID[form][1][FIELD[form]]


@in_each_form
def test_a_draft_is_stored_and_gone_after_the_rating(store: Store, form: str) -> None:
    project, ada = project_of(store, form), make_person(store, "Ada")
    item = service.next_items(store, ada, project)[0]
    half = {
        "pointwise": {"scores": {"overall": 1}},
        "pairwise": {"choices": {"overall": {"choice": "second", "strength": 1}}},
        "ranking": {"places": {"overall": [None, 1, None]}},
        "best_worst": {"places": {"overall": [None, 1, None]}},
    }[form]
    assert send(store, ada, project, "draft", item.id, **half, comments={"overall": "hm"}).state == "stored"
    restored = service.next_items(store, ada, project)[0]
    assert (restored.id, getattr(restored, FIELD[form]), restored.comments) == (
        item.id,
        half[FIELD[form]],
        {"overall": "hm"},
    )
    assert rows(store, TABLE[form]) == []
    send(store, ada, project, "rate", item.id, **SAID[form][0])
    assert {row.id: row.draft for row in rows(store, Assignment)}[item.id] == {}


@in_each_form
def test_no_unit_gets_too_many_raters_and_a_late_rating_is_surplus(store: Store, form: str) -> None:
    project = project_of(store, form, answers=2, raters_per_response=1)
    ada, ben = make_person(store, "Ada"), make_person(store, "Ben")
    expired_items = service.next_items(store, ada, project)
    assert len(expired_items) == 2 and service.next_items(store, ben, project) == []
    expire(store)
    for item in service.next_items(store, ben, project):
        assert not send(store, ben, project, "rate", item.id, **SAID[form][0]).surplus
    assert send(store, ada, project, "rate", expired_items[0].id, **SAID[form][0]).surplus
    assert {(row.person_id, row.surplus) for row in rows(store, TABLE[form])} == {(ada, True), (ben, False)}
    assert service.next_items(store, make_person(store, "Cleo"), project) == []


@in_each_form
def test_own_ratings_are_shown_in_words_and_can_be_reopened(store: Store, form: str) -> None:
    project, ada, ben = project_of(store, form), make_person(store, "Ada"), make_person(store, "Ben")
    item = service.next_items(store, ada, project)[0]
    send(store, ada, project, "rate", item.id, **SAID[form][0], comments={"clear": "why"})
    (work,) = service.my_ratings(store, ada, project)
    words = {
        "pointwise": {"overall": "1 Yes", "clear": "0 No"},
        "pairwise": {"overall": "A much better", "clear": "no difference"},
        "ranking": {"overall": "B > A = C", "clear": "A = B = C"},
        "best_worst": {"overall": "best B, worst A", "clear": "best A, worst C"},
    }
    assert work.in_words == words[form] and work.comments == {"clear": "why"}
    assert work.answers == (item.answers or (item.answer,)) and work.unit_id is not None
    assert service.my_ratings(store, ben, project) == []
    with pytest.raises(InvalidInput):
        service.reopen(store, ben, project, work.unit_id)
    service.reopen(store, ada, project, work.unit_id)
    assert service.next_items(store, ada, project)[0].id == item.id


@in_each_form
def test_a_screen_names_no_system_and_no_file(store: Store, form: str) -> None:
    project = project_of(store, form)
    text = str([asdict(item) for item in service.next_items(store, make_person(store, "Ada"), project)])
    assert "Secret" not in text and "secret" not in text


def test_sides_are_drawn_for_each_rater_and_pair_kept_and_stored(store: Store) -> None:
    project = project_of(store, "pairwise", answers=12, raters_per_response=9)
    people = [make_person(store, name) for name in ("Ada", "Ben", "Cleo")]
    orders: dict[int, list[QueueItem]] = {}
    for person in people:
        orders[person] = service.next_items(store, person, project)
        assert [queued.answers for queued in service.next_items(store, person, project)] == [
            queued.answers for queued in orders[person]
        ]
    firsts = {item.answers[0].endswith(".1") for items in orders.values() for item in items}
    assert firsts == {True, False}
    item = orders[people[0]][0]
    assignment = {row.id: row for row in rows(store, Assignment)}[item.id]
    assert [text_of(store, response) for response in assignment.shown] == list(item.answers)
    send(store, people[0], project, "rate", item.id, **SAID["pairwise"][0])
    overall, _ = rows(store, Preference)
    assert overall.response_a < overall.response_b
    chosen = overall.response_a if overall.choice == "a" else overall.response_b
    first_response = overall.response_a if overall.first == "a" else overall.response_b
    assert text_of(store, chosen) == text_of(store, first_response) == item.answers[0]
    assert (overall.strength, overall.choice == overall.first) == (2, True)


def test_every_pair_of_answers_is_compared_and_no_pair_twice_by_one_person(store: Store) -> None:
    project = make_project(store, answers=2, systems=3, criteria=TWO, form="pairwise")
    ada = make_person(store, "Ada")
    pairs = []
    while items := service.next_items(store, ada, project):
        for item in items:
            pairs.append(frozenset(item.answers))
            send(store, ada, project, "rate", item.id, **SAID["pairwise"][0])
    assert len(pairs) == len(set(pairs)) == 6


def test_places_are_stored_by_response_in_whatever_order_they_were_shown(store: Store) -> None:
    project = project_of(store, "ranking", answers=1)
    for name in ("Ada", "Ben", "Cleo"):
        person = make_person(store, name)
        (item,) = service.next_items(store, person, project)
        best = sorted(item.answers).index(item.answers[1])  # the second one shown gets place 1
        send(store, person, project, "rate", item.id, **SAID["ranking"][0])
        stored_rankings = [row for row in rows(store, Ranking) if row.person_id == person]
        assert [row.form for row in stored_rankings] == ["ranking"] * 2
        overall = {
            text_of(store, int(response)): rank for response, rank in stored_rankings[0].places.items()
        }
        assert overall == {answer: 1 if n == best else 2 for n, answer in enumerate(sorted(item.answers))}
        assert [text_of(store, response) for response in stored_rankings[0].shown] == list(item.answers)


IMPOSSIBLE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("pairwise", {"choices": {"overall": {"choice": "a"}}}),
    ("pairwise", {"choices": {"overall": {"choice": "first", "strength": 3}}}),
    ("pairwise", {"choices": {"overall": "first"}}),
    ("pairwise", {"choices": {"unknown": {"choice": "first"}}}),
    ("pairwise", {"choices": {}}),
    ("pairwise", {"scores": {"overall": 1}}),
    ("ranking", {"places": {"overall": [1, 2], "clear": [1, 2, 3]}}),
    ("ranking", {"places": {"overall": [1, 2, 4], "clear": [1, 2, 3]}}),
    ("ranking", {"places": {"overall": [1, 2, None], "clear": [1, 2, 3]}}),
    ("ranking", {"places": {"overall": [1, 2, 0]}}),
    ("ranking", {"places": {"overall": [1, 2, True]}}),
    ("ranking", {"places": {"overall": {"0": 1}}}),
    ("best_worst", {"places": {"overall": [1, 1, 3]}}),
    ("best_worst", {"places": {"overall": [1, 2, 2]}}),
    ("best_worst", {"places": {"overall": [1, None, 3]}}),
    ("best_worst", {"places": {"overall": [1, 4, 3]}}),
    ("best_worst", {"form": "none such", "places": {"overall": [1, 2, 3]}}),
)


@pytest.mark.parametrize(("form", "values"), IMPOSSIBLE)
def test_what_a_screen_could_not_have_sent_is_refused_whole(
    store: Store, form: str, values: dict[str, Any]
) -> None:
    project, ada = project_of(store, form, answers=1), make_person(store, "Ada")
    (item,) = service.next_items(store, ada, project)
    result = send(store, ada, project, "rate", item.id, **values)
    assert result.state == "refused" and result.message.endswith(".")
    assert rows(store, TABLE[form]) == [] and rows(store, RatingEvent) == []


def test_another_form_offers_other_units_and_keeps_earlier_ratings(store: Store) -> None:
    project, ada = make_project(store, answers=2, systems=2, criteria=TWO), make_person(store, "Ada")
    first, open_item, *_ = service.next_items(store, ada, project)
    send(store, ada, project, "rate", first.id, **SAID["pointwise"][0])
    with store.writing() as session:
        update_project(session, project, settings={"form": "pairwise"})
    queue = service.next_items(store, ada, project)
    assert len(queue) == 2 and all(len(item.answers) == 2 for item in queue)
    assert service.my_ratings(store, ada, project) == []
    progress = service.progress(store, ada, project)
    assert (progress.done, progress.total) == (0, 2)
    assert send(store, ada, project, "rate", open_item.id, **SAID["pointwise"][0]).state == "stored"
    assert len(rows(store, Rating)) == 4  # the screen that was still open loses nothing
    with store.writing() as session:
        update_project(session, project, settings={"form": "pointwise"})
    assert len(service.my_ratings(store, ada, project)) == 2
    assert len(service.next_items(store, ada, project)) == 2
    with store.writing() as session, pytest.raises(InvalidInput):
        update_project(session, project, settings={"form": "by ear"})


def test_places_of_another_form_are_not_shown_as_best_and_worst(store: Store) -> None:
    project, ada = project_of(store, "ranking", answers=1), make_person(store, "Ada")
    (item,) = service.next_items(store, ada, project)
    send(store, ada, project, "draft", item.id, **SAID["ranking"][1], form="ranking")
    with store.writing() as session:
        update_project(session, project, settings={"form": "best_worst"})
    (item,) = service.next_items(store, ada, project)
    assert item.places == {}
    assert send(store, ada, project, "rate", item.id, **SAID["ranking"][0], form="ranking").state == "stored"
    assert {row.form for row in rows(store, Ranking)} == {"ranking"}


def test_cannot_judge_is_stored_as_no_score_where_the_criterion_allows_it(store: Store) -> None:
    project, ada = make_project(store, answers=2, criteria=PASSING), make_person(store, "Ada")
    first, second = service.next_items(store, ada, project)
    refused = send(store, ada, project, "rate", first.id, scores={"right": 1, "fluency": None})
    assert refused.message == "Fluency: it needs a score."
    assert send(store, ada, project, "rate", first.id, scores={"right": None, "fluency": 4}).state == "stored"
    send(store, ada, project, "rate", second.id, scores={"right": 1, "fluency": 4})
    assert [row.score for row in rows(store, Rating)] == [None, 4, 1, 4]
    assert service.progress(store, ada, project).done == 2
    assert service.my_ratings(store, ada, project)[-1].in_words == {"right": "cannot judge", "fluency": "4"}
    with store.reading() as session:
        info = find_project(session, "soup-flasks")
        frame = score_frames.score_frame(session, info.id)
    assert len(frame) == 3 and frame["score"].notna().all()


def test_marked_evidence_is_stored_with_the_quoted_text(store: Store) -> None:
    project, ada = make_project(store, answers=1, criteria=PASSING), make_person(store, "Ada")
    with store.writing() as session:
        session.query(ResponseRow).update({"text": "Soup 🙂 stays hot."})
    (item,) = service.next_items(store, ada, project)
    scores = {"right": 1, "fluency": 4}
    span = {"part": "response", "start": 7, "end": 12, "text": "forged"}
    send(store, ada, project, "draft", item.id, evidence={"right": [span]})
    (queued,) = service.next_items(store, ada, project)
    assert queued.evidence == {"right": [{"part": "response", "start": 7, "end": 12}]}
    outside_text = {"right": [{"part": "context", "start": 0, "end": 5_000}]}
    assert send(store, ada, project, "rate", item.id, scores=scores, evidence=outside_text).state == "refused"
    evidence = {"right": [span, {"part": "context", "start": 0, "end": 4}]}
    send(store, ada, project, "rate", item.id, scores=scores, evidence=evidence)
    right, fluency = rows(store, Rating)
    assert [mark["text"] for mark in right.evidence] == ["stays", "text"] and fluency.evidence == []
    (event,) = rows(store, RatingEvent)
    assert event.after["evidence"]["right"] == right.evidence
    send(store, ada, project, "undo", item.id)
    (queued,) = service.next_items(store, ada, project)
    assert queued.evidence is not None and len(queued.evidence["right"]) == 2
    send(store, ada, project, "rate", item.id, scores=scores)
    assert [row.evidence for row in rows(store, Rating)] == [[], []]


def test_a_list_that_grew_stays_as_it_was_shown(store: Store) -> None:
    project, ada = project_of(store, "ranking", answers=1), make_person(store, "Ada")
    (item,) = service.next_items(store, ada, project)
    with store.writing() as session:
        unit = session.query(Unit).filter(Unit.kind == "list").one()
        session.add(ResponseRow(project_id=project, item_id=unit.item_id, external_id="new", text="late"))
    (reloaded,) = service.next_items(store, ada, project)
    assert reloaded.answers == item.answers
    assert send(store, ada, project, "rate", item.id, **SAID["ranking"][0]).state == "stored"
    (ben_item,) = service.next_items(store, make_person(store, "Ben"), project)
    assert len(ben_item.answers) == 4
