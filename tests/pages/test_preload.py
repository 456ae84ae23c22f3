"""Modules that pages import are preloaded: all for a researcher, none for a rater."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from judgelab.domain import Role
from judgelab.store.db.engine import Store
from judgelab.store.models import now
from judgelab.store.people import sessions
from judgelab.store.people.people import PersonInfo
from judgelab.ui.server import preload
from judgelab.ui.session import navigation
from tests.annotation.conftest import make_person

ROOT = Path(__file__).resolve().parents[2]
LOAD = """
import sys, threading
from judgelab.ui.server import preload
preload.AFTER = preload.BETWEEN = 0
preload.load(lambda: sys.argv[1:])
[thread.join() for thread in threading.enumerate() if thread.name == preload.NAME]
print(*sys.modules)
"""

ASK = """
import sys
from starlette.testclient import TestClient
from starlette.responses import PlainTextResponse
from judgelab.ui.server import preload
from judgelab.ui.session import navigation
app = preload.PagePreloader(PlainTextResponse("page"), navigation.script_for)
sign_in, path = sys.argv[1:]
assert TestClient(app).get(path, cookies={"judgelab_session": sign_in}).text == "page"  # and its threads end
print("pandas" in sys.modules, "judgelab.ui.judge.form" in sys.modules)
"""


def pages(role: str) -> list[str]:
    return navigation.scripts_to_load(PersonInfo(1, "Somebody", role))


def test_all_that_a_researcher_s_pages_import_is_loaded(app_store: Store) -> None:
    scripts = pages("researcher")
    command = [sys.executable, "-c", LOAD, *scripts]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    assert "ended early" not in result.stderr
    imports = [
        imported
        for page in scripts
        for imported in preload.imports_of((ROOT / page).read_text(encoding="utf-8"))
    ]
    folders = [imported for imported in imports if (ROOT / imported[0].replace(".", "/")).is_dir()]
    views = {
        f"{folder}.{name}" for folder, names in folders for name in names if folder[:12] == "judgelab.ui."
    }
    assert len(views) > 50
    assert (
        {module for module, _names in imports}
        | views
        | {"judgelab.protocols.elect", "judgelab.metrics.rouge"}
    ) <= set(result.stdout.split())
    assert not {"scipy.stats", "scipy.spatial", "torch"} & set(result.stdout.split())  # half a second each


@pytest.mark.parametrize("role", ["annotator", ""])
def test_who_only_rates_loads_nothing(app_store: Store, role: str) -> None:
    assert pages(role) == []


def loaded_after(store: Store, role: Role, path: str) -> str:
    """Return which modules a fresh process starts to load when somebody with this role requests a path."""
    person = make_person(store, f"Some {role}", role)
    with store.writing() as session:
        sign_in = sessions.start_session(session, person, until=now() + timedelta(hours=1))
    result = subprocess.run(
        [sys.executable, "-c", ASK, sign_in, path], capture_output=True, text=True, cwd=ROOT, check=True
    )
    return result.stdout.strip()


def test_the_page_that_a_researcher_asks_for_is_loaded_before_it_is_drawn(app_store: Store) -> None:
    assert loaded_after(app_store, "researcher", "/judge") == "True True"
    assert loaded_after(app_store, "owner", "/") == "True False"


def test_neither_a_rater_s_page_nor_a_file_begins_anything(app_store: Store) -> None:
    assert loaded_after(app_store, "annotator", "/rate") == "False False"
    assert loaded_after(app_store, "researcher", "/static/mark.svg") == "False False"


def test_nobody_loads_nothing() -> None:
    assert navigation.scripts_to_load(None) == []
