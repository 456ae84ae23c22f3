"""What pages import is loaded ahead: all of it for a researcher, nothing for who only rates."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from judgelab.store.engine import Store
from judgelab.store.people import PersonInfo
from judgelab.ui import ahead, navigation

ROOT = Path(__file__).resolve().parents[2]
LOAD = """
import sys, threading
from judgelab.ui import ahead
ahead.AFTER = ahead.BETWEEN = 0
ahead.load(lambda: sys.argv[1:])
[thread.join() for thread in threading.enumerate() if thread.name == ahead.NAME]
print(*sys.modules)
"""


def pages(role: str) -> list[str]:
    return navigation.to_load(PersonInfo(1, "Somebody", role))


def test_all_that_a_researcher_s_pages_import_is_loaded(app_store: Store) -> None:
    scripts = pages("researcher")
    command = [sys.executable, "-c", LOAD, *scripts]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    assert "ended early" not in done.stderr
    taken = [one for page in scripts for one in ahead.imported((ROOT / page).read_text(encoding="utf-8"))]
    views = {f"{module}.{name}" for module, names in taken for name in names if module == "judgelab.ui"}
    assert len(views) > 50
    assert (
        {module for module, _names in taken} | views | {"judgelab.protocols.elect", "judgelab.metrics.rouge"}
    ) <= set(done.stdout.split())


@pytest.mark.parametrize("role", ["annotator", ""])
def test_who_only_rates_loads_nothing(app_store: Store, role: str) -> None:
    assert pages(role) == []


def test_nobody_loads_nothing() -> None:
    assert navigation.to_load(None) == []
