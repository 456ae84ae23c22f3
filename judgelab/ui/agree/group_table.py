"""Draw the table of *Agree* with one column per group of items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from judgelab.analysis.data.filter_info import AGGREGATION_LABELS
from judgelab.languages import _
from judgelab.metaeval.agreement.groups import GroupRow
from judgelab.metaeval.coefficients.estimates import AVERAGE
from judgelab.metaeval.coefficients.levels import JUDGE_THE_SAME
from judgelab.metaeval.core.aggregation import MEAN, Aggregation
from judgelab.metaeval.core.result import no_interval_reason
from judgelab.ui.kit import text, widgets


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
            "Average: the unweighted mean over the groups. A group in which all scores of the judge or "
            "metric are equal counts as 0."
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
    parts_by_reason: dict[str, dict[str, list[str]]] = {}
    for row in with_value:
        reason = no_interval_reason(row.estimate)
        if reason is None:
            continue
        group = _("Average") if row.group == AVERAGE else row.group
        if len(reasons_by_group[row.group]) > 1:
            parts_by_reason.setdefault(_(reason), {}).setdefault(row.rater, []).append(group)
        elif group not in (groups := groups_by_reason.setdefault(_(reason), [])):
            groups.append(group)
    return [
        *(
            _("No interval in {groups}: {reason}.", groups=text.quoted_names(groups), reason=reason)
            for reason, groups in groups_by_reason.items()
        ),
        *(
            _("No interval for {parts}: {reason}.", parts=raters_with_groups(groups), reason=reason)
            for reason, groups in parts_by_reason.items()
        ),
    ]


def raters_with_groups(groups: Mapping[str, list[str]]) -> str:
    """Return each rater once with its groups, `Demo judge A (council and transport)`."""
    parts = [
        _("{rater} ({group})", rater=rater, group=text.listing(of_rater))
        for rater, of_rater in groups.items()
    ]
    return text.listing(parts, limit=9)


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
