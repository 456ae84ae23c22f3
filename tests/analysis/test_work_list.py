"""The work list: what raters flag, skip, comment and fail is listed until somebody marks it done."""

from __future__ import annotations

import uuid
from collections import Counter
from typing import Any

import pytest
from sqlalchemy import select

from judgelab.accounts.erasure import erase
from judgelab.analysis.disagreement.conflicts import decide_conflict, find_conflicts, reopen_conflict
from judgelab.analysis.disagreement.pair_conflicts import reopen_pair
from judgelab.analysis.raters import work_list
from judgelab.annotation import service
from judgelab.errors import InvalidInput, NotFound
from judgelab.store.db.engine import Store
from judgelab.store.models import Unit
from judgelab.store.people import people
from judgelab.store.projects.projects import find_project
from judgelab.store.rating import gold
from tests.annotation.conftest import make_person, make_project
from tests.compared import decide, pairs_project

SLUG = "soup-flasks"


def send(store: Store, person: int, project: int, kind: str, item: int, **values: Any) -> None:
    operation = {"uid": str(uuid.uuid4()), "kind": kind, "item": item, **values}
    outcome = service.apply(store, person, project, operation)
    assert outcome.state == "stored", outcome.message


def said(store: Store) -> list[tuple[str, str, list[str], bool]]:
    return [
        (
            entry.key.kind,
            entry.unit.rater,
            [" ".join(filter(None, (note.criterion, note.text, note.known))) for note in entry.notes],
            entry.done,
        )
        for entry in work_list.work_list(store, SLUG)
    ]


@pytest.fixture
def worked(any_store: Store) -> tuple[Store, int, int]:
    """A project in which Ann flagged the first item, skipped the second, and commented on the third."""
    project, ann = make_project(any_store, answers=3), make_person(any_store, "Ann")
    first, second, third = service.next_items(any_store, ann, project)[:3]
    send(any_store, ann, project, "flag", first.id, reason="Two answers in one")
    send(any_store, ann, project, "skip", second.id)
    scores = {"relevance": 2, "fluency": 4}
    send(any_store, ann, project, "rate", third.id, scores=scores, comments={"fluency": "Odd commas"})
    return any_store, ann, project


def test_every_kind_is_listed_with_what_the_rater_said(worked: tuple[Store, int, int]) -> None:
    store, _ann, _project = worked
    assert sorted(said(store)) == [
        ("comment", "Ann", ["fluency Odd commas"], False),
        ("flag", "Ann", ["Two answers in one"], False),
        ("skip", "Ann", ["once"], False),
    ]
    assert {entry.unit.item for entry in work_list.work_list(store, SLUG)} == {"q0", "q1", "q2"}


def test_what_is_done_comes_last_and_is_open_again_once_it_reads_differently(
    worked: tuple[Store, int, int],
) -> None:
    store, ann, project = worked
    flag = next(entry for entry in work_list.work_list(store, SLUG) if entry.key.kind == "flag")
    assert work_list.mark_done(store, SLUG, [flag.id], by=None, note=" split ") == 1
    assert [row[0] for row in said(store) if row[-1]] == ["flag"] and said(store)[-1][0] == "flag"
    done = work_list.work_list(store, SLUG)[-1].mark
    assert done is not None and done.note == "split" and "Two answers" not in done.content
    assignment = next(unit for unit in service.next_items(store, ann, project) if unit.flag)
    send(store, ann, project, "flag", assignment.id, reason="Three answers in one")
    assert [row[2] for row in said(store) if row[0] == "flag" and not row[-1]] == [["Three answers in one"]]
    work_list.mark_done(store, SLUG, [flag.id], by=ann)
    work_list.reopen(store, SLUG, [flag.id], by=ann)
    assert not any(row[-1] for row in said(store))


def test_marking_is_all_or_none(worked: tuple[Store, int, int]) -> None:
    store, ann, _project = worked
    first = work_list.work_list(store, SLUG)[0]
    with pytest.raises(NotFound, match="flag-99-99"):
        work_list.mark_done(store, SLUG, [first.id, "flag-99-99"], by=ann)
    with pytest.raises(InvalidInput, match="too long"):
        work_list.mark_done(store, SLUG, [first.id], by=ann, note="x" * 2001)
    assert not any(row[-1] for row in said(store))


def test_a_failed_check_names_the_given_and_the_known_score(any_store: Store) -> None:
    store = any_store
    project, ann = make_project(store, answers=1), make_person(store, "Ann")
    shown = service.next_items(store, ann, project)[0]
    send(store, ann, project, "rate", shown.id, scores={"relevance": 0, "fluency": 4})
    with store.writing() as session:
        (unit,) = session.scalars(select(Unit.id))
        known = {"relevance": 3, "fluency": 5}
        gold.set_known_scores(session, project, unit, purpose="attention", scores=known, tolerance=1)
    assert said(store) == [("check", "Ann", ["relevance 0 3"], False)]


def test_erasing_a_rater_takes_words_and_marks_out(worked: tuple[Store, int, int]) -> None:
    store, ann, _project = worked
    entries = work_list.work_list(store, SLUG)
    work_list.mark_done(store, SLUG, [entry.id for entry in entries], by=ann, note="Asked Ann")
    erase(store, None, "Ann", keep_ratings=True)
    assert said(store) == [("skip", "Erased person 1", ["once"], False)]


