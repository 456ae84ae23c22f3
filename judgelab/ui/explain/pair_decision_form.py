"""The form to decide a pair: the reason, a button for each response, tie, and "can't be decided"."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import streamlit as st

from judgelab.analysis.disagreement import pair_conflicts
from judgelab.analysis.disagreement.pair_conflicts import PairConflict
from judgelab.languages import _
from judgelab.store.people.people import PersonInfo
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.rating.pair_decisions import PairDecisionInfo
from judgelab.ui.explain.decision_form import draw_reason, undecidable_or_undone
from judgelab.ui.kit import failures
from judgelab.ui.session import gate


@dataclass(frozen=True)
class PairDecisionForm:
    """What is decided, by whom, and how the form behaves on its page.

    Attributes:
        project: the project.
        person: who decides; checked again at every press for the right to do so.
        conflict: the pair, with the decision so far.
        sides: row ids of the responses shown as A and B.
        names_hidden: whether the page hides raters and systems, which is stored with the decision.
        prefix: prefix of the widgets' keys.
        on_decision: called with whether a decision was made (or withdrawn), once stored and before the rerun.
    """

    project: ProjectInfo
    person: PersonInfo
    conflict: PairConflict
    sides: tuple[int, int]
    names_hidden: bool
    prefix: str
    on_decision: Callable[[bool], None]

    @property
    def decision(self) -> PairDecisionInfo | None:
        """The decision so far, None while there is none."""
        return self.conflict.decision

    @property
    def reason_key(self) -> str:
        """The key of the reason in the session while it is being written."""
        first, second = self.conflict.pair
        return f"{self.prefix}_reason_{self.conflict.criterion}_{first}_{second}"


def draw_pair_decision_form(form: PairDecisionForm) -> None:
    """Draw the reason and the buttons, with the keys that the raters' page has for A, tie and B."""
    seen = draw_reason(form)
    decision = form.decision
    a, b = form.sides
    buttons = (
        ("left", "1", _("A is better"), a, False),
        ("tie", "2", _("Tie"), None, True),
        ("right", "3", _("B is better"), b, False),
    )
    with st.container(horizontal=True, gap="small"):
        for name, key, label, winner, tie in buttons:
            chosen = decision is not None and (decision.choice == "tie" if tie else decision.chosen == winner)
            if st.button(
                label,
                key=f"{form.prefix}_{name}",
                shortcut=key,
                type="primary" if chosen else "secondary",
            ):
                _decide(form, winner, tie, seen)
    undecidable, undone = undecidable_or_undone(form.prefix, decided=decision is not None, shortcuts=True)
    if undecidable:
        _decide(form, None, False, seen)
    if undone:
        _withdraw(form)


def _decide(form: PairDecisionForm, winner: int | None, tie: bool, seen: datetime | None) -> None:
    if not gate.allowed("researcher", form.project):
        st.rerun()  # access was withdrawn: the page says so
    with failures.errors_explained():
        pair_conflicts.decide_pair(
            gate.store(),
            form.project.slug,
            pair=form.conflict.pair,
            criterion=form.conflict.criterion,
            winner=winner,
            tie=tie,
            person_id=form.person.id,
            reason=st.session_state.get(form.reason_key, ""),
            names_hidden=form.names_hidden,
            seen=seen,
        )
        form.on_decision(True)
        st.rerun()


def _withdraw(form: PairDecisionForm) -> None:
    if not gate.allowed("researcher", form.project):
        st.rerun()
    with failures.errors_explained():
        pair_conflicts.reopen_pair(
            gate.store(),
            form.project.slug,
            pair=form.conflict.pair,
            criterion=form.conflict.criterion,
            person_id=form.person.id,
        )
        form.on_decision(False)
        st.rerun()
