"""Draw *Agree*: the forest plot, the rows of its table (drawn by `agreement_table`), and groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.analysis.agreement.agreement_table import AgreementTable
from judgelab.analysis.data.scored_raters import ComparedRater
from judgelab.charts.forest import ForestRow, forest
from judgelab.domain import BASELINE, RaterKind
from judgelab.languages import _, _n
from judgelab.metaeval.agreement.baselines import baseline_label
from judgelab.metaeval.agreement.groups import GroupRow
from judgelab.metaeval.agreement.vs_ceiling_rows import VsCeilingRow
from judgelab.metaeval.coefficients.registry import ERRORS
from judgelab.metaeval.core.result import AgreementRow, Estimate
from judgelab.store.judging.no_scores import MissingScores
from judgelab.store.rating.decisions import DecisionInfo
from judgelab.ui.kit import text, widgets
from judgelab.ui.shared import findings
from judgelab.wording import mark

CEILING = mark("Raters (leave one out)")
LEARNED = "learned"
AVERAGE = "average"
SORTS = {
    "scripted": mark("scripted"),
    "imported": mark("imported"),
    "learned": mark("learned"),
    "jury": mark("jury"),
}
HEIGHT = 420  # pixels the plot fills beside the matrix
FOREST_ROWS = 30  # beyond, the plot is cut and says so; the table has all


@dataclass(frozen=True)
class AgreementRows:
    """All rows of one criterion or of the average, the best first.

    Attributes:
        beside: on the raters' own targets; against the mean of all raters where there is no ceiling.
        whole: the same raters against the mean of all raters.
        unscored: judgments of each judge without a score, and why.
        marks: "scripted" or "imported" by the name of a judge that was not run here with a model.
        sorts: what sort of judge each is that is no model asked here, one of `SORTS`.
    """

    beside: tuple[VsCeilingRow, ...]
    whole: dict[str, AgreementRow]
    ceiling: Estimate | None
    unscored: dict[str, MissingScores]
    marks: dict[str, str]
    sorts: Mapping[str, str]

    @property
    def comparable(self) -> bool:
        """Whether the raters can be compared with one another."""
        return self.ceiling is not None and self.ceiling.value is not None

    @property
    def compared(self) -> list[VsCeilingRow]:
        """Return the rows of judges and metrics, without the trivial baselines."""
        return [row for row in self.beside if row.rater_kind != BASELINE]

    @property
    def elsewhere(self) -> bool:
        """Whether the raters' figure on what one of them scored is not that on all they rated."""
        return any(row.raters_elsewhere(self.ceiling, digits=2) is not None for row in self.beside)


def agreement_rows(
    table: AgreementTable,
    rows: Sequence[VsCeilingRow],
    criterion: str,
    *,
    raters: Mapping[str, ComparedRater],
) -> AgreementRows:
    """Return the rows of the criterion in order."""
    whole = {row.rater: row for row in table.rows if row.criterion == criterion}
    ceiling = next((row.estimate for row in table.ceiling if row.criterion == criterion), None)
    # The rows may be a moment older than the raters: one that lost its scores since is left out.
    beside = [
        row
        for row in rows
        if row.criterion == criterion and (row.rater in raters or row.rater_kind == BASELINE)
    ]
    if ceiling is None or ceiling.value is None:
        beside = [replace(row, estimate=whole[row.rater].estimate) for row in beside if row.rater in whole]
    order = findings.rank_order(beside)
    marks = {name: rater.mark for name, rater in raters.items() if rater.mark}
    unscored = {judge: table.unscored_of(judge, criterion) for judge in table.unscored}
    sorts = {name: rater.origin for name, rater in raters.items() if rater.origin in SORTS}
    return AgreementRows(tuple(beside[i] for i in order), whole, ceiling, unscored, marks, sorts)


