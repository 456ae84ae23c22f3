"""The app, opened by a signed-in person, on a database of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from time import sleep
from typing import Any

import pytest
import streamlit as st
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.runtime.context import ContextProxy
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import AppTest, app_test

from judgelab.accounts import signin
from judgelab.config import settings
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import shared_store
from tests.databases import new_sqlite

ROOT = Path(__file__).resolve().parents[2]
OpenPage = Callable[..., AppTest]
NewApp = Callable[[], AppTest]


@pytest.fixture
def app_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """The database the app opens."""
    monkeypatch.setenv("JUDGELAB_DATABASE_URL", new_sqlite(tmp_path / "app.db"))
    monkeypatch.chdir(ROOT)
    settings.cache_clear()
    opened = shared_store(settings().database_url)
    yield opened
    opened.close()
    shared_store.cache_clear()
    settings.cache_clear()


@pytest.fixture(autouse=True)
def cookies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the cookie from the session of the app under test, as there is no browser."""

    def cookies_of_session(_: ContextProxy) -> dict[str, str]:
        return {signin.COOKIE: st.session_state["cookie"]} if "cookie" in st.session_state else {}

    monkeypatch.setattr(ContextProxy, "cookies", property(cookies_of_session))


@pytest.fixture(scope="session")
def components() -> BidiComponentManager:
    """The components of all installed packages; looking for them takes as long as drawing a page."""
    manager = BidiComponentManager()
    manager.discover_and_register_components(start_file_watching=False)
    return manager


@pytest.fixture(scope="session")
def scripts() -> ScriptCache:
    """The compiled scripts, shared as in a running app; otherwise every test would compile them again."""
    return ScriptCache()


@pytest.fixture(scope="session")
def known_pages() -> dict[str, Any]:
    """The pages of an owner, once an app has drawn its first one."""
    return {}


@pytest.fixture
def new_app(
    components: BidiComponentManager, scripts: ScriptCache, monkeypatch: pytest.MonkeyPatch
) -> NewApp:
    """Return the app for an unknown browser, not yet run: `new_app()`."""
    monkeypatch.setattr(app_test, "ScriptCache", lambda: scripts)

    def new() -> AppTest:
        at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        at._bidi_component_manager = components
        return at

    return new


@pytest.fixture
def open_page(app_store: Store, new_app: NewApp, known_pages: dict[str, Any]) -> OpenPage:
    """Open a page of the app as the owner: `open_page("researcher/data.py", project=slug)`."""

    def open_(path: str, **query: str) -> AppTest:
        at = new_app()
        at.session_state["cookie"] = signin.redeem(app_store, signin.new_owner_token(app_store))
        if not known_pages:  # an app can switch to a page without a drawn link only if it knows it
            known_pages.update(at.run()._registered_pages)
        at._registered_pages = dict(known_pages)
        at.switch_page(f"pages/{path}")
        # After the switch, which clears the query parameters.
        for name, value in query.items():
            at.query_params[name] = value
        return at.run()

    return open_


def until(at: AppTest, is_done: Callable[[], bool]) -> None:
    """Rerun the page until `is_done` returns True."""
    for _ in range(100):
        if is_done():
            return
        sleep(0.05)
        at.run()
    raise AssertionError(" ".join(str(element.value) for element in at.caption))


def screen_text(at: AppTest) -> str:
    """Return the texts on the page, with ordinary spaces between figures and their units."""
    kinds = (at.title, at.header, at.subheader, at.markdown, at.caption, at.text, at.warning, at.error)
    return spaced(" ".join(str(element.value) for kind in kinds for element in kind))


def page_answer(at: AppTest) -> str:
    """Return the sentence that answers the page's question, its first text after the links above it."""
    return spaced(next(markdown.value for markdown in at.markdown if markdown.value.startswith("##### ")))


def captions(at: AppTest) -> str:
    """Return the small texts on the page, unescaped and with ordinary spaces."""
    return spaced(" ".join(caption.value for caption in at.caption)).replace("\\", "")


def spaced(text: str) -> str:
    """Return a text with ordinary spaces in place of those that keep a figure and its unit together."""
    return text.replace("\N{NO-BREAK SPACE}", " ")
