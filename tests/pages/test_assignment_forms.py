from streamlit.testing.v1 import AppTest

from judgelab.annotation.links import own_forms
from judgelab.domain import Criterion
from judgelab.store.projects.projects import find_project
from judgelab.store.rating import gold
from tests.annotation.conftest import make_project
from tests.pages.conftest import screen_text


def test_settings_of_giving_out_work_are_kept(open_page, app_store):
    project = make_project(app_store, answers=3)
    at = open_page("researcher/projects.py", project="soup-flasks")
    at.button(key="projects_settings").click().run()
    key = "settings_soup-flasks"
    assert not at.exception
    at.number_input(key=f"{key}_most").set_value(30)
    at.number_input(key=f"{key}_attention").set_value(12)
    at.number_input(key=f"{key}_repeats").set_value(5.0)
    at.number_input(key=f"{key}_needed").set_value(80)
    at.radio(key=f"{key}_order").set_value("file")
    at.number_input(key=f"{key}_pay").set_value(11.5)
    at.text_input(key=f"{key}_currency").set_value("GBP")
    at.button(key="settings_save").click().run()
    assert not at.exception
    with app_store.reading() as session:
        settings = find_project(session, "soup-flasks").settings
    assert {name: settings[name] for name in ("most_responses", "attention_every", "repeats", "order")} == {
        "most_responses": 30,
        "attention_every": 12,
        "repeats": 0.05,
        "order": "file",
    }
    assert settings["training"] == {"needed": 0.8, "tries": 2}
    assert (settings["pay_per_hour"], settings["currency"]) == (11.5, "GBP")
    assert project


def test_the_forms_of_raters_are_kept_and_an_invalid_question_is_named(open_page, app_store):
    make_project(app_store, answers=3)
    at = open_page("researcher/projects.py", project="soup-flasks")
    at.button(key="projects_settings").click().run()
    before, after = (f"settings_soup-flasks_{name}" for name in own_forms.SETTINGS)
    at.text_area(key=before).set_value("Age: number\nHand: choice=left|right, optional")
    at.text_area(key=after).set_value("Effort: colour").run()
    assert "write one of text, paragraph" in screen_text(at)
    at.text_area(key=after).set_value("Effort: number").run()
    at.button(key="settings_save").click().run()
    assert not at.exception
    with app_store.reading() as session:
        settings = find_project(session, "soup-flasks").settings
    forms = [own_forms.project_form(settings, name) for name in own_forms.SETTINGS]
    assert [[question.label for question in form] for form in forms] == [["Age", "Hand"], ["Effort"]]


def test_what_is_typed_is_kept_while_a_question_or_a_scale_has_an_error(open_page, app_store):
    rows = [{"key": "why", "text": "What is wrong?", "when": "relevance < 3"}]
    make_project(app_store, answers=3, questions=rows)
    at = open_page("researcher/projects.py", project="soup-flasks")
    at.button(key="projects_settings").click().run()
    key = "settings_soup-flasks"
    typed = {
        f"{key}_{own_forms.ENTRY}": "Age: number",
        f"{key}_{own_forms.EXIT}": "Effort: number",
        "settings_guidelines_soup-flasks_1": "Read all of it.",
    }
    for name, words in typed.items():
        at.text_area(key=name).set_value(words).run()
    at.checkbox(key="settings_relevance_pass").check().run()
    at.text_area(key=f"{key}_{own_forms.ENTRY}").set_value("Age: colour")
    at.number_input(key="settings_relevance_to").set_value(90)
    at.selectbox(key=f"{key}_form").set_value("pairwise").run()  # its scores are no conditions
    causes = ("'why' depends on a score", "write one of text, paragraph", "whole points, not 0 to 90")
    assert [sum(cause in error.value for error in at.error) for cause in causes] == [1, 1, 1]
    at.button(key="settings_save").click().run()
    assert [sum(cause in error.value for error in at.error) for cause in causes] == [2, 2, 2]
    with app_store.reading() as session:
        project = find_project(session, "soup-flasks")
    assert project.settings["questions"] == rows and own_forms.EXIT not in project.settings
    assert (project.guidelines, project.criteria[0].scale["high"]) == ("", 3)
    at.text_area(key=f"{key}_{own_forms.ENTRY}").set_value("Age: number")
    at.number_input(key="settings_relevance_to").set_value(3)
    at.selectbox(key=f"{key}_form").set_value("pointwise").run()
    assert not at.error and {name: at.text_area(key=name).value for name in typed} == typed
    at.button(key="settings_save").click().run()
    with app_store.reading() as session:
        project = find_project(session, "soup-flasks")
    assert project.guidelines == "Read all of it." and project.criteria[0].scale["cannot_judge"] is True
    assert [len(own_forms.project_form(project.settings, name)) for name in own_forms.SETTINGS] == [1, 1]