def draw_forest(shown: AgreementRows, *, coefficient: str) -> str | None:
    """Draw the forest plot; returns the rater whose mark was clicked."""
    rows = [
        ForestRow(row_name(r), _kind(r), r.estimate, r.rater == LEARNED) for r in shown.beside[:FOREST_ROWS]
    ]
    if shown.comparable and shown.ceiling is not None:
        rows.insert(0, ForestRow(_(CEILING), "human", shown.ceiling))
    figure = forest(
        rows,
        ceiling=shown.ceiling,
        ceiling_name=_("human ceiling, all rated responses") if shown.elsewhere else "",
        title=_("{coefficient}, 95 % interval", coefficient=text.coefficient(coefficient)),
        theme=widgets.theme(),
        errors=coefficient in ERRORS,
        height=HEIGHT,
    )
    alt = (
        findings.agreement_answer(shown.beside, shown.ceiling, marks=shown.marks)
        .replace("**", "")
        .replace("\\", "")
    )
    state: Any = widgets.chart(
        figure, key="agree_forest", alt=alt, on_select="rerun", selection_mode="points"
    )
    if len(shown.beside) > FOREST_ROWS:
        st.caption(
            _(
                "The first {some} of {n} raters; the table has all.",
                some=FOREST_ROWS,
                n=len(shown.beside),
            )
        )
    points = state["selection"]["points"] if state else []
    return str(points[0]["customdata"][0]) if points and points[0].get("customdata") else None


def write_decided_note(count: int | None, *, made: Iterable[DecisionInfo]) -> None:
    """Say above the table that decided scores stand in the place of ratings, where they do.

    `made` are all decisions of the project; those made by somebody who knew judges' scores are counted, since
    they may lean towards the judges that are measured against them.
    """
    if count is None:
        return
    said = _n(
        "{n} score decided by adjudicators stands in the place of ratings.",
        "{n} scores decided by adjudicators stand in the place of ratings.",
        count,
    )
    knowing = sum(one.saw_judges and one.score is not None for one in made)
    if knowing:
        told = _n(
            "{n} was decided by somebody who knew judges' scores.",
            "{n} were decided by somebody who knew judges' scores.",
            knowing,
        )
        said = f"{said} {told}"
    st.caption(said)


def write_entered_note(counts: Mapping[str, int]) -> None:
    """Write how many scores of judges a person entered by hand; they count like the others."""
    if counts:
        named = ", ".join(f"{text.plain(name)} {n:,}" for name, n in sorted(counts.items()))
        said = _("Scores entered by hand where a reply could not be read, counted: {counts}.", counts=named)
        st.caption(said)


def draw_group_table(rows: Sequence[GroupRow], *, criterion: str, coefficient: str) -> None:
    """Draw one column a group with the plain average last, for judges and metrics."""
    kept = [row for row in rows if row.criterion == criterion]
    if not kept:
        return
    names = [name for name in dict.fromkeys(row.group for row in kept) if name != AVERAGE]
    widgets.heading(
        _("Group by group"),
        _(
            "{coefficient}, pooled within each group, 95 % interval, n in round brackets",
            coefficient=text.coefficient(coefficient),
        ),
    )
    frame = pd.DataFrame([(row.rater, row.group, _in_group(row.estimate, row.group)) for row in kept])
    wide = frame.drop_duplicates([0, 1]).pivot(index=0, columns=1, values=2)
    means = {row.rater: row.estimate.value for row in kept if row.group == AVERAGE}
    order = sorted(wide.index, key=lambda rater: -(means.get(rater) or -9.0))
    wide = wide.reindex(index=order, columns=[*names, AVERAGE]).fillna(_("no data"))
    shown = wide.rename_axis(index="Rater", columns=None).reset_index().rename(columns={AVERAGE: "Average"})
    columns = {name: st.column_config.TextColumn(alignment="right") for name in shown.columns[1:]}
    columns["Average"] = st.column_config.TextColumn(_("Average"), alignment="right")
    columns["Rater"] = st.column_config.TextColumn(_("Rater"))
    widgets.table(shown, key="agree_groups", columns=columns, height="content")
    st.caption(_("Average: the plain mean over the groups, whatever their size."))


def _in_group(estimate: Estimate, group: str) -> str:
    if estimate.value is None:
        return _("no data")
    said = text.with_interval(estimate.value, estimate.ci)
    return said if group == AVERAGE else f"{said} ({text.count(estimate.n)})"


def row_name(row: VsCeilingRow) -> str:
    """Return the name a row is shown by: a baseline's in the reader's language."""
    if row.rater_kind != BASELINE:
        return row.rater
    return _("baseline: {name}", name=_(baseline_label(row.rater)))


def _kind(row: VsCeilingRow) -> RaterKind:
    return "judge" if row.rater_kind == "judge" else "metric"
