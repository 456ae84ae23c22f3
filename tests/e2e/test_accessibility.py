"""No serious finding of axe on what a rater meets: every form, light and dark, on a desk and on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect

from judgelab.accounts import signin
from tests.e2e import test_forms
from tests.e2e.conftest import App, in_look, settled

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

GRAVE = {"serious", "critical"}
# Streamlit's menu on a phone puts a `div` between its list and the links; it is read out all the same.
STREAMLITS = {rule: "[data-testid='stSidebarNav']" for rule in ("list", "listitem")}
LOOKS: tuple[tuple[Literal["light", "dark"], int], ...] = (("light", 1366), ("dark", 390))
FORMS = {
    "pointwise": {
        **{"answers": 1, "criteria": test_forms.POINTS, "form": "pointwise", "evidence": True},
        "questions": [{**question, "when": ""} for question in test_forms.QUESTIONS],
    },
    "pairwise": {"answers": 2},
    "ranking": {"answers": 4, "form": "ranking"},
    "best_worst": {"answers": 4, "form": "best_worst"},
}


@pytest.fixture(scope="module", params=LOOKS, ids=lambda look: f"{look[0]}-{look[1]}")
def look(app: App, browser: Browser, request: pytest.FixtureRequest) -> Iterator[BrowserContext]:
    """The owner's window in one look."""
    with in_look(app, browser, *request.param) as opened:
        yield opened


@pytest.fixture(scope="module")
def raters(app: App) -> dict[str, tuple[int, int]]:
    """A project of each form, with a rater of its own."""
    return {
        form: test_forms.make(app, f"Axe {form}", **options)  # type: ignore[arg-type]  # options of the test's own
        for form, options in FORMS.items()
    }


def findings(tab: Page) -> list[str]:
    """Return what is grave and ours: the rule, where, and what axe says of it."""
    response: dict[str, Any] = Axe().run(tab).response
    problems = []
    for violation in response["violations"]:
        if violation["impact"] not in GRAVE:
            continue
        for node in violation["nodes"]:
            selector = " ".join(map(str, node["target"]))
            inside = STREAMLITS.get(violation["id"])
            if inside and tab.locator(selector).evaluate(
                "(found, inside) => !!found.closest(inside)", inside
            ):
                continue
            problems.append(f"{violation['id']} at {selector}: {node['failureSummary']} {node['html'][:150]}")
    return problems


@pytest.mark.parametrize("form", FORMS)
def test_the_screen_of_every_form_has_no_grave_finding(
    app: App, look: BrowserContext, raters: dict[str, tuple[int, int]], form: str
) -> None:
    tab = look.new_page()
    tab.goto(f"{app.address}/rate?project=axe-{form.replace('_', '-')}&rater={raters[form][1]}")
    expect(tab.get_by_test_id("submit")).to_be_visible(timeout=40_000)
    settled(tab)
    assert findings(tab) == []
    tab.keyboard.press("1")
    assert findings(tab) == []
    if form == "pointwise":
        tab.get_by_test_id("submit").evaluate("button => button.replaceChildren()")
        assert "button-name" in " ".join(findings(tab)), "axe sees into the component"
    tab.close()


def test_what_surrounds_rating_has_no_grave_finding(
    app: App, look: BrowserContext, raters: dict[str, tuple[int, int]]
) -> None:
    tab = look.new_page()
    for path, shows in (
        (f"/my-ratings?project=axe-pointwise&rater={raters['pointwise'][1]}", "My ratings"),
        ("/sign-in", "Sign in"),
        (signin.new_owner_link(app.store), "Open JudgeLab"),
        ("/invite/no-such-link", "doesn't work"),
    ):
        tab.goto(app.address + path)
        expect(tab.get_by_text(shows).first).to_be_visible(timeout=40_000)
        if path.startswith("/my"):
            settled(tab)
        assert findings(tab) == [], path
    tab.close()


def test_the_links_of_a_subject_are_a_landmark_that_names_the_current_page(
    app: App, look: BrowserContext, raters: dict[str, tuple[int, int]]
) -> None:
    tab = look.new_page()
    tab.goto(f"{app.address}/agree?project=axe-pointwise")
    links = tab.get_by_role("navigation", name="Agree", exact=True)
    for link, current in (("Compare", "Agreement"), ("Means", "Compare"), ("Agreement", "Means")):
        expect(links.locator("[aria-current=page]")).to_have_text(current, timeout=30_000)
        settled(tab)
        links.get_by_role("link", name=link, exact=True).press("Enter")
    expect(links.locator("[aria-current=page]")).to_have_text("Agreement", timeout=30_000)
    settled(tab)
    expect(tab.locator("#stMain")).to_be_focused()
    assert findings(tab) == []
    tab.close()


def test_a_page_chosen_in_a_phone_s_menu_is_not_left_under_it(
    app: App, look: BrowserContext, raters: dict[str, tuple[int, int]]
) -> None:
    tab = look.new_page()
    tab.goto(f"{app.address}/project?project=axe-pointwise")
    settled(tab)
    menu = tab.get_by_test_id("stExpandSidebarButton")
    if menu.is_visible():  # the phone
        menu.click()
        expect(tab.get_by_test_id("stSidebarCollapseButton")).to_be_visible()
        tab.get_by_test_id("stSidebarNavLink").filter(has_text="Quality").click()
        expect(tab.locator("[data-testid=stSidebar][data-collapsed=false]")).to_have_count(0, timeout=30_000)
    else:
        tab.get_by_test_id("stMain").get_by_role("link", name="Data", exact=True).click()
        expect(tab.get_by_role("heading", name="Data", exact=True)).to_be_visible(timeout=30_000)
    tab.close()
