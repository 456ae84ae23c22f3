"""The place on a page as its link says it: a view worth sharing is in the address."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from judgelab.languages import _
from judgelab.ui.kit import text
from judgelab.ui.kit.streamlit_internals import current_page

_UNAVAILABLE = "place_lacking"


def follow_link(page: str, names: Mapping[str, str]) -> None:
    """Put what the link says into the page's state, when the link is not one the page wrote itself.

    Args:
        page: prefix of the page's state keys.
        names: word in the link -> key in the state.
    """
    link = {word: st.query_params[word] for word in names if word in st.query_params}
    if link and link != st.session_state.get(f"{page}_link"):
        st.session_state.pop(_UNAVAILABLE, None)
        for word, value in link.items():
            st.session_state[names[word]] = value
    st.session_state[f"{page}_link"] = link


def forget_other_project(project: str, defaults: Mapping[str, str]) -> None:
    """Forget what is only how another project opened, before the widgets are drawn and a link is followed.

    Args:
        project: its slug.
        defaults: by key in the state, what stands there in this project before anything is chosen.
    """
    for key, value in defaults.items():
        last_project, last_default = st.session_state.get(f"{key}_opened", (project, value))
        if last_project != project and st.session_state.get(key) == last_default:
            st.session_state.pop(key, None)
        st.session_state[f"{key}_opened"] = (project, value)


def write_link(page: str, values: Mapping[str, Any]) -> None:
    """Put the place into the link; None leaves a word out."""
    link = {word: str(value) for word, value in values.items() if value not in (None, "")}
    for word in values:
        if word not in link and word in st.query_params:
            del st.query_params[word]
        elif word in link and st.query_params.get(word) != link[word]:
            st.query_params[word] = link[word]
    st.session_state[f"{page}_link"] = link


def drop_unavailable(key: str, choices: list[str]) -> None:
    """Forget a remembered choice that is not offered any more, before its widget is drawn.

    Where a link asked for it, its reader is told that they see something else.
    """
    if key in st.session_state and st.session_state[key] not in choices:
        requested = str(st.session_state[key])
        if requested in st.query_params.values():
            note_unavailable(key, requested)
        del st.session_state[key]
    write_unavailable_note(key)


def note_unavailable(key: str, requested: str) -> None:
    """Remember, while the page is open, that its link asks for what cannot be shown."""
    st.session_state[_UNAVAILABLE] = (current_page(), key, requested)


def write_unavailable_note(key: str) -> None:
    """Say it where the choice stands."""
    page, widget, requested = st.session_state.get(_UNAVAILABLE, ("", "", ""))
    if (page, widget) == (current_page(), key):
        message = _(
            "The link asks for “{name}”, which is not to be had here; something else is shown.",
            name=requested,
        )
        st.caption(f":orange[:material/link_off: {text.plain(message)}]")
