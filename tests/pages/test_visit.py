"""The guided tour as a visitor sees it: the first page, the bar, leaving and resuming it."""

from datetime import timedelta

import pytest
from streamlit.testing.v1 import AppTest

from judgelab.accounts import signin
from judgelab.backends.sample_replies import SAMPLE_DATA
from judgelab.cli import demo
from judgelab.imports.service import import_files
from judgelab.runs import guided, service
from judgelab.store.models import now
from judgelab.store.people import memberships, people, sessions
from judgelab.store.projects.projects import create_project, find_project
from tests.pages.conftest import screen_text

SLUG = "demo-kitchen"
STORY = "researcher/visit.py"


@pytest.fixture
def kitchen(app_store):
    """The demo's kitchen with its raters."""
    folder = SAMPLE_DATA / "kitchen"
    demo.ensure_project(app_store, folder)
    demo.ensure_project(app_store, SAMPLE_DATA / "news")
    for name, kind, _mapping in demo.sample_files(folder)[:2]:
        import_files(app_store, SLUG, [(name, folder / name)], kind=kind)
    return app_store


@pytest.fixture
def arrive(app_store, new_app):
    """Open the app at its start page, as the owner's link does."""

    def open_() -> AppTest:
        at = new_app()
        at.session_state["cookie"] = signin.redeem(app_store, signin.new_owner_token(app_store))
        return at.run()

    return open_


def titles(at):
    return [title.value for title in at.title]


def guest_cookie(store):
    with store.writing() as session:
        project = find_project(session, SLUG)
        guest = people.find_or_create(session, "Guest")
        memberships.join(session, project.id, guest, role="guest")
        return sessions.start_session(session, guest, until=now() + timedelta(hours=1))


def press(at, key):
    return at.button(key=key).click().run()


def test_the_demo_opens_on_the_story_at_its_first_step(kitchen, arrive):
    at = arrive()
    assert titles(at) == ["The five-minute tour"]
    assert at.button(key="guided_go").label == ":violet[Rate three responses]"
    assert any("Invented:" in element.value and "88 responses" in element.value for element in at.markdown)


def test_whoever_has_a_project_of_their_own_arrives_there(kitchen, arrive):
    with kitchen.writing() as session:
        create_project(session, name="Own work")
    assert titles(arrive()) == ["Projects"]


def test_put_away_it_stays_away_until_it_is_taken_up(kitchen, arrive, open_page):
    at = press(arrive(), "guided_skip")
    assert titles(at) == ["Demo\\: product questions"]
    assert titles(arrive()) == ["Projects"]
    at = press(open_page("researcher/projects.py", project=SLUG), "guided_again")
    assert titles(at) == ["The five-minute tour"]
    assert titles(arrive()) == ["The five-minute tour"]


def test_a_guest_leaves_the_story_for_a_page_they_have(kitchen, new_app):
    at = new_app()
    at.session_state["cookie"] = guest_cookie(kitchen)
    at = press(at.run(), "guided_skip")
    assert not at.exception
    assert titles(at) == ["Quality"]


def test_opening_the_raters_ticks_their_step_and_the_bar_goes_along(kitchen, open_page):
    at = open_page("researcher/raters.py", project=SLUG)
    assert any(":material/check: Raters" in element.value for element in at.markdown)
    assert at.button(key="guided_next").label == "Rate three responses"


def test_quality_ticks_the_raters_only_for_guests_who_see_them_there(kitchen, open_page, new_app):
    at = open_page("researcher/quality.py", project=SLUG)
    assert not any(":material/check: Raters" in element.value for element in at.markdown)
    at = new_app()
    at.session_state["cookie"] = guest_cookie(kitchen)
    at.query_params["project"] = SLUG
    at = at.run().switch_page("pages/researcher/quality.py").run()
    assert any(":material/check: Raters" in element.value for element in at.markdown)


def test_another_project_names_the_one_with_the_tour_and_leads_there(kitchen, open_page):
    at = open_page(STORY, project="demo-news")
    assert "Demo\\: news summaries” has no tour; “Demo\\: product questions” has one." in screen_text(at)
    assert not any("news summaries" in caption.value for caption in at.caption)
    at = press(at, "guided_elsewhere")
    assert at.query_params["project"] == SLUG and at.button(key="guided_go")


def test_an_empty_look_at_where_one_stands_ticks_no_step(kitchen, open_page, monkeypatch):
    open_page("researcher/you.py", project=SLUG)
    monkeypatch.setattr(guided, "RATINGS_NEEDED", 0)
    with kitchen.reading() as session:
        project, owner = find_project(session, SLUG), people.find(session, "Owner")
    assert (
        owner is not None and "standing" not in guided.guided_path(kitchen, project, owner.id).finished_steps
    )
    open_page("researcher/you.py", project=SLUG)
    assert "standing" in guided.guided_path(kitchen, project, owner.id).finished_steps


def test_the_run_starts_at_a_click_and_says_when_nobody_would_do_it(kitchen, open_page, monkeypatch):
    monkeypatch.setattr(guided, "RATINGS_NEEDED", 0)
    open_page("researcher/raters.py", project=SLUG)
    at = open_page(STORY, project=SLUG)
    assert any("No worker is running" in element.value for element in at.markdown)
    at = press(at, "guided_go")
    assert titles(at)[0].startswith("Run ")
    (run,) = service.list_runs(kitchen, SLUG)
    assert (run.judge, run.units, run.origin) == (guided.JUDGE, 88, "scripted")


def test_a_project_that_is_no_demo_has_no_bar_and_no_story(kitchen, open_page):
    with kitchen.writing() as session:
        slug = create_project(session, name="Own work").slug
    at = open_page(STORY, project=slug)
    assert any("Own work” has no tour" in element.value for element in at.markdown)
    assert not [
        button
        for button in open_page("annotator/rate.py", project=slug).button
        if button.key == "guided_leave"
    ]
    with kitchen.reading() as session:
        assert not guided.has_guided_path(find_project(session, "demo-news"))
