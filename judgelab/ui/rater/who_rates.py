"""Several raters in one browser: the owner chooses who is rating, everybody else rates as themselves."""

from __future__ import annotations

import streamlit as st

from judgelab.accounts import raters
from judgelab.languages import _
from judgelab.store.people.people import PersonInfo
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import text, widgets
from judgelab.ui.session import gate

KEY = "rate_who"
PERSON_KEY = "rate_person"
PARAM = "rater"
LONGEST_NAME = 80


def chooses_rater(visitor: PersonInfo) -> bool:
    """Return whether the visitor chooses who is rating: only the owner, and only locally."""
    return visitor.role == "owner" and gate.local()


def who_rates(visitor: PersonInfo, project: ProjectInfo, *, title: str) -> PersonInfo | None:
    """Return who is rating; the owner picks a rater or types a new name, and it is None until then.

    Until then the page consists of this choice, below its `title`.
    """
    if not chooses_rater(visitor):
        return visitor
    known_raters = raters.project_raters(gate.store(), project.id)
    choices = [*(rater for rater in known_raters if rater.id != visitor.id), visitor]
    chosen_id = st.query_params.get(PARAM) or st.session_state.get(PERSON_KEY)
    chosen_rater = next((candidate for candidate in choices if str(candidate.id) == chosen_id), None)
    if chosen_rater is not None:
        _remember(chosen_rater)
        _draw_rater(chosen_rater)
        return chosen_rater
    by_name = {person.name: person for person in choices}
    widgets.header(title, text.plain(project.name))
    picked = st.selectbox(
        _("Who is rating?"),
        list(by_name),
        index=None,
        key=KEY,
        placeholder=_("Pick a rater, or type a new name"),
        accept_new_options=True,
        width=340,
    )
    chosen_rater = _person(picked, by_name, project)
    if chosen_rater is None:
        return None
    # Rerun to remove the field: it would keep the focus and take the next score typed for a name.
    _remember(chosen_rater)
    st.rerun()


def _draw_rater(person: PersonInfo) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(_("Rater: **{name}**", name=text.plain(person.name)), width="content")
        st.button(_("Another rater"), key="rate_another", type="tertiary", on_click=_forget)
        st.page_link("pages/annotator/my_ratings.py", label=_("My ratings"), width="content")


def _remember(person: PersonInfo) -> None:
    """Keep the choice in the link for a reload, and in the session for another page."""
    st.session_state[PERSON_KEY] = str(person.id)
    if st.query_params.get(PARAM) != str(person.id):
        st.query_params[PARAM] = str(person.id)


def _forget() -> None:
    st.query_params.pop(PARAM, None)
    for key in (KEY, PERSON_KEY):
        st.session_state.pop(key, None)


def _person(picked: str | None, people: dict[str, PersonInfo], project: ProjectInfo) -> PersonInfo | None:
    name = " ".join((picked or "").split())[:LONGEST_NAME]
    if not name:
        return None
    # "ada " and "Ada" are one person; two spellings would make two raters.
    match = next(
        (person for known_name, person in people.items() if known_name.casefold() == name.casefold()), None
    )
    if match is not None:
        return match
    return raters.add_rater(gate.store(), project.id, name)
