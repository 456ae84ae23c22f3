"""In which language this reader's pages speak."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from judgelab.domain import holds
from judgelab.languages import DEFAULT, LANGUAGES, _, ask, best_of, direction, own_name
from judgelab.store import people
from judgelab.store.people import PersonInfo
from judgelab.store.projects import ProjectInfo
from judgelab.ui import gate

KEY = "language"
VISIT = "language_of_visit"
BROWSER = ""  # no choice of one's own


def settle(person: PersonInfo | None, project: ProjectInfo | None) -> None:
    """Find out the language of whoever is here: their choice, their study's, this visit's, their browser's.

    A study speaks one language to its raters, whatever their browsers do; researchers and readers do not
    change theirs with the project in hand.
    """
    chosen = person.language if person else None
    visit = st.session_state.get(VISIT)
    st.session_state[KEY] = best_of([chosen, _of_study(person, project), visit, st.context.locale])


def choice(person: PersonInfo) -> None:
    """Draw the choice of a language; it holds wherever the person is signed in."""
    st.selectbox(
        _("Language"),
        [BROWSER, *LANGUAGES],
        index=[BROWSER, *LANGUAGES].index(person.language or BROWSER),
        key="account_language",
        format_func=named,
        on_change=_choose,
        width=360,
    )


def offer() -> None:
    """Draw the choice for somebody who is not signed in yet; it holds until this tab is closed."""
    known = [BROWSER, *LANGUAGES]
    st.selectbox(
        _("Language"),
        known,
        index=known.index(st.session_state.get(VISIT, BROWSER)),
        key="visit_language",
        format_func=named,
        on_change=_keep,
        width=360,
    )


def named(language: str) -> str:
    """Return a language as it is offered: by its own name, so that everybody finds theirs."""
    return own_name(language) if language else _("as the browser says")


def right_to_left() -> bool:
    """Return whether the reader's language is written from the right."""
    return direction(_here() or DEFAULT) == "rtl"


def _of_study(person: PersonInfo | None, project: ProjectInfo | None) -> str | None:
    if person is None or project is None:
        return None
    held = gate.roles(person, project)
    rates_only = holds(held, "annotator") and not holds(held, "reader")
    return str(project.settings.get("language") or "") if rates_only else None


def _choose() -> None:
    person = gate.visitor()
    if person is None:
        return
    with gate.store().writing() as session:
        people.set_language(session, person.id, st.session_state["account_language"] or None)


def _keep() -> None:
    st.session_state[VISIT] = st.session_state["visit_language"]


def _here() -> str | None:
    if get_script_run_ctx(suppress_warning=True) is None:
        return None  # nobody's page is drawn just now
    found = st.session_state.get(KEY)
    return found if isinstance(found, str) else None


ask(_here)
