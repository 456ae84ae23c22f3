"""Degraded copies: created, assigned to raters of the original, not counted as data, and read as pairs."""

import uuid

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from judgelab.analysis.data import saved_filters, scores
from judgelab.annotation import service
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.annotation.filters.degraded_copies import add_degraded_copies, degraded_text, words_replaced
from judgelab.errors import InvalidInput
from judgelab.store.models import Assignment, ItemRow, Project, Rating, ResponseRow, Unit
from judgelab.store.people import people
from judgelab.store.projects.projects import find_project
from judgelab.store.rating import units
from judgelab.store.rating.controls import control_frame
from tests.runs.projects import flasks, rate

WORDS = st.lists(st.from_regex(r"[a-z]{1,6}", fullmatch=True), min_size=3, max_size=60)


@given(WORDS, WORDS, st.integers(0, 99))
def test_a_copy_keeps_its_length_and_all_but_one_phrase(words, other_words, seed):
    text, other_text = " ".join(words), " ".join(word.upper() for word in other_words)
    copy = degraded_text(text, other_text, np.random.default_rng(seed)).split()
    foreign = [word for word in copy if word.isupper()]
    assert len(copy) == len(words)
    assert len(foreign) == min(words_replaced(len(words)), len(other_words))
    assert " ".join(foreign) in other_text
    assert [w for w in copy if not w.isupper()] == [
        w for w, c in zip(words, copy, strict=True) if not c.isupper()
    ]


def test_line_breaks_outside_the_phrase_stay():
    text = "One line here\n\nand another line with more words in it"
    assert "\n\n" in degraded_text(text, "a b c d e f", np.random.default_rng(3)) or "here" not in text


@pytest.fixture
def project(store):
    slug = flasks(store, 6)
    with store.writing() as session:
        row = session.scalars(select(Project)).one()
        row.settings = {**row.settings, "attention_every": 2}
        units.offer_units(session, row.id)
    return slug


def test_copies_are_not_data_and_each_original_has_one(store, project):
    assert add_degraded_copies(store, project, copies=4) == 4
    rate(store, project, {n: 2.0 for n in range(1, 7)})
    assert scores.project_scores(store, project).humans["response"].nunique() == 6
    assert add_degraded_copies(store, project, copies=9) == 2
    with pytest.raises(InvalidInput, match="without a copy"):
        add_degraded_copies(store, project, copies=1)
    with store.reading() as session:
        copies = session.scalars(select(ItemRow).where(ItemRow.purpose == "attention")).all()
        assert len(copies) == 6 and {copy.question for copy in copies} == {
            f"Does flask {n} leak?" for n in range(6)
        }


def test_a_copy_is_assigned_only_to_raters_of_its_original(store, project):
    add_degraded_copies(store, project, copies=6)
    with store.writing() as session:
        person = people.find_or_create(session, "Ada")
        project_id = find_project(session, project).id
    rated = []
    while (items := service.next_items(store, person, project_id)) and len(rated) < 20:
        with store.reading() as session:
            unit = session.get_one(Unit, session.get_one(Assignment, items[0].id).unit_id)
            response = session.get_one(ResponseRow, unit.response_id)
            if "degraded_of" in response.meta:
                assert response.meta["degraded_of"]["response"] in rated
            rated.append(response.external_id)
        operation = {"uid": str(uuid.uuid4()), "kind": "rate", "item": items[0].id}
        result = service.apply(store, person, project_id, {**operation, "scores": {"helpfulness": 2}})
        assert result.state == "stored", result.message
    assert len(rated) == len(set(rated))
    assert {f"r{n}" for n in range(6)} < set(rated)


def test_pairs_by_one_rater_are_read_and_a_filter_uses_them(store, project):
    add_degraded_copies(store, project, copies=6)
    with store.reading() as session:
        copies = {
            row.meta["degraded_of"]["response"]: row.id
            for row in session.scalars(select(ResponseRow)).all()
            if row.meta
        }
        originals = {row.external_id: row.id for row in session.scalars(select(ResponseRow)) if not row.meta}
    rate(store, project, {originals[name]: 3.0 - (n % 2) for n, name in enumerate(sorted(originals))})
    rate(store, project, {copies[name]: float(n % 2) for n, name in enumerate(sorted(originals))})
    rate(store, project, {row_id: 2.0 for row_id in (*originals.values(), *copies.values())}, rater="Bot")
    with store.writing() as session:
        first = session.scalars(select(Rating)).first()
        values = {c: getattr(first, c) for c in ("project_id", "response_id", "criterion_id", "person_id")}
        session.add(Rating(**values, score=1.0, occasion=1))
    with store.reading() as session:
        frame = control_frame(session, find_project(session, project).id)
    assert frame.groupby(["rater", "kind"]).size().to_dict() == {
        ("Ann", "degraded"): 6,
        ("Ann", "repeat"): 1,
        ("Bot", "degraded"): 6,
    }
    outcome = saved_filters.evaluate_filter(store, project, FilterPolicy(control="hit", min_annotations=1))
    removed = {verdict.rater: verdict.reason for verdict in outcome.raters if not verdict.kept}
    assert removed.keys() == {"Bot"} and "6 degraded copies scored +0.00" in removed["Bot"]
