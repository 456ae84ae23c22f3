"""Texts from files stay texts on every page: nothing runs, nothing loads, every letter is shown."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from judgelab.store import people
from judgelab.ui.text import UNSEEN
from tests.e2e import hostile
from tests.e2e.conftest import App, settled

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

SHOWN = {
    "project": ("Project", "Rule"),
    "data": ("Project",),
    "rate": ("Question", "Context", "Reference", "Response", "Criterion", "Asked", "Label", "Newcomer"),
    "my-ratings": ("Rater0",),
    "quality": ("Project", "Criterion"),
    "raters": ("Project", "Criterion", "Rater0"),
    "judge": ("Project", "Item0", "System0", "Question0", "Response0", "Criterion"),
    "runs": ("Run judge", "Item", "System", "Reply"),
    "agree": ("Judge", "Project", "Criterion", "Rule"),
    "explain": (
        *("Item", "System", "Group", "Question", "Context", "Reference", "Response"),
        *("Rater0", "Comment", "Judge", "Rationale"),
    ),
}
PATIENCE_SECONDS = 30
MADE_OF_TEXT = (
    'a[href^="javascript"], img[src*="127.0.0.1:1/"], img[src="x"], img[onerror], .katex, '
    '[data-testid="stMarkdownContainer"] script, svg a'
)


@pytest.fixture(scope="module")
def project(app: App, tmp_path_factory: pytest.TempPathFactory) -> str:
    # Playwright's event loop runs in this thread; the worker that judges here starts one of its own.
    with ThreadPoolExecutor(1) as elsewhere:
        return elsewhere.submit(hostile.store_project, app.store, tmp_path_factory.mktemp("hostile")).result()


class Watched:
    """A tab that notes what it should never do."""

    def __init__(self, app: App, context: BrowserContext) -> None:
        self.tab: Page = context.new_page()
        self.bad: list[str] = []
        self.tab.on("dialog", lambda dialog: (self.bad.append(dialog.message), dialog.dismiss()))
        self.tab.on("pageerror", lambda error: self.bad.append(str(error)))
        self.tab.on("request", lambda request: self._note(app, request.url))
        self.tab.on("console", lambda line: self.bad.extend([line.text] * ("Refused to" in line.text)))

    def _note(self, app: App, url: str) -> None:
        own = (app.address, app.address.replace("http", "ws", 1), "data:", "blob:")
        if not url.startswith(own):
            self.bad.append(url)

    def check(self) -> None:
        """Fail if a text ran, loaded something, or became more than letters."""
        assert self.tab.evaluate("window.hit") is None
        assert self.tab.locator(MADE_OF_TEXT).evaluate_all("all => all.map(one => one.outerHTML)") == []
        assert self.bad == []


@pytest.fixture
def watched(app: App, context: BrowserContext) -> Iterator[Watched]:
    yield Watched(app, context)


@pytest.mark.parametrize("path", SHOWN)
def test_every_letter_is_shown_and_nothing_runs(app: App, project: str, watched: Watched, path: str) -> None:
    with app.store.reading() as session:
        name = hostile.said("Newcomer" if path == "rate" else "Rater0")
        rater = next(p for p in people.list_people(session) if p.name == name)
    tab = watched.tab
    tab.goto(f"{app.address}/{path}?project={project}&rater={rater.id}")
    settled(tab)
    if path == "rate":
        expect(tab.get_by_test_id("answer")).to_be_visible()
    _unfold(tab)
    assert _missing(tab, SHOWN[path]) == []
    watched.check()


def _unfold(tab: Page) -> None:
    for fold in tab.locator("summary").locator("visible=true").all():
        fold.click()
    settled(tab)


def _missing(tab: Page, fields: tuple[str, ...]) -> list[str]:
    """Return the fields whose text is not on the page, once they had time to appear."""
    end = time.monotonic() + PATIENCE_SECONDS
    while (missing := [field for field in fields if not _shown(tab, field)]) and time.monotonic() < end:
        tab.wait_for_timeout(200)
    return missing


def _shown(tab: Page, field: str) -> bool:
    """Whether a text that begins with the field's name stands on the page letter by letter."""
    texts = [field] if field[-1].isdigit() else [field, *(f"{field}{n}" for n in range(hostile.ITEMS))]
    body = " ".join((tab.locator("body").inner_text() + " " + _inside(tab)).split())
    return any(hostile.said(one) in body.replace(UNSEEN, "") for one in texts)


def _inside(tab: Page) -> str:
    """Return the text of the rating screen, which lies in a shadow tree of its own."""
    return " ".join(tab.locator(".rater").all_inner_texts())
