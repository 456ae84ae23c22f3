"""Whether the page is on a narrow screen, where columns are stacked."""

from __future__ import annotations

import streamlit as st

BREAKPOINT = 640  # CSS pixels; Streamlit stacks columns below the same width

# Reports only changes, so that wide screens never cause a second run.
SCRIPT = f"""
export default function (component) {{
  const {{ data, setStateValue }} = component;
  const query = matchMedia("(max-width: {BREAKPOINT}px)");
  const tell = () => {{ if (query.matches !== data.narrow) setStateValue("narrow", query.matches); }};
  query.addEventListener("change", tell);
  tell();
  return () => query.removeEventListener("change", tell);
}}
"""
KEY = "viewport"
MEASURED = "viewport_measured"
PLACE = "viewport_place"

_report = st.components.v2.component("judgelab_viewport", html="<span></span>", js=SCRIPT)


def is_narrow() -> bool:
    """Return whether the screen is narrow: as measured, or before that, whether the browser is a phone's."""
    measured = st.session_state.get(KEY, {}).get("narrow")
    if measured is None:  # a page that ended before the component was drawn
        measured = st.session_state.get(MEASURED)
    return "Mobi" in (st.context.headers.get("User-Agent") or "") if measured is None else bool(measured)


def watch() -> None:
    """Keep measuring the browser's width; the theme hides the line that this takes up."""
    st.session_state[MEASURED] = is_narrow()
    with st.container(key=PLACE):
        _report(key=KEY, data={"narrow": is_narrow()}, height=1, on_narrow_change=lambda: None)
