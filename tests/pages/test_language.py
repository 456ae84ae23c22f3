"""The choice of a language: where it can be made, and that it takes effect at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from streamlit.testing.v1 import AppTest

from judgelab.accounts import members, signin
from judgelab.languages import locales
from judgelab.store.db.engine import Store
from judgelab.store.people import people
from judgelab.store.projects.projects import create_project
from tests.languages import pseudo
from tests.pages.conftest import NewApp, OpenPage

TEXTS = ("Sign out", "Sign in", "Account", "Rate", "Data", "People", "Language", "Projects")


@pytest.fixture(autouse=True)
def marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A language whose every text differs from English, whatever has been translated."""
    catalogue = Catalog()
    for text in TEXTS:
        catalogue.add(text)
    pseudo.write(tmp_path, catalogue)
    monkeypatch.setattr(locales, "FOLDER", tmp_path)
    locales.translations.cache_clear()
    yield
    locales.translations.cache_clear()


def titles(at: AppTest) -> set[str]:
    return {str(page["page_name"]) for page in at._registered_pages.values()}


def test_a_choice_shows_at_once_in_the_navigation_and_on_the_page(open_page: OpenPage) -> None:
    at = open_page("everyone/account.py")
    assert at.button(key="account_sign_out").label == "Sign out"
    at.selectbox(key="account_language").set_value(pseudo.LANGUAGE).run()
    assert not at.exception
    assert at.button(key="account_sign_out").label == "⟦Sign out⟧"
    assert {"⟦Account⟧", "⟦Data⟧", "⟦People⟧"} <= titles(at)
    at.switch_page("pages/researcher/projects.py").run()
    assert at.title[0].value == "⟦Projects⟧"
    at.switch_page("pages/everyone/account.py").run()
    at.selectbox(key="account_language").set_value("").run()
    assert at.button(key="account_sign_out").label == "Sign out"
    assert {"Account", "Data", "People"} <= titles(at)


def test_a_choice_holds_on_the_next_browser(app_store: Store, open_page: OpenPage) -> None:
    open_page("everyone/account.py").selectbox(key="account_language").set_value(pseudo.LANGUAGE).run()
    with app_store.reading() as session:
        assert [person.language for person in people.list_people(session)] == [pseudo.LANGUAGE]
    assert "⟦Account⟧" in titles(open_page("everyone/account.py"))


def test_a_rater_chooses_on_their_account_page(app_store: Store, new_app: NewApp) -> None:
    with app_store.writing() as session:
        project = create_project(session, name="Kitchen questions", settings={"language": "en"})
    person = members.add(app_store, None, project.id, "Amara")
    link = members.new_link(app_store, None, project.id, person.id)
    at = new_app()
    at.session_state["cookie"] = signin.redeem(app_store, link.path.removeprefix("/invite/"))
    at.run()
    assert {"Rate", "Account"} <= titles(at)
    at.switch_page("pages/everyone/account.py").run()
    at.selectbox(key="account_language").set_value(pseudo.LANGUAGE).run()
    assert {"⟦Rate⟧", "⟦Account⟧"} <= titles(at)  # their own choice comes before the study's


def test_who_is_not_signed_in_chooses_for_the_visit(app_store: Store, new_app: NewApp) -> None:
    at = new_app()
    at.run()
    at.selectbox(key="visit_language").set_value(pseudo.LANGUAGE).run()
    assert at.selectbox(key="visit_language").label == "⟦Language⟧"
    at.run()
    assert at.selectbox(key="visit_language").value == pseudo.LANGUAGE
    assert "⟦Account⟧" in titles(at)


def test_a_browser_says_which_language_it_wants(app_store: Store, new_app: NewApp) -> None:
    at = new_app()
    at.context = {"locale": f"{pseudo.LANGUAGE}-CH"}
    at.run()
    assert at.selectbox(key="visit_language").label == "⟦Language⟧"
