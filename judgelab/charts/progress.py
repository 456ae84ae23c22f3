"""The progress of a run as one bar."""

from __future__ import annotations

from typing import NamedTuple

import plotly.graph_objects as go

from judgelab.charts.layout import empty_figure
from judgelab.charts.tokens import Palette

THICKNESS = 12


class ProgressCounts(NamedTuple):
    """The units of a run by state."""

    scored: int
    unscored: int
    failed: int
    waiting: int

    @property
    def total(self) -> int:
        """The number of units of the run."""
        return sum(self)


def run_progress_bar(counts: ProgressCounts, *, theme: Palette) -> go.Figure:
    """Return one bar of fixed height: scored, unscored, failed, waiting."""
    figure = empty_figure(theme, height=THICKNESS, top=0, bottom=0)
    figure.update_layout(margin={"l": 0, "r": 0, "t": 0, "b": 0, "pad": 0}, barmode="stack", bargap=0)
    parts = zip(counts, progress_colours(theme), strict=True)
    for value, colour in parts:
        figure.add_bar(
            x=[value],
            y=[0],
            orientation="h",
            marker={"color": colour, "line": {"width": 0}},
            hoverinfo="skip",
        )
    figure.update_xaxes(visible=False, fixedrange=True, range=[0, max(1, counts.total)])
    figure.update_yaxes(visible=False, fixedrange=True)
    return figure


def progress_colours(theme: Palette) -> tuple[str, str, str, str]:
    """Return the colours of scored, unscored, failed and waiting."""
    return theme.accent, theme.attention, theme.wrong, theme.rule
