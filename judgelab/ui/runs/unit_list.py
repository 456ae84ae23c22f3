"""Judged responses of a run by name: those judged last, and why some have no score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from judgelab.languages import _, _n
from judgelab.runs.execute import review
from judgelab.runs.service import RunStatus
from judgelab.store.judging.run_units import JudgedUnit
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import text, widgets
from judgelab.ui.session import gate
from judgelab.wording import mark

FIRST_SHOWN, MORE_SHOWN = 8, 50  # judgments, at first and with each press
LIMIT_KEY = "runs_latest_limit_{}"  # by run
STATES: dict[str, str] = {
    "scored": mark("scored"),
    "unscored": mark("unscored"),
    "failed": mark("failed"),
}


def draw_latest(project: ProjectInfo, status: RunStatus) -> None:
    """Draw the responses that the run judged last, with their scores or why they have none."""
    limit_key = LIMIT_KEY.format(status.run)
    limit = int(st.session_state.get(limit_key, FIRST_SHOWN))
    units = review.latest_units(gate.store(), status.run, limit=limit)
    made = status.scored + status.unscored + status.failed
    counts = _("{shown} of {n}", shown=text.count(len(units)), n=text.count(made))
    widgets.heading(_("Latest judgments"), counts if units and made > len(units) else "")
    if not units:
        compared = _("These are comparisons; Explain shows them.")
        st.caption(compared if status.scored + status.unscored else _("There are no judgments yet."))
        return
    labels = _labels(project)
    frame = pd.DataFrame(
        {
            "Time": [text.clock(unit.judged_at) for unit in units],
            "Score": [_score(unit) for unit in units],
            "Response": [_name(unit, labels) for unit in units],
            "Replies": [_samples(unit) for unit in units],
        }
    )
    if all(unit.state == "scored" and not unit.replies for unit in units):  # a learned judge gives no replies
        frame = frame.drop(columns="Replies")
    columns = {
        "Time": st.column_config.TextColumn(_("Time"), width=70),
        "Response": st.column_config.TextColumn(_("Response"), width=220),
        "Score": st.column_config.TextColumn(_("Score"), alignment="right", width=90),
        "Replies": st.column_config.TextColumn(_("Replies"), width="medium"),
    }
    widgets.table(frame, key=f"runs_latest_{status.run}", columns=columns, height="content")
    if rest := max(0, made - len(units)):
        next_few = min(rest, MORE_SHOWN)
        st.button(
            _n("Show {n} more", "Show {n} more", next_few),
            key=f"runs_latest_more_{status.run}",
            on_click=st.session_state.update,
            args=({limit_key: len(units) + next_few},),
        )
    _write_reasons(units, labels)


def _write_reasons(units: Sequence[JudgedUnit], labels: Mapping[str, str]) -> None:
    """Say under the table why units have no score, because its cells cannot wrap."""
    units_by_reason: dict[str, list[str]] = {}
    for unit in units:
        if unit.state != "scored" and unit.reason:
            units_by_reason.setdefault(unit.reason, []).append(_name(unit, labels))
    for reason, names in units_by_reason.items():
        st.caption(f"**{text.plain(', '.join(names))}** {text.plain(_(reason))}")


def _score(unit: JudgedUnit) -> str:
    if unit.members and unit.state == "scored":
        return _("best: {system}", system=unit.best) if unit.best else _("no single best")
    return ", ".join(text.number(score, 1) for score in unit.scores.values()) or text.MISSING


def _samples(unit: JudgedUnit) -> str:
    if unit.state != "scored":
        return _(STATES[unit.state])
    if all(score is None for score in unit.reply_scores):
        return _n("{n} reply", "{n} replies", len(unit.replies))
    return " ".join(text.MISSING if score is None else f"{score:g}" for score in unit.reply_scores)


def write_unit(project: ProjectInfo, unit: JudgedUnit) -> None:
    """Write a unit's name, why it has no score, and a link to its response."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"**{text.plain(_name(unit, _labels(project)))}** {text.plain(_(unit.reason))}", width="stretch"
        )
        st.page_link(
            "pages/researcher/disagreements.py",
            label=_("Read the response"),
            query_params={"project": project.slug, "response": str(unit.response)},
        )


def _labels(project: ProjectInfo) -> dict[str, str]:
    return {criterion.key: criterion.label for criterion in project.criteria}


def _name(unit: JudgedUnit, labels: Mapping[str, str]) -> str:
    """Return item, system and, if it is judged under one criterion only, that criterion's label."""
    return " · ".join(word for word in (unit.item, unit.system, labels.get(unit.criteria)) if word)
