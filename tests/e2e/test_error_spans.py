"""Errors marked in an answer with type and severity (MQM), in a real browser: keyboard, mouse and phone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from judgelab.domain import Criterion
from judgelab.scales import parse_scale
from judgelab.store.models import Rating
from tests.e2e.conftest import App, sign_in
from tests.e2e.test_accessibility import findings
from tests.e2e.test_rating import make, press, saved
from tests.e2e.test_rating_rules import open_rating

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]
TEXT = "Paris lies in Spain. It has two millions inhabitant. The Seine flows through it."
CRITERIA = (
    Criterion("errors", "Errors", parse_scale("error_spans:Accuracy,Fluency,Style:Minor=1,Major=5:8")),
    Criterion("right", "Right", {"kind": "binary"}),
)


@pytest.fixture
def tab(context: BrowserContext) -> Iterator[Page]:
    tab = context.new_page()
    yield tab
    tab.close()


def stored(app: App, project: int) -> list[tuple[float | None, list[Any]]]:
    with app.store.reading() as session:
        rows = session.query(Rating.score, Rating.evidence).filter(Rating.project_id == project)
        return [(score, evidence) for score, evidence in rows.order_by(Rating.id)]


def select(tab: Page, words: str) -> None:
    """Select words of the answer as a mouse or a finger does."""
    tab.get_by_test_id("answer").evaluate(
        """(node, words) => {
            const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
            for (let text; (text = walker.nextNode()); ) {
                const at = text.data.indexOf(words);
                if (at < 0) continue;
                getSelection().setBaseAndExtent(text, at, text, at + words.length);
                return;
            }
            throw new Error(`no ${words}`);
        }""",
        words,
    )


def test_errors_are_marked_by_keyboard_and_make_the_score(app: App, tab: Page) -> None:
    project, rater = make(app, "Errors", answers=2, criteria=CRITERIA, texts=[TEXT, TEXT])
    open_rating(tab, app, "errors", rater)
    row = tab.get_by_test_id("criterion-errors")
    expect(row).to_contain_text("Select text and choose “Mark error”")
    press(tab, "e ArrowDown Enter")  # the second sentence
    expect(tab.get_by_role("group", name="Type of error: It has two millions inhabitant.")).to_be_visible()
    press(tab, "s")  # no command while it asks: the answer is not skipped
    press(tab, "2 2")  # Fluency, Major
    expect(row).to_contain_text("1 error · -5")
    press(tab, "e ArrowUp Enter 1 2")  # from the place before
    expect(row).to_contain_text("2 errors · -8")  # 10, cut at 8
    expect(tab.locator("mark.severity-2")).to_have_count(2)
    row.get_by_role("button", name="Remove mark: Paris lies in Spain.").click()
    expect(row).to_contain_text("1 error · -5")
    row.get_by_role("button", name="Change: It has two millions inhabitant. – Fluency · Major").click()
    press(tab, "3 1")
    expect(row).to_contain_text("1 error · -1")
    assert findings(tab) == []
    tab.get_by_test_id("criterion-right").click()
    press(tab, "1 Enter")
    saved(tab)
    (score, [error]), (right, none) = stored(app, project)
    assert (score, right, none) == (-1, 1, [])
    place = {"part": "response", "start": 21, "end": 52, "text": TEXT[21:52]}
    assert error == {**place, "type": "Style", "severity": "Minor"}
    press(tab, "0 1")  # no errors, and on to the next criterion
    expect(row).to_contain_text("scored")
    press(tab, "Enter")
    saved(tab)
    assert stored(app, project)[2:] == [(0, []), (1, [])]


def test_a_draft_with_errors_comes_back_after_a_reload(app: App, tab: Page) -> None:
    _project, rater = make(app, "Errors kept", answers=1, criteria=CRITERIA, texts=[TEXT])
    open_rating(tab, app, "errors-kept", rater)
    row = tab.get_by_test_id("criterion-errors")
    select(tab, "Spain")
    press(tab, "e 1 2")
    expect(row).to_contain_text("1 error · -5")
    tab.reload()
    expect(row).to_contain_text("1 error · -5")
    row.click()
    expect(tab.locator("mark.severity-2")).to_have_text("Spain")


def test_errors_are_marked_on_a_phone(app: App, browser: Browser) -> None:
    project, rater = make(app, "Errors by thumb", answers=1, criteria=CRITERIA[:1], texts=[TEXT])
    window = browser.new_context(
        viewport={"width": 320, "height": 640}, has_touch=True, reduced_motion="reduce"
    )
    sign_in(window, app)
    tab = window.new_page()
    open_rating(tab, app, "errors-by-thumb", rater)
    select(tab, "inhabitant")
    tab.get_by_role("button", name="Mark error").tap()
    for name in ("Fluency", "Minor"):
        choice = tab.get_by_role("button", name=name, exact=True)
        expect(choice).to_be_in_viewport(ratio=1)
        assert choice.evaluate("node => node.getBoundingClientRect().height") >= 44
        choice.tap()
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    tab.get_by_test_id("submit").tap()
    saved(tab)
    ((score, [error]),) = stored(app, project)
    assert (score, error["text"], error["type"]) == (-1, "inhabitant", "Fluency")
    window.close()


def test_a_pending_error_is_neither_submitted_nor_forgotten(app: App, tab: Page) -> None:
    project, rater = make(app, "Errors asked", answers=1, criteria=CRITERIA[:1], texts=[TEXT])
    open_rating(tab, app, "errors-asked", rater)
    row, chooser = tab.get_by_test_id("criterion-errors"), tab.locator(".chooser")
    for words in ("Paris", "Spain", "Seine"):
        select(tab, words)
        press(tab, "e 1 1")
    expect(row).to_contain_text("3 errors · -3")
    select(tab, "millions")
    press(tab, "e 2")
    expect(chooser).to_contain_text("How severe? millions")
    press(tab, "ArrowDown s")  # neither the next criterion nor a skip
    tab.get_by_test_id("submit").click()
    expect(chooser).to_contain_text("How severe? millions")
    chooser.get_by_role("button", name="Major").focus()
    press(tab, "Enter")  # a button of the question, by keyboard alone
    expect(row).to_contain_text("4 errors · -8")
    row.get_by_role("button", name="Change: Spain – Accuracy · Minor").click()
    row.get_by_role("button", name="Remove mark: Paris").click()
    expect(chooser).to_be_hidden()  # it would replace another error now
    press(tab, "Enter")  # on the mark that took the place of the removed one
    expect(row).to_contain_text("2 errors · -6")
    tab.get_by_test_id("submit").click()
    saved(tab)
    ((score, errors),) = stored(app, project)
    assert (score, [error["text"] for error in errors]) == (-6, ["Seine", "millions"])
