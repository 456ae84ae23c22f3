"""Adjudication on *Disagreements*: the decision on the response, and the form to decide it."""

from __future__ import annotations

import streamlit as st

from judgelab.domain import Criterion
from judgelab.languages import _
from judgelab.store.people.people import PersonInfo
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.cache import loaders
from judgelab.ui.explain import conflict_review, decision_form, response_scores
from judgelab.ui.session import gate

PREFIX = "explain_decide"
STORED = f"{PREFIX}_stored"


def draw_disagreement_decision(
    project: ProjectInfo, person: PersonInfo, *, response: int, criterion: Criterion, version: str
) -> None:
    """Write the decision, if any, and offer the form to those who may decide.

    This page shows raters' names and judges' scores, so a decision made here is stored as made with both in
    view; on *Conflicts* one decides without them.
    """
    decision = loaders.decisions(project.slug, version).get((response, criterion.key))
    scale = project.scale(criterion.key)
    response_scores.write_decision(decision, scale)
    if gate.allowed("researcher", project) is None or scale.high <= scale.low:
        return
    _write_stored(response, criterion.key)
    label = _("Decide the score of this response") if decision is None else _("Change the decision")
    with st.expander(label, key=f"{PREFIX}_open", icon=":material/gavel:"):
        st.caption(
            _(
                "The ratings stay unchanged; figures use a decision only if you ask for it. Because "
                "raters' names and judges' scores are visible here, this is recorded with the decision. "
                "To decide without seeing them, use the Conflicts page."
            )
        )
        form = decision_form.DecisionForm(
            project,
            person,
            response,
            criterion,
            decision,
            names_hidden=False,
            prefix=PREFIX,
            shortcuts=False,
            on_decision=lambda decided: _remember_stored(response, criterion.key, decided),
        )
        decision_form.draw_decision_form(form, scale)
        conflict_review.draw_conflicts_link(project)


def _remember_stored(response: int, criterion: str, decided: bool) -> None:
    st.session_state[STORED] = (response, criterion, decided)


def _write_stored(response: int, criterion: str) -> None:
    """Say once, in the rerun after it, that the decision or its withdrawal is stored."""
    stored = st.session_state.pop(STORED, None)
    if stored == (response, criterion, True):
        st.success(_("Decision saved. The ratings are unchanged."), icon=":material/check:")
    elif stored == (response, criterion, False):
        st.success(_("Decision undone. The ratings count as before."), icon=":material/undo:")
