"""An adjudicator decides pairs by keyboard alone, and on a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from judgelab.analysis.disagreement.pair_conflicts import find_pair_conflicts, sides
from judgelab.store.rating.pair_decisions import PairDecisionInfo
from tests.compared import pairs_project
from tests.e2e.conftest import App, in_look, settled

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


def decided(app: App, slug: str) -> dict[str, PairDecisionInfo]:
    found = find_pair_conflicts(app.store, slug)
    return {conflict.item: conflict.decision for conflict in found if conflict.decision is not None}


def open_conflicts(app: App, tab: Page, slug: str) -> None:
    tab.goto(f"{app.address}/adjudicate?project={slug}")
    settled(tab)
    expect(tab.get_by_text("0 of 5 conflicts decided")).to_be_visible()


def test_each_key_decides_and_the_arrows_lead_back(app: App, page: Page) -> None:
    slug = pairs_project(app.store, points=False, name="Keys")
    first = find_pair_conflicts(app.store, slug)[0]
    open_conflicts(app, page, slug)
    page.get_by_role("textbox", name="Reason").fill("It answers the question.")
    page.get_by_role("textbox", name="Reason").press("Tab")
    settled(page)
    body = page.locator("body")
    for count, key in enumerate(("1", "2", "3", "x"), start=1):
        body.press(key)
        expect(page.get_by_text(f"{count} of 5 conflicts decided")).to_be_visible()
    settled(page)
    decisions = decided(app, slug)
    assert (decisions["q8"].chosen, decisions["q8"].reason) == (sides(first)[0], "It answers the question.")
    assert [decisions[item].choice for item in ("q9", "q3")] == ["tie", ""]
    assert decisions["q2"].choice in ("a", "b")
    body.press("ArrowLeft")
    expect(page.get_by_text("cannot be decided")).to_be_visible()
    settled(page)
    body.press("u")
    expect(page.get_by_text("3 of 5 conflicts decided")).to_be_visible()
    assert "q3" not in decided(app, slug)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_one_text_below_the_other(app: App, browser: Browser, scheme: str) -> None:
    slug = pairs_project(app.store, points=False, name=f"Phone {scheme}")
    with in_look(app, browser, "dark" if scheme == "dark" else "light", 390) as window:
        tab = window.new_page()
        open_conflicts(app, tab, slug)
        texts = [tab.get_by_role("heading", name=f"Response {letter}") for letter in "AB"]
        boxes = [text.bounding_box() for text in texts]
        assert boxes[0] and boxes[1] and boxes[1]["y"] > boxes[0]["y"] + boxes[0]["height"]
        assert tab.evaluate("document.documentElement.scrollWidth") <= 390
        tab.get_by_role("button", name="B is better").click()
        expect(tab.get_by_text("1 of 5 conflicts decided")).to_be_visible()
        settled(tab)
    assert decided(app, slug)["q8"].chosen is not None
