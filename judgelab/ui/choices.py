"""Choosing one of several names, remembered for the session and kept in the page's link."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from judgelab.ui import place


def one_of(
    label: str,
    offered: Sequence[str],
    key: str,
    *,
    first: str = "",
    words: Callable[[str], str] = str,
    width: int = 200,
) -> str:
    """Return the choice; `first` stands there before anything was chosen."""
    names = list(offered)
    place.among(key, names)
    return str(
        st.selectbox(
            label,
            names,
            index=names.index(first) if first in names else 0,
            format_func=words,
            key=key,
            width=width,
            persist_state="session",
        )
    )
