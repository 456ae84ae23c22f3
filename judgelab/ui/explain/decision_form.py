"""The form to decide a response's score: the reason, one button per point, and "cannot be decided".

A decision is stored next to the ratings and changes none of them. *Conflicts* and *Disagreements* draw the
same form.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import streamlit as st

from judgelab.analysis.disagreement import conflicts
from judgelab.domain import Criterion
from judgelab.languages import _
from judgelab.scales import Scale
from judgelab.scales.base import Point
from judgelab.store.people.people import PersonInfo
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.rating.decisions import DecisionInfo
from judgelab.ui.kit import failures, text
from judgelab.ui.session import gate
from judgelab.ui.shared import label_set_field

KEYS = "0123456789"


@dataclass(frozen=True)
class DecisionForm:
    """What is decided, by whom, and how the form behaves on its page.

    Attributes:
        project: the project.
        person: who decides; checked again at every press for the right to do so.
        response: row id of the response.
        criterion: the criterion of the score.
        decision: the decision so far, None while there is none.
        names_hidden: whether the page hides raters and systems, which is stored with the decision.
        prefix: prefix of the widgets' keys.
        shortcuts: whether each button has a keyboard shortcut.
        on_decision: called with whether a decision was made (or withdrawn), once stored and before the rerun.
    """

    project: ProjectInfo
    person: PersonInfo
    response: int
    criterion: Criterion
    decision: DecisionInfo | None
    names_hidden: bool
    prefix: str
    shortcuts: bool
    on_decision: Callable[[bool], None]

    @property
    def reason_key(self) -> str:
        """The key of the reason in the session while it is being written."""
        return f"{self.prefix}_reason_{self.criterion.key}_{self.response}"


class Reason(Protocol):
    """A form with a field for the reason of a decision."""

    @property
    def decision(self) -> Stored | None:
        """The decision so far, None while there is none."""

    @property
    def reason_key(self) -> str:
        """The key of the reason in the session while it is being written."""


class Stored(Protocol):
    """A decision with its reason."""

    @property
    def reason(self) -> str:
        """Why it was decided like this."""

    @property
    def decided_at(self) -> datetime:
        """When it was decided."""


def draw_reason(form: Reason) -> datetime | None:
    """Draw the field for the reason; return when the decision on the screen was made, if there is one."""
    seen_at = _decision_on_screen(form)
    _prefill_reason(form)
    st.text_input(
        _("Reason, stored with the decision"),
        key=form.reason_key,
        placeholder=_("Your reason (write it before you decide)"),
    )
    return seen_at


def undecidable_or_undone(prefix: str, *, decided: bool, shortcuts: bool) -> tuple[bool, bool]:
    """Draw the buttons "can't be decided" and, if it is decided, "undo"; return which one was pressed."""
    with st.container(horizontal=True, gap="small"):
        undecidable = st.button(
            _("Can't be decided"), key=f"{prefix}_undecidable", shortcut="x" if shortcuts else None
        )
        undone = decided and st.button(
            _("Undo decision"),
            key=f"{prefix}_back",
            shortcut="u" if shortcuts else None,
            type="tertiary",
        )
    return undecidable, undone


def draw_decision_form(form: DecisionForm, scale: Scale) -> None:
    """Draw the reason, one button per point (or a number field), and the other buttons."""
    seen_at = draw_reason(form)
    points = scale.points()
    if scale.several:
        _draw_label_set(form, scale, seen_at)
    elif 0 < len(points) <= len(KEYS) and all(float(point.value) in range(10) for point in points):
        _draw_point_buttons(form, scale, seen_at)
    else:
        value = st.number_input(
            _("Score"),
            scale.low,
            scale.high,
            value=None,
            key=f"{form.prefix}_number_{form.criterion.key}_{form.response}",
        )
        if st.button(_("Decide"), key=f"{form.prefix}_number", disabled=value is None):
            _decide(form, None if value is None else float(value), seen_at)
    undecidable, undone = undecidable_or_undone(
        form.prefix, decided=form.decision is not None, shortcuts=form.shortcuts
    )
    if undecidable:
        _decide(form, None, seen_at)
    if undone:
        _withdraw(form)


def _draw_label_set(form: DecisionForm, scale: Scale, seen: datetime | None) -> None:
    key = f"{form.prefix}_set_{form.criterion.key}_{form.response}"
    decided = None if form.decision is None else form.decision.score
    chosen = label_set_field.choose_labels(_("Labels"), scale, decided, key=key)
    if st.button(_("Decide"), key=f"{form.prefix}_set", disabled=chosen is None):
        _decide(form, chosen, seen)


def _decision_on_screen(form: Reason) -> datetime | None:
    """Return when the decision was made that was on the screen as a button was pressed, if there was one."""
    decided_at = form.decision.decided_at if form.decision else None
    seen_at: datetime | None = st.session_state.get(f"{form.reason_key}_of", decided_at)
    return seen_at


def _prefill_reason(form: Reason) -> None:
    """Fill an empty field with the reason of the decision, once per decision."""
    decision, prefilled_key = form.decision, f"{form.reason_key}_of"
    decided_at = decision.decided_at if decision else None
    if form.reason_key not in st.session_state or (
        decision
        and not st.session_state[form.reason_key]
        and st.session_state.get(prefilled_key) != decided_at
    ):
        st.session_state[form.reason_key] = decision.reason if decision else ""
    st.session_state[prefilled_key] = decided_at


def _draw_point_buttons(form: DecisionForm, scale: Scale, seen: datetime | None) -> None:
    decided_score = None if form.decision is None else form.decision.score
    with st.container(horizontal=True, gap="small"):
        for point in scale.points():
            if st.button(
                _point_label(point, numbered=not form.shortcuts),
                key=f"{form.prefix}_point_{point.value:g}",
                shortcut=f"{point.value:g}" if form.shortcuts else None,
                type="primary" if decided_score == point.value else "secondary",
                help=text.plain(point.anchor) or None,
            ):
                _decide(form, float(point.value), seen)


def _point_label(point: Point, *, numbered: bool) -> str:
    """Return the label of a point's button; the number is left out if the shortcut shows it."""
    label, number = text.plain(point.label), f"{point.value:g}"
    return number if label in ("", number) else f"{number} {label}" if numbered else label


def _decide(form: DecisionForm, score: float | None, seen: datetime | None) -> None:
    if not gate.allowed("researcher", form.project):
        st.rerun()  # access was withdrawn: the page says so
    with failures.errors_explained():
        conflicts.decide_conflict(
            gate.store(),
            form.project.slug,
            response=form.response,
            criterion=form.criterion.key,
            score=score,
            person_id=form.person.id,
            reason=st.session_state.get(form.reason_key, ""),
            names_hidden=form.names_hidden,
            seen=seen,
        )
        form.on_decision(True)
        st.rerun()


def _withdraw(form: DecisionForm) -> None:
    if not gate.allowed("researcher", form.project):
        st.rerun()
    with failures.errors_explained():
        conflicts.reopen_conflict(
            gate.store(),
            form.project.slug,
            response=form.response,
            criterion=form.criterion.key,
            person_id=form.person.id,
        )
        form.on_decision(False)
        st.rerun()
