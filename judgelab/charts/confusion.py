"""The confusion matrix: how often each score of the raters met each score of the judge."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from judgelab.charts.labels import axis_label
from judgelab.charts.layout import axis_title, empty_figure
from judgelab.charts.tokens import Palette
from judgelab.languages import _

HEIGHT = 290
LEAST_CONTRAST = 4.5  # WCAG 2.2, level AA


def confusion_heatmap(
    counts: pd.DataFrame,
    *,
    judge_title: str,
    raters_title: str,
    theme: Palette,
    labels: Sequence[str] | None = None,
) -> go.Figure:
    """Return counts by score, raters in rows and the judge in columns, equal scores outlined.

    Args:
        counts: the index has the raters' scores, the columns the judge's, both in the order of the scale.
        judge_title: title of the x axis.
        raters_title: title of the y axis.
        theme: the colours.
        labels: what the scores are called, in the same order; the numbers if not given.

    The custom data of each cell are `[raters' score, judge's score]`, for a click.
    """
    figure = empty_figure(theme, height=HEIGHT, top=4, bottom=46)
    names = [axis_label(label) for label in labels or ()]
    columns = names or [_score_label(score) for score in counts.columns]
    rows = names or [_score_label(score) for score in counts.index]
    figure.add_heatmap(
        z=counts.to_numpy(),
        x=list(range(len(columns))),
        y=list(range(len(rows))),
        colorscale=[[i / 9, colour] for i, colour in enumerate(theme.sequential)],
        zmin=0,
        showscale=False,
        xgap=2,
        ygap=2,
        hoverinfo="skip",
    )
    _draw_cells(figure, counts, columns, rows, theme)
    _outline_agreement(figure, counts, theme)
    _axes(figure, columns, rows, titles=(judge_title, raters_title), theme=theme)
    return figure


def readable_ink(background: str, theme: Palette) -> str:
    """Return ink or paper, whichever is easier to read on `background`, or black or white if neither is."""
    colours = (theme.ink, theme.paper)
    if max(contrast(colour, background) for colour in colours) < LEAST_CONTRAST:
        colours = ("#000000", "#FFFFFF")  # one of them is readable on every colour
    return max(colours, key=lambda colour: contrast(colour, background))


def cell_colour(share: float, theme: Palette) -> str:
    """Return the colour that the heat map gives to a cell with this share of the largest count."""
    place = share * (len(theme.sequential) - 1)
    low = min(int(place), len(theme.sequential) - 2)
    pairs = zip(_channels(theme.sequential[low]), _channels(theme.sequential[low + 1]), strict=True)
    mixed = [round(first + (second - first) * (place - low)) for first, second in pairs]
    return "#" + "".join(f"{channel:02X}" for channel in mixed)


def _draw_cells(
    figure: go.Figure, counts: pd.DataFrame, columns: list[str], rows: list[str], theme: Palette
) -> None:
    """Write the counts, with invisible marks over them to be clicked (a heat map has no points)."""
    numbers = counts.to_numpy(dtype=int)
    peak = max(1, int(numbers.max(initial=0)))
    cells = [
        (x, y, int(numbers[y, x]), [float(human), float(judge)])
        for y, human in enumerate(counts.index)
        for x, judge in enumerate(counts.columns)
    ]
    for x, y, count, __ in cells:
        colour = readable_ink(cell_colour(count / peak, theme), theme)
        # Annotations, as the text of a trace fades once one of its marks is chosen.
        font = {"size": 13, "color": colour}
        figure.add_annotation(x=x, y=y, text=f"{count:,}", showarrow=False, font=font)
    figure.add_scatter(
        x=[cell[0] for cell in cells],
        y=[cell[1] for cell in cells],
        text=[
            _("raters {raters}, judge {judge}: {n}", raters=rows[y], judge=columns[x], n=f"{count:,}")
            for x, y, count, __ in cells
        ],
        customdata=[cell[3] for cell in cells],
        mode="markers",
        marker={"size": 34, "symbol": "square", "color": "rgba(0,0,0,0)"},
        hovertemplate="%{text}<extra></extra>",
    )


def _outline_agreement(figure: go.Figure, counts: pd.DataFrame, theme: Palette) -> None:
    columns = [float(score) for score in counts.columns]
    for y, human in enumerate(counts.index):
        if float(human) not in columns:
            continue
        x = columns.index(float(human))
        line = {"color": theme.ink, "width": 1.4}
        figure.add_shape(type="rect", x0=x - 0.49, x1=x + 0.49, y0=y - 0.49, y1=y + 0.49, line=line)


def _axes(
    figure: go.Figure, columns: list[str], rows: list[str], *, titles: tuple[str, str], theme: Palette
) -> None:
    judge_title, raters_title = titles
    shared = {
        "tickfont": {"size": 12, "color": theme.muted},
        "showgrid": False,
        "ticks": "",
        "zeroline": False,
        "fixedrange": True,
    }
    figure.update_xaxes(
        tickvals=list(range(len(columns))),
        ticktext=columns,
        range=[-0.5, len(columns) - 0.5],
        title=axis_title(judge_title, theme, standoff=6),
        **shared,
    )
    figure.update_yaxes(
        tickvals=list(range(len(rows))),
        ticktext=rows,
        range=[len(rows) - 0.5, -0.5],
        title=axis_title(raters_title, theme),
        automargin=True,
        **shared,
    )


def _score_label(score: object) -> str:
    return f"{float(score):g}"  # type: ignore[arg-type]  # labels of the frame are numbers


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours `#RRGGBB` (WCAG 2.2)."""
    bright, dark = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    """Return the relative luminance of `#RRGGBB` (WCAG 2.2)."""
    channels = [channel / 255 for channel in _channels(colour)]
    linear = [
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4 for channel in channels
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _channels(colour: str) -> list[int]:
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
