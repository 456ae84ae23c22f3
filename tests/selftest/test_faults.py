"""The faults of docs/reliability.md in their smallest size: whoever breaks a promise is told by the tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import unavailable
from tests.postgres import _programs

ROOT = Path(__file__).resolve().parents[2]
KINDS = {
    "sqlite": ("migrations", "clock-jumps", "two-versions"),
    "postgres": ("clock-jumps", "postgres-kills"),
}


@pytest.mark.timeout(180)
@pytest.mark.parametrize("database", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def test_a_fault_of_each_of_these_kinds_loses_nothing(database: str) -> None:
    if database == "postgres" and _programs() is None:
        unavailable("postgres", "PostgreSQL's server programs were not found")
    report = _tried(database, *KINDS[database])
    assert "not tried" not in report and ", 0 lost or wrong" in report.splitlines()[-1]


@pytest.mark.timeout(180)
@pytest.mark.parametrize("database", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def test_what_was_acknowledged_outlives_a_power_cut(database: str) -> None:
    if database == "postgres" and _programs() is None:
        unavailable("postgres", "PostgreSQL's server programs were not found")
    report_lines = _tried(database, "power-cuts").splitlines()
    if "not tried here" in report_lines[0]:
        pytest.skip(report_lines[0])
    assert ", 0 lost or wrong" in report_lines[-1]


def _tried(database: str, *kinds: str) -> str:
    """Try each of these faults once; return what was said of them."""
    command = [sys.executable, "benchmarks/faults.py", "--database", database, "--times", "1", "--only"]
    result = subprocess.run([*command, *kinds], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout
