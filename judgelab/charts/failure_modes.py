"""How many responses of each failure mode every judge and metric gets wrong: one panel a mode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from judgelab.charts.labels import axis_label, escaped
from judgelab.charts.layout import figure
from judgelab.charts.tokens import Palette
from judgelab.domain import RaterKind

ROW, HEAD, FOOT = 20, 34, 26  # pixels: a rater, above a panel, below it
LONGEST = 26


class ModeBar(NamedTuple):
    """What one rater gets wrong of the tagged responses of one mode."""

    rater: str
    kind: RaterKind
    mode: str
    wrong: int
    tagged: int


def failure_mode_bars(bars: Sequence[ModeBar], *, theme: Palette, narrow: bool = False) -> go.Figure:
    """Return small multiples of bars that begin at 0, all on one scale: judges filled, metrics outlined.

    Args:
        bars: one for each rater and mode; raters stand in the order of their first bar, modes too.
        theme: the colours.
        narrow: panels under one another instead of three abreast.
    """
    modes = list(dict.fromkeys(bar.mode for bar in bars))
    raters = list(dict.fromkeys(bar.rater for bar in bars))
    columns = 1 if narrow else min(3, max(1, len(modes)))
    lines = -(-len(modes) // columns) or 1
    panel = ROW * max(1, len(raters)) + HEAD + FOOT
    drawn = make_subplots(
        rows=lines,
        cols=columns,
        shared_yaxes=True,
        subplot_titles=[escaped(mode) for mode in modes],
        vertical_spacing=(HEAD + FOOT) / max(1, panel * lines) if lines > 1 else 0.0,
        horizontal_spacing=0.04,
    )
    base = figure(theme, height=panel * lines, top=HEAD, bottom=FOOT)
    drawn.update_layout(base.layout)
    most = max((bar.tagged for bar in bars), default=0) or 1
    for place, mode in enumerate(modes):
        mine = {bar.rater: bar for bar in bars if bar.mode == mode}
        drawn.add_trace(_panel(raters, mine, theme), row=place // columns + 1, col=place % columns + 1)
    drawn.update_xaxes(
        range=[0, most * 1.15],
        gridcolor=theme.grid,
        zeroline=False,
        tickfont={"size": 12, "color": theme.muted},
        tickformat="d",
        nticks=4,
        fixedrange=True,
    )
    drawn.update_yaxes(
        autorange="reversed",
        tickfont={"size": 12.5, "color": theme.ink},
        showgrid=False,
        fixedrange=True,
        automargin=True,
    )
    drawn.update_annotations(font={"size": 12.5, "color": theme.ink})
    return drawn


def _panel(raters: Sequence[str], mine: dict[str, ModeBar], theme: Palette) -> go.Bar:
    found = [mine.get(rater) for rater in raters]
    colours = [theme.metric if bar is None or bar.kind == "metric" else theme.accent for bar in found]
    fills = [
        "rgba(0,0,0,0)" if bar is None or bar.kind == "metric" else colour
        for bar, colour in zip(found, colours, strict=True)
    ]
    return go.Bar(
        x=[bar.wrong if bar else 0 for bar in found],
        y=[axis_label(rater, LONGEST) for rater in raters],
        orientation="h",
        text=[f"{bar.wrong} / {bar.tagged}" if bar else "" for bar in found],
        textposition="outside",
        cliponaxis=False,
        textfont={"size": 12, "color": theme.muted},
        marker={"color": fills, "line": {"color": colours, "width": 1.5}},
        hoverinfo="skip",
        width=0.62,
    )
