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
from judgelab.metaeval.coefficients.left_out import counts_systems, left_out_of_rows
from judgelab.metaeval.coefficients.registry import ERRORS, rounds_to_points
from judgelab.metaeval.core.aggregation import MEAN, Aggregation
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.inference.contrasts import Contrast, Contrasts, RankedJudge
from judgelab.scales import Scale
from judgelab.store.judging.judge_names import LEARNED
from judgelab.ui.agree import raters_target
from judgelab.ui.agree.export import without_markup
from judgelab.ui.kit import text, widgets
from judgelab.ui.shared import findings
from judgelab.wording import mark

# Of the judges behind, by whether several are ahead.
NOT_SIGNIFICANT = {
    False: mark("its lead over {judges} is not significant"),
    True: mark("not all of their leads over {judges} are significant"),
}
UNTESTED = {
    False: mark("its lead over {judges} was not tested"),
    True: mark("not all of their leads over {judges} were tested"),
}


def sorted_by_value(contrasts: Contrasts, *, coefficient: str) -> list[RankedJudge]:
    """Return the judges sorted by value, best first, those without a value last."""
    sign = 1.0 if coefficient in ERRORS else -1.0

    def sort_key(row: RankedJudge) -> tuple[bool, float]:
        value = row.estimate.value
        return value is None, sign * (value or 0.0)

    return sorted(contrasts.placed, key=sort_key)


def ranking_sentence(contrasts: Contrasts, *, coefficient: str, of_pairs: bool = False) -> str:
    """Return in one sentence which judge is ahead and which may be as good."""
    placed = [
        row for row in sorted_by_value(contrasts, coefficient=coefficient) if row.estimate.value is not None
    ]
    if not contrasts.placed and contrasts.left_out:
        why = next(iter(contrasts.left_out.values()))
        return _("These judges can't be compared: {why}.", why=text.plain(_(why)))
    if not placed:
        return (
            _("No two of these judges compared the same pairs.")
            if of_pairs
            else _("No two of these judges scored the same responses.")
        )
    first = placed[0]
    words = {
        "symbol": findings.symbol(coefficient),
        "value": text.number(first.estimate.value),
        "n": findings.amount(_unit_of_n(contrasts, first.estimate, of_pairs=of_pairs), first.estimate.n),
    }
    leading = [row.rater for row in placed if findings.tied(row.estimate, first.estimate)]
    if len(leading) == 1:
        lead = _(
            "**{judge}** is ahead ({symbol} **{value}** {interval}, n = {n})",
            judge=text.plain(first.rater),
            interval=text.interval_in_words(first.estimate.ci),
            **words,
        )
    else:
        leaders = text.plain(text.quoted_names(leading))
        lead = _("{judges} are tied for first place ({symbol} **{value}**, n = {n})", judges=leaders, **words)
    others = [row.rater for row in placed[len(leading) :]]
    ahead = {name: {_is_better(contrasts, one, than=name) for one in leading} for name in others}
    untested = [name for name in others if None in ahead[name]]
    alike = [name for name in others if False in ahead[name] and name not in untested]
    behind = len(others) - len(alike) - len(untested)
    several = len(leading) > 1
    clauses = [
        _(words[several], judges=text.plain(text.quoted_names(names)))
        for names, words in ((alike, NOT_SIGNIFICANT), (untested, UNTESTED))
        if names
    ]
    if behind and behind == len(others):
        clauses.append(
            _n("The other is significantly behind", "The {n} others are significantly behind", behind)
        )
    elif behind:
        clauses.append(_n("{n} other is significantly behind", "{n} others are significantly behind", behind))
    return f"{lead}. {text.capitalised('; '.join(clauses))}." if clauses else f"{lead}."


def _is_better(contrasts: Contrasts, judge: str, *, than: str) -> bool | None:
    """Return whether a judge is significantly better than another; None without a test."""
    pair = contrasts.between(judge, than)
    return None if pair is None or _p_value(pair) is None else pair.better == judge


def _unit_of_n(contrasts: Contrasts, estimate: Estimate, *, of_pairs: bool) -> str:
    if of_pairs:
        return "pairs"
    return "systems" if counts_systems(contrasts.level, estimate) else "responses"


def draw_comparison_forest(contrasts: Contrasts, *, coefficient: str, alt: str) -> None:
    """Draw the forest plot of the compared judges, best first."""
    rows = [
        ForestRow(row.rater, _kind(row.rater_kind), row.estimate, row.rater == LEARNED)
        for row in sorted_by_value(contrasts, coefficient=coefficient)
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
        for row in sorted_by_value(contrasts, coefficient=coefficient)
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
            "p": text.p_value(_p_value(pair)),
            "Finding": _finding(pair.better, _p_value(pair)),
        }
        for pair in sorted(
            contrasts.contrasts, key=lambda pair: 2.0 if _p_value(pair) is None else _p_value(pair) or 0.0
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


def _p_value(pair: Contrast) -> float | None:
    """Return the p-value, corrected for its family if a correction was made."""
    return pair.test.p if pair.test.adjusted is None else pair.test.adjusted


def _finding(better: str | None, p: float | None) -> str:
    if p is None:
        return _("not tested")
    return _("no significant difference") if better is None else _("“{judge}” is better", judge=better)


def _kind(kind: str) -> RaterKind:
    return "metric" if kind == "metric" else "judge"
