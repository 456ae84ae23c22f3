"""What the app says when something around it is broken: a sentence, never a trace, and the rest works."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from judgelab.runs import service
from judgelab.runs.endpoints import service as endpoints
from judgelab.runs.plan.spec import JudgeSpec, Selection
from judgelab.store.db.workers import SILENT_SECONDS
from judgelab.store.models import Worker
from judgelab.store.projects.projects import find_project
from judgelab.store.rating import units
from judgelab.ui.kit.text import ZERO_WIDTH_SPACE
from tests.databases import new_sqlite
from tests.e2e.conftest import App, name_a_rater, settled, sign_in
from tests.pages import kitchen
from tests.runs.openai_server import Server

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

NO_WORKER = "No worker is running; start one with judgelab up."
NOBODY_LISTENS = "http://127.0.0.1:1/v1"
KEY = "JUDGELAB_TEST_KEY_THAT_IS_NOT_SET"
READING_PAGES = ("project", "data", "quality", "judge", "endpoints")


@pytest.fixture(scope="module")
def app(own_app: App) -> App:
    return own_app


@pytest.fixture(scope="module")
def slug(app: App) -> str:
    return kitchen.rated(app.store)


@pytest.fixture
def worker(app: App) -> Iterator[None]:
    process = app.start_worker()
    yield
    process.kill()
    process.wait(10)


@pytest.fixture
def broken(tmp_path: Path, chromium: str) -> Iterator[App]:
    """An app of its own with a project, not started yet; something will happen to its database."""
    broken_app = App(new_sqlite(tmp_path / "judgelab.db"), tmp_path)
    slug = kitchen.rated(broken_app.store)
    with broken_app.store.writing() as session:
        units.offer_units(session, find_project(session, slug).id)
    yield broken_app
    broken_app.stop()


@pytest.fixture
def fresh(browser: Browser) -> Iterator[BrowserContext]:
    """A window in which nobody is signed in yet."""
    opened = browser.new_context(viewport={"width": 1366, "height": 900}, reduced_motion="reduce")
    yield opened
    opened.close()


def test_a_run_without_a_worker_says_what_to_do(app: App, slug: str, page: Page) -> None:
    _open_run(app, page, _run(app, slug, "nobody", base_url=NOBODY_LISTENS))
    expect(page.get_by_text(NO_WORKER)).to_be_visible()
    expect(page.get_by_role("heading", level=5)).to_contain_text("0 of 2 judgments made")


def test_an_endpoint_that_is_down_is_named_before_and_during_a_run_and_waited_for(
    app: App, slug: str, page: Page, worker: None
) -> None:
    run = _run(app, slug, "down", base_url=NOBODY_LISTENS)
    page.goto(f"{app.address}/endpoints")
    settled(page)
    page.locator("[class*=st-key-endpoints_row]").filter(has_text="down").get_by_role(
        "button", name="Test"
    ).click()
    message = f"endpoint 'down' ({NOBODY_LISTENS}) cannot be reached"
    expect(page.get_by_text(f"Does not work: {message}")).to_be_visible()
    _open_run(app, page, run)
    message_pattern = re.escape(message).replace(":", f":{ZERO_WIDTH_SPACE}?")  # an address is no link
    expect(page.get_by_text(re.compile(f"The endpoint is paused until .*{message_pattern}"))).to_be_visible(
        timeout=60_000
    )
    expect(page.get_by_role("heading", level=5)).to_contain_text("0 of 2 judgments made")
    assert service.run_status(app.store, run).failed == 0
    service.cancel(app.store, run)


def test_a_missing_key_stops_the_run_and_names_its_variable(
    app: App, slug: str, page: Page, worker: None
) -> None:
    run = _run(app, slug, "keyless", base_url=NOBODY_LISTENS, api_key_env=KEY)
    page.goto(f"{app.address}/endpoints")
    expect(page.get_by_text(f"{KEY} is not set where the app runs")).to_be_visible()
    _open_run(app, page, run)
    expect(page.get_by_role("heading", level=5)).to_contain_text(
        "0 of 2 judgments made; stopped.", timeout=30_000
    )
    expect(page.get_by_text(f"takes its key from the environment variable {KEY}")).to_be_visible()
    expect(page.get_by_text("No calls yet.")).to_be_visible()
    expect(page.get_by_role("button", name="Resume")).to_be_visible()


def test_a_worker_that_dies_is_missed_on_the_open_page(app: App, slug: str, page: Page) -> None:
    with Server() as server:
        server.habits.latency = 1.0
        run = _run(app, slug, "slow", base_url=server.url, concurrency=1, limit=20)
        worker = app.start_worker()
        _open_run(app, page, run)
        expect(page.get_by_role("heading", level=5)).to_have_text(re.compile(r"^[1-9]"), timeout=30_000)
        worker.kill()
        worker.wait(10)
        _let_ten_seconds_pass(app)
        expect(page.get_by_text(NO_WORKER)).to_be_visible(timeout=30_000)
        expect(page.get_by_role("heading", level=5)).to_contain_text("not progressing at the moment")
        service.cancel(app.store, run)


def test_a_read_only_database_is_named_and_can_still_be_read(broken: App, fresh: BrowserContext) -> None:
    sign_in(fresh, broken)
    path = broken.database_url.removeprefix("sqlite:///")
    broken.environment["JUDGELAB_DATABASE_URL"] = f"sqlite:///file:{path}?mode=ro&uri=true"
    broken.start()
    tab = fresh.new_page()
    for path in READING_PAGES:
        _goto(broken, tab, path)
        expect(tab.get_by_role("alert")).to_have_count(0)
    tab.get_by_role("textbox", name="Name", exact=True).fill("new")
    tab.get_by_role("textbox", name="Base URL").fill(NOBODY_LISTENS)
    tab.get_by_role("button", name="Add", exact=True).click()
    expect(tab.get_by_role("alert")).to_contain_text("is read-only; make it ")
    _goto(broken, tab, "rate")
    name_a_rater(tab, "Somebody new")
    expect(tab.get_by_role("alert")).to_contain_text("is read-only; make it ")


def test_a_database_of_a_newer_version_is_refused_on_every_page(broken: App, fresh: BrowserContext) -> None:
    sign_in(fresh, broken)
    _make_newer(broken)
    broken.start()
    tab = fresh.new_page()
    for path in ("", *READING_PAGES):
        _goto(broken, tab, path)
        expect(tab.get_by_role("alert")).to_contain_text(
            "newer than this version of JudgeLab; install the newer version"
        )
        expect(tab.get_by_text("Traceback")).to_have_count(0)


def _run(app: App, slug: str, name: str, *, limit: int = 2, **endpoint: object) -> int:
    endpoints.add_endpoint(app.store, name, **endpoint)  # type: ignore[arg-type]
    spec = JudgeSpec(protocol="direct", model="tiny", endpoint=name, samples=1, name=f"{name} judge")
    return service.create_run(app.store, slug, spec, Selection(limit=limit))


def _open_run(app: App, page: Page, run: int) -> None:
    page.goto(f"{app.address}/runs?project=kitchen-questions&run={run}")
    expect(page.get_by_role("heading", name=f"Run {run}", exact=True)).to_be_visible()


def _let_ten_seconds_pass(app: App) -> None:
    """Set the signs of life back, as if they had been given so much earlier."""
    with app.store.writing() as session:
        for worker in session.query(Worker):
            worker.beat_at -= timedelta(seconds=SILENT_SECONDS)


def _goto(app: App, tab: Page, path: str) -> None:
    tab.goto(f"{app.address}/{path}?project=kitchen-questions")
    settled(tab)


def _make_newer(app: App) -> None:
    with sqlite3.connect(app.database_url.removeprefix("sqlite:///")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()


def test_a_database_replaced_by_a_newer_one_is_missed_until_it_is_back(
    broken: App, fresh: BrowserContext, tmp_path: Path
) -> None:
    broken.start()
    sign_in(fresh, broken)
    tab = fresh.new_page()
    _goto(broken, tab, "data")
    expect(tab.get_by_role("heading", name="Data")).to_be_visible()
    original, newer = tmp_path / "kept.db", App(f"sqlite:///{tmp_path / 'newer.db'}", tmp_path)
    newer.store.close()
    _make_newer(newer)
    _put_in_place(broken, tmp_path / "newer.db", keep=original)
    for path in ("data", "quality"):
        _goto(broken, tab, path)
        expect(tab.get_by_role("alert")).to_contain_text(
            "replaced by one with schema 9999 while JudgeLab was running"
        )
    _put_in_place(broken, original, keep=tmp_path / "newer.db")
    _goto(broken, tab, "data")
    expect(tab.get_by_role("heading", level=5)).to_contain_text("12 items and 24 responses")


def _put_in_place(app: App, replacement: Path, *, keep: Path) -> None:
    """Put another file in the place of the app's database, which is kept elsewhere whole."""
    database = Path(app.database_url.removeprefix("sqlite:///"))
    with sqlite3.connect(database) as source, sqlite3.connect(keep.with_suffix(".copy")) as copy:
        source.backup(copy)
    source.close()
    copy.close()
    replacement.replace(database)
    for end in ("-wal", "-shm"):
        Path(f"{database}{end}").unlink(missing_ok=True)
    keep.with_suffix(".copy").replace(keep)
