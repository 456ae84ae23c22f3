"""Draw *Agree*: the forest plot, the notes, the table of groups; `agreement_table` draws the main table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.analysis.agreement.agreement_table import AgreementTable
from judgelab.analysis.agreement.label_sets import SetsOfCriterion
from judgelab.analysis.data.filter_info import AGGREGATION_LABELS
from judgelab.analysis.data.scored_raters import ComparedRater
from judgelab.charts.forest import ForestRow, forest_plot
from judgelab.domain import BASELINE, RaterKind
from judgelab.languages import _
from judgelab.metaeval.agreement.baselines import baseline_label
from judgelab.metaeval.agreement.groups import GroupRow
from judgelab.metaeval.agreement.vs_ceiling_rows import VsCeilingRow
from judgelab.metaeval.coefficients.estimates import AVERAGE
from judgelab.metaeval.coefficients.levels import JUDGE_THE_SAME
from judgelab.metaeval.coefficients.registry import ERRORS
from judgelab.metaeval.core.aggregation import MEAN, Aggregation
from judgelab.metaeval.core.result import AgreementRow, Estimate, no_interval_reason
from judgelab.store.judging.judge_names import LEARNED
from judgelab.store.judging.no_scores import UnscoredCounts
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
        ceiling_name=_("human ceiling, responses with two or more ratings")
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


def draw_group_table(
    rows: Sequence[GroupRow],
    *,
    criterion: str,
    coefficient: str,
    constant_groups: str,
    ordered: bool = True,
    aggregation: Aggregation = MEAN,
) -> None:
    """Draw a table with one row per judge or metric, one column per group, and the average last.

    `ordered` says whether the criterion's scale has an order, `aggregation` what the raters' score is.
    """
    criterion_rows = [row for row in rows if row.criterion == criterion]
    if not criterion_rows:
        return
    names = [name for name in dict.fromkeys(row.group for row in criterion_rows) if name != AVERAGE]
    widgets.heading(
        _("Group by group"),
        _(
            "{coefficient} with the mean of all raters, pooled within each group, 95 % interval, n in "
            "parentheses",
            coefficient=text.coefficient(coefficient),
        )
        if ordered and aggregation.method == "mean"
        else _(
            "{coefficient} with the score of all raters ({aggregation}), pooled within each group, 95 % "
            "interval, n in parentheses",
            coefficient=text.coefficient(coefficient),
            aggregation=_(AGGREGATION_LABELS[aggregation.method]),
        )
        if ordered or aggregation.by_model
        else _(
            "{coefficient} with the label of most raters, pooled within each group, 95 % interval, n in "
            "parentheses",
            coefficient=text.coefficient(coefficient),
        ),
    )
    means = {row.rater: row.estimate.value for row in criterion_rows if row.group == AVERAGE}
    # A judge whose scores are equal in every group has no average, so none of its groups counts as 0.
    without_average = {rater for rater, mean in means.items() if mean is None}
    equal_everywhere = without_average - {
        row.rater for row in criterion_rows if row.group != AVERAGE and not _equal_scores(row)
    }
    as_zero = constant_groups == "zero"
    frame = pd.DataFrame(
        [
            (row.rater, row.group, _("equal scores"))
            if row.group == AVERAGE and row.rater in equal_everywhere
            else (row.rater, row.group, _group_cell(row, zero=as_zero and row.rater not in without_average))
            for row in criterion_rows
        ]
    )
    wide = frame.drop_duplicates([0, 1]).pivot(index=0, columns=1, values=2)
    order = sorted(wide.index, key=lambda rater: -(means.get(rater) or -9.0))
    wide = wide.reindex(index=order, columns=[*names, AVERAGE]).fillna(_("no data"))
    table = wide.rename_axis(index="Rater", columns=None).reset_index().rename(columns={AVERAGE: "Average"})
    columns = {name: st.column_config.TextColumn(alignment="right") for name in table.columns[1:]}
    columns["Average"] = st.column_config.TextColumn(_("Average"), alignment="right")
    columns["Rater"] = st.column_config.TextColumn(_("Judge or metric"))
    widgets.table(table, key="agree_groups", columns=columns, height="content")
    if as_zero and any(_equal_scores(row) for row in criterion_rows if row.rater not in without_average):
        average = _(
            "Average: the unweighted mean over the groups. A group in which all of the judge's scores are "
            "equal counts as 0."
        )
    else:
        average = _("Average: the unweighted mean over the groups that have a value.")
    for line in _groups_without_interval(criterion_rows):
        st.caption(text.plain(line))
    if equal_everywhere:
        average += " " + _("There is no average where all scores within each group are equal.")
    st.caption(f"{average} {_('The interval of the average resamples the items of all groups.')}")


def _groups_without_interval(rows: Sequence[GroupRow]) -> list[str]:
    """Return for which values of the table there is no interval, and why."""
    with_value = [row for row in rows if row.estimate.value is not None]
    reasons_by_group: dict[str, set[str | None]] = {}
    for row in with_value:
        reasons_by_group.setdefault(row.group, set()).add(no_interval_reason(row.estimate))
    groups_by_reason: dict[str, list[str]] = {}
    parts_by_reason: dict[str, list[str]] = {}
    for row in with_value:
        reason = no_interval_reason(row.estimate)
        if reason is None:
            continue
        group = _("Average") if row.group == AVERAGE else row.group
        if len(reasons_by_group[row.group]) > 1:
            part = _("{rater} ({group})", rater=row.rater, group=group)
            parts_by_reason.setdefault(_(reason), []).append(part)
        elif group not in (groups := groups_by_reason.setdefault(_(reason), [])):
            groups.append(group)
    return [
        *(
            _("No interval in {groups}: {reason}.", groups=text.quoted_names(groups), reason=reason)
            for reason, groups in groups_by_reason.items()
        ),
        *(
            _("No interval for {parts}: {reason}.", parts=text.listing(parts, limit=9), reason=reason)
            for reason, parts in parts_by_reason.items()
        ),
    ]


def _equal_scores(row: GroupRow) -> bool:
    return row.group != AVERAGE and row.estimate.reason == JUDGE_THE_SAME["units"]


def _group_cell(row: GroupRow, *, zero: bool) -> str:
    estimate = row.estimate
    if estimate.value is None:
        if not _equal_scores(row):
            return _("no value") if estimate.n else _("no data")
        equal = _("equal scores")
        return f"0 ({equal})" if zero else equal
    cell = text.with_interval(estimate.value, estimate.ci)
    return cell if row.group == AVERAGE else f"{cell} ({text.count(estimate.n)})"


def row_name(row: VsCeilingRow) -> str:
    """Return the name to show for a row, translated if it is a baseline."""
    if row.rater_kind != BASELINE:
        return row.rater
    return _("baseline: {name}", name=_(baseline_label(row.rater)))


def _kind(row: VsCeilingRow) -> RaterKind:
    return "judge" if row.rater_kind == "judge" else "metric"
