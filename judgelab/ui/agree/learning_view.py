"""Learning curves of compared judges: by replies per response and by examples in the prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.analysis.comparison.learning_curves import (
    LearningCurve,
    project_judges,
    reply_curves,
    shot_curves,
)
from judgelab.analysis.comparison.measured_comparison import Comparison
from judgelab.charts.curves import JudgeCurve, curves_chart
from judgelab.languages import _, _n
from judgelab.metaeval.inference.contrasts import Contrasts
from judgelab.ui.agree import compare_controls
from judgelab.ui.cache import loaders, stale_results
from judgelab.ui.kit import text, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import findings
from judgelab.wording import mark


@stale_results.kept(loaders.KEPT, spinner=mark("Counting replies…"))
def load_reply_curves(
    slug: str, version: str, request: compare_controls.ComparisonRequest
) -> list[LearningCurve]:
    """Return the curves by number of replies, computed once per version of the data."""
    return reply_curves(
        gate.store(), compare_controls.load_comparison(slug, version, request), request.criterion
    )


def load_example_curves(comparison: Comparison, contrasts: Contrasts) -> list[LearningCurve]:
    """Return the curves by number of examples in the prompt."""
    return shot_curves(contrasts, project_judges(gate.store(), comparison.project))


def draw_learning_curves(
    replies: Sequence[LearningCurve], examples: Sequence[LearningCurve], *, coefficient: str
) -> None:
    """Draw both kinds of curves side by side, or say why the data have none."""
    widgets.heading(_("More replies, more examples"))
    columns = st.columns(2, gap="large")
    with columns[0]:
        _draw_curves(
            replies,
            key="compare_replies",
            x_title=_("Replies per response"),
            amount=lambda n: _n("{n} reply", "{n} replies", n),
            coefficient=coefficient,
            empty_note=_(
                "No judge was asked more than once per response, so the effect of more replies is "
                "unknown. Run a judge with several replies per response."
            ),
        )
        if replies:
            st.caption(
                _(
                    "The score is the mean of a response's first 1, 2, … replies. Each line uses only "
                    "responses that have a scored reply at every point."
                )
            )
    with columns[1]:
        _draw_curves(
            examples,
            key="compare_shots",
            x_title=_("Examples in the prompt"),
            amount=lambda n: _n("{n} example", "{n} examples", n),
            coefficient=coefficient,
            empty_note=_(
                "No two judges differ only in their number of examples, so the effect of more examples is "
                "unknown. Run the same judge with a different number of examples."
            ),
        )
        if examples:
            st.caption(
                _("Judges that differ only in this setting, on the responses that all of them scored.")
            )


def _draw_curves(
    curves: Sequence[LearningCurve],
    *,
    key: str,
    x_title: str,
    amount: Callable[[int], str],
    coefficient: str,
    empty_note: str,
) -> None:
    lines = [
        JudgeCurve(curve.name, curve.points)
        for curve in curves
        if any(point.estimate.value is not None for point in curve.points)
    ]
    st.markdown(f"**{x_title}**")
    if not lines:
        st.caption(empty_note)
        return
    sentences = text.keep_together(
        "  \n".join(_curve_sentence(curve, coefficient, amount) for curve in curves)
    )
    figure = curves_chart(
        lines, x_title=x_title, y_title=text.coefficient(coefficient), theme=widgets.theme()
    )
    widgets.chart(figure, key=key, alt=sentences.replace("\\", ""))
    st.markdown(sentences)
    with st.expander(_("As a table")):
        _draw_curve_table(curves, key=f"{key}_table", x_title=x_title, coefficient=coefficient)


def _curve_sentence(curve: LearningCurve, coefficient: str, amount: Callable[[int], str]) -> str:
    """Return one sentence on the first and the last point of a curve."""
    first, last = curve.points[0], curve.points[-1]
    name = text.plain(curve.name)
    if first.estimate.value is None or last.estimate.value is None:
        reason = first.estimate.reason or last.estimate.reason or ""
        return _("{judge}: undefined, {reason}.", judge=name, reason=text.plain(_(reason)))
    return _(
        "{judge}: {symbol} {before} {interval_before} with {few}, {after} {interval_after} with {many}, "
        "n = {n}.",
        judge=name,
        symbol=findings.symbol(coefficient),
        before=text.number(first.estimate.value),
        interval_before=text.interval_in_words(first.estimate.ci),
        few=amount(first.size),
        after=text.number(last.estimate.value),
        interval_after=text.interval_in_words(last.estimate.ci),
        many=amount(last.size),
        n=text.count(last.estimate.n),
    )


def _draw_curve_table(curves: Sequence[LearningCurve], *, key: str, x_title: str, coefficient: str) -> None:
    symbol = findings.SYMBOLS[coefficient]
    rows = []
    for curve in curves:
        members = (
            curve.members if len(curve.members) == len(curve.points) else curve.members * len(curve.points)
        )
        rows += [
            {
                "Judge": member,
                "Size": text.count(point.size),
                symbol: text.number(point.estimate.value),
                "95 % interval": text.interval(point.estimate.ci),
                "n": text.count(point.estimate.n),
            }
            for member, point in zip(members, curve.points, strict=True)
        ]
    column = st.column_config.TextColumn
    columns: dict[str, Any] = {
        "Judge": column(_("Judge")),
        "Size": column(x_title, alignment="right"),
        symbol: column(findings.symbol_heading(coefficient), alignment="right"),
        "95 % interval": column(_("95 % interval"), alignment="right"),
        "n": column(alignment="right"),
    }
    widgets.table(pd.DataFrame(rows), key=key, columns=columns, height="content")
