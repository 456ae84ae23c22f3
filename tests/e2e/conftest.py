"""A real server on an empty database, and a real browser signed in as the owner."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from judgelab.accounts import signin
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from tests.databases import new_sqlite

ROOT = Path(__file__).resolve().parents[2]
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
    "--process-per-site",
]
# A page lives for seconds here: what the optimising compilers cost is never earned back.
SHORT_LIVED = ["--js-flags=--no-opt --no-maglev"]
SETTLED = """() => {
    const app = document.querySelector('[data-testid="stApp"]');
    return app?.checkVisibility() && app.dataset.testScriptState === "notRunning";
}"""
LOOK_MILLISECONDS = 30

expect.set_options(timeout=30_000)  # a busy machine draws a page in seconds, not at once


class App:
    """The app as a process of its own that can be killed and started again on the same port."""

    def __init__(self, url: str, folder: Path) -> None:
        self.database_url = url
        self.folder = folder
        self.store: Store = open_store(url)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self.address = f"http://127.0.0.1:{self.port}"
        self.environment = {**os.environ, "JUDGELAB_DATABASE_URL": url}
        self.process: subprocess.Popen[bytes] | None = None
        self.worker: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server and wait until it answers."""
        command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py")]
        command += ["--server.port", str(self.port), "--server.fileWatcherType", "none"]
        with (self.folder / "app.log").open("ab") as log:
            self.process = subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=log, stderr=log)
        self._wait()

    def start_worker(self) -> subprocess.Popen[bytes]:
        """Start a worker process."""
        with (self.folder / "worker.log").open("ab") as log:
            self.worker = subprocess.Popen(
                [sys.executable, "-m", "judgelab", "worker"],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=log,
            )
        return self.worker

    def kill(self) -> None:
        """Kill the server as a power cut would."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait(60)
            self.process = None

    def stop(self) -> None:
        """Stop everything."""
        self.kill()
        if self.worker is not None:
            self.worker.kill()
            self.worker.wait(60)
        self.store.close()

    def owner_link(self) -> str:
        """Return a fresh link that signs a browser in as the owner."""
        return self.address + signin.new_owner_link(self.store)

    def _wait(self) -> None:
        for _ in range(600):
            try:
                with urllib.request.urlopen(f"{self.address}/_stcore/health", timeout=5) as answer:
                    if answer.status == 200:
                        return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError((self.folder / "app.log").read_text())


@pytest.fixture(scope="package")
def app(tmp_path_factory: pytest.TempPathFactory, chromium: str) -> Iterator[App]:
    """A running app for all modules that only add projects and people to it."""
    yield from _running(tmp_path_factory.mktemp("app"))


@pytest.fixture(scope="module")
def own_app(tmp_path_factory: pytest.TempPathFactory, chromium: str) -> Iterator[App]:
    """An app for one module: with workers, with people who change how everybody signs in, or fresh."""
    yield from _running(tmp_path_factory.mktemp("app"))


def _running(folder: Path) -> Iterator[App]:
    running = App(new_sqlite(folder / "judgelab.db"), folder)
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="package")
def browser(chromium: str) -> Iterator[Browser]:
    """A headless Chromium.

    Playwright keeps an event loop running in this thread; for a whole session it would break every later
    test that calls `asyncio.run`.
    """
    with sync_playwright() as playwright:
        chromium_browser = playwright.chromium.launch(
            executable_path=chromium, args=[*ARGUMENTS, *SHORT_LIVED]
        )
        yield chromium_browser
        chromium_browser.close()


@contextmanager
def in_look(
    app: App, browser: Browser, scheme: Literal["light", "dark"], width: int
) -> Iterator[BrowserContext]:
    """Lend the owner's window in light or dark and so wide, with a tab that keeps the app's scripts read."""
    opened = browser.new_context(
        viewport={"width": width, "height": 850}, color_scheme=scheme, reduced_motion="reduce"
    )
    sign_in(opened, app)
    opened.new_page().goto(f"{app.address}/healthz")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def window(app: App, browser: Browser) -> Iterator[BrowserContext]:
    """A browser window of 1366 x 900, signed in as the owner, with a tab that is never closed.

    As long as one tab is open the next is drawn by the same process, which has read the app's scripts
    already: that halves the time a page takes. It asks for less motion: drawing each frame of what moves
    while a page loads took a fifth of the browser's processor time.
    """
    opened = browser.new_context(viewport={"width": 1366, "height": 900}, reduced_motion="reduce")
    sign_in(opened, app)
    opened.new_page().goto(f"{app.address}/healthz")
    yield opened
    opened.close()


@pytest.fixture
def context(window: BrowserContext) -> Iterator[BrowserContext]:
    """The owner's window; its tabs are closed after the test."""
    before = window.pages
    yield window
    for tab in window.pages:
        if tab not in before:
            tab.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """A tab of the owner's window."""
    return context.new_page()


def sign_in(window: BrowserContext, app: App) -> None:
    """Make the window the owner's without a page to draw; test_shell goes the way of a person."""
    cookie = signin.redeem(app.store, signin.new_owner_token(app.store))
    assert cookie is not None
    window.add_cookies([{"name": signin.COOKIE, "value": cookie, "url": app.address}])


def name_a_rater(tab: Page, name: str) -> None:
    """Type a new rater's name by keyboard; Enter waits until the field offers to take it."""
    box = tab.get_by_role("combobox", name="Who is rating?")
    box.focus()
    tab.keyboard.type(name)
    expect(tab.get_by_role("option", name="Add: ")).to_be_visible()
    expect(box).to_have_attribute("aria-activedescendant", re.compile("creatable"))
    tab.keyboard.press("Enter")


def settled(tab: Page) -> Page:
    """Wait until the script of the page has finished; returns the page."""
    # Looks often: `expect` waits longer and longer between two looks, a second in the end.
    tab.wait_for_function(SETTLED, polling=LOOK_MILLISECONDS, timeout=60_000)
    return tab
