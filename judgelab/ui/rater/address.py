"""Where the rating screen sends its work, and where the questions before and after the work are."""

from __future__ import annotations

from urllib.parse import quote, urlencode

import streamlit as st

PATH = "/rate/work"
ENTRY_PATH, EXIT_PATH = "/entry-questions/{project}", "/exit-questions/{project}"
RATING_PAGE = "/rate"
RATER = "rater"  # the parameter that names the rater whom an owner on their own computer chose


def path(route: str = PATH) -> str:
    """Return a route's path below the app's base URL."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}{route}" if base else route


def questionnaire(route: str, slug: str, person_id: int) -> str:
    """Return where a rater answers the questions before or after the work."""
    return f"{path(route).format(project=quote(slug))}?{urlencode({RATER: person_id})}"


def rating_page(slug: str, person_id: int | None = None) -> str:
    """Return the address of the rating page."""
    chosen = {} if person_id is None else {RATER: person_id}
    return f"{path(RATING_PAGE)}?{urlencode({'project': slug, **chosen})}"
