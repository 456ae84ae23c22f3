"""What is known so far about a project: its best judges and metrics beside the raters, in a few rows."""

from __future__ import annotations

import streamlit as st

from judgelab.analysis.agreement import AgreementTable, agreement_table, readable_level
from judgelab.analysis.scores import fingerprint
from judgelab.charts.forest import ForestRow, forest
from judgelab.domain import RaterKind
from judgelab.metaeval.result import AgreementRow, Estimate
from judgelab.store.projects import ProjectInfo
from judgelab.ui import gate, loaders, text, widgets

ROWS = 4
AVERAGE = "average"
LEARNED = "learned"
AXIS = "Spearman ρ, 95 % interval"
RESAMPLES = 400
HEIGHT = 210


def draw(project: ProjectInfo) -> None:
    """Draw the small forest with one sentence under it, or say what is missing."""
    widgets.heading("What is known so far")
    table = _load(project.slug, fingerprint(gate.store(), project.slug))
    rated = list(dict.fromkeys(row.criterion for row in table.ceiling if row.criterion != AVERAGE))
    criterion = AVERAGE if len(rated) > 1 else None
    rows = _best(table.rows, criterion)
    if not rows:
        st.caption(_why_none(table.rows, criterion))
        return
    ceiling = _ceiling(table, criterion)
    st.caption(_scope(project, table, rated))
    marks = [ForestRow(row.rater, _kind(row), row.estimate, row.rater == LEARNED) for row in rows]
    widgets.chart(
        forest(marks, ceiling=ceiling, title=AXIS, theme=widgets.theme(), height=HEIGHT),
        key="projects_standing",
        alt=_sentence(rows[0], ceiling),
    )
    st.markdown(f":small[{text.plain(_sentence(rows[0], ceiling))}]")


@st.cache_data(max_entries=64, show_spinner=False)
def _load(slug: str, version: str) -> AgreementTable:
    level = readable_level(loaders.shape(slug, version).per_item)
    return agreement_table(gate.store(), slug, level=level, coefficients=("spearman",), resamples=RESAMPLES)


def _best(rows: tuple[AgreementRow, ...], criterion: str | None) -> list[AgreementRow]:
    known = [
        row
        for row in rows
        if row.estimate.value is not None and (criterion is None or row.criterion == criterion)
    ]
    return sorted(known, key=lambda row: -(row.estimate.value or 0.0))[:ROWS]


def _why_none(rows: tuple[AgreementRow, ...], criterion: str | None) -> str:
    reasons = [row for row in rows if criterion is None or row.criterion == criterion]
    if not reasons:
        return "No judge or metric stands beside the raters yet. Score with a metric on Data, or run a judge."
    first = reasons[0]
    more = f" and {len(reasons) - 1} more" if len(reasons) > 1 else ""
    said = f"{first.rater}{more}: {first.estimate.reason}."
    return text.plain(f"No judge or metric can be compared with the raters yet. {said}")


def _kind(row: AgreementRow) -> RaterKind:
    return "judge" if row.rater_kind == "judge" else "metric"


def _ceiling(table: AgreementTable, criterion: str | None) -> Estimate | None:
    found = [row.estimate for row in table.ceiling if criterion is None or row.criterion == criterion]
    return found[0] if found else None


def _scope(project: ProjectInfo, table: AgreementTable, rated: list[str]) -> str:
    criteria = (
        f"Criterion “{text.plain(project.criterion(rated[0]).label)}”"
        if len(rated) == 1
        else f"Mean over {len(rated)} criteria"
    )
    rule = (
        f"quality rule {text.plain(table.policy.quoted)}" if table.policy else "all ratings, no quality rule"
    )
    level = text.LEVELS.get(table.rows[0].level, table.rows[0].level)
    return f"{criteria}, {level}, {rule}."


def _sentence(best: AgreementRow, ceiling: Estimate | None) -> str:
    """Return the first row in words, beside the raters without claiming a winner."""
    e = best.estimate
    said = f"{best.rater} reaches ρ {text.with_interval(e.value, e.ci)}, n = {text.count(e.n)}"
    if ceiling is None or ceiling.value is None:
        return f"{said}; the raters among themselves cannot be compared yet."
    return f"{said}; the raters among themselves {text.with_interval(ceiling.value, ceiling.ci)}."
