"""Which pages a person has: the seven steps for researchers, the rating loop for raters."""

from __future__ import annotations

from typing import Any

import streamlit as st

from judgelab.store.people import PersonInfo
from judgelab.ui.gate import RANK

HOME = "pages/everyone/welcome.py"
RATER = (
    ("pages/annotator/rate.py", "Rate", "rate"),
    ("pages/annotator/my_ratings.py", "My ratings", "my-ratings"),
)
RESEARCHER = (
    ("pages/researcher/projects.py", "Project", "project"),
    ("pages/researcher/data.py", "Data", "data"),
    ("pages/annotator/rate.py", "Rate", "rate"),
    ("pages/researcher/quality.py", "Quality", "quality"),
    ("pages/researcher/judges.py", "Judge", "judge"),
    ("pages/researcher/agreement.py", "Agree", "agree"),
    ("pages/researcher/disagreements.py", "Explain", "explain"),
)
# Reached from the pages above, not from the bar.
INNER = (
    ("pages/annotator/my_ratings.py", "My ratings", "my-ratings"),
    ("pages/researcher/runs.py", "Runs", "runs"),
    ("pages/owner/endpoints.py", "Endpoints", "endpoints"),
)


def pages_for(person: PersonInfo | None) -> list[Any]:
    """Return the pages of a person in the order of the bar; without one, every link leads to signing in.

    The default page is never shown in it: Streamlit serves that one at "/" only, and every page here
    keeps a link of its own. It sends those who are signed in on to `first_page`.
    """
    home = st.Page(HOME, title="JudgeLab", url_path="welcome", default=True, visibility="hidden")
    if person is None:
        return [home, *(_page(HOME, title, url, visibility="hidden") for _, title, url in _everywhere())]
    shown = [_page(*page) for page in _bar(person)]
    inner = INNER if RANK[person.role] >= RANK["researcher"] else ()
    return [home, *shown, *(_page(*page, visibility="hidden") for page in inner)]


def _everywhere() -> set[tuple[str, str, str]]:
    return {*RATER, *RESEARCHER, *INNER}


def first_page(person: PersonInfo) -> str:
    """Return the page a person arrives at."""
    return _bar(person)[0][0]


def _bar(person: PersonInfo) -> tuple[tuple[str, str, str], ...]:
    return RESEARCHER if RANK[person.role] >= RANK["researcher"] else RATER


def _page(path: str, title: str, url: str, **options: Any) -> Any:
    return st.Page(path, title=title, url_path=url, **options)
