"""Figures of what a filter does at each threshold: one panel per figure, all on the same axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import plotly.graph_objects as go

from judgelab.charts.labels import axis_label, spread_out
from judgelab.charts.layout import empty_figure, number_axis_style, value_axis
from judgelab.charts.tokens import Palette
from judgelab.languages import _
from judgelab.metaeval.core.result import Estimate, printed_ends
from judgelab.wording import mark

Style = Literal["people", "judge", "metric", "baseline"]
HEIGHT = 236
UNDEFINED = mark("undefined")
DASHES = {"people": "solid", "judge": "solid", "metric": "2px,3px", "baseline": "6px,4px"}
NAME_MARGIN = 0.3  # of the axis, at the right, for the names of the lines
NAME_STEP = 0.085  # of the height: two lines of text
FAINT_OPACITY = 0.16  # opacity of an interval


@dataclass(frozen=True)
class EffectCurve:
    """One figure over the thresholds.

    Args:
        name: written at its right end; may be empty.
        hover_name: shown at the pointer; if empty, `name` is.
        values: one per threshold.
        style: people are ink, judges accent, metrics dotted grey, baselines dashed grey.
        banded: whether its intervals are drawn.
    """

    name: str
    values: Sequence[Estimate]
    style: Style
    banded: bool = True
    hover_name: str = ""


def effect_panel(
    thresholds: Sequence[float],
    curves: Sequence[EffectCurve],
    *,
    threshold: float,
    reference: float | None,
    title: str,
    theme: Palette,
    r: str = "r",
) -> go.Figure:
    """Return lines over the thresholds with their intervals as bands.

    Args:
        thresholds: the places on the axis.
        curves: the lines; later ones are drawn above earlier ones.
        threshold: of the current filter, drawn dashed.
        reference: the figure computed on all ratings, a thin horizontal line; None for none.
        title: written above the panel.
        theme: the colours.
        r: the letter of the coefficient that the thresholds are of.
    """
    figure = empty_figure(theme, height=HEIGHT, top=30, bottom=40)
    high = max(thresholds)
    axis_title = _("remove raters with {r} below", r=r)
    value_axis(figure, theme, title=axis_title, low=0, high=high / (1 - NAME_MARGIN))
    ticks = [0, 0.2, 0.4, 0.6, 0.8]
    figure.update_xaxes(tickvals=[tick for tick in ticks if tick <= high], showgrid=False)
    low, top = _value_range(curves, reference)
    figure.update_yaxes(
        range=[low, top],
        nticks=5,
        automargin=True,
        **number_axis_style(theme),
    )
    for curve in curves:
        if curve.banded:
            figure.add_traces(_curve_band(thresholds, curve, theme))
    for curve in curves:
        figure.add_trace(_curve_line(thresholds, curve, theme))
    if reference is not None:
        line = {"color": theme.metric, "width": 1}
        figure.add_shape(type="line", x0=0, x1=high, y0=reference, y1=reference, line=line, layer="below")
    figure.add_vline(x=threshold, line={"color": theme.accent, "width": 1.4, "dash": "3px,3px"})
    _name_lines(figure, curves, reference, x=high, low=low, top=top, theme=theme)
    figure.add_annotation(
        x=0, xref="paper", xanchor="left", y=1, yref="paper", yanchor="bottom", yshift=8,
        text=axis_label(title, 70), showarrow=False, font={"size": 13, "color": theme.ink},
    )  # fmt: skip
    return figure


def _curve_line(thresholds: Sequence[float], curve: EffectCurve, theme: Palette) -> go.Scatter:
    strong = curve.style in ("people", "judge")
    return go.Scatter(
        x=list(thresholds),
        y=[estimate.value for estimate in curve.values],
        mode="lines",
        connectgaps=False,
        line={
            "color": _colour(curve.style, theme),
            "width": 2.2 if strong else 1.5,
            "dash": DASHES[curve.style],
        },
        customdata=[[_hover_text(estimate)] for estimate in curve.values],
        hovertemplate=_(
            "{name}, without raters below {threshold}: {value}",
            name=axis_label(curve.hover_name or curve.name, 40),
            threshold="%{x:.2f}",
            value="%{customdata[0]}",
        )
        + "<extra></extra>",
    )


def _curve_band(thresholds: Sequence[float], curve: EffectCurve, theme: Palette) -> list[go.Scatter]:
    """Return the intervals as one closed area per stretch without gaps."""
    pieces: list[list[tuple[float, float, float]]] = [[]]
    for threshold, estimate in zip(thresholds, curve.values, strict=True):
        if estimate.value is None or estimate.ci is None:
            pieces.append([])
        else:
            pieces[-1].append((threshold, *estimate.ci))
    options: dict[str, Any] = {
        "mode": "lines",
        "line": {"width": 0},
        "fill": "toself",
        "fillcolor": _colour(curve.style, theme),
        "opacity": FAINT_OPACITY,
        "hoverinfo": "skip",
    }
    return [
        go.Scatter(
            x=[threshold for threshold, __, __ in piece]
            + [threshold for threshold, __, __ in reversed(piece)],
            y=[low for __, low, __ in piece] + [high for __, __, high in reversed(piece)],
            **options,
        )
        for piece in pieces
        if len(piece) > 1
    ]


def _name_lines(
    figure: go.Figure,
    curves: Sequence[EffectCurve],
    reference: float | None,
    *,
    x: float,
    low: float,
    top: float,
    theme: Palette,
) -> None:
    """Write each line's name at its right end, spread out so that no two overlap."""
    ends = [(_last_value(curve), curve.name, _colour(curve.style, theme)) for curve in curves if curve.name]
    named = [(y, name, colour) for y, name, colour in ends if y is not None]
    if reference is not None:
        named.append((reference, _("all ratings"), theme.muted))
    named.sort()
    for label_y, (__, name, colour) in zip(
        spread_out([y for y, __, __ in named], step=NAME_STEP * (top - low), top=top), named, strict=True
    ):
        figure.add_annotation(
            x=x, y=label_y, xanchor="left", xshift=6, text=axis_label(name, 24), showarrow=False,
            font={"size": 12, "color": colour},
        )  # fmt: skip


def _last_value(curve: EffectCurve) -> float | None:
    values = [estimate.value for estimate in curve.values if estimate.value is not None]
    return values[-1] if values else None


def _colour(style: Style, theme: Palette) -> str:
    return {"people": theme.ink, "judge": theme.accent, "metric": theme.metric, "baseline": theme.muted}[
        style
    ]


def _value_range(curves: Sequence[EffectCurve], reference: float | None) -> tuple[float, float]:
    ends = [0.0, 1.0] if reference is None else [0.0, 1.0, reference]
    for curve in curves:
        for estimate in curve.values:
            if estimate.value is not None:
                ends += [estimate.value, *(estimate.ci or ())] if curve.banded else [estimate.value]
    return max(-1.05, min(ends) - 0.03), min(1.05, max(ends) + 0.03)


def _hover_text(estimate: Estimate) -> str:
    if estimate.value is None:
        return axis_label(_(estimate.reason or UNDEFINED), 60)
    ends = printed_ends(estimate.ci, 2)
    return f"{estimate.value:z.2f}{ends}, n = {estimate.n}"
