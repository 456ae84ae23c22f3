"""Rules for submitting, in a real browser: required comments, no skipping, a least time."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from judgelab.store.models import Assignment, Rating
from tests.e2e.conftest import App, settled, sign_in
from tests.e2e.test_rating import make, press, saved, stored

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


@pytest.fixture
def tab(context: BrowserContext) -> Iterator[Page]:
    tab = context.new_page()
    yield tab
    tab.close()


def open_rating(tab: Page, app: App, slug: str, rater: int) -> None:
    tab.goto(f"{app.address}/rate?project={slug}&rater={rater}")
    expect(tab.get_by_test_id("answer")).to_be_visible(timeout=30_000)
    settled(tab)


def test_a_missing_comment_is_marked_and_the_field_has_the_focus(app: App, tab: Page) -> None:
    project, rater = make(app, "Reasons", comment_required={"below": 2}, ask_comment=False)
    open_rating(tab, app, "reasons", rater)
    comment, submit = tab.get_by_role("textbox"), tab.get_by_test_id("submit")
    press(tab, "1 4 0")  # relevance and right are below 2
    expect(submit).to_contain_text("Submit · 2 comments left")
    press(tab, "Enter")
    row = tab.get_by_test_id("criterion-relevance")
    expect(row).to_contain_text("comment missing")
    expect(tab.get_by_test_id("criterion-right")).to_contain_text("comment missing")
    expect(tab.get_by_test_id("criterion-fluency")).to_contain_text("scored")
    expect(comment).to_be_focused()
    expect(comment).to_have_attribute("placeholder", "Comment required: why?")
    expect(comment).to_have_attribute("aria-invalid", "true")
    tab.keyboard.type("Off topic.")
    expect(row).not_to_contain_text("comment missing")
    expect(submit).to_contain_text("Submit · 1 comment left")
    press(tab, "Enter Enter")
    expect(comment).to_be_focused()
    tab.keyboard.type("Not so.")
    expect(submit).to_have_text("SubmitEnter")
    press(tab, "Enter Enter")
    saved(tab)
    with app.store.reading() as session:
        comments = session.query(Rating.comment).filter(Rating.project_id == project).order_by(Rating.id)
        assert [text for (text,) in comments] == ["Off topic.", "", "Not so."]
    press(tab, "2 4 1")  # right is 1
    expect(submit).to_contain_text("Submit · 1 comment left")
    press(tab, "ArrowUp ArrowUp")
    expect(comment).to_have_attribute("placeholder", "Comment, if the score needs a reason")


def test_on_a_phone_the_comment_that_is_needed_opens_by_itself(app: App, browser: Browser) -> None:
    project, rater = make(app, "Reasons by thumb", comment_required={"always": True}, answers=1)
    window = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, reduced_motion="reduce"
    )
    sign_in(window, app)
    tab = window.new_page()
    open_rating(tab, app, "reasons-by-thumb", rater)
    comment, submit = tab.locator("[data-role=comment]"), tab.get_by_test_id("submit")
    expect(comment).to_be_hidden()
    for label, value in (("relevance", "2"), ("fluency", "5"), ("right", "1")):
        tab.get_by_test_id(f"criterion-{label}").get_by_role("radio", name=value).tap()
        expect(comment).to_be_visible()
        if label != "relevance":
            comment.fill(f"about {label}")
        submit.tap()
        expect(submit).not_to_have_class(re.compile("ready"))
    expect(tab.get_by_test_id("criterion-relevance")).to_contain_text("comment missing")
    expect(comment).to_be_focused()
    comment.fill("about relevance")
    expect(submit).to_have_class(re.compile("ready"))
    submit.tap()
    expect(tab.get_by_test_id("nothing")).to_be_visible()
    saved(tab)
    assert [score for _, _, score in stored(app, project)] == [2, 5, 1]
    window.close()


def test_without_skipping_there_is_neither_button_nor_key(app: App, tab: Page) -> None:
    project, rater = make(app, "No skipping", answers=3, skip=False)
    open_rating(tab, app, "no-skipping", rater)
    answer = tab.get_by_test_id("answer").inner_text()
    expect(tab.get_by_role("button", name="Flag")).to_be_visible()
    expect(tab.get_by_role("button", name="Skip")).to_have_count(0)
    press(tab, "s ?")
    keys = tab.get_by_role("dialog", name="Keys")
    expect(keys).to_contain_text("flag it for the researcher")
    expect(keys).not_to_contain_text("skip")
    press(tab, "Escape")
    expect(tab.get_by_test_id("answer")).to_have_text(answer)
    with app.store.reading() as session:
        states = session.query(Assignment.state).filter(Assignment.project_id == project)
        assert "skipped" not in [state for (state,) in states]


def test_the_button_counts_down_and_enter_says_how_long(app: App, tab: Page) -> None:
    project, rater = make(app, "Slowly", least_seconds=6)
    open_rating(tab, app, "slowly", rater)
    answer, submit = tab.get_by_test_id("answer"), tab.get_by_test_id("submit")
    for count in (3, 6):
        shown = answer.inner_text()
        press(tab, "2 4 1 Enter")
        expect(submit).to_contain_text("Submit in 0:0")
        expect(tab.locator(".spoken")).to_contain_text("Read this first. You can submit in 0:0")
        expect(answer).to_have_text(shown)
        expect(submit).to_have_text("SubmitEnter", timeout=10_000)
        press(tab, "Enter")
        expect(answer).not_to_have_text(shown)
        saved(tab)
        assert len(stored(app, project)) == count
    press(tab, "u")  # it is rated: a change need not wait
    expect(submit).to_contain_text("Save changes")
    press(tab, "1 Enter")
    saved(tab)
    assert [score for _, key, score in stored(app, project) if key == "relevance"] == [2, 1]


def test_what_was_rated_offline_took_the_least_time_and_is_stored(
    app: App, tab: Page, context: BrowserContext
) -> None:
    """All arrives at once when the network is back; the server sees that there was time for each."""
    project, rater = make(app, "Slowly offline", least_seconds=3)
    open_rating(tab, app, "slowly-offline", rater)
    submit = tab.get_by_test_id("submit")
    for rated in range(3):
        if rated == 1:
            context.set_offline(True)
        press(tab, "2 4 1")
        expect(submit).to_have_text("SubmitEnter", timeout=10_000)
        press(tab, "Enter")
    context.set_offline(False)
    saved(tab)
    assert len(stored(app, project)) == 9
