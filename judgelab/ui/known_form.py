"""What an item is for: data, gold, an attention check or training; its known scores; whom it is kept for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from judgelab.domain import Criterion
from judgelab.errors import UserError
from judgelab.scales import scale_from_json
from judgelab.store import gold, people
from judgelab.store.gold import CheckableUnit
from judgelab.store.projects import ProjectInfo
from judgelab.ui import failures, gate, text

PURPOSES = {
    "data": "data",
    "gold": "data with a known score (gold)",
    "attention": "attention check, counted nowhere",
    "training": "training, counted nowhere",
}
PAIR = {None: "not known", 1.0: "the first one", -1.0: "the second one", 0.0: "no difference"}


def draw(project: ProjectInfo, item: str) -> None:
    """Draw the form of one item; saving takes effect on what raters are given next."""
    with gate.store().reading() as session:
        purpose, units = gold.units_of_item(session, project.id, item)
        cohort = gold.cohort_of(session, project.id, item)
    known = any(unit.known for unit in units)
    shown = "gold" if purpose == "data" and known else purpose
    reserved = f", reserved for {text.plain(cohort)}" if cohort else ""
    with st.expander(f"Used as {PURPOSES[shown]}{reserved}"):
        if not units:
            st.caption("A known score belongs to one response or one pair; this project ranks all responses.")
        _fields(project, item, units, shown=shown, cohort=cohort)


def _fields(project: ProjectInfo, item: str, units: list[CheckableUnit], *, shown: str, cohort: str) -> None:
    key = f"known_{project.slug}_{item}"
    names = list(PURPOSES) if units else ["data"]
    purpose = st.radio(
        "Used as", names, index=names.index(shown) if shown in names else 0,
        format_func=PURPOSES.__getitem__, key=f"{key}_purpose",
    )  # fmt: skip
    found: dict[int, dict[str, Any]] = {}
    if purpose != "data":
        found = {
            unit.unit_id: _unit(project, unit, purpose, key=key, several=len(units) > 1) for unit in units
        }
    reserved = st.text_input(
        "Reserved for raters of the cohort",
        cohort,
        key=f"{key}_cohort",
        placeholder="everybody",
        help="The name of a cohort, or person:NAME for one rater.",
    )
    if st.button("Save", key=f"{key}_save"):
        _save(project, item, units, purpose=purpose, found=found, cohort=reserved)


def _unit(
    project: ProjectInfo, unit: CheckableUnit, purpose: str, *, key: str, several: bool
) -> dict[str, Any]:
    before = {one.criterion: one for one in unit.known}
    first = unit.known[0] if unit.known else None
    key = f"{key}_{unit.unit_id}"
    if several:
        st.caption(" against ".join(text.plain(system or "without a system") for system in unit.systems))
    scores = {}
    for criterion in project.criteria:
        present = before[criterion.key].score if criterion.key in before else None
        score = _score(criterion, unit.kind, present, key=f"{key}_{criterion.key}")
        if score is not None:
            scores[criterion.key] = score
    tolerance = st.number_input(
        "Points off that still count as right",
        0.0,
        None,
        first.tolerance if first else 0.0,
        key=f"{key}_tolerance",
    )
    loud = purpose == "attention" and st.checkbox(
        "tell the rater at once whether it was right", bool(first and first.loud), key=f"{key}_loud"
    )
    explanation = ""
    if purpose == "training" or loud:
        explanation = st.text_area(
            "Why this is the right score", first.explanation if first else "", height=80, key=f"{key}_why"
        )
    return {"scores": scores, "tolerance": tolerance, "loud": bool(loud), "explanation": explanation}


def _score(criterion: Criterion, kind: str, present: float | None, *, key: str) -> float | None:
    if kind == "pair":
        return _chosen(criterion.label, PAIR, present, key=key)
    scale = scale_from_json(criterion.scale)
    points = scale.points()
    if points:
        words: dict[float | None, str] = {None: "not known"}
        words |= {point.value: f"{point.value:g} {point.label}".strip() for point in points}
        return _chosen(criterion.label, words, present, key=key)
    value = st.number_input(criterion.label, scale.low, scale.high, present, key=key, placeholder="not known")
    return None if value is None else float(value)


def _chosen(
    label: str, words: Mapping[float | None, str], present: float | None, *, key: str
) -> float | None:
    values = list(words)
    index = values.index(present) if present in values else 0
    return st.selectbox(label, values, index=index, format_func=words.__getitem__, key=key)


def _save(
    project: ProjectInfo,
    item: str,
    units: list[CheckableUnit],
    *,
    purpose: str,
    found: Mapping[int, Mapping[str, Any]],
    cohort: str,
) -> None:
    person = gate.enter("researcher", project)
    if purpose != "data" and not any(said["scores"] for said in found.values()):
        st.warning("Nothing was saved: give at least one known score, or use the item as data.")
        return
    try:
        with gate.store().writing() as session:
            for unit in units:
                said = found.get(unit.unit_id, {"scores": {}})
                if not said["scores"]:
                    gold.mark(session, project.id, unit.unit_id, purpose="gold", scores={})
            for unit_id, said in found.items():
                if said["scores"]:
                    gold.mark(session, project.id, unit_id, purpose=purpose, **said)
            gold.reserve(session, project.id, item, cohort)
            detail = {"item": item, "purpose": purpose}
            people.record(session, "marked_item", project_id=project.id, person_id=person.id, detail=detail)
    except UserError as error:
        failures.show(error)
        return
    st.rerun()
