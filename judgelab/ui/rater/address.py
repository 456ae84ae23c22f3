"""Where the rating screen sends its work."""

from __future__ import annotations

import streamlit as st

PATH = "/rate/work"


def path() -> str:
    """Return the route's path below the app's base URL."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}{PATH}" if base else PATH
