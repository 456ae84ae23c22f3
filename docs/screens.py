"""Write docs/screens/: every page on the demo projects, desktop and phone, light and dark, and one study.

Run by `make screenshots`. Uses databases of its own in temporary folders. The pictures of the study are taken
by the test that plays it, from the invitation to a settled conflict.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Browser, sync_playwright  # noqa: E402

from judgelab.annotation import service  # noqa: E402
from judgelab.store import people  # noqa: E402
from judgelab.store.projects import find_project  # noqa: E402
from tests.conftest import find_chromium  # noqa: E402
from tests.e2e.conftest import ARGUMENTS, App, settled, sign_in  # noqa: E402

FOLDER = ROOT / "docs" / "screens"
PROJECT = "demo-kitchen"
RATED = "demo-news"  # a few ratings of somebody new would move the figures of the other
PAGES = (
    "project",
    "data",
    "rate",
    "my-ratings",
    "quality",
    "raters",
    "adjudicate",
    "people",
    "judge",
    "runs",
    "endpoints",
    "agree",
    "explain",
    "trust",
    "compare",
    "means",
    "more",
    "patterns",
    "preparation",
    "report",
    "studies",
)
OF_SUMMARIES = {"rate", "my-ratings", "trust", "compare", "report"}
SIZES = {"desktop": {"width": 1366, "height": 900}, "phone": {"width": 390, "height": 844}}
THEMES = ("light", "dark")
RATER = "Robin"  # somebody new, who rates a few answers first
CRITERIA = ("coherence", "consistency", "fluency", "relevance")
SCORES = (3, 4, 2, 5)


def main() -> None:
    """Load the demo, start the app, and take every picture."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        app = App(f"sqlite:///{folder}/judgelab.db", Path(folder))
        _judgelab(app, "demo", "--no-serve")
        _judgelab(app, "endpoint", "add", "local", "--base-url", "http://127.0.0.1:8000/v1")
        _judgelab(app, "judge", PROJECT, "direct", "--backend", "scripted", "--model", "rule", "--wait")
        with app.store.writing() as session:
            rater = people.find_or_create(session, RATER)
            project = find_project(session, RATED).id
        _rate(app, rater, project)
        app.start()
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
                for size in SIZES:
                    for theme in THEMES:
                        _take_all(browser, app, size=size, theme=theme, rater=rater)
                browser.close()
        finally:
            app.stop()
    _play_the_study()


def _play_the_study() -> None:
    played = subprocess.run(
        [sys.executable, "-m", "pytest", "tests/e2e/test_study.py"],
        cwd=ROOT,
        env={**os.environ, "JUDGELAB_SCREENS": str(FOLDER)},
    )
    if played.returncode:
        raise SystemExit("the study could not be played; its pictures are not all new")


def _take_all(browser: Browser, app: App, *, size: str, theme: str, rater: int) -> None:
    window = browser.new_context(viewport=SIZES[size], color_scheme=theme)  # type: ignore[arg-type]
    tab = window.new_page()
    tab.goto(app.address)
    settled(tab)
    _shoot(tab, "welcome", size, theme)
    sign_in(window, app)
    for page in PAGES:
        project = RATED if page in OF_SUMMARIES else PROJECT
        tab.goto(f"{app.address}/{page}?project={project}&rater={rater}")
        settled(tab)
        tab.wait_for_timeout(1500)  # charts are drawn after the script has ended
        _shoot(tab, page, size, theme)
    window.close()


def _rate(app: App, rater: int, project: int) -> None:
    """Rate a few answers, so that the rater's pages show somebody at work."""
    for item, score in zip(service.next_items(app.store, rater, project), SCORES, strict=False):
        op = {"uid": str(uuid.uuid4()), "kind": "rate", "item": item.id, "seconds": 14}
        service.apply(app.store, rater, project, {**op, "scores": dict.fromkeys(CRITERIA, score)})


def _shoot(tab: object, page: str, size: str, theme: str) -> None:
    path = FOLDER / f"{page}-{size}-{theme}.png"
    tab.screenshot(path=path)  # type: ignore[attr-defined]
    print(path.relative_to(ROOT))


def _judgelab(app: App, *words: str) -> None:
    # 2: the rehearsal leaves some replies unscored on purpose, as a model would.
    done = subprocess.run([sys.executable, "-m", "judgelab", *words], cwd=ROOT, env=app.environment)
    if done.returncode not in (0, 2):
        raise SystemExit(f"judgelab {' '.join(words)} failed")


if __name__ == "__main__":
    os.chdir(ROOT)
    main()
