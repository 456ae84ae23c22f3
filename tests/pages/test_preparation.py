import pytest

from judgelab.analysis.disagreement.disagreements import disagreement_table
from judgelab.domain import Criterion
from judgelab.preparation.lists.editing import list_sets, lists_of_set
from judgelab.preparation.lists.plan import ListPlan
from judgelab.preparation.lists.reference_lists import make_lists
from judgelab.runs import service
from judgelab.runs.plan.spec import JudgeSpec
from judgelab.store.models import ItemRow, ResponseRow
from judgelab.store.prepared.source_texts import source_texts
from judgelab.store.projects.projects import create_project, find_project
from tests.databases import load_demo
from tests.pages import kitchen
from tests.pages.conftest import screen_text
from tests.runs.judging import judge
from tests.runs.projects import rate

PAGE = "researcher/preparation.py"


@pytest.fixture
def slug(app_store):
    """Three questions with answers of every grade."""
    scores = {}
    with app_store.writing() as session:
        scale = {"kind": "ordinal", "low": 0, "high": 3}
        project = create_project(session, name="Open", criteria=[Criterion("quality", "Quality", scale)])
        for n in range(3):
            item = ItemRow(project_id=project.id, external_id=f"q{n}", question=f"Why {n}? {kitchen.MARKUP}")
            session.add(item)
            session.flush()
            for grade in (3, 3, 2, 1, 0):
                row = ResponseRow(
                    project_id=project.id,
                    item_id=item.id,
                    external_id=f"q{n}r{len(scores)}",
                    text=f"Of grade {grade}. {len(scores)} {kitchen.MARKUP}",
                )
                session.add(row)
                session.flush()
                scores[row.id] = float(grade)
    rate(app_store, project.slug, scores, criterion="quality")
    return project.slug


def test_a_project_without_responses_leads_to_data(open_page, app_store):
    with app_store.writing() as session:
        create_project(session, name="Empty")
    at = open_page(PAGE, project="empty")
    assert not at.exception and "has no responses yet" in screen_text(at)


def test_lists_are_made_shown_letter_by_letter_and_edited(open_page, app_store, slug):
    at = open_page(PAGE, project=slug)
    assert not at.exception and "No reference lists yet" in screen_text(at)
    words = screen_text(at)
    assert "These are the grades on the scale of “Quality”" in words and "In parentheses" not in words, (
        "3 to 0 both ways"
    )
    at.number_input(key="lists_draws").set_value(2).run()
    at.button(key="lists_make").click().run()
    assert not at.exception
    assert "3 lists created, 3 with all requested grades" in screen_text(at)
    assert [(list_set.draw, list_set.lists) for list_set in list_sets(app_store, slug)] == [(1, 3), (2, 3)]
    texts = [element.value for element in at.text]
    assert texts[0] == f"Why 0? {kitchen.MARKUP}" and len(texts) == 1 + 4
    assert texts[1].startswith("Of grade 3.") and texts[4].startswith("Of grade 0.")
    first_list = lists_of_set(app_store, slug, "references", 1)[0]
    key = f"lists_entry_{first_list.id}_1"
    at.toggle(key=f"{key}_edit").set_value(True).run()
    at.text_area(key=f"{key}_text").set_value("Clearer.").run()
    at.button(key=f"{key}_save").click().run()
    assert not at.exception
    assert lists_of_set(app_store, slug, "references", 1)[0].entries[1].text == "Clearer."


def test_the_grades_of_lists_come_from_the_scale_of_the_criterion(open_page, app_store):
    load_demo(app_store, "news")
    at = open_page(PAGE, project="demo-news")
    assert not at.exception
    assert at.selectbox(key="lists_pattern").options[0] == "5, 4, 3, 2, 1 (43210)"
    words = screen_text(at)
    assert (
        "These are the grades on the scale of “Coherence”" in words
        and "In parentheses: the same grades, numbered from 0" in words
    )
    at.selectbox(key="lists_source").set_value("no_gold").run()
    assert at.selectbox(key="lists_pattern").options[0] == "3, 2, 1, 0", "a model writes texts of four grades"


def test_without_anything_to_draw_from_the_other_sources_are_named_as_in_the_menu(open_page, app_store):
    load_demo(app_store, "pairs")
    at = open_page(PAGE, project="demo-pairs")
    words = screen_text(at)
    assert not at.exception and "one_gold" not in words
    assert "choose the source “Written from one reference answer” or “Written without a" in words
    assert set(at.selectbox(key="lists_source").options) >= {
        "Written from one reference answer",
        "Written without a reference answer",
    }


def test_what_cannot_be_made_is_said_before_the_button_is_pressed(open_page, slug):
    at = open_page(PAGE, project=slug)
    at.button(key="lists_make").click().run()
    at.selectbox(key="lists_pattern").set_value("33221100").run()
    assert not at.exception and "already exist with other settings" in screen_text(at)
    assert at.button(key="lists_make").disabled
    at.selectbox(key="lists_pattern").set_value("3210").run()
    at.text_input(key="lists_name").set_value("written").run()
    at.selectbox(key="lists_source").set_value("no_gold").run()
    at.selectbox(key="judges_source").set_value("Scripted (no model)").run()
    assert not at.exception and "About 6 calls" in screen_text(at)
    assert not at.button(key="lists_make").disabled


def test_explain_shows_the_place_of_a_response_among_the_references(open_page, app_store, slug):
    make_lists(app_store, slug, ListPlan(name="mine"))
    run_id = service.create_run(
        app_store, slug, JudgeSpec("linkage", "rule", "scripted", options={"list": "mine"}, name="places")
    )
    assert judge(app_store, run_id) == "done"
    at = open_page("researcher/disagreements.py", project=slug, judge="places")
    assert not at.exception
    (table,) = [element.value for element in at.dataframe if "said" in element.value.columns]
    assert list(table["said"]).count("this response") == 1 and len(table) == 5
    assert list(table["place"].replace("→", "")).count("") == 1
    assert "scores on their own scale" in screen_text(at)
    differences = disagreement_table(app_store, slug, rater="places", criterion="quality")
    assert differences["judge"].max() > 3 and differences["difference"].abs().max() <= 3


def test_the_best_rated_response_becomes_the_reference_of_its_item(open_page, app_store, slug):
    at = open_page(PAGE, project=slug)
    assert "3 items have none" in screen_text(at)
    at.button(key="lists_best").click().run()
    assert not at.exception
    assert "3 responses became the references of their items" in screen_text(at)
    assert not [button for button in at.button if button.key == "lists_best"]
    with app_store.reading() as session:
        texts = source_texts(session, find_project(session, slug).id)
    assert [text.references[0].text.startswith("Of grade 3.") for text in texts] == [True] * 3
