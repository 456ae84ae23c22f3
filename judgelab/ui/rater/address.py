"""Where the rating screen sends its work, and where the questions at the end are."""

from __future__ import annotations

import streamlit as st

PATH = "/rate/work"
EXIT_PATH = "/exit-questions/{project}"


def path(route: str = PATH) -> str:
    """Return a route's path below the app's base URL."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}{route}" if base else route
