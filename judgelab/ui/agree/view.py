"""Draw *Agree*: the forest plot and the notes; `agreement_table` and `group_table` draw the tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from judgelab.analysis.agreement.label_sets import SetsOfCriterion
from judgelab.analysis.agreement.measured_agreement import AgreementTable
from judgelab.analysis.data.scored_raters import ComparedRater
from judgelab.charts.forest import ForestRow, forest_plot
from judgelab.domain import BASELINE, RaterKind
from judgelab.languages import _
from judgelab.metaeval.agreement.baselines import baseline_label
from judgelab.metaeval.agreement.vs_ceiling_rows import VsCeilingRow
from judgelab.metaeval.coefficients.registry import ERRORS
from judgelab.metaeval.core.result import AgreementRow, Estimate
from judgelab.store.judging.judge_names import LEARNED
from judgelab.store.judging.unscored_counts import UnscoredCounts
from judgelab.ui.agree.export import without_markup
from judgelab.ui.kit import text, widgets
from judgelab.ui.shared import findings
from judgelab.ui.shared.agreement_answer import agreement_answer, answer_about
from judgelab.wording import mark, with_labels

CEILING = mark("Raters (leave one out)")
ORIGINS = {
    "scripted": mark("scripted"),
    "imported": mark("imported"),
    "learned": mark("learned"),
    "jury": mark("jury"),
}
HEIGHT = 420  # pixels of the plot, as high as the matrix next to it
FOREST_ROWS = 30  # the plot shows no more, and says so; the table shows all


@dataclass(frozen=True)
class AgreementRows:
    """All rows of one criterion or of the average, best first.

    Attributes:
        rows: agreement on the responses the ceiling is computed on; on all rated responses without a ceiling.
        vs_all_raters: by rater, agreement with the mean of all raters.
        unscored: by judge, its judgments without a score, and why.
        sets: agreement about sets of labels; None under criteria without them.
        marks: "scripted" or "imported", by judge; only judges that no model was asked for here.
        origins: one of `ORIGINS`, by judge; only judges that are not models run here.
    """

    rows: tuple[VsCeilingRow, ...]
    vs_all_raters: dict[str, AgreementRow]
    ceiling: Estimate | None
    unscored: dict[str, UnscoredCounts]
    marks: dict[str, str]
    origins: Mapping[str, str]
    sets: SetsOfCriterion | None = None

    @property
    def comparable(self) -> bool:
        """Whether the raters can be compared with one another."""
        return self.ceiling is not None and self.ceiling.value is not None

    @property
    def compared(self) -> list[VsCeilingRow]:
        """The rows of judges and metrics, without the baselines."""
        return [row for row in self.rows if row.rater_kind != BASELINE]

    @property
    def raters_differ_from_ceiling(self) -> bool:
        """Whether, on the responses some judge or metric scored, the raters' agreement is not the ceiling."""
        return any(row.raters_elsewhere(self.ceiling, digits=2) is not None for row in self.rows)


def rows_of_criterion(
    table: AgreementTable,
    rows: Sequence[VsCeilingRow],
    criterion: str,
    *,
    raters: Mapping[str, ComparedRater],
    labels: Mapping[str, str],
) -> AgreementRows:
    """Return the rows of the criterion, best first; `labels` are the criteria's names by key, for reasons."""
    vs_all_raters = {row.rater: row for row in table.rows if row.criterion == criterion}
    ceiling = next((row.estimate for row in table.ceiling if row.criterion == criterion), None)
    # The rows may be a moment older than the raters, so one that has lost its scores is left out.
    criterion_rows = [
        row
        for row in rows
        if row.criterion == criterion and (row.rater in raters or row.rater_kind == BASELINE)
    ]
    if ceiling is None or ceiling.value is None:
        criterion_rows = [
            replace(row, estimate=vs_all_raters[row.rater].estimate)
            for row in criterion_rows
            if row.rater in vs_all_raters
        ]
    criterion_rows = [
        replace(row, estimate=replace(row.estimate, reason=with_labels(row.estimate.reason, labels)))
        if row.estimate.reason
        else row
        for row in criterion_rows
    ]
    order = findings.rank_order(criterion_rows)
    marks = {name: rater.badge for name, rater in raters.items() if rater.badge}
    unscored = {row.rater: table.unscored_in(row) for row in vs_all_raters.values()}
    origins = {name: rater.origin for name, rater in raters.items() if rater.origin in ORIGINS}
    best_first = tuple(criterion_rows[index] for index in order)
    sets = next((found for found in table.label_sets if found.criterion == criterion), None)
    return AgreementRows(best_first, vs_all_raters, ceiling, unscored, marks, origins, sets)


def draw_answer(agreement: AgreementRows, *, chosen: str | None) -> str:
    """Write the page's answer and, below it, that about the judge or metric chosen; return the first."""
    rows, ceiling, marks = agreement.rows, agreement.ceiling, agreement.marks
    answer = agreement_answer(rows, ceiling, marks=marks)
    widgets.answer(answer)
    if about_chosen := answer_about(chosen, rows, ceiling, marks=marks):
        st.markdown(text.keep_together(about_chosen), width=widgets.ANSWER_WIDTH)
    return answer


def draw_forest(agreement: AgreementRows, *, coefficient: str) -> str | None:
    """Draw the forest plot and return the rater whose mark was clicked."""
    rows = [
        ForestRow(row_name(row), _kind(row), row.estimate, row.rater == LEARNED)
        for row in agreement.rows[:FOREST_ROWS]
    ]
    if agreement.comparable and agreement.ceiling is not None:
        rows.insert(0, ForestRow(_(CEILING), "human", agreement.ceiling))
    figure = forest_plot(
        rows,
        ceiling=agreement.ceiling,
        ceiling_name=_("raters (leave one out), all responses with 2+ ratings")
        if agreement.raters_differ_from_ceiling
        else "",
        title=_("{coefficient}, 95 % interval", coefficient=text.coefficient(coefficient)),
        theme=widgets.theme(),
        errors=coefficient in ERRORS,
        height=HEIGHT,
        long_reason=mark("no value (see the note)"),
    )
    answer = agreement_answer(agreement.rows, agreement.ceiling, marks=agreement.marks)
    state: Any = widgets.chart(
        figure,
        key="agree_forest",
        alt=without_markup(answer),
        on_select="rerun",
        selection_mode="points",
    )
    if len(agreement.rows) > FOREST_ROWS:
        st.caption(
            _(
                "The first {some} of {n} raters; the table has all.",
                some=FOREST_ROWS,
                n=len(agreement.rows),
            )
        )
    points = state["selection"]["points"] if state else []
    return str(points[0]["customdata"][0]) if points and points[0].get("customdata") else None


def row_name(row: VsCeilingRow) -> str:
    """Return the name to show for a row, translated if it is a baseline."""
    if row.rater_kind != BASELINE:
        return row.rater
    return _("baseline: {name}", name=_(baseline_label(row.rater)))


def _kind(row: VsCeilingRow) -> RaterKind:
    return "judge" if row.rater_kind == "judge" else "metric"