@pytest.fixture
def apart(any_store: Store) -> tuple[Store, int]:
    """Ann and Bob rate an answer for relevance 0 and 2 of 3, two points and so a conflict, fluency 4 and 5.

    Another answer gets 1 and 2 for relevance, and 3 and 1 of 1 to 5 for fluency: half the scale, a conflict.
    Ann flags a third one.
    """
    project = make_project(any_store, answers=3)
    ann, bob = make_person(any_store, "Ann"), make_person(any_store, "Bob", role="owner")
    given = {"q0": ((0, 4), (2, 5)), "q1": ((1, 3), (2, 1))}
    for place, person in enumerate((ann, bob)):
        for unit in service.next_items(any_store, person, project):
            item = f"q{unit.question.split()[-1]}"
            if item not in given:
                if place == 0:
                    send(any_store, person, project, "flag", unit.id, reason="Odd")
                continue
            relevance, fluency = given[item][place]
            scores = {"relevance": relevance, "fluency": fluency}
            send(any_store, person, project, "rate", unit.id, scores=scores)
    return any_store, bob


def test_conflicts_are_entries_without_a_rater_of_their_own(apart: tuple[Store, int]) -> None:
    store, _bob = apart
    entries = work_list.work_list(store, SLUG)[1:]
    assert said(store) == [
        ("flag", "Ann", ["Odd"], False),
        ("conflict", "", ["relevance 0, 2"], False),
        ("conflict", "", ["fluency 1, 3"], False),
    ]
    assert [(entry.unit.item, entry.raters, entry.at) for entry in entries] == [
        ("q0", 2, None),
        ("q1", 2, None),
    ]
    found = [
        *find_conflicts(store, SLUG, criterion="relevance"),
        *find_conflicts(store, SLUG, criterion="fluency"),
    ]
    assert [entry.conflict for entry in entries] == found
    assert entries[0].id == f"conflict-{found[0].response}-relevance"
    assert entries[0].to_json()["rater"] is None and entries[0].to_json()["raters"] == 2


def test_a_conflict_is_done_by_its_decision_alone_and_open_again_without_it(apart: tuple[Store, int]) -> None:
    store, bob = apart
    first = work_list.work_list(store, SLUG)[1]
    (response,) = first.unit.responses
    decide_conflict(
        *(store, SLUG),
        response=response,
        criterion="relevance",
        score=1,
        person_id=bob,
        reason="lid is glass",
    )
    last = work_list.work_list(store, SLUG)[-1]
    assert (last.id, last.done) == (first.id, True)
    assert last.mark is not None and (last.mark.by, last.mark.note) == ("Bob", "lid is glass")
    for change in (work_list.mark_done, work_list.reopen):
        with pytest.raises(InvalidInput, match="decided on Conflicts"):
            change(store, SLUG, [first.id], by=bob)
    with pytest.raises(InvalidInput, match="decided on Conflicts"):
        work_list.answer(store, SLUG, first.id, "So.", by=bob)
    reopen_conflict(store, SLUG, response=response, criterion="relevance", person_id=bob)
    assert not any(row[-1] for row in said(store))
    decide_conflict(store, SLUG, response=response, criterion="relevance", score=None, person_id=bob)
    assert said(store)[-1] == ("conflict", "", ["relevance 0, 2"], True)  # that it cannot be decided, too


def test_conflicts_of_comparisons_are_entries_until_they_are_decided(any_store: Store) -> None:
    slug = pairs_project(any_store)
    entries = work_list.work_list(any_store, slug)
    votes = [(entry.unit.item, entry.notes[0].text.split(" (")[0], entry.raters) for entry in entries]
    assert votes == [
        ("q8", "1 : 1 : 1", 3),
        ("q9", "1 : 1 : 1", 3),
        ("q2", "2 : 0 : 1", 3),
        ("q3", "1 : 0 : 2", 3),
        ("q6", "1 : 0 : 2", 3),
    ]
    decide(any_store, slug, "q2", "tie")
    entries = work_list.work_list(any_store, slug)
    assert [entry.unit.item for entry in entries if entry.done] == [entries[-1].unit.item] == ["q2"]
    mark = entries[-1].mark
    assert mark is not None and mark.by == "Olga"
    first, second = sorted(entries[-1].unit.responses)
    with any_store.writing() as session:
        olga = people.find_or_create(session, "Olga", role="owner")
    reopen_pair(
        any_store, slug, pair=(first, second), criterion=entries[-1].notes[0].criterion, person_id=olga
    )
    assert not any(entry.done for entry in work_list.work_list(any_store, slug))


def test_rating_now_counts_the_open_entries_of_the_kinds_that_it_names(apart: tuple[Store, int]) -> None:
    store, _bob = apart
    still_open = Counter(row[0] for row in said(store) if not row[-1])
    assert still_open == {"flag": 1, "conflict": 2}
    with store.reading() as session:
        counted = work_list.count_open(session, find_project(session, SLUG).id)
    assert counted == {"flag": 1}
