"""Judges compared on the screen: the answer, places with clusters, every pair, cost beside agreement."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, cast

import pandas as pd
import streamlit as st

from judgelab.analysis.comparison.cost_front import Priced
from judgelab.analysis.comparison.judge_comparison import Comparison
from judgelab.analysis.comparison.learning_curves import LearningCurve
from judgelab.analysis.data.number_table import as_csv, number_rows
from judgelab.analysis.data.to_json import plain
from judgelab.charts.cost import CostMark, cost_chart
from judgelab.charts.forest import ForestRow, forest
from judgelab.domain import RaterKind
from judgelab.languages import _, _n
from judgelab.metaeval.coefficients.left_out import left_out
from judgelab.metaeval.coefficients.registry import ERRORS
from judgelab.metaeval.inference.contrasts import Contrast, Contrasts, RankedJudge
from judgelab.runs.plan.code_version import code_version
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.kit import text, widgets
from judgelab.ui.shared import downloads, findings

LEARNED = "learned"


def by_value(found: Contrasts, *, coefficient: str) -> list[RankedJudge]:
    """Return the judges by value, the best first; those without a value stand at the end."""
    sign = 1.0 if coefficient in ERRORS else -1.0

    def key(row: RankedJudge) -> tuple[bool, float]:
        value = row.estimate.value
        return value is None, sign * (value or 0.0)

    return sorted(found.placed, key=key)


def answer(found: Contrasts, *, coefficient: str) -> str:
    """Return who is ahead, and who cannot be told apart from them, as one sentence."""
    placed = [row for row in by_value(found, coefficient=coefficient) if row.estimate.value is not None]
    if not placed:
        return _("No two of them can be compared on the same responses.")
    first = placed[0]
    lead = _(
        "**{judge}** is ahead at {symbol} **{value}** {interval}, n = {n}",
        judge=text.plain(first.rater),
        symbol=findings.symbol(coefficient),
        value=text.number(first.estimate.value),
        interval=text.interval(first.estimate.ci),
        n=text.count(first.estimate.n),
    )
    against = {row.rater: found.between(first.rater, row.rater) for row in placed[1:]}
    alike = [name for name, pair in against.items() if pair is None or pair.better != first.rater]
    behind = len(against) - len(alike)
    said = [lead]
    if alike:
        names = text.plain(text.listing(alike))
        said.append(_("not distinguishable from it: {judges}", judges=names))
    if behind:
        said.append(_n("{n} is measurably behind", "{n} are measurably behind", behind))
    return "; ".join(said) + "."


def draw_comparison_forest(found: Contrasts, *, coefficient: str, alt: str) -> None:
    """Draw the forest plot of all that are compared, the best first."""
    rows = [
        ForestRow(row.rater, _kind(row.rater_kind), row.estimate, row.rater == LEARNED)
        for row in by_value(found, coefficient=coefficient)
    ]
    title = _("{coefficient}, 95 % interval", coefficient=text.coefficient(coefficient))
    drawn = forest(rows, ceiling=None, title=title, theme=widgets.theme(), errors=coefficient in ERRORS)
    widgets.chart(drawn, key="compare_forest", alt=alt.replace("**", "").replace("\\", ""))


def draw_rank_table(found: Contrasts, *, coefficient: str) -> None:
    """Draw the table of places: value, interval, n, cluster."""
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
        for row in by_value(found, coefficient=coefficient)
    ]
    text_column = st.column_config.TextColumn
    columns: dict[str, Any] = {
        "Cluster": text_column(_("Cluster")),
        "Rater": text_column(_("Rater")),
        symbol: text_column(findings.symbol(coefficient), alignment="right"),
        "95 % interval": text_column(_("95 % interval"), alignment="right"),
        "n": text_column(alignment="right"),
        "Own n": text_column(_("Scored at all"), alignment="right"),
    }
    widgets.table(
        pd.DataFrame(rows), key="compare_places", columns=columns, strong=[symbol], height="content"
    )
    st.caption(
        _(
            "On the {n} responses that all of them scored. A new cluster starts where everybody above beats "
            "the judge, so that within one some pairs may be told apart: see below.",
            n=text.count(found.n),
        )
    )
    if found.lost:
        st.caption(
            _n(
                "{n} response that only some of them scored is left out.",
                "{n} responses that only some of them scored are left out.",
                found.lost,
            )
        )
    # All stand on the same responses, so that what one leaves out all do.
    noted = next((left_out(row.estimate) for row in found.placed if left_out(row.estimate)), [])
    if noted:
        st.caption(text.plain(f"{text.capitalised('; '.join(map(_, noted)))}."))
    left = "; ".join(f"{name}: {_(why)}" for name, why in found.left_out.items())
    if left:
        st.caption(text.plain(_("Left out: {judges}.", judges=left)))


def draw_pair_table(found: Contrasts, *, made: str) -> None:
    """Draw one row a pair: difference with its interval, corrected p, who is better; `made` is how."""
    if not found.contrasts:
        return
    widgets.heading(_("Every pair"), _n("{n} comparison", "{n} comparisons", len(found.contrasts)))
    rows = [
        {
            "First": pair.first,
            "Second": pair.second,
            "Difference": text.signed(pair.difference.value, 2),
            "95 % interval": text.interval(pair.difference.ci),
            "p": text.p_value(_p_value(pair)),
            "Finding": _finding(pair.better, _p_value(pair)),
        }
        for pair in sorted(
            found.contrasts, key=lambda pair: 2.0 if _p_value(pair) is None else _p_value(pair) or 0.0
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
    st.caption(text.plain(_("{made}; the intervals are not corrected.", made=text.capitalised(_(made)))))
    why = next((pair.test.reason for pair in found.contrasts if pair.test.reason), None)
    if why:
        st.caption(text.plain(_("No test: {reason}.", reason=_(why))))


def draw_cost_chart(priced: Sequence[Priced], *, coefficient: str) -> None:
    """Draw agreement over cost where at least one judge has a price."""
    marks = [
        CostMark(one.rater, _kind(one.rater_kind), one.estimate, one.dollars, one.front)
        for one in priced
        if one.dollars is not None and one.estimate.value is not None
    ]
    if not any(mark.dollars for mark in marks):
        return
    widgets.heading(_("Cost beside agreement"))
    best = text.listing([mark.name for mark in marks if mark.front])
    said = _("Nobody is both cheaper and better than {judges}.", judges=text.plain(best))
    drawn = cost_chart(
        marks,
        across=_("US dollars for a thousand judgments"),
        up=text.coefficient(coefficient),
        theme=widgets.theme(),
    )
    widgets.chart(drawn, key="compare_costs", alt=said.replace("\\", ""))
    unpriced = [one.rater for one in priced if one.dollars is None]
    st.caption(said)
    if unpriced:
        st.caption(_("No price is known of {judges}.", judges=text.plain(text.listing(unpriced))))


def write_recipe(found: Comparison, *, ratings: str) -> None:
    """Write what the comparison is made with."""
    st.caption(text.plain(_recipe_text(found, ratings=ratings)))


def _recipe_text(found: Comparison, *, ratings: str) -> str:
    return _(
        "{coefficient}, {level}; ratings: {ratings}; intervals by resampling items in pairs, seed {seed}.",
        coefficient=text.coefficient(found.coefficient),
        level=text.level(found.level),
        ratings=ratings,
        seed=found.seed,
    )


def draw_download(
    project: ProjectInfo, found: Comparison, curves: Mapping[str, Sequence[LearningCurve]], said: str
) -> None:
    """Offer every number of the comparison with its recipe as a table, all as JSON, and the answer as text.

    `curves` are the learning curves by what they grow with.
    """
    shared = {
        "level": found.level,
        "coefficient": found.coefficient,
        "ratings": "all ratings" if found.policy is None else found.policy.words,
        "version": code_version(),
    }

    def whole() -> dict[str, Any]:
        return {**found.to_json(), "learning_curves": plain(curves)}

    asked = f"--level {found.level} --coefficient {found.coefficient} --test {found.test}"
    names = shlex.join(found.raters)
    command = f"judgelab compare {found.project} {names} {asked} --correction {found.correction}"
    sentence = said.replace("**", "").replace("\\", "").replace(widgets.NO_BREAK, " ")
    made_of = _recipe_text(found, ratings=shared["ratings"])
    answer = f"{sentence}\n\n{made_of}\n\n{command}  # JudgeLab {code_version()}"
    files = [
        downloads.File(_("Every number (CSV)"), "csv", lambda: as_csv(number_rows(whole()), **shared)),
        downloads.File(_("Every number (JSON)"), "json", lambda: json.dumps(whole(), indent=1)),
        downloads.File(_("The answer (text)"), "txt", lambda: f"{answer}\n"),
    ]
    downloads.draw_downloads(project, files, name="compare", key="compare_export")


def _p_value(pair: Contrast) -> float | None:
    """Return the p-value, corrected for the family where it was."""
    return pair.test.p if pair.test.adjusted is None else pair.test.adjusted


def _finding(better: str | None, p: float | None) -> str:
    if p is None:
        return _("no test")
    return _("not distinguishable") if better is None else _("{judge} is better", judge=better)


def _kind(kind: str) -> RaterKind:
    return "metric" if kind == "metric" else "judge"
