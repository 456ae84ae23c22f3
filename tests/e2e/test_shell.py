"""Who gets in: nobody without the link, and nothing from elsewhere on any page."""

from __future__ import annotations

import urllib.error
import urllib.request

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.conftest import App, settled

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def app(own_app: App) -> App:
    return own_app


def test_a_browser_without_the_link_is_nobody_on_every_deep_link(app: App, browser: Browser) -> None:
    window = browser.new_context(reduced_motion="reduce")
    tab = window.new_page()
    for path in ("", "project", "data", "rate", "quality", "judge", "agree", "explain", "runs", "endpoints"):
        tab.goto(f"{app.address}/{path}")
        expect(tab.get_by_text("You are not signed in on this browser")).to_be_visible(timeout=30_000)
    window.close()


def test_the_owner_arrives_by_the_link_and_stays_signed_in_after_a_reload(app: App, browser: Browser) -> None:
    window = browser.new_context(reduced_motion="reduce")
    tab = window.new_page()
    tab.goto(app.owner_link())
    tab.get_by_role("button", name="Open JudgeLab").click()
    settled(tab)
    expect(tab.get_by_text("Not signed in")).to_have_count(0)
    tab.reload()
    settled(tab)
    expect(tab.get_by_text("Not signed in")).to_have_count(0)
    window.close()


def test_opening_the_link_without_pressing_the_button_uses_nothing_up(app: App) -> None:
    link = app.owner_link()
    for _ in range(3):
        with urllib.request.urlopen(link) as answer:
            assert b"Open JudgeLab" in answer.read()


def test_a_form_sent_from_another_site_is_refused(app: App) -> None:
    request = urllib.request.Request(
        app.owner_link(), method="POST", headers={"Origin": "https://elsewhere.example"}
    )
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request)
    assert refused.value.code == 403
    refused.value.close()


def test_every_answer_forbids_loading_from_elsewhere(app: App) -> None:
    for path in ("/", "/healthz", "/_stcore/health"):
        with urllib.request.urlopen(app.address + path) as answer:
            assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
