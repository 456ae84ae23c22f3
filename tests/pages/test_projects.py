import re

import pytest
from sqlalchemy import delete, select

from judgelab.analysis.agreement.agreement_table import agreement_and_ceiling
from judgelab.annotation.rating.questions import read_questions
from judgelab.domain import Criterion
from judgelab.errors import InvalidInput
from judgelab.imports.service import import_files
from judgelab.store.db.audit import recent_events
from judgelab.store.frames.score_frames import score_frame
from judgelab.store.models import ItemRow, JudgeRow, Judgment, ResponseRow, Run, Unit, Verdict
from judgelab.store.projects.projects import create_project, find_project, list_projects
from judgelab.store.rating import units
from tests.annotation.conftest import make_project
from tests.databases import load_demo
from tests.pages.conftest import screen_text

PAGE = "researcher/projects.py"
SCALE = {"kind": "ordinal", "low": 0, "high": 3}


def test_without_projects_the_form_of_the_first_one_is_there(open_page):
    at = open_page(PAGE)
    assert not at.exception
    assert at.text_input(key="projects_name").value == ""
    assert at.button(key="projects_create").disabled
    assert "name missing" in at.button(key="projects_create").label


def test_a_study_brings_its_criteria_and_creating_opens_the_steps(open_page, app_store):
    at = open_page(PAGE)
    at.text_input(key="projects_name").set_value("Kitchen questions").run()
    at.selectbox(key="projects_study").set_value("summeval").run()
    assert "Coherence" in screen_text(at)
    at.number_input(key="projects_summeval_raters").set_value(2)
    at.button(key="projects_create").click().run()
    assert not at.exception
    with app_store.reading() as session:
        project = find_project(session, "kitchen-questions")
        assert [e.action for e in recent_events(session, project.id)] == ["created_project"]
    assert [c.key for c in project.criteria] == ["coherence", "consistency", "fluency", "relevance"]
    assert project.settings["raters_per_response"] == 2
    assert at.title[0].value == "Kitchen questions"
    assert at.button(key="projects_next").label.startswith(":violet[")


def test_custom_criteria_are_stored_with_their_scale(open_page, app_store):
    at = open_page(PAGE)
    at.text_input(key="projects_name").set_value("Soup").run()
    at.selectbox(key="projects_study").set_value("custom").run()
    at.text_input(key="projects_custom_0_label").set_value("Taste")
    at.text_input(key="projects_custom_0_question").set_value("Is it good?")
    at.number_input(key="projects_custom_0_high").set_value(7).run()
    at.button(key="projects_custom_add").click().run()
    at.text_input(key="projects_custom_1_label").set_value("Hot").run()
    at.selectbox(key="projects_custom_1_kind").set_value("binary").run()
    at.button(key="projects_create").click().run()
    assert not at.exception
    with app_store.reading() as session:
        taste, hot = find_project(session, "soup").criteria
    assert (taste.key, taste.question, taste.scale["low"], taste.scale["high"]) == (
        "taste",
        "Is it good?",
        1,
        7,
    )
    assert (hot.key, hot.scale["kind"]) == ("hot", "binary")


def test_a_custom_project_may_begin_without_criteria(open_page, app_store):
    at = open_page(PAGE)
    at.text_input(key="projects_name").set_value("Bare").run()
    at.selectbox(key="projects_study").set_value("custom").run()
    at.button(key="projects_create").click().run()
    with app_store.reading() as session:
        assert find_project(session, "bare").criteria == ()


def test_a_scale_that_cannot_be_is_a_sentence_and_stores_nothing(open_page, app_store):
    at = open_page(PAGE)
    at.text_input(key="projects_name").set_value("Soup").run()
    at.selectbox(key="projects_study").set_value("custom").run()
    at.text_input(key="projects_custom_0_label").set_value("Taste")
    at.number_input(key="projects_custom_0_high").set_value(1).run()
    at.button(key="projects_create").click().run()
    assert "2 to 21" in at.error[0].value.replace("\\", "")
    with app_store.reading() as session:
        assert list_projects(session) == []


def test_a_name_twice_is_a_sentence(open_page, app_store):
    with app_store.writing() as session:
        create_project(session, name="Soup")
    at = open_page(PAGE)
    at.button(key="projects_all").click().run()
    at.button(key="projects_new").click().run()
    at.text_input(key="projects_name").set_value("Soup").run()
    at.button(key="projects_create").click().run()
    assert "already" in at.error[0].value


