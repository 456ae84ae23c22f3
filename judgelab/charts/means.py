"""System means by the raters alone, by raters and judge together, and by the judge alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from judgelab.charts.labels import escaped, wrapped_label
from judgelab.charts.layout import empty_figure, interval_line, name_axis, value_axis
from judgelab.charts.tokens import Palette
from judgelab.metaeval.core.result import Estimate

ROW_HEIGHT = 62  # pixels
SHIFT = 0.24  # rows between the three marks of a system


class MeanRow(NamedTuple):
    """One system's three means."""

    name: str
    human: Estimate
    powered: Estimate
    judge: Estimate


def means_chart(
    rows: Sequence[MeanRow],
    *,
    title: str,
    labels: tuple[str, str, str],
    theme: Palette,
    rates: bool = False,
) -> go.Figure:
    """Return one row per system with three marks and their intervals.

    Args:
        rows: the systems, the first at the top.
        title: of the axis.
        labels: of the three marks: raters, raters and judge, judge.
        theme: the colours.
        rates: whether the means are shares, drawn in per cent.
    """
    figure = empty_figure(theme, height=ROW_HEIGHT * len(rows) + 84, top=30)
    ends = [
        end
        for row in rows
        for estimate in row[1:]
        if estimate.value is not None
        for end in (estimate.ci or (estimate.value, estimate.value))
    ]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    margin = 0.05 * (high - low or 1.0)
    value_axis(figure, theme, title=title, low=low - margin, high=high + margin)
    if rates:
        figure.update_xaxes(tickformat=".0%")
    name_axis(figure, theme, [wrapped_label(row.name) for row in rows])
    # The judge alone is drawn as a judge, but hollow and grey, as its mean is not reliable.
    styles = (
        (theme.ink, "circle", -SHIFT),
        (theme.accent, "diamond", 0.0),
        (theme.metric, "diamond-open", SHIFT),
    )
    digits = ".0%" if rates else ".2f"
    labels = (escaped(labels[0]), escaped(labels[1]), escaped(labels[2]))
    in_legend: set[str] = set()
    for index, row in enumerate(rows):
        for mean, label, (colour, symbol, shift) in zip(row[1:], labels, styles, strict=True):
            if mean.value is None:
                continue
            y = index + shift
            for line in interval_line(mean.ci, y, colour=colour):
                figure.add_trace(line.update(showlegend=False))
            figure.add_trace(
                go.Scatter(
                    x=[mean.value],
                    y=[y],
                    mode="markers",
                    marker={"symbol": symbol, "size": 9, "color": colour},
                    name=label,
                    legendgroup=label,
                    showlegend=label not in in_legend,
                    hovertemplate=f"{label}: %{{x:{digits}}}, n {mean.n:,}<extra></extra>",
                )
            )
            in_legend.add(label)
    figure.update_layout(
        showlegend=True,
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0, "font": {"color": theme.muted}},
    )
    return figure
