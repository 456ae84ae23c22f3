"""Fixtures that all tests share."""

from __future__ import annotations

import gc
import os
import shutil
import sys
from collections.abc import Iterator
from itertools import chain, groupby
from pathlib import Path

import pytest
import pytest_rerunfailures
from hypothesis import settings

from tests import threads  # noqa: F401 - before anything brings in numpy

# isort: split
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from tests import dialects, quick  # noqa: F401 - connections share compiled SQL from here on
from tests.databases import new_sqlite
from tests.examples import USUAL, examples

pytest_plugins = ["tests.postgres"]

settings.register_profile("judgelab", examples(USUAL))
settings.load_profile("judgelab")

ROOT = Path(__file__).resolve().parents[1]
SLOW_FIRST = (
    *("e2e", "selftest", "documentation", "verification", "annotation"),
    *("pages", "imports", "cli", "analysis"),
)
BUSY = ("e2e", "runs")
# These wait for other processes most of the time; one file follows every fifth of those that compute.
WAITING = ("test_deploy.py", "runs", "preparation", "learned_training")
BETWEEN = 5
MANY_MODULES = 300

# Looking through young objects 28 times as often, as Python does by itself, took a twelfth of the time.
gc.set_threshold(20_000, 20, 20)

_loaded = 0


def _keep_what_is_loaded() -> None:
    """Take what is loaded by now, which stays to the end, out of what every collection looks through.

    Collecting took a tenth of the time of all tests, and two fifths of those that give back a model's memory.
    """
    global _loaded
    gc.collect()
    gc.freeze()
    _loaded = len(sys.modules)


def pytest_addoption(parser: pytest.Parser) -> None:
    quick.add_options(parser)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what a quick run doesn't run: importing it would take most of the time."""
    if not config.getoption("quick") or not collection_path.is_relative_to(ROOT / "tests"):
        return None
    return quick.is_left_out(collection_path, since=config.getoption("since")) or None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put items in the order in which they take least time."""
    _keep_what_is_loaded()
    if config.getoption("quick"):
        items[:] = [item for item in items if quick.is_quick(item)]
    items[:] = _in_order(items)
    for item in items:
        if _room(item) in BUSY:
            # A browser or a worker waits for a machine that may be busy with others. A test that needed its
            # second try is listed at the end as rerun.
            item.add_marker(pytest.mark.flaky(reruns=1))


def _in_order(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the rooms with the longest files first: one that begins last would let a worker wait for it.

    Files that wait are spread: if all workers run such files at once, the processors idle.
    """
    rank = {room: position for position, room in enumerate((*SLOW_FIRST, "", *WAITING))}
    ranked = sorted(items, key=lambda item: rank.get(_room(item), rank[""]))
    files = [list(of_file) for _, of_file in groupby(ranked, key=lambda item: item.path)]
    waiting = [file for file in files if _room(file[0]) in WAITING]
    ordered = []
    for number, file in enumerate(file for file in files if _room(file[0]) not in WAITING):
        ordered += file
        # Not between files with browsers: they share an app, which would be started again after it.
        if number % BETWEEN == 0 and _room(file[0]) != "e2e" and waiting:
            ordered += waiting.pop(0)
    return [*ordered, *chain.from_iterable(waiting)]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let a second try begin with an app and a database of its own: the first has left its people there."""
    if len(sys.modules) > _loaded + MANY_MODULES:  # torch, say
        _keep_what_is_loaded()
    if getattr(item, "execution_count", 1) > 1:
        pytest_rerunfailures._restore_suspended_finalizers(item)
        item.session._setupstate.teardown_exact(None)


def _room(item: pytest.Item) -> str:
    return item.path.relative_to(ROOT / "tests").parts[0]


def unavailable(requirement: str, reason: str) -> None:
    """Skip the test, or fail it where the requirement was promised (CI installs browsers and PostgreSQL)."""
    if requirement in os.environ.get("JUDGELAB_TESTS_MUST_NOT_SKIP", "").split():
        pytest.fail(f"{requirement} must not be skipped here: {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def datasets() -> Path:
    """The verification sets (docs/datasets.md); skips where they are absent."""
    path = Path(os.environ.get("JUDGELAB_DATASETS") or ROOT.parent / "shared" / "datasets")
    if not path.is_dir():
        pytest.skip("the verification sets are not here (JUDGELAB_DATASETS, see docs/datasets.md)")
    return path


def find_chromium() -> str | None:
    """Return the path of a Chromium, the one named in CHROMIUM first, then the one made for tests."""
    names = (
        "chromium-headless-shell",  # the same engine without windows: a tenth cheaper for each page
        *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
    )
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium; skips where there is none."""
    path = find_chromium()
    if path is None:
        unavailable("browser", "no Chromium was found (install it, or name it in CHROMIUM)")
    assert path is not None
    return path


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty, migrated SQLite database."""
    opened = open_store(new_sqlite(tmp_path / "test.db"))
    yield opened
    opened.close()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def any_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty, migrated database of either kind."""
    if request.param == "sqlite":
        url = new_sqlite(tmp_path / "test.db")
    else:
        url = request.getfixturevalue("migrated_postgres_url")
    opened = open_store(url)
    yield opened
    opened.close()