def test_six_steps_in_order_with_one_primary_button(open_page, app_store):
    with app_store.writing() as session:
        create_project(session, name="Soup", criteria=[Criterion("taste", "Taste", SCALE)])
    at = open_page(PAGE, project="soup")
    text = screen_text(at)
    positions = [
        text.index(f"**{title}**") for title in ("Data", "Rate", "Quality", "Judge", "Agree", "Explain")
    ]
    assert positions == sorted(positions)
    primary = [b for b in at.button if b.proto.type == "primary"]
    assert [b.key for b in primary] == ["projects_next"]


def test_the_count_of_steps_has_the_words_of_the_rows(open_page, app_store):
    load_demo(app_store, "pairs")
    at = open_page(PAGE, project="demo-pairs")
    words = screen_text(at)
    assert "2 done, 3 ready, 1 open, 1 to check" in words
    marks = [element.value for element in at.markdown]
    assert marks.count(":small[:gray[:material/check: done]]") == 2
    assert (marks.count(":gray-badge[ready]"), marks.count(":gray-badge[open]")) == (3, 1)
    assert sum(":material/error: check: " in element.value for element in at.markdown) == 1
    assert words.count("without a choice or score") == 1
    assert (
        "Demo data; no activity since the project was created." in words and "No activity yet." not in words
    )


def test_what_is_known_so_far_is_what_the_page_of_agreement_shows(open_page, app_store):
    load_demo(app_store, "kitchen")
    both_comparisons = agreement_and_ceiling(
        app_store, "demo-kitchen", level="none", coefficients=["spearman"], resamples=0
    )
    best = max(both_comparisons.vs_ceiling, key=lambda row: row.estimate.value or -1)
    vs_all_raters = next(row for row in both_comparisons.table.rows if row.rater == best.rater)
    assert f"{best.estimate.value:.2f}" != f"{vs_all_raters.estimate.value:.2f}"
    words = screen_text(open_page(PAGE, project="demo-kitchen")).replace("\\", "")
    assert f"{best.rater} reaches ρ {best.estimate.value:.2f}" in words
    assert f"agree with one another at {both_comparisons.table.ceiling[0].estimate.value:.2f}" in words


def test_a_hostile_name_stays_text(open_page, app_store):
    with app_store.writing() as session:
        create_project(session, name="![x](https://example.org/x.png)", slug="x")
    at = open_page(PAGE, project="x")
    assert not at.exception
    assert "![x](" not in at.title[0].value


def test_settings_make_a_new_version_of_the_guidelines(open_page, app_store):
    with app_store.writing() as session:
        create_project(session, name="Soup", criteria=[Criterion("taste", "Taste", SCALE)], guidelines="Old.")
    at = open_page(PAGE, project="soup")
    at.button(key="projects_settings").click().run()
    at.text_area(key="settings_guidelines_soup_1").set_value("New.")
    at.number_input(key="settings_soup_raters").set_value(5)
    at.text_input(key="settings_taste_label").set_value("Good taste")
    at.selectbox(key="settings_soup_format_response").select("code")
    at.button(key="settings_save").click().run()
    assert not at.exception
    with app_store.reading() as session:
        project = find_project(session, "soup")
    assert (project.guidelines, project.guidelines_version) == ("New.", 2)
    assert project.settings["raters_per_response"] == 5
    assert project.settings["text_formats"] == {"response": "code"}  # the rest is left to the next import
    assert project.criteria[0].label == "Good taste"
    assert dict(project.criteria[0].scale) == SCALE


def test_settings_widen_a_scale_and_read_imported_judgments_again(open_page, app_store):
    with app_store.writing() as session:
        create_project(session, name="Soup", criteria=[Criterion("taste", "Taste", SCALE)])
    rows = f"q1,Why?,So,m,{SCALE['high'] + 1}\n"
    import_files(app_store, "soup", [("f.csv", f"item_id,question,response,judge,score\n{rows}".encode())])
    at = open_page(PAGE, project="soup")
    at.button(key="projects_settings").click().run()
    assert at.number_input(key="settings_taste_to").min == SCALE["high"]
    at.number_input(key="settings_taste_to").set_value(SCALE["high"] + 2).run()
    at.button(key="settings_save").click().run()
    assert not at.exception
    with app_store.reading() as session:
        project = find_project(session, "soup")
        assert score_frame(session, project.id).score.tolist() == [SCALE["high"] + 1]
    assert dict(project.criteria[0].scale) == {**SCALE, "high": SCALE["high"] + 2}


