"""Draw *Compare*: the answer, the ranking with clusters, judges two at a time, and cost against agreement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, cast

import pandas as pd
import streamlit as st

from judgelab.analysis.comparison.cost_front import CostRow
from judgelab.charts.cost import CostMark, cost_chart
from judgelab.charts.forest import ForestRow, forest_plot
from judgelab.domain import RaterKind
from judgelab.languages import _, _n
from judgelab.metaeval.coefficients.left_out import left_out_of_rows
from judgelab.metaeval.coefficients.registry import ERRORS, rounds_to_points
from judgelab.metaeval.core.aggregation import MEAN, Aggregation
from judgelab.metaeval.inference.contrasts import Contrasts
from judgelab.scales import Scale
from judgelab.store.judging.judge_names import LEARNED
from judgelab.ui.agree import raters_target
from judgelab.ui.agree.export import without_markup
from judgelab.ui.kit import text, widgets
from judgelab.ui.shared import findings
from judgelab.ui.shared.comparison_answer import p_value


def draw_comparison_forest(contrasts: Contrasts, *, coefficient: str, alt: str) -> None:
    """Draw the forest plot of the compared judges, best first."""
    rows = [
        ForestRow(row.rater, _kind(row.rater_kind), row.estimate, row.rater == LEARNED)
        for row in contrasts.ranked
    ]
    title = _("{coefficient}, 95 % interval", coefficient=text.coefficient(coefficient))
    figure = forest_plot(rows, ceiling=None, title=title, theme=widgets.theme(), errors=coefficient in ERRORS)
    widgets.chart(figure, key="compare_forest", alt=without_markup(alt))


def draw_rank_table(
    contrasts: Contrasts,
    *,
    coefficient: str,
    scale: Scale,
    aggregation: Aggregation = MEAN,
    of_pairs: bool = False,
) -> pd.DataFrame:
    """Draw the ranking as a table: cluster, value, interval and n; return it as shown."""
    symbol = findings.SYMBOLS[coefficient]
    rows = [
        {
            "Cluster": text.MISSING if row.cluster is None else str(row.cluster),
            "Rater": row.rater,
            symbol: text.number(row.estimate.value),
            "95 % interval": text.interval(row.estimate.ci),
            "n": text.count(row.estimate.n),
            "Own n": text.count(row.n_own),
        }
        for row in contrasts.ranked
    ]
    text_column = st.column_config.TextColumn
    columns: dict[str, Any] = {
        "Cluster": text_column(_("Cluster")),
        "Rater": text_column(_("Judge or metric")),
        symbol: text_column(findings.symbol_heading(coefficient), alignment="right"),
        "95 % interval": text_column(_("95 % interval"), alignment="right"),
        "n": text_column(
            findings.n_label(contrasts.level, [row.estimate for row in contrasts.placed]), alignment="right"
        ),
        "Own n": text_column(_("Own n"), alignment="right"),
    }
    frame = pd.DataFrame(rows)
    clusters = frame["Cluster"].nunique()
    if clusters < 2:
        del frame["Cluster"]
    if frame["Own n"].equals(frame["n"]):
        del frame["Own n"]
    widgets.table(frame, key="compare_places", columns=columns, strong=[symbol], height="content")
    st.caption(
        raters_target.comparison_caption(contrasts.n, aggregation, ordered=scale.ordered, of_pairs=of_pairs)
    )
    if not of_pairs and rounds_to_points(coefficient, scale):
        st.caption(_("A score of the raters between two points is rounded to the nearest point, halves up."))
    if clusters > 1:
        st.caption(
            _(
                "A judge or metric starts a new cluster if every one above it is significantly better. "
                "Within a cluster, differences may still be significant: see the table below."
            )
        )
    if contrasts.lost:
        st.caption(
            _n(
                "{n} rated pair is excluded because not all of these judges compared it.",
                "{n} rated pairs are excluded because not all of these judges compared them.",
                contrasts.lost,
            )
            if of_pairs
            else _n(
                "{n} rated response is excluded because not all of these judges and metrics scored it.",
                "{n} rated responses are excluded because not all of these judges and metrics scored them.",
                contrasts.lost,
            )
        )
    if "Own n" in frame:
        st.caption(
            _("Own n counts all pairs that the raters and the row's judge compared.")
            if of_pairs
            else _("Own n counts all responses that the raters and the row's judge or metric scored.")
        )
    shown = ((row.rater, row.estimate) for row in contrasts.placed)
    for sentence in left_out_of_rows(shown, level=contrasts.level, of_pairs=of_pairs):
        st.caption(text.plain(_(sentence)))
    left_out_judges = "; ".join(f"{name}: {_(reason)}" for name, reason in contrasts.left_out.items())
    if left_out_judges:
        st.caption(text.plain(_("Left out: {judges}.", judges=left_out_judges)))
    return frame.rename(columns={name: column.get("label") or name for name, column in columns.items()})


def draw_pair_table(contrasts: Contrasts, *, tests_description: str) -> None:
    """Draw one row per pair: difference with its interval, corrected p, which judge is better.

    `tests_description` says in words how the p-values were computed.
    """
    if not contrasts.contrasts:
        return
    widgets.heading(_("Pairwise comparisons"))
    rows = [
        {
            "First": pair.first,
            "Second": pair.second,
            "Difference": text.signed(contrasts.printed_difference(pair, 2), 2),
            "95 % interval": text.interval(pair.difference.ci),
            "p": text.p_value(p_value(pair)),
            "Finding": _finding(pair.better, p_value(pair)),
        }
        for pair in sorted(
            contrasts.contrasts, key=lambda pair: 2.0 if p_value(pair) is None else p_value(pair) or 0.0
        )
    ]
    text_column = st.column_config.TextColumn
    columns: dict[str, Any] = {
        "First": text_column(_("First")),
        "Second": text_column(_("Second")),
        "Difference": text_column(_("Difference"), alignment="right"),
        "95 % interval": text_column(_("95 % interval"), alignment="right"),
        "p": text_column(alignment="right"),
        "Finding": text_column(_("Finding")),
    }
    height = "content" if len(rows) <= 20 else "auto"
    widgets.table(pd.DataFrame(rows), key="compare_pairs", columns=columns, height=cast(Any, height))
    st.caption(
        text.plain(
            _(
                "{made}. The intervals are not corrected for multiple comparisons.",
                made=text.capitalised(_(tests_description)),
            )
        )
    )
    st.caption(_("Differences are between the rounded numbers shown; JSON downloads have unrounded ones."))
    reasons = Counter(pair.test.reason for pair in contrasts.contrasts if pair.test.reason)
    for reason, n in reasons.items():
        untested = _n(
            "{n} comparison was not tested: {reason}.",
            "{n} comparisons were not tested: {reason}.",
            n,
            reason=_(reason),
        )
        st.caption(text.plain(untested))


def draw_cost_chart(priced: Sequence[CostRow], *, coefficient: str) -> None:
    """Draw agreement over cost if at least one judge has a price."""
    marks = [
        CostMark(
            judge.rater, _kind(judge.rater_kind), judge.estimate, judge.dollars_per_thousand, judge.on_front
        )
        for judge in priced
        if judge.dollars_per_thousand is not None and judge.estimate.value is not None
    ]
    if not any(mark.dollars for mark in marks):
        return
    widgets.heading(_("Cost against agreement"))
    best = text.quoted_names([mark.name for mark in marks if mark.front])
    sentence = _("No other judge is both cheaper and better than {judges}.", judges=text.plain(best))
    figure = cost_chart(
        marks,
        x_title=_("US dollars per 1,000 judgments"),
        y_title=text.coefficient(coefficient),
        theme=widgets.theme(),
    )
    widgets.chart(figure, key="compare_costs", alt=sentence.replace("\\", ""))
    unpriced = [judge.rater for judge in priced if judge.dollars_per_thousand is None]
    st.caption(sentence)
    if unpriced:
        st.caption(_("No price is known for {judges}.", judges=text.plain(text.quoted_names(unpriced))))


def _finding(better: str | None, p: float | None) -> str:
    if p is None:
        return _("not tested")
    return _("no significant difference") if better is None else _("“{judge}” is better", judge=better)


def _kind(kind: str) -> RaterKind:
    return "metric" if kind == "metric" else "judge"
