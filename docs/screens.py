"""Write docs/screens/: every page on the demo projects, desktop and phone, light and dark, and two studies.

Run by `make screenshots`. Uses databases of its own in temporary folders. The pictures of the studies are
taken by the tests that play them, from the invitations to a settled conflict and to the file for paying.
Pictures of a wide screen are written to docs/screens/wide/, which is not kept. Each page is looked at by axe
as well and must not scroll sideways; what is found is printed at the end and the command fails.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Browser, Page, expect, sync_playwright  # noqa: E402

from judgelab.accounts import signin  # noqa: E402
from judgelab.annotation import service  # noqa: E402
from judgelab.runs import guided  # noqa: E402
from judgelab.store.people import people  # noqa: E402
from judgelab.store.projects.projects import find_project  # noqa: E402
from judgelab.store.projects.tour_progress import LEFT_TOUR, RESUMED_TOUR  # noqa: E402
from tests.conftest import find_chromium  # noqa: E402
from tests.e2e.conftest import ARGUMENTS, App, settled, sign_in  # noqa: E402
from tests.e2e.every_page import ADDRESSES  # noqa: E402
from tests.e2e.test_every_page import wrong  # noqa: E402

FOLDER = ROOT / "docs" / "screens"
PROJECT = "demo-kitchen"
RATED = "demo-news"  # a few ratings of somebody new would move the figures of the other
PAGES = ("visit", *(address for address in ADDRESSES if address != "visit"))
OF_SUMMARIES = {"work-list", "you", "rate", "my-ratings", "trust", "compare", "report"}
SIZES = {
    "desktop": {"width": 1366, "height": 900},
    "phone": {"width": 390, "height": 844},
    "wide": {"width": 1920, "height": 1080},
}
THEMES = ("light", "dark")
RATER = "Robin"  # somebody new, who rates a few answers first
CRITERIA = ("coherence", "consistency", "fluency", "relevance")
SCORES = (3, 4, 2, 5)


def main() -> None:
    """Load the demo, start the app, and take every picture."""
    (FOLDER / "wide").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        app = App(f"sqlite:///{folder}/judgelab.db", Path(folder))
        _judgelab(app, "demo", "--no-serve")
        _judgelab(app, "endpoint", "add", "local", "--base-url", "http://127.0.0.1:8000/v1")
        _judgelab(app, "judge", PROJECT, "direct", "--backend", "scripted", "--model", "rule", "--wait")
        signin.new_owner_token(app.store)  # makes the owner
        with app.store.writing() as session:
            rater = people.find_or_create(session, RATER)
            project = find_project(session, RATED).id
            owner = people.find_or_create(session, signin.OWNER)
        for person in (rater, owner):
            _rate(app, person, project)
        app.start()
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
                found = [
                    line
                    for size in SIZES
                    for theme in THEMES
                    for line in _take_all(browser, app, size=size, theme=theme, rater=rater)
                ]
                browser.close()
        finally:
            app.stop()
    _play_the_studies()
    if found:
        raise SystemExit("\n".join(found))


def _play_the_studies() -> None:
    played = subprocess.run(
        [sys.executable, "-m", "pytest", "tests/e2e/test_study.py", "tests/e2e/test_crowd_study.py"],
        cwd=ROOT,
        env={**os.environ, "JUDGELAB_SCREENS": str(FOLDER)},
    )
    if played.returncode:
        raise SystemExit("a study could not be played; its pictures are not all new")


def _take_all(browser: Browser, app: App, *, size: str, theme: str, rater: int) -> list[str]:
    """Take the pictures of one size and theme; return what is wrong with the pages."""
    found = []
    window = browser.new_context(viewport=SIZES[size], color_scheme=theme)  # type: ignore[arg-type]
    tab = window.new_page()
    tab.goto(app.address)
    settled(tab)
    _shoot(tab, "welcome", size, theme)
    sign_in(window, app)
    for page in PAGES:
        _put_the_visit_away(app, away=page != "visit")
        project = RATED if page in OF_SUMMARIES else PROJECT
        who = f"&rater={rater}" if page in ("rate", "my-ratings") else ""
        tab.goto(f"{app.address}/{page}?project={project}{who}")
        settled(tab)
        tab.wait_for_timeout(1500)  # charts are drawn after the script has ended, and figures by a second run
        expect(tab.locator("[data-testid^=stSkeleton]")).to_have_count(0, timeout=120_000)
        settled(tab)
        _shoot(tab, page, size, theme)
        found += [f"{page}, {size}, {theme}: {line}" for line in wrong(tab)]
    window.close()
    return found


def _put_the_visit_away(app: App, *, away: bool) -> None:
    """Leave the guided path, whose bar would stand on many pages, or take it up again."""
    with app.store.writing() as session:
        owner, project = people.find_or_create(session, signin.OWNER), find_project(session, PROJECT).id
    guided.record_action(app.store, project, owner, LEFT_TOUR if away else RESUMED_TOUR)


def _rate(app: App, rater: int, project: int) -> None:
    """Rate a few answers, with a comment, a flag and a skip, so that pages show somebody at work."""

    def send(kind: str, item: int, **values: Any) -> None:
        service.apply(
            app.store, rater, project, {"uid": str(uuid.uuid4()), "kind": kind, "item": item, **values}
        )

    for item, score in zip(service.next_items(app.store, rater, project), SCORES, strict=False):
        comments = {CRITERIA[0]: "The last sentence is about another street."} if score == SCORES[2] else {}
        scores = dict.fromkeys(CRITERIA, score)
        send("rate", item.id, seconds=14, scores=scores, comments=comments)
    skipped, flagged = service.next_items(app.store, rater, project)[:2]
    send("skip", skipped.id)
    send("flag", flagged.id, reason="Names a person whom the article does not name.")


def _shoot(tab: Page, page: str, size: str, theme: str) -> None:
    folder = FOLDER / "wide" if size == "wide" else FOLDER
    path = folder / f"{page}-{size}-{theme}.png"
    tab.screenshot(path=path)
    print(path.relative_to(ROOT))


def _judgelab(app: App, *words: str) -> None:
    # 2: the rehearsal leaves some replies unscored on purpose, as a model would.
    done = subprocess.run([sys.executable, "-m", "judgelab", *words], cwd=ROOT, env=app.environment)
    if done.returncode not in (0, 2):
        raise SystemExit(f"judgelab {' '.join(words)} failed")


if __name__ == "__main__":
    os.chdir(ROOT)
    main()
