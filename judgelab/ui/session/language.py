"""The language in which a visitor's pages are shown."""

from __future__ import annotations

import streamlit as st

from judgelab.accounts import signin
from judgelab.domain import holds
from judgelab.languages import (
    DEFAULT,
    LANGUAGES,
    _,
    best_language,
    is_complete,
    native_name,
    set_language_source,
    text_direction,
)
from judgelab.store.people.people import PersonInfo
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit.streamlit_internals import is_script_running
from judgelab.ui.session import gate

KEY = "language"
VISIT = "language_of_visit"
BROWSER = ""  # no choice made: use the browser's


def set_reader_language(person: PersonInfo | None, project: ProjectInfo | None) -> None:
    """Set the visitor's language: their own choice, their study's, this visit's, or their browser's.

    A study has one language for all its raters. For researchers and readers the language does not depend on
    the current project, and languages translated only for raters are left out.
    """
    only_rates = person is None or _only_rates(person, project)
    study = project.settings.get("language") if only_rates and project is not None else None
    _set_language(person, study, whole=not only_rates)


def set_study_language(person: PersonInfo | None, project: ProjectInfo | None) -> None:
    """Show a rating page in the study's language, whoever opens it: several raters may share a browser."""
    _set_language(person, project.settings.get("language") if project else None, whole=False)


def draw_account_choice(person: PersonInfo) -> None:
    """Draw the choice of a language for the person's account."""
    only_rates = _only_rates(person, None)
    offered = [BROWSER, *(language for language in LANGUAGES if only_rates or is_complete(language))]
    st.selectbox(
        _("Language"),
        offered,
        index=offered.index(person.language) if person.language in offered else 0,
        key="account_language",
        format_func=language_label,
        on_change=_store_choice,
        width=360,
    )


def draw_visit_choice() -> None:
    """Draw the choice of a language for a visitor who is not signed in; it lasts until the tab is closed."""
    offered = [BROWSER, *LANGUAGES]
    st.selectbox(
        _("Language"),
        offered,
        index=offered.index(st.session_state.get(VISIT, BROWSER)),
        key="visit_language",
        format_func=language_label,
        on_change=_keep_for_visit,
        width=360,
    )


def language_label(language: str) -> str:
    """Return a language's name in that language itself, or the label for the browser's choice."""
    return native_name(language) if language else _("browser default")


def right_to_left() -> bool:
    """Return whether the visitor's language is written from right to left."""
    return text_direction(_session_language() or DEFAULT) == "rtl"


def _only_rates(person: PersonInfo, project: ProjectInfo | None) -> bool:
    roles = gate.roles(person, project) if project else gate.roles_anywhere(person)
    return not holds(roles, "reader")


def _set_language(person: PersonInfo | None, study: object, *, whole: bool) -> None:
    choice = person.language if person else None
    visit = st.session_state.get(VISIT)
    preferences = [choice, str(study or ""), visit, st.context.locale]
    st.session_state[KEY] = best_language(preferences, whole=whole)


def _store_choice() -> None:
    person = gate.visitor()
    if person is None:
        return
    signin.set_language(gate.store(), person.id, st.session_state["account_language"] or None)


def _keep_for_visit() -> None:
    st.session_state[VISIT] = st.session_state["visit_language"]


def _session_language() -> str | None:
    if not is_script_running():
        return None  # no page is being drawn
    language = st.session_state.get(KEY)
    return language if isinstance(language, str) else None


set_language_source(_session_language)
