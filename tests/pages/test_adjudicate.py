"""The page of conflicts: each is decided with one press, then the next is shown."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from judgelab.analysis.data.scores import project_scores
from judgelab.analysis.disagreement.conflicts import decide_conflict, find_conflicts
from judgelab.store.db import audit
from judgelab.store.models import Rating, now
from judgelab.store.people import people
from judgelab.store.projects.projects import create_project, find_project
from judgelab.store.rating.decisions import decisions
from judgelab.ui.cache import page_run, stale_results
from tests.pages import kitchen
from tests.pages.conftest import screen_text, until

PAGE = "researcher/adjudicate.py"


@pytest.fixture
def slug(app_store):
    return kitchen.rated(app_store)


def names(at):
    return [name for table in at.table for name in table.value["Rater"]]


def conflicts_of(store, slug):
    return find_conflicts(store, slug, criterion="answers")


def test_without_ratings_the_page_leads_on(open_page, app_store):
    with app_store.writing() as session:
        create_project(session, name="Empty")
    at = open_page(PAGE, project="empty")
    assert not at.exception
    assert "There are no ratings yet" in screen_text(at)


def test_one_press_decides_and_moves_to_the_next_open_one(open_page, app_store, slug):
    first, second, *_ = conflicts_of(app_store, slug)
    before = project_scores(app_store, slug).scores
    at = open_page(PAGE, project=slug)
    assert not at.exception
    at.text_input(key=f"adjudicate_reason_answers_{first.response}").set_value("the lid is glass").run()
    at.button(key="adjudicate_point_1").click().run()
    decision_by_response = {
        conflict.response: conflict.decision for conflict in conflicts_of(app_store, slug)
    }
    assert (decision_by_response[first.response].score, decision_by_response[first.response].reason) == (
        1,
        "the lid is glass",
    )
    assert decision_by_response[first.response].names_hidden
    assert decision_by_response[second.response] is None
    assert at.session_state["adjudicate_response"] == second.response
    assert f"1 of {len(decision_by_response)} conflicts decided" in screen_text(at)
    assert project_scores(app_store, slug).scores.equals(before)


def test_a_decision_can_be_read_again_and_taken_back(open_page, app_store, slug):
    at = open_page(PAGE, project=slug)
    at.button(key="adjudicate_undecidable").click().run()
    at.button(key="adjudicate_previous").click().run()
    assert "cannot be decided, Owner" in screen_text(at)
    at.button(key="adjudicate_back").click().run()
    assert all(conflict.decision is None for conflict in conflicts_of(app_store, slug))


def test_names_are_hidden_until_they_are_asked_for(open_page, app_store, slug):
    at = open_page(PAGE, project=slug)
    assert all(name.startswith("Rating ") for name in names(at))
    at.toggle(key="adjudicate_hidden").set_value(False).run()
    assert set(names(at)) == set(kitchen.RATERS)
    at.button(key="adjudicate_point_2").click().run()
    assert [
        conflict.decision.names_hidden for conflict in conflicts_of(app_store, slug) if conflict.decision
    ] == [False]


def test_a_smaller_distance_shows_more(open_page, app_store, slug):
    at = open_page(PAGE, project=slug)
    conflict_count = len(conflicts_of(app_store, slug))
    at.selectbox(key="adjudicate_distance_answers").set_value(1.0).run()
    larger_count = len(find_conflicts(app_store, slug, criterion="answers", distance=1))
    assert larger_count > conflict_count
    assert f"0 of {larger_count} conflicts decided" in screen_text(at)


@pytest.fixture
def redrawn(monkeypatch):
    """The page reruns once new figures are there, as in a browser."""
    monkeypatch.setattr(page_run, "UNSEEN", 0.0)
    monkeypatch.setattr(stale_results, "LONG", -1.0)


def shown_response(at):
    (field,) = [
        element.key for element in at.text_input if element.key.startswith("adjudicate_reason_answers_")
    ]
    return int(field.rsplit("_", 1)[-1])


def rescore(store, responses, score):
    with store.writing() as session:
        for rating in session.query(Rating).filter(Rating.response_id.in_(responses)):
            rating.score, rating.rated_at = score, now()


def decisions_of(store, slug):
    with store.reading() as session:
        return {
            decision.response: decision
            for decision in decisions(session, find_project(session, slug).id).values()
        }


def test_new_ratings_take_nothing_out_of_the_adjudicators_hands(open_page, app_store, slug, redrawn):
    at = open_page(PAGE, project=slug)
    until(at, lambda: at.text_input)
    first, second, *_ = [conflict.response for conflict in conflicts_of(app_store, slug)]
    assert shown_response(at) == first
    rescore(app_store, [first], 1)
    until(at, lambda: "No longer a conflict" in screen_text(at))
    assert shown_response(at) == first
    at.button(key="adjudicate_point_1").click().run()
    assert decisions_of(app_store, slug)[first].score == 1
    until(at, lambda: shown_response(at) == second)


def test_what_ended_is_let_go_of_when_nothing_else_is_left(open_page, app_store, slug, redrawn):
    at = open_page(PAGE, project=slug)
    until(at, lambda: at.text_input)
    rescore(app_store, [conflict.response for conflict in conflicts_of(app_store, slug)], 1)
    until(at, lambda: "No longer a conflict" in screen_text(at))
    assert "0 of 0 conflicts decided" in screen_text(at)
    at.button(key="adjudicate_let_go").click().run()
    assert "nothing to decide" in screen_text(at) and not at.text_input


def test_deciding_what_ended_leaves_it_too(open_page, app_store, slug, redrawn):
    at = open_page(PAGE, project=slug)
    until(at, lambda: at.text_input)
    rescore(app_store, [conflict.response for conflict in conflicts_of(app_store, slug)], 1)
    until(at, lambda: "No longer a conflict" in screen_text(at))
    at.button(key="adjudicate_undecidable").click().run()
    assert not at.text_input and len(decisions_of(app_store, slug)) == 1


def test_what_another_decided_meanwhile_is_not_replaced_unread(open_page, app_store, slug):
    at = open_page(PAGE, project=slug)
    first = shown_response(at)
    with app_store.writing() as session:
        olga = people.find_or_create(session, "Olga", role="owner")
    decision = {"response": first, "criterion": "answers", "person_id": olga}
    decide_conflict(app_store, slug, score=2, reason="the lid is glass", **decision)
    at.button(key="adjudicate_point_0").click().run()
    assert "Olga decided this in the meantime" in " ".join(element.value for element in at.error)
    assert decisions_of(app_store, slug)[first].score == 2
    at.run()
    assert shown_response(at) == first
    assert at.text_input(key=f"adjudicate_reason_answers_{first}").value == "the lid is glass"
    at.button(key="adjudicate_point_0").click().run()
    assert (decisions_of(app_store, slug)[first].score, decisions_of(app_store, slug)[first].reason) == (
        0,
        "the lid is glass",
    )


def test_the_same_decision_again_is_no_event(app_store, slug):
    first = conflicts_of(app_store, slug)[0].response
    with app_store.writing() as session:
        owner = people.find_or_create(session, "Olga", role="owner")
    for _ in range(3):
        decide_conflict(app_store, slug, response=first, criterion="answers", score=1, person_id=owner)
    with app_store.reading() as session:
        log = audit.recent_events(session, find_project(session, slug).id)
    assert len([conflict for conflict in log if conflict.action == "decided_conflict"]) == 1


def test_a_number_for_one_criterion_does_not_stand_in_the_field_of_the_next():
    def drawn() -> None:
        import streamlit as st

        from judgelab.domain import Criterion
        from judgelab.scales import scale_from_json
        from judgelab.ui.explain import decision_form

        scale = {"kind": "numeric", "low": 0, "high": 100}
        criterion = Criterion(st.session_state.get("shown", "first"), "Shown", scale)
        form = decision_form.DecisionForm(
            None, None, 7, criterion, None, False, "desk", False, lambda _: None
        )
        decision_form.draw_decision_form(form, scale_from_json(scale))

    at = AppTest.from_function(drawn, default_timeout=60).run()
    at.number_input[0].set_value(40.0).run()
    assert at.number_input[0].value == 40.0
    at.session_state["shown"] = "second"
    assert at.run().number_input[0].value is None
