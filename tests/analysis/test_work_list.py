"""The work list: what raters flag, skip, comment and fail is listed until somebody marks it done."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from sqlalchemy import select

from judgelab.accounts.erasure import erase
from judgelab.analysis.raters import work_list
from judgelab.annotation import service
from judgelab.errors import InvalidInput, NotFound
from judgelab.store.db.engine import Store
from judgelab.store.models import Unit
from judgelab.store.rating import gold
from tests.annotation.conftest import make_person, make_project

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
