"""Panels, the example editor, steps and review pools on *Preparation*."""

import pytest

from judgelab.imports.service import import_files
from judgelab.preparation.generation.generate import WriterModel
from judgelab.preparation.generation.prompts import subject
from judgelab.preparation.panels.editing import panels_of
from judgelab.preparation.panels.roles import make_roles
from judgelab.preparation.step import prepare
from judgelab.runs import service, template_editing
from judgelab.runs.endpoints import service as endpoints
from judgelab.runs.plan.spec import JudgeSpec
from judgelab.store.models import ResponseRow
from judgelab.store.prepared.worked_examples import examples_at, steps_saved
from judgelab.store.projects.projects import find_project
from tests.pages.conftest import spaced
from tests.preparation.panels import news, speaks
from tests.runs.judging import judge
from tests.runs.openai_server import Habits, Server
from tests.runs.projects import flasks, rate

PAGE = "researcher/preparation.py"
ASK = {"model": "tiny", "endpoint": "local"}


@pytest.fixture
def server(app_store):
    with Server(Habits(speaks=speaks, share=0.7)) as running:
        endpoints.add_endpoint(app_store, "local", base_url=running.url, timeout=60)
        yield running


def screen_text(at):
    kinds = (at.markdown, at.caption, at.error, at.subheader, at.text, at.code)
    return spaced(" ".join(str(element.value) for kind in kinds for element in kind)).replace("\\", "")


def test_a_panel_is_prepared_and_then_read_on_explain(open_page, app_store, server):
    slug = news(app_store, 2)
    at = open_page(PAGE, project=slug, part="roles")
    assert not at.exception and "No roles yet" in screen_text(at) and "built-in" in screen_text(at)
    make_roles(app_store, slug, WriterModel("tiny", endpoint="local"), encoder="tfidf")
    assert "clustered by tfidf" in screen_text(open_page(PAGE, project=slug, part="roles"))

    run = service.create_run(app_store, slug, JudgeSpec("role_panel", "tiny", endpoint="local", name="Panel"))
    judge(app_store, run)
    rate(app_store, slug, {1: 1, 2: 0}, criterion="overall")
    at = open_page("researcher/disagreements.py", project=slug, response="1")
    assert not at.exception
    words = screen_text(at)
    assert "7 of 7 roles" in words and "For the response" in words
    assert "General Public found it clear." in words and "confidence 0.70" in words

    at = open_page(PAGE, project=slug, part="roles")
    assert "1 run used this panel" in screen_text(at)
    assert not [
        element
        for element in at.button
        if str(element.key) in ("roles_static_save", "roles_save", "roles_delete")
    ]
    at.text_input(key="roles_copy_name").set_value("mine").run()
    at.button(key="roles_copy").click().run()
    assert not at.exception and "Panel copied" in screen_text(at)
    at.selectbox(key="roles_panel").set_value("mine").run()
    assert (
        not at.exception
        and "used this panel" not in screen_text(at)
        and "clustered by tfidf" in screen_text(at)
    )
    at.button(key="roles_static_save").click().run()
    assert not at.exception
    assert {panel.name: panel.static for panel in panels_of(app_store, slug)} == {"mine": 3, "roles": 0}
    at.selectbox(key="roles_panel").set_value("mine").run()
    at.button(key="roles_delete").click().run()
    assert not at.exception and [panel.name for panel in panels_of(app_store, slug)] == ["roles"]


def test_an_example_is_refined_in_the_studio(open_page, app_store, server):
    slug = flasks(app_store, 4)
    rate(app_store, slug, {1: 3, 2: 0, 3: 2})
    server.habits.speaks = lambda prompt: "1. Understanding\nA draft."
    prepare(app_store, slug, "demonstrations", {**ASK, "shots": "1"})
    at = open_page(PAGE, project=slug, part="examples")
    assert (
        not at.exception
        and "1 is not refined yet" in screen_text(at)
        and "drafted by tiny-1" in screen_text(at)
    )
    (field,) = [element for element in at.text_area if "A draft." in element.value]
    field.set_value("1. Understanding\nBetter.").run()
    keys = [str(element.key) for element in at.button]
    (save,) = [key for key in keys if key.startswith("examples_examples_") and key.endswith("_save")]
    at.button(key=save).click().run()
    assert not at.exception
    with app_store.reading() as session:
        (example,) = examples_at(session, find_project(session, slug).id, "examples")
    assert example.refined and example.version == 2 and example.draft.endswith("A draft.")