def test_rules_for_submitting_are_chosen_with_the_project_and_kept_when_it_is_saved(open_page, app_store):
    at = open_page(PAGE)
    at.text_input(key="projects_name").set_value("Soup").run()
    at.selectbox(key="projects_study").set_value("summeval").run()
    at.number_input(key="projects_summeval_required_below").set_value(3.0).run()
    at.checkbox(key="projects_summeval_skip").uncheck().run()
    at.number_input(key="projects_summeval_least_seconds").set_value(20.0).run()
    at.button(key="projects_create").click().run()
    at = open_page(PAGE, project="soup")
    at.button(key="projects_settings").click().run()
    assert at.number_input(key="settings_soup_required_below").value == 3
    at.checkbox(key="settings_soup_required").check().run()
    at.button(key="settings_save").click().run()
    assert not at.exception
    with app_store.reading() as session:
        settings = find_project(session, "soup").settings
    assert settings["comment_required"] == {"always": True, "below": 3.0, "above": None}
    assert (settings["skip"], settings["least_seconds"]) == (False, 20.0)


def test_a_form_is_chosen_and_changing_it_later_offers_raters_other_units(open_page, app_store):
    at = open_page(PAGE)
    at.text_input(key="projects_name").set_value("Soup").run()
    at.selectbox(key="projects_study").set_value("summeval").run()
    at.selectbox(key="projects_summeval_form").set_value("pairwise").run()
    at.checkbox(key="projects_summeval_ask_strength").check().run()
    assert at.number_input(key="projects_summeval_raters").label == "Raters per pair"
    at.button(key="projects_create").click().run()
    assert not at.exception
    with app_store.writing() as session:
        project = find_project(session, "soup")
        item = ItemRow(project_id=project.id, external_id="q1")
        session.add(item)
        session.flush()
        for name in "abc":
            session.add(ResponseRow(project_id=project.id, item_id=item.id, external_id=name))
        session.flush()
        units.offer_units(session, project.id)
    assert (project.settings["form"], project.settings["ask_strength"]) == ("pairwise", True)
    at = open_page(PAGE, project="soup")
    at.button(key="projects_settings").click().run()
    at.selectbox(key="settings_soup_form").set_value("ranking").run()
    language = at.selectbox(key="settings_soup_language")
    assert (language.value, language.options) == (
        "",
        ["browser default", "English", "العربية", "Deutsch"],
    )
    language.set_value("ar").run()
    at.button(key="settings_save").click().run()
    assert not at.exception
    with app_store.reading() as session:
        assert find_project(session, "soup").settings["language"] == "ar"
        offered = [(unit.kind, unit.offered) for unit in session.query(Unit).order_by(Unit.id)]
    assert offered == [("pair", False)] * 3 + [("list", True)]


def test_cannot_judge_is_allowed_by_criterion(open_page, app_store):
    at = open_page(PAGE)
    at.text_input(key="projects_name").set_value("Soup").run()
    at.selectbox(key="projects_study").set_value("custom").run()
    at.text_input(key="projects_custom_0_label").set_value("Right").run()
    at.selectbox(key="projects_custom_0_kind").set_value("binary").run()
    at.checkbox(key="projects_custom_0_pass").check().run()
    at.button(key="projects_create").click().run()
    with app_store.reading() as session:
        (right,) = find_project(session, "soup").criteria
    assert right.scale == {"kind": "binary", "no": "No", "yes": "Yes", "cannot_judge": True}


def test_the_figures_known_so_far_are_those_of_the_page_of_agreement(open_page, app_store):
    def intervals(page):
        words = " ".join(screen_text(open_page(page, project="demo-kitchen")).split()).replace("\\", "")
        return re.findall(r"\[[−\d.]+, [−\d.]+\]", words)

    load_demo(app_store, "kitchen")
    judge, raters = intervals(PAGE)
    assert {judge, raters} <= set(intervals("researcher/agreement.py"))


