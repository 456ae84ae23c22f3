"""Texts from files stay texts on every page: nothing runs, nothing loads, every letter is shown."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from sqlalchemy import delete

from judgelab.accounts import signin
from judgelab.rendering.formats import MARKDOWN, PLAIN, TEXTS
from judgelab.runs.endpoints import service
from judgelab.store.models import EndpointRow, now
from judgelab.store.people import people, sessions
from judgelab.store.projects.projects import find_project, update_project
from judgelab.ui.kit.text import ZERO_WIDTH_SPACE
from tests.e2e import hostile
from tests.e2e.conftest import App, settled

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

SHOWN = {
    "project": ("Project", "Filter"),
    "data": ("Project",),
    "rate": ("Question", "Context", "Reference", "Response", "Criterion", "Asked", "Label", "Newcomer"),
    "my-ratings": ("Rater0",),
    "quality": ("Project", "Criterion"),
    "raters": ("Project", "Criterion", "Rater0"),
    "judge": ("Project", "Item0", "System0", "Question0", "Response0", "Criterion"),
    "runs": ("Run judge", "Item", "System", "Reply"),
    "agree": ("Judge", "Project", "Criterion", "Filter"),
    "explain": (
        *("Item", "System", "Group", "Question", "Context", "Reference", "Response"),
        *("Rater0", "Comment", "Judge", "Rationale"),
    ),
    "adjudicate": ("Criterion", "Question", "Context", "Reference", "Response", "Group", "Comment"),
    "trust": ("Project", "Filter", "Criterion", "Other", "Judge"),
    "compare": ("Project", "Judge"),
    "means": ("Project",),
    "more": ("Project",),
    "patterns": ("Project", "Judge"),
    "you": ("Project", "Rater0"),
    "report": ("Project", "Filter", "Criterion", "Other", "Judge"),
    "studies": ("Project",),
    "people": ("Project",),
    "preparation": ("Project",),
    "visit": (),
}
CHARTED = ("quality", "raters", "agree", "explain", "compare", "means", "more", "you")
PATIENCE_SECONDS = 30
FILE = f"{hostile.said('File')}.csv".replace("/", "∕")  # no system has the slash in a name
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
    if path == "you":
        tab.get_by_role("combobox", name="Rater").click()
        tab.get_by_role("option", name="Rater0").click()
        settled(tab)
    if path in CHARTED:
        expect(tab.locator(".js-plotly-plot").first).to_be_visible()
    if path == "explain":
        watched.check()  # with rationales as Markdown
        tab.get_by_text("Show as typed").click()
        settled(tab)
    _unfold(tab)
    assert _missing(tab, SHOWN[path]) == []
    watched.check()


@pytest.mark.parametrize("path", ["rate", "explain", "adjudicate"])
def test_as_markdown_nothing_of_a_text_runs_either(
    app: App, project: str, watched: Watched, path: str
) -> None:
    set_formats(app, project, MARKDOWN)
    try:
        with app.store.reading() as session:
            name = hostile.said("Newcomer")
            rater = next(p for p in people.list_people(session) if p.name == name)
        tab = watched.tab
        tab.goto(f"{app.address}/{path}?project={project}&rater={rater.id}")
        settled(tab)
        shown = tab.locator(".rendered").filter(has_text="Response").first
        expect(shown).to_contain_text("<script>window.hit=1</script><img src=x onerror=window.hit=1>")
        expect(shown.locator("strong")).to_have_text("b")
        expect(shown.locator("msup")).to_have_text("x2")
        assert shown.locator("a, img, script, iframe").count() == 0
        watched.check()
    finally:
        set_formats(app, project, PLAIN)


def set_formats(app: App, project: str, text_format: str) -> None:
    """Show all texts of the project in this format."""
    with app.store.writing() as session:
        formats = dict.fromkeys(TEXTS, text_format)
        update_project(session, find_project(session, project).id, settings={"text_formats": formats})


def test_files_and_columns_with_such_names_are_letters_before_they_are_stored(
    app: App, project: str, watched: Watched
) -> None:
    columns = [hostile.said(f"Column{n}").replace(",", ";") for n in range(3)]
    rows = [columns, *([f"q{n}", hostile.said("Cell"), str(n)] for n in range(4))]
    content = "\n".join(",".join(row) for row in rows)
    tab = watched.tab
    tab.goto(f"{app.address}/data?project={project}")
    settled(tab)
    tab.get_by_text("Add files").click()
    uploader = tab.locator('input[type="file"]')
    uploader.set_input_files({"name": FILE, "mimeType": "text/csv", "buffer": content.encode()})
    expect(tab.get_by_text("nothing is read from").first).to_be_visible()
    _unfold(tab)
    page_text = tab.get_by_test_id("stMain").inner_text().replace(ZERO_WIDTH_SPACE, "")
    assert FILE in page_text
    assert all(
        f"{name} <script>window.hit=1</script>" in page_text for name in ("Column0", "Column1", "Column2")
    )
    watched.check()


@pytest.fixture
def endpoint(app: App) -> Iterator[str]:
    """An endpoint, which all projects of the app would be offered."""
    name = hostile.said("Endpoint")
    service.add_endpoint(app.store, name, base_url="http://127.0.0.1:9/v1", api_key_env="NONE")
    yield name
    with app.store.writing() as session:
        session.execute(delete(EndpointRow).where(EndpointRow.name == name))


def test_the_name_of_an_endpoint_is_letters(app: App, endpoint: str, watched: Watched) -> None:
    watched.tab.goto(f"{app.address}/endpoints")
    settled(watched.tab)
    _unfold(watched.tab)
    assert _missing(watched.tab, ("Endpoint",)) == []
    watched.check()


def test_ones_own_name_is_letters(app: App, project: str, browser: Browser) -> None:
    with app.store.writing() as session:
        person = next(p for p in people.list_people(session) if p.name == hostile.said("Newcomer"))
        cookie = sessions.start_session(session, person.id, until=now() + timedelta(hours=1))
    own = browser.new_context()
    own.add_cookies([{"name": signin.COOKIE, "value": cookie, "url": app.address}])
    mine = Watched(app, own)
    mine.tab.goto(f"{app.address}/account")
    settled(mine.tab)
    assert _missing(mine.tab, ("Newcomer",)) == []
    mine.check()
    own.close()


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
    return any(hostile.said(text) in body.replace(ZERO_WIDTH_SPACE, "") for text in texts)


def _inside(tab: Page) -> str:
    """Return the text of the rating screen, which lies in a shadow tree of its own."""
    return " ".join(tab.locator(".rater").all_inner_texts())
