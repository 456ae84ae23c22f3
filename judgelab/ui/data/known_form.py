"""An item's purpose (data, gold, attention check, training), known scores, and the raters it is for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from judgelab.annotation.assign.item_purpose import has_known_score, item_purpose, save_item_purpose
from judgelab.domain import Criterion
from judgelab.errors import UserError
from judgelab.languages import _
from judgelab.scales import scale_from_json
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.rating.gold import CheckableUnit
from judgelab.ui.data import known_order
from judgelab.ui.kit import failures, text
from judgelab.ui.session import gate
from judgelab.wording import mark

PURPOSES = {
    "data": mark("data"),
    "gold": mark("data with a known score (gold)"),
    "attention": mark("attention check, not used in results"),
    "training": mark("training, not used in results"),
}
PURPOSE_LABELS = {
    "data": "",
    "gold": mark("gold"),
    "attention": mark("attention"),
    "training": mark("training"),
}
PAIR = {
    None: mark("not known"),
    1.0: mark("the first one"),
    -1.0: mark("the second one"),
    0.0: mark("no difference"),
}


def draw_purpose_form(project: ProjectInfo, item: str) -> None:
    """Draw the form of one item; changes apply to what raters are given next."""
    stored = item_purpose(gate.store(), project.id, item)
    purpose, units, cohort = stored.purpose, stored.units, stored.cohort
    has_known = any(unit.known for unit in units)
    selected = "gold" if purpose == "data" and has_known else purpose
    label = _("Used as {purpose}", purpose=_(PURPOSES[selected]))
    if cohort:
        label = _("{used}, reserved for {cohort}", used=label, cohort=text.plain(cohort))
    with st.expander(label):
        if not units:
            st.caption(_("To set known scores, first import the item's responses."))
        _draw_fields(project, item, units, selected=selected, cohort=cohort)


def _draw_fields(
    project: ProjectInfo, item: str, units: list[CheckableUnit], *, selected: str, cohort: str
) -> None:
    key = f"known_{project.slug}_{item}"
    names = list(PURPOSES) if units else ["data"]
    purpose = st.radio(
        _("Purpose"), names, index=names.index(selected) if selected in names else 0,
        format_func=lambda name: _(PURPOSES[name]), key=f"{key}_purpose",
    )  # fmt: skip
    known_scores: dict[int, dict[str, Any]] = {}
    if purpose != "data":
        known_scores = {
            unit.unit_id: _draw_known_score(project, unit, purpose, key=key, several=len(units) > 1)
            for unit in units
        }
    reserved_for = st.text_input(
        _("Reserve for a cohort"),
        cohort,
        key=f"{key}_cohort",
        placeholder=_("everyone"),
        help=_("The name of a cohort, or person:NAME for one rater."),
    )
    if st.button(_("Save"), key=f"{key}_save"):
        _save(project, item, units, purpose=purpose, known_scores=known_scores, cohort=reserved_for)


def _draw_known_score(
    project: ProjectInfo, unit: CheckableUnit, purpose: str, *, key: str, several: bool
) -> dict[str, Any]:
    stored_scores = {stored_score.criterion: stored_score for stored_score in unit.known}
    first = unit.known[0] if unit.known else None
    key = f"{key}_{unit.unit_id}"
    if several:
        systems_text, *others = (text.plain(system or _("without a system")) for system in unit.systems)
        for other_system in others:
            systems_text = _("{first} versus {second}", first=systems_text, second=other_system)
        st.caption(systems_text)
    answer: dict[str, Any] = {"scores": {}, "places": {}}
    for criterion in project.criteria:
        stored = stored_scores.get(criterion.key)
        if unit.kind == "list":
            order = known_order.draw_known_order(
                project, unit, criterion, stored, key=f"{key}_{criterion.key}"
            )
            answer["places"] |= {criterion.key: order} if order else {}
            continue
        score = _score(criterion, unit.kind, stored.score if stored else None, key=f"{key}_{criterion.key}")
        answer["scores"] |= {} if score is None else {criterion.key: score}
    tolerance = _tolerance(project, unit, first.tolerance if first else 0.0, key=f"{key}_tolerance")
    loud = purpose == "attention" and st.checkbox(
        _("tell the rater right away whether it was right"), bool(first and first.loud), key=f"{key}_loud"
    )
    explanation = ""
    if purpose == "training" or loud:
        explanation = st.text_area(
            _("Why this is the right score"), first.explanation if first else "", height=80, key=f"{key}_why"
        )
    return {**answer, "tolerance": tolerance, "loud": bool(loud), "explanation": explanation}


def _tolerance(project: ProjectInfo, unit: CheckableUnit, current: float, *, key: str) -> float:
    """Draw the tolerance of a known score; choices between two, and best and worst, are exact."""
    if unit.kind == "list":
        return known_order.draw_tolerance(project, current, key=key)
    if unit.kind == "pair":
        return 0.0
    return st.number_input(_("Tolerance in points"), 0.0, None, current, key=key)


def _score(criterion: Criterion, kind: str, current: float | None, *, key: str) -> float | None:
    if kind == "pair":
        return _choose_score(
            criterion.label, {side: _(word) for side, word in PAIR.items()}, current, key=key
        )
    scale = scale_from_json(criterion.scale)
    points = scale.points()
    if points:
        labels: dict[float | None, str] = {None: _("not known")}
        labels |= {point.value: f"{point.value:g} {point.label}".strip() for point in points}
        return _choose_score(criterion.label, labels, current, key=key)
    value = st.number_input(
        criterion.label, scale.low, scale.high, current, key=key, placeholder=_("not known")
    )
    return None if value is None else float(value)


def _choose_score(
    label: str, labels: Mapping[float | None, str], current: float | None, *, key: str
) -> float | None:
    values = list(labels)
    index = values.index(current) if current in values else 0
    return st.selectbox(label, values, index=index, format_func=labels.__getitem__, key=key)


def _save(
    project: ProjectInfo,
    item: str,
    units: list[CheckableUnit],
    *,
    purpose: str,
    known_scores: Mapping[int, Mapping[str, Any]],
    cohort: str,
) -> None:
    person = gate.enter("researcher", project)
    if purpose != "data" and not any(map(has_known_score, known_scores.values())):
        st.warning(_("Nothing was saved: enter at least one known score, or use the item as data."))
        return
    try:
        save_item_purpose(
            gate.store(),
            project.id,
            item,
            units,
            purpose=purpose,
            known=known_scores,
            cohort=cohort,
            person_id=person.id,
        )
    except UserError as error:
        failures.show(error)
        return
    st.rerun()