def test_the_baseline_known_so_far_is_that_of_the_page_of_agreement(open_page, app_store):
    def baselines(page, between):
        words = screen_text(open_page(page, project="demo-kitchen")).replace("\\", "")
        return re.findall(rf"[Ww]ord count alone {between}(\d\.\d+)", words)

    load_demo(app_store, "kitchen")
    with app_store.writing() as session:  # the best judge has no score of half of the responses
        of_judge = select(JudgeRow.id).where(JudgeRow.name == "Demo judge B")
        runs = select(Run.id).where(Run.judge_id.in_(of_judge))
        half = session.scalars(select(Judgment.id).where(Judgment.run_id.in_(runs)).limit(44)).all()
        session.execute(delete(Verdict).where(Verdict.judgment_id.in_(half)))
    (stated_baseline,) = baselines(PAGE, "reaches ")
    assert stated_baseline in baselines("researcher/agreement.py", r"\(")


def test_ratings_without_a_judge_say_what_to_do_and_name_no_baseline(open_page, app_store):
    with app_store.writing() as session:
        create_project(session, name="Soup", criteria=[Criterion("taste", "Taste", SCALE)])
    rows = "".join(
        f"q{n},Why?,{'So ' * (n + 1)},{rater},{n % 4}\n" for n in range(6) for rater in ("ann", "ben")
    )
    import_files(app_store, "soup", [("f.csv", f"item_id,question,response,rater,score\n{rows}".encode())])
    words = screen_text(open_page(PAGE, project="soup"))
    assert "No judge or metric has scored the rated responses yet." in words
    assert "baseline" not in words


def test_numbered_raters_of_a_file_are_slots_on_project_and_data(open_page, app_store):
    with app_store.writing() as session:
        create_project(session, name="Soup", criteria=[Criterion("taste", "Taste", SCALE)])
    rows = "".join(f"q{n},Why?,So {n},r{rater},{n % 4}\n" for n in range(4) for rater in (1, 2, 3))
    import_files(app_store, "soup", [("f.csv", f"item_id,question,response,rater,score\n{rows}".encode())])
    slots = "12 ratings in 3 rater slots (numbered in the file, perhaps several people each)"
    words = screen_text(open_page(PAGE, project="soup")).replace("\\", "")
    assert f"{slots}; 4 of 4 responses have 3 slots or more" in words and "3 raters" not in words
    assert slots in screen_text(open_page("researcher/data.py", project="soup")).replace("\\", "")


def test_questions_to_raters_are_edited_in_a_table(open_page, app_store):
    rows = [
        {"key": "why", "text": "What is wrong?", "kind": "text", "options": [], "required": True, "when": ""}
    ]
    make_project(app_store, answers=1, questions=rows)
    at = open_page(PAGE, project="soup-flasks")
    at.button(key="projects_settings").click().run()
    assert not at.exception
    at.button(key="settings_save").click().run()
    with app_store.reading() as session:
        assert find_project(session, "soup-flasks").settings["questions"] == rows


def test_a_question_without_a_kind_is_a_free_text_in_the_table(open_page, app_store):
    make_project(app_store, answers=1, questions=[{"key": "why", "text": "What is wrong?"}])
    at = open_page(PAGE, project="soup-flasks")
    at.button(key="projects_settings").click().run()
    at.button(key="settings_save").click().run()
    with app_store.reading() as session:
        assert find_project(session, "soup-flasks").settings["questions"][0]["kind"] == "text"


def test_a_condition_on_a_renamed_label_is_refused(open_page, app_store):
    labels = {"kind": "ordinal", "low": 0, "high": 1, "labels": {"0": "wrong", "1": "right"}}
    rows = [{"key": "why", "text": "Why?", "when": "verdict = wrong"}]
    renamed = (Criterion("verdict", "Verdict", {**labels, "labels": {"0": "bad", "1": "right"}}),)
    with pytest.raises(InvalidInput, match="question 1: 'wrong' in the condition is neither"):
        read_questions(rows, renamed)
    make_project(app_store, answers=1, criteria=(Criterion("verdict", "Verdict", labels),), questions=rows)
    at = open_page(PAGE, project="soup-flasks")
    at.button(key="projects_settings").click().run()
    assert not at.exception and "settings_save" in [button.key for button in at.button]
