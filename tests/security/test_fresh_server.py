"""A server that has just started: the first message it ever gets is a deep link to a page."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.security.conftest import Site

ROOT = Path(__file__).resolve().parents[2]
SECRETS = ("SecretSystem", "secret-0", "Score with metrics", "No judge has scored")
QUERY = "project=soup-flasks&run=1&response=1&judge=x"


@pytest.mark.parametrize("page", ["data", "explain"])
def test_a_rater_has_no_page_of_research_from_a_server_that_has_just_started(site: Site, page: str) -> None:
    text = _first_told(page, site.member(f"Early for {page}", "annotator"))
    assert "No access to this page" in text and not any(secret in text for secret in SECRETS)


def test_a_researcher_has_that_page_from_it(site: Site) -> None:
    text = _first_told("data", site.member("Early to research", "researcher"))
    assert "page_not_found" not in text and "SecretSystem" in text and "Score with metrics" in text


def _first_told(page: str, cookie: str) -> str:
    """Return what a server in a process of its own sends to whoever comes first."""
    command = [sys.executable, "-m", "tests.security.first_told", page, QUERY, cookie]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=120).stdout
