"""A language with only raters' texts translated is offered to raters, and on its study's rating pages."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from judgelab.domain import Criterion
from judgelab.store.db.engine import Store
from judgelab.store.models import Person
from judgelab.store.people import people
from judgelab.store.projects.projects import create_project
from tests.pages.conftest import OpenPage

SCALE = {"kind": "binary"}


def titles(at: AppTest) -> set[str]:
    return {str(page["page_name"]) for page in at._registered_pages.values()}


def test_a_researcher_gets_whole_languages_only(app_store: Store, open_page: OpenPage) -> None:
    at = open_page("everyone/account.py")
    assert at.selectbox(key="account_language").options == ["browser default", "English", "Deutsch"]
    with app_store.writing() as session:
        owner = session.query(Person.id).filter_by(role="owner").scalar()
        people.set_language(session, owner, "ar")
    at.run()
    assert at.button(key="account_sign_out").label == "Sign out" and "Data" in titles(at)


def test_a_rating_page_speaks_its_studys_language_to_whoever_sits_there(
    app_store: Store, open_page: OpenPage
) -> None:
    with app_store.writing() as session:
        criteria = [Criterion("right", "Right", SCALE)]
        create_project(session, name="Soup", criteria=criteria, settings={"language": "ar"})
    at = open_page("annotator/rate.py", project="soup")
    assert not at.exception and "Data" in titles(at)
    assert at.session_state["language"] == "ar"
    at.switch_page("pages/researcher/projects.py").run()
    assert at.session_state["language"] == "en"
