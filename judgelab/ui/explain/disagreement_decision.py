"""Adjudicating where a disagreement is read: what was decided about the response, and deciding it."""

from __future__ import annotations

import streamlit as st

from judgelab.domain import Criterion
from judgelab.languages import _
from judgelab.store.people.people import PersonInfo
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.cache import loaders
from judgelab.ui.explain import conflict_review, decision_form, response_scores
from judgelab.ui.session import gate

PREFIX = "explain_decide"
STORED = f"{PREFIX}_stored"


def draw_disagreement_decision(
    project: ProjectInfo, person: PersonInfo, *, response: int, criterion: Criterion, version: str
) -> None:
    """Write the decision there is, and offer deciding to those who may; the place in the list stays.

    This page shows who rated and what judges gave, so a decision made here is kept as one with names in view,
    by somebody who knew judges' scores; the page of conflicts is where one decides without.
    """
    made = loaders.decisions(project.slug, version).get((response, criterion.key))
    response_scores.write_decision(made)
    scale = project.scale(criterion.key)
    if gate.allowed("researcher", project) is None or scale.high <= scale.low:
        return
    _write_stored(response, criterion.key)
    label = _("Decide the score of this response") if made is None else _("Change the decision")
    with st.expander(label, key=f"{PREFIX}_open", icon=":material/gavel:"):
        st.caption(
            _(
                "The ratings stay as they are; figures use a decision only where they are asked to. Raters' "
                "names and judges' scores are in view here, which is kept with the decision; the page of "
                "conflicts is for deciding without them."
            )
        )
        asked = decision_form.DecisionForm(
            project,
            person,
            response,
            criterion,
            made,
            names_hidden=False,
            prefix=PREFIX,
            keys=False,
            after=lambda decided: _note(response, criterion.key, decided),
        )
        decision_form.draw_decision_form(asked, scale)
        conflict_review.draw_link(project)


def _note(response: int, criterion: str, decided: bool) -> None:
    st.session_state[STORED] = (response, criterion, decided)


def _write_stored(response: int, criterion: str) -> None:
    """Say once, on the run after it, that the decision or its withdrawal is stored."""
    said = st.session_state.pop(STORED, None)
    if said == (response, criterion, True):
        st.success(_("Decided. The ratings stay as they are."), icon=":material/check:")
    elif said == (response, criterion, False):
        st.success(_("Taken back. The ratings count as before."), icon=":material/undo:")
