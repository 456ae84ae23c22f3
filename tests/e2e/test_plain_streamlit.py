"""`streamlit run app.py` works without our own server: the terminal shows the link, a tab signs in by it."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.conftest import App, settled

pytestmark = pytest.mark.browser


@pytest.fixture
def plain(tmp_path: Path, chromium: str) -> App:
    return App(f"sqlite:///{tmp_path / 'judgelab.db'}", tmp_path, script="app.py")


def _link(log: Path) -> str:
    for _ in range(100):
        found = re.search(r"http://\S+/\?owner=\S+", log.read_text())
        if found:
            return found.group()
        time.sleep(0.1)
    raise AssertionError(log.read_text())


def test_the_link_in_the_terminal_makes_one_tab_the_owner(plain: App, browser: Browser) -> None:
    plain.start()
    try:
        tab = browser.new_page()
        tab.goto(plain.address)
        expect(tab.get_by_text("Nobody is signed in on this browser")).to_be_visible()
        link = _link(plain.folder / "app.log")
        tab.goto(link)
        settled(tab)
        expect(tab.get_by_text("Nobody is signed in")).to_have_count(0)
        expect(tab).not_to_have_url(re.compile("owner="))
        other = browser.new_page()
        other.goto(link)
        expect(other.get_by_text("Nobody is signed in on this browser")).to_be_visible()
    finally:
        plain.stop()
