"""Deciding a response's score: the reason, one button a point, and the way to leave it undecided.

A decision stands beside the ratings and changes none of them. The page of conflicts and the page of
disagreements draw the same form.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import streamlit as st

from judgelab.analysis.disagreement import conflicts as adjudication
from judgelab.domain import Criterion
from judgelab.languages import _
from judgelab.scales import Scale
from judgelab.scales.base import Point
from judgelab.store.people.people import PersonInfo
from judgelab.store.projects.projects import ProjectInfo
from judgelab.store.rating.decisions import DecisionInfo
from judgelab.ui.kit import failures, text
from judgelab.ui.session import gate

KEYS = "0123456789"


@dataclass(frozen=True)
class DecisionForm:
    """What is decided, by whom, and how the form behaves where it stands.

    Attributes:
        project: the project.
        person: who decides; their right is asked for again at every press.
        response: row id of the response.
        criterion: under which.
        made: what was decided before, None while it is open.
        names_hidden: whether the page hides raters and systems, which is kept with the decision.
        prefix: what the names of the form's widgets begin with.
        keys: whether each way out has a key of its own.
        after: called once a decision or its withdrawal is stored, before the page is drawn again.
    """

    project: ProjectInfo
    person: PersonInfo
    response: int
    criterion: Criterion
    made: DecisionInfo | None
    names_hidden: bool
    prefix: str
    keys: bool
    after: Callable[[bool], None]

    @property
    def reason_key(self) -> str:
        """The name under which the reason is kept while it is written."""
        return f"{self.prefix}_reason_{self.criterion.key}_{self.response}"


def draw_decision_form(asked: DecisionForm, scale: Scale) -> None:
    """Draw the reason, one button a point (a number where the scale has none or many), and the ways out."""
    seen = _decision_on_screen(asked)
    _prefill_reason(asked)
    st.text_input(
        _("Reason, kept with the decision"),
        key=asked.reason_key,
        placeholder=_("what settles it; write it before you decide"),
    )
    points = scale.points()
    if 0 < len(points) <= len(KEYS) and all(float(point.value) in range(10) for point in points):
        _draw_point_buttons(asked, scale, seen)
    else:
        value = st.number_input(
            _("Score"),
            scale.low,
            scale.high,
            value=None,
            key=f"{asked.prefix}_number_{asked.criterion.key}_{asked.response}",
        )
        if st.button(_("Decide"), key=f"{asked.prefix}_number", disabled=value is None):
            _decide(asked, None if value is None else float(value), seen)
    with st.container(horizontal=True, gap="small"):
        if st.button(
            _("Cannot be decided"), key=f"{asked.prefix}_undecidable", shortcut="x" if asked.keys else None
        ):
            _decide(asked, None, seen)
        if asked.made is not None and st.button(
            _("Take back"),
            key=f"{asked.prefix}_back",
            shortcut="u" if asked.keys else None,
            type="tertiary",
        ):
            _withdraw(asked)


def _decision_on_screen(asked: DecisionForm) -> datetime | None:
    """Return when the decision was made that stood on the screen as a button was pressed, if one was."""
    at = asked.made.decided_at if asked.made else None
    shown: datetime | None = st.session_state.get(f"{asked.reason_key}_of", at)
    return shown


def _prefill_reason(asked: DecisionForm) -> None:
    """Put the reason of what was decided into an empty field, once for each decision: it may be another's."""
    made, of = asked.made, f"{asked.reason_key}_of"
    at = made.decided_at if made else None
    if asked.reason_key not in st.session_state or (
        made and not st.session_state[asked.reason_key] and st.session_state.get(of) != at
    ):
        st.session_state[asked.reason_key] = made.reason if made else ""
    st.session_state[of] = at


def _draw_point_buttons(asked: DecisionForm, scale: Scale, seen: datetime | None) -> None:
    chosen = None if asked.made is None else asked.made.score
    with st.container(horizontal=True, gap="small"):
        for point in scale.points():
            if st.button(
                _point_label(point, numbered=not asked.keys),
                key=f"{asked.prefix}_point_{point.value:g}",
                shortcut=f"{point.value:g}" if asked.keys else None,
                type="primary" if chosen == point.value else "secondary",
                help=text.plain(point.anchor) or None,
            ):
                _decide(asked, float(point.value), seen)


def _point_label(point: Point, *, numbered: bool) -> str:
    """Return what a point's button says; a key beside it shows its number already."""
    label, number = text.plain(point.label), f"{point.value:g}"
    return number if label in ("", number) else f"{number} {label}" if numbered else label


def _decide(asked: DecisionForm, score: float | None, seen: datetime | None) -> None:
    if not gate.allowed("researcher", asked.project):
        st.rerun()  # access was withdrawn: the page says so
    with failures.errors_explained():
        adjudication.decide(
            gate.store(),
            asked.project.slug,
            response=asked.response,
            criterion=asked.criterion.key,
            score=score,
            person_id=asked.person.id,
            reason=st.session_state.get(asked.reason_key, ""),
            names_hidden=asked.names_hidden,
            seen=seen,
        )
        asked.after(True)
        st.rerun()


def _withdraw(asked: DecisionForm) -> None:
    if not gate.allowed("researcher", asked.project):
        st.rerun()
    with failures.errors_explained():
        adjudication.take_back(
            gate.store(),
            asked.project.slug,
            response=asked.response,
            criterion=asked.criterion.key,
            person_id=asked.person.id,
        )
        asked.after(False)
        st.rerun()
