"""A rater asks about an item and reads the answer on the rating screen, in a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from judgelab.analysis.raters import work_list
from tests.e2e.conftest import App, settled, sign_in
from tests.e2e.test_rating import make

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]
Open = Callable[..., Page]


@pytest.fixture
def open_rate(app: App, browser: Browser) -> Iterator[Open]:
    """Open the rating page in a window of its own."""
    windows = []

    def go(slug: str, rater: int, width: int = 1366, locale: str = "en") -> Page:
        window = browser.new_context(viewport={"width": width, "height": 844}, locale=locale)
        windows.append(window)
        sign_in(window, app)
        tab = window.new_page()
        tab.goto(f"{app.address}/rate?project={slug}&rater={rater}")
        expect(tab.get_by_test_id("answer")).to_be_visible(timeout=30_000)
        return settled(tab)

    yield go
    for window in windows:
        window.close()


def texts(app: App, slug: str) -> list[str]:
    return [note.text for entry in work_list.work_list(app.store, slug) for note in entry.notes]


def test_a_question_by_keyboard_is_answered_announced_and_read(app: App, open_rate: Open) -> None:
    _project, rater = make(app, "Asks", answers=1)
    tab = open_rate("asks", rater)
    tab.keyboard.press("w")
    expect(tab.get_by_test_id("message")).to_be_focused()
    tab.keyboard.type("Is <b>S</b> *right*?")  # S is no skip here
    tab.keyboard.press("Enter")
    expect(tab.get_by_test_id("messages-dialog")).to_be_hidden()
    expect(tab.get_by_test_id("saved")).to_contain_text("Saved")
    expect(tab.get_by_test_id("messages")).to_have_attribute("aria-label", "Messages")
    (entry,) = work_list.work_list(app.store, "asks")
    assert entry.notes[0].text == "Is <b>S</b> *right*?"
    work_list.answer(app.store, "asks", entry.id, "<i>Yes</i>", by=None)
    tab.keyboard.press("1")  # the next exchange with the server brings it
    expect(tab.get_by_test_id("messages")).to_have_attribute("aria-label", "Messages, 1 new message")
    expect(tab.locator(".spoken[aria-live]")).to_have_text("1 new message")
    tab.keyboard.press("w")
    dialog = tab.get_by_test_id("messages-dialog")
    expect(dialog.locator(".message-text")).to_have_text(["Is <b>S</b> *right*?", "<i>Yes</i>"])
    expect(dialog.locator(".fresh")).to_have_text("new")
    tab.keyboard.press("Escape")
    expect(tab.get_by_test_id("messages")).to_have_attribute("aria-label", "Messages")
    tab.keyboard.press("4")  # back at the criteria
    tab.keyboard.press("1")
    tab.keyboard.press("Enter")
    expect(tab.get_by_test_id("nothing")).to_contain_text("You are done")
    expect(tab.get_by_test_id("messages-list").locator(".message-text")).to_have_count(2)
    tab.reload()
    expect(tab.get_by_test_id("messages-list").locator(".message-text")).to_have_count(2)
    expect(tab.locator(".fresh")).to_have_count(0)


def test_a_question_written_offline_is_kept_and_sent_later(app: App, open_rate: Open) -> None:
    _project, rater = make(app, "Asks offline", answers=2)
    tab = open_rate("asks-offline", rater)
    tab.context.set_offline(True)
    tab.keyboard.press("w")
    tab.keyboard.type("Still there?")
    tab.keyboard.press("Enter")
    tab.keyboard.press("w")
    expect(tab.get_by_test_id("messages-dialog").locator("article")).to_contain_text("not sent yet")
    tab.keyboard.press("Escape")
    expect(tab.get_by_test_id("saved")).to_have_text("1 not saved yet, trying again")
    for key in ("1", "4", "1", "Enter"):
        tab.keyboard.press(key)
    assert texts(app, "asks-offline") == []
    tab.context.set_offline(False)
    expect(tab.get_by_test_id("saved")).to_contain_text("Saved")
    assert texts(app, "asks-offline") == ["Still there?"]


@pytest.mark.parametrize(("locale", "name"), [("de", "Nachrichten"), ("ar", "الرسائل")])
def test_on_a_phone_everything_is_within_its_width(app: App, open_rate: Open, locale: str, name: str) -> None:
    _project, rater = make(app, f"Asks {locale}", answers=1)
    tab = open_rate(f"asks-{locale}", rater, width=390, locale=locale)
    button = tab.get_by_role("button", name=name, exact=True)
    button.click()
    tab.get_by_test_id("message").fill("x" * 60 + "?")
    tab.get_by_test_id("message-send").click()
    button.click()
    box = tab.get_by_test_id("messages-dialog").bounding_box()
    assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 390
    dialog = tab.get_by_test_id("messages-dialog")
    assert dialog.evaluate("node => node.scrollWidth - node.clientWidth") == 0
    assert tab.evaluate("document.documentElement.scrollWidth") == 390
