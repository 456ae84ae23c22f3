"""Where the rating screen sends its work."""

from __future__ import annotations

import streamlit as st

PATH = "/rate/work"


def path() -> str:
    """Return where the route is, below the address that the app is served at."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}{PATH}" if base else PATH
