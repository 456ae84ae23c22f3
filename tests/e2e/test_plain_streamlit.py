"""`streamlit run app.py` is the whole app: the terminal shows the link, which signs a browser in to stay."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.conftest import App, settled

pytestmark = pytest.mark.browser


@pytest.fixture
def plain(tmp_path: Path, chromium: str) -> App:
    return App(f"sqlite:///{tmp_path / 'judgelab.db'}", tmp_path)


def test_the_link_in_the_terminal_makes_the_browser_the_owner(plain: App, browser: Browser) -> None:
    plain.start()
    try:
        tab = browser.new_page()
        tab.goto(plain.address)
        expect(tab.get_by_text("You are not signed in on this browser")).to_be_visible()
        link = re.search(r"http://\S+/invite/\S+", (plain.folder / "app.log").read_text())
        assert link is not None
        tab.goto(link.group())
        tab.get_by_role("button", name="Open JudgeLab").click()
        settled(tab)
        expect(tab.get_by_text("Not signed in")).to_have_count(0)
        tab.reload()
        settled(tab)
        expect(tab.get_by_text("Not signed in")).to_have_count(0)
    finally:
        plain.stop()