def test_marked_errors_are_written_without_ends_and_both_forms_have_an_example(open_page, app_store):
    scale = {"kind": "error_spans", "types": ["Accuracy", "Style"], "severities": ["Minor=1"], "most": 12}
    make_project(app_store, answers=3, criteria=(Criterion("errors", "Errors", scale),))
    at = open_page("researcher/projects.py", project="soup-flasks")
    at.button(key="projects_settings").click().run()
    assert "marked errors (MQM), -12 to 0: Accuracy, Style (Minor 1)" in screen_text(at).replace("\\", "")
    assert not [field for field in at.number_input if field.label in ("Lowest", "Highest")]
    examples = [at.text_area(key=f"settings_soup-flasks_{name}").placeholder for name in own_forms.SETTINGS]
    assert examples[0].startswith("Age: number") and examples[1].startswith("Difficulty: choice=")
    at.button(key="settings_save").click().run()
    with app_store.reading() as session:
        assert find_project(session, "soup-flasks").criteria[0].scale == scale


def test_an_item_becomes_a_check_with_a_known_score_and_data_again(open_page, app_store):
    project = make_project(app_store, answers=3)
    at = pick_first_item(open_page("researcher/data.py", project="soup-flasks"))
    assert not at.exception
    key = "known_soup-flasks_q0"
    at.radio(key=f"{key}_purpose").set_value("attention").run()
    with app_store.reading() as session:
        unit = gold.units_of_item(session, project, "q0")[1][0].unit_id
    at.button(key=f"{key}_save").click().run()
    assert "at least one known score" in at.warning[0].value
    at.selectbox(key=f"{key}_{unit}_relevance").set_value(3.0)
    at.number_input(key=f"{key}_{unit}_tolerance").set_value(1.0)
    at.checkbox(key=f"{key}_{unit}_loud").set_value(True)
    at.text_input(key=f"{key}_cohort").set_value("experts")
    at.button(key=f"{key}_save").click().run()
    assert not at.exception
    with app_store.reading() as session:
        purpose, (only,) = gold.units_of_item(session, project, "q0")
        assert gold.cohort_of(session, project, "q0") == "experts"
    (known_score,) = only.known
    assert (purpose, known_score.criterion, known_score.score, known_score.tolerance, known_score.loud) == (
        "attention",
        "relevance",
        3.0,
        1.0,
        True,
    )
    at.radio(key=f"{key}_purpose").set_value("data").run()
    at.button(key=f"{key}_save").click().run()
    with app_store.reading() as session:
        assert gold.count_gold(session, project) == gold.GoldCounts(0, 0, 0, 0)


def pick_first_item(at: AppTest) -> AppTest:
    """Select the first row of the items, as a click in the grid does."""
    at.session_state["data_items"] = {"selection": {"rows": [0], "columns": [], "cells": []}}
    return at.run()


def test_the_known_order_of_a_list_is_given_place_by_place(open_page, app_store):
    project = make_project(app_store, answers=1, systems=3, form="ranking")
    at = pick_first_item(open_page("researcher/data.py", project="soup-flasks"))
    key = "known_soup-flasks_q0"
    at.radio(key=f"{key}_purpose").set_value("gold").run()
    assert not at.exception
    with app_store.reading() as session:
        (unit,) = gold.units_of_item(session, project, "q0")[1]
    for response, rank in zip(unit.responses, (2, 1, 2), strict=True):
        at.selectbox(key=f"{key}_{unit.unit_id}_relevance_{response}").set_value(rank)
    at.number_input(key=f"{key}_{unit.unit_id}_tolerance").set_value(0.5)
    at.button(key=f"{key}_save").click().run()
    assert not at.exception
    with app_store.reading() as session:
        (known_order,) = gold.units_of_item(session, project, "q0")[1][0].known
    assert known_order.places == dict(zip(unit.responses, (2, 1, 2), strict=True))
    assert (known_order.criterion, known_order.purpose, known_order.score, known_order.tolerance) == (
        "relevance",
        "gold",
        1,
        0.5,
    )


def test_the_known_best_and_worst_are_chosen_by_name(open_page, app_store):
    project = make_project(app_store, answers=1, systems=3, form="best_worst")
    at = pick_first_item(open_page("researcher/data.py", project="soup-flasks"))
    key = "known_soup-flasks_q0"
    at.radio(key=f"{key}_purpose").set_value("training").run()
    with app_store.reading() as session:
        (unit,) = gold.units_of_item(session, project, "q0")[1]
    at.selectbox(key=f"{key}_{unit.unit_id}_fluency_1").set_value(2)
    at.selectbox(key=f"{key}_{unit.unit_id}_fluency_3").set_value(2).run()
    assert any("two different responses" in element.value for element in at.caption)
    at.selectbox(key=f"{key}_{unit.unit_id}_fluency_3").set_value(0)
    at.button(key=f"{key}_save").click().run()
    assert not at.exception
    with app_store.reading() as session:
        purpose, (only,) = gold.units_of_item(session, project, "q0")
    assert purpose == "training"
    assert only.known[0].places == dict(zip(unit.responses, (3, 2, 1), strict=True))
