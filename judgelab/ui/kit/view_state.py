"""Keeping a page's choices in its link, so that a view can be shared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from judgelab.languages import _
from judgelab.ui.kit import text
from judgelab.ui.kit.streamlit_internals import current_page

_UNAVAILABLE = "place_lacking"
_FOLLOWED = "link_followed"  # what the last link asked for, by state key, until its widget is drawn
_CHOSEN = "last_chosen"  # by the name under which pages share a choice
_OPENED = "pages_opened"  # the current page and which of its links were followed since it was opened
_SHARED = {"judge": "judge", "rater": "judge", "coefficient": "coefficient", "level": "level"}  # by parameter


def follow_link(page: str, names: Mapping[str, str]) -> None:
    """Copy the link's values into the page's state, unless the page wrote that link itself.

    A page that was just opened first takes the judge, coefficient and level last chosen on another page.

    Args:
        page: prefix of the page's state keys.
        names: the state key by query parameter.
    """
    _take_last_chosen(page, names)
    link = {word: st.query_params[word] for word in names if word in st.query_params}
    if link != (st.session_state.get(f"{page}_link") or {}):
        st.session_state.pop(_UNAVAILABLE, None)
    if link and link != st.session_state.get(f"{page}_link"):
        st.session_state[_FOLLOWED] = {names[word]: value for word, value in link.items()}
        for key, value in st.session_state[_FOLLOWED].items():
            st.session_state[key] = value
        _remember(link)
    st.session_state[f"{page}_link"] = link


def last_chosen(name: str) -> str | None:
    """Return the "judge", "coefficient" or "level" last chosen on any page; None if none was."""
    chosen = st.session_state.get(_CHOSEN, {}).get(name)
    return None if chosen is None else str(chosen)


def forget_other_project(project: str, defaults: Mapping[str, str]) -> None:
    """Replace another project's default choices by this one's, before widgets are drawn or a link followed.

    Set, not deleted: on a page that stays open the browser would send the old choice again.

    Args:
        project: its slug.
        defaults: this project's default choice by state key.
    """
    for key, value in defaults.items():
        last_project, last_default = st.session_state.get(f"{key}_opened", (project, value))
        if last_project != project and st.session_state.get(key) == last_default:
            st.session_state[key] = value
        st.session_state[f"{key}_opened"] = (project, value)


def write_link(page: str, values: Mapping[str, Any]) -> None:
    """Write values into the link; None or an empty string removes a parameter.

    A value that differs from the link's was chosen on this run: other pages open with it. A default was not.
    """
    link = {word: str(value) for word, value in values.items() if value not in (None, "")}
    before = st.session_state.get(f"{page}_link") or {}
    _remember({word: value for word, value in link.items() if before.get(word, value) != value})
    others = {word: value for word, value in st.query_params.items() if word not in values}
    if {**others, **link} != st.query_params.to_dict():
        st.query_params.from_dict({**others, **link})  # at once: each change is one step of "back"
    st.session_state[f"{page}_link"] = link


def _take_last_chosen(page: str, names: Mapping[str, str]) -> None:
    shown = current_page()
    opened, followed = st.session_state.get(_OPENED, ("", ()))
    if opened != shown:
        followed = ()
    if page not in followed:
        st.session_state[_OPENED] = (shown, (*followed, page))
        for word, key in names.items():
            value = last_chosen(_SHARED.get(word, ""))
            if value is not None and word not in st.query_params:
                st.session_state[key] = value


def _remember(link: Mapping[str, str]) -> None:
    chosen = {_SHARED[word]: value for word, value in link.items() if word in _SHARED}
    st.session_state[_CHOSEN] = {**st.session_state.get(_CHOSEN, {}), **chosen}


def drop_unavailable(
    key: str, choices: list[str], *, note: bool = True, named: Callable[[str], str] = str
) -> None:
    """Forget a choice that is no longer on offer, before its widget is drawn.

    If a link that was followed asked for it, a note says that something else is shown. The page's own link
    still has the last choice, which another widget may just have made unavailable. Without `note`, the caller
    writes it (`write_unavailable_note`). `named` says what the note calls the choice.
    """
    requested = st.session_state.get(_FOLLOWED, {}).pop(key, None)
    if key in st.session_state and st.session_state[key] not in choices:
        if requested is not None:
            st.session_state[_UNAVAILABLE] = (current_page(), key, named(str(st.session_state[key])))
        del st.session_state[key]
    if note:
        write_unavailable_note(key)


def write_unavailable_note(key: str) -> None:
    """Write the note about an unavailable value next to its widget."""
    page, widget, requested = st.session_state.get(_UNAVAILABLE, ("", "", ""))
    if (page, widget) == (current_page(), key):
        message = _(
            "The link refers to “{name}”, which is not available here; something else is shown.",
            name=requested,
        )
        st.caption(f":orange[:material/link_off: {text.plain(message)}]")
