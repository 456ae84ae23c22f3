"""System means by people alone, by people and a judge together, and by the judge alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from judgelab.charts.labels import escaped, wrapped_label
from judgelab.charts.layout import figure, interval_line, name_axis, value_axis
from judgelab.charts.tokens import Palette
from judgelab.metaeval.core.result import Estimate

ROW, APART = 62, 0.24


class MeanRow(NamedTuple):
    """One system's three means."""

    name: str
    human: Estimate
    powered: Estimate
    judge: Estimate


def means_chart(
    rows: Sequence[MeanRow], *, title: str, words: tuple[str, str, str], theme: Palette
) -> go.Figure:
    """Return one row a system with three marks and their intervals.

    Args:
        rows: the systems, the first at the top.
        title: of the axis.
        words: what the marks mean: people, both together, the judge.
        theme: the colours.
    """
    drawn = figure(theme, height=ROW * len(rows) + 84, top=30)
    ends = [
        end
        for row in rows
        for one in row[1:]
        if one.value is not None
        for end in (one.ci or (one.value, one.value))
    ]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    room = 0.05 * (high - low or 1.0)
    value_axis(drawn, theme, title=title, low=low - room, high=high + room)
    name_axis(drawn, theme, [wrapped_label(row.name) for row in rows])
    # A judge alone is a judge, and not one to be relied on; squares are metrics.
    looks = (
        (theme.ink, "circle", -APART),
        (theme.accent, "diamond", 0.0),
        (theme.metric, "diamond-open", APART),
    )
    words = (escaped(words[0]), escaped(words[1]), escaped(words[2]))
    for place, row in enumerate(rows):
        for found, word, (colour, symbol, shift) in zip(row[1:], words, looks, strict=True):
            if found.value is None:
                continue
            y = place + shift
            for line in interval_line(found.ci, y, colour=colour):
                drawn.add_trace(line.update(showlegend=False))
            drawn.add_trace(
                go.Scatter(
                    x=[found.value],
                    y=[y],
                    mode="markers",
                    marker={"symbol": symbol, "size": 9, "color": colour},
                    name=word,
                    legendgroup=word,
                    showlegend=place == 0,
                    hovertemplate=f"{word}: %{{x:.2f}}, n {found.n:,}<extra></extra>",
                )
            )
    drawn.update_layout(
        showlegend=True,
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0, "font": {"color": theme.muted}},
    )
    return drawn
