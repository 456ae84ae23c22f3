"""Every page on the demo, at a desk or on a phone: nothing grave for axe, no trace, nothing sideways."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from judgelab.accounts import sharing
from tests.databases import load_demo, new_sqlite
from tests.e2e.conftest import App, in_look, settled
from tests.e2e.every_page import ADDRESSES
from tests.e2e.test_accessibility import LOOKS, findings

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

PROJECT = "demo-kitchen"
# All pages in all looks take minutes: `make screenshots` does that.
BY_TURNS = [(LOOKS[place % len(LOOKS)], address) for place, address in enumerate(ADDRESSES)]


@pytest.fixture(scope="module")
def demo_app(tmp_path_factory: pytest.TempPathFactory, chromium: str) -> Iterator[App]:
    """The app on the two sample projects."""
    folder = tmp_path_factory.mktemp("every")
    running = App(new_sqlite(folder / "judgelab.db"), folder)
    load_demo(running.store, "kitchen", "news")
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="module", params=LOOKS, ids=lambda look: f"{look[0]}-{look[1]}")
def look(demo_app: App, browser: Browser, request: pytest.FixtureRequest) -> Iterator[BrowserContext]:
    """The owner's window in one look."""
    with in_look(demo_app, browser, *request.param) as opened:
        yield opened


def wrong(tab: Page) -> list[str]:
    """Return what is wrong with a page as it stands."""
    wide = tab.evaluate("document.documentElement.scrollWidth > innerWidth")
    traces = tab.locator("[data-testid=stException]").count()
    return [*(["scrolls sideways"] if wide else []), *(["shows a trace"] if traces else []), *findings(tab)]


@pytest.mark.parametrize(("look", "address"), BY_TURNS, indirect=["look"], ids=str)
def test_a_page_has_nothing_grave_and_fits_its_screen(
    demo_app: App, look: BrowserContext, address: str
) -> None:
    tab = look.new_page()
    tab.goto(f"{demo_app.address}/{address}?project={PROJECT}")
    settled(tab)
    expect(tab.locator("[data-testid^=stSkeleton]")).to_have_count(0)
    expect(tab.get_by_text("Not signed in")).to_have_count(0)
    assert wrong(tab) == []
    tab.close()


def test_a_page_opens_at_its_top_and_back_is_one_step(demo_app: App, look: BrowserContext) -> None:
    """Pages write what they show into their links when they open; a choice is a step of its own."""
    tab = look.new_page()
    tab.goto(f"{demo_app.address}/agree?project={PROJECT}")
    settled(tab)
    row = tab.get_by_role("navigation", name="Agree", exact=True)
    pages = ("Trust", "Compare", "Means")
    for page in pages:
        tab.locator("#stMain").evaluate("main => main.scrollTop = 600")
        row.get_by_role("link", name=page, exact=True).press("Enter")
        expect(row.locator("[aria-current=page]")).to_have_text(page, timeout=30_000)
        settled(tab)
        expect(tab).to_have_title(f"{page} – JudgeLab")
        assert tab.locator("#stMain").evaluate("main => main.scrollTop") == 0
    for page in (*pages[-2::-1], "Agreement"):
        tab.go_back()
        expect(row.locator("[aria-current=page]")).to_have_text(page, timeout=30_000)
        settled(tab)
    tab.close()


def test_a_number_cut_by_the_edge_of_a_table_fades_until_it_is_scrolled_there(
    demo_app: App, look: BrowserContext
) -> None:
    tab = look.new_page()
    tab.goto(f"{demo_app.address}/report?project={PROJECT}")
    settled(tab)
    fade = "getComputedStyle(document.querySelector('.dvn-underlay'), '::after').opacity"
    scroller = tab.locator(".dvn-scroller").first
    scroller.wait_for()
    tab.wait_for_function(f"{fade} === '1'")
    scroller.evaluate("table => table.scrollTo(table.scrollWidth, 0)")
    tab.wait_for_function(f"{fade} === '0'")
    tab.close()


def test_what_stands_beside_the_pages_has_nothing_grave(demo_app: App, look: BrowserContext) -> None:
    shared = sharing.create(demo_app.store, None, PROJECT, note="reviewers").path
    tab = look.new_page()
    for path, shows in (
        (shared, "Methods"),
        ("/help/index", "JudgeLab"),
        ("/help/explained/agreement", "agree"),
    ):
        tab.goto(demo_app.address + path)
        expect(tab.get_by_text(shows).first).to_be_visible()
        assert wrong(tab) == [], path
    tab.close()
