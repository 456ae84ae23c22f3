"""How many responses of each failure mode each judge and metric gets wrong: one panel per mode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from judgelab.charts.labels import axis_label, escaped
from judgelab.charts.layout import empty_figure, number_axis_style
from judgelab.charts.tokens import Palette
from judgelab.domain import RaterKind

BAR_HEIGHT, PANEL_TOP, PANEL_BOTTOM = 20, 34, 26  # pixels: a rater, above a panel, below it
LONGEST_NAME = 26


class ModeBar(NamedTuple):
    """How many of the responses tagged with a mode one rater gets wrong."""

    rater: str
    kind: RaterKind
    mode: str
    wrong: int
    tagged: int


def failure_mode_bars(bars: Sequence[ModeBar], *, theme: Palette, narrow: bool = False) -> go.Figure:
    """Return one panel of bars per mode, all on one scale: judges filled, metrics outlined.

    Args:
        bars: one per rater and mode; raters and modes are in the order of their first bar.
        theme: the colours.
        narrow: panels one below the other instead of three side by side.
    """
    modes = list(dict.fromkeys(bar.mode for bar in bars))
    raters = list(dict.fromkeys(bar.rater for bar in bars))
    columns = 1 if narrow else min(3, max(1, len(modes)))
    panel_rows = -(-len(modes) // columns) or 1
    panel_height = BAR_HEIGHT * max(1, len(raters)) + PANEL_TOP + PANEL_BOTTOM
    figure = make_subplots(
        rows=panel_rows,
        cols=columns,
        shared_yaxes=True,
        subplot_titles=[escaped(mode) for mode in modes],
        vertical_spacing=(PANEL_TOP + PANEL_BOTTOM) / max(1, panel_height * panel_rows)
        if panel_rows > 1
        else 0.0,
        horizontal_spacing=0.04,
    )
    base_figure = empty_figure(theme, height=panel_height * panel_rows, top=PANEL_TOP, bottom=PANEL_BOTTOM)
    figure.update_layout(base_figure.layout)
    most_tagged = max((bar.tagged for bar in bars), default=0) or 1
    for index, mode in enumerate(modes):
        by_rater = {bar.rater: bar for bar in bars if bar.mode == mode}
        figure.add_trace(_panel(raters, by_rater, theme), row=index // columns + 1, col=index % columns + 1)
    figure.update_xaxes(
        range=[0, most_tagged * 1.15],
        tickformat="d",
        nticks=4,
        **number_axis_style(theme),
    )
    figure.update_yaxes(
        autorange="reversed",
        tickfont={"size": 12.5, "color": theme.ink},
        showgrid=False,
        fixedrange=True,
        automargin=True,
    )
    figure.update_annotations(font={"size": 12.5, "color": theme.ink})
    return figure


def _panel(raters: Sequence[str], by_rater: dict[str, ModeBar], theme: Palette) -> go.Bar:
    bars = [by_rater.get(rater) for rater in raters]
    colours = [theme.metric if bar is None or bar.kind == "metric" else theme.accent for bar in bars]
    fills = [
        "rgba(0,0,0,0)" if bar is None or bar.kind == "metric" else colour
        for bar, colour in zip(bars, colours, strict=True)
    ]
    return go.Bar(
        x=[bar.wrong if bar else 0 for bar in bars],
        y=[axis_label(rater, LONGEST_NAME) for rater in raters],
        orientation="h",
        text=[f"{bar.wrong} / {bar.tagged}" if bar else "" for bar in bars],
        textposition="outside",
        cliponaxis=False,
        textfont={"size": 12, "color": theme.muted},
        marker={"color": fills, "line": {"color": colours, "width": 1.5}},
        hoverinfo="skip",
        width=0.62,
    )