def test_steps_are_edited_and_pools_are_looked_at(open_page, app_store, server):
    slug = flasks(app_store, 2)
    at = open_page(PAGE, project=slug, part="steps")
    assert not at.exception and "built-in" in screen_text(at)
    at.text_area(key="steps_text_0").set_value("1. Think twice.").run()
    at.button(key="steps_save").click().run()
    assert not at.exception and "version 1" in screen_text(at)
    with app_store.reading() as session:
        assert steps_saved(session, find_project(session, slug).id)[0].text == "1. Think twice."

    at = open_page(PAGE, project=slug, part="responses")
    assert not at.exception and "BM25 ranks first" in screen_text(at)
    table = "item_id,review\nq0,It does not leak\nq0,Nice colour\n"
    import_files(app_store, slug, [("r.csv", table.encode())], kind="documents")
    at = open_page(PAGE, project=slug, part="responses")
    assert not at.exception and [element.value for element in at.text][0] == "It does not leak"


def test_what_an_upload_of_documents_came_to_stands_below_its_button(open_page, app_store):
    slug = flasks(app_store, 2)
    at = open_page(PAGE, project=slug, part="responses")
    at.file_uploader[0].upload("r.csv", b"place,review\nq0,It does not leak\n", "text/csv").run()
    at.button(key="pool_import").click().run()
    page_text = screen_text(at)
    assert not at.exception and "choose the column's meaning above" in page_text and "--map" not in page_text
    at.file_uploader[0].upload("r.csv", b"item_id,review\nq0,It does not leak\n", "text/csv").run()
    at.button(key="pool_import").click().run()
    assert not at.exception and "1 document new" in [element.value for element in at.caption]


def test_human_values_are_taken_from_ratings(open_page, app_store):
    slug = flasks(app_store, 4)
    with app_store.writing() as session:
        session.query(ResponseRow).update({ResponseRow.item_id: 1})
    at = open_page(PAGE, project=slug, part="values")
    assert not at.exception and "no best–worst votes" in screen_text(at)
    rate(app_store, slug, {1: 3, 2: 0, 3: 2, 4: 1})
    at = open_page(PAGE, project=slug, part="values")
    at.button(key="labels_take_extremes").click().run()
    assert not at.exception and "2 best, 2 worst" in screen_text(at)


def test_a_preparations_prompt_is_said_in_ones_own_words(open_page, app_store):
    slug, key = news(app_store, 2), "judges_roles.fine_own_task"
    at = open_page(PAGE, project=slug, part="prompts")
    assert not at.exception
    at.selectbox(key="prompts_which").set_value("roles.fine").run()
    at.button(key=f"{key}_start").click().run()
    default_text = at.text_area(key=key).value
    assert default_text.startswith("Read the article. Which groups of people differ")
    at.text_area(key=key).set_value("Who knows {question}?").run()
    assert [element.value for element in at.code if element.language == "diff"][0].endswith(
        "+Who knows {question}?"
    )
    assert any("<task>\nWho knows " in element.value for element in at.code if element.language != "diff")
    at.button(key=f"{key}_keep").click().run()
    changed_part = next(
        template_part
        for template_part in template_editing.template_parts(app_store, slug, subject("roles.fine"))
        if template_part.used
    )
    assert (changed_part.name, changed_part.used.text) == ("task", "Who knows {question}?")
    reloaded = open_page(PAGE, project=slug, part="prompts")
    reloaded.selectbox(key="prompts_which").set_value("roles.fine").run()
    reloaded.button(key="judges_roles.fine_reset").click().run()
    assert reloaded.text_area(key=key).value == ""
