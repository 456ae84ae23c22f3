"""The figures of a report: a forest plot for each criterion, interactive and as SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from judgelab.analysis.data.filter_info import aggregate_name
from judgelab.charts.forest import ForestRow, forest_plot
from judgelab.charts.tokens import LIGHT
from judgelab.metaeval.agreement.ceiling import CEILING
from judgelab.metaeval.core.pairing import SYSTEM_LEVELS
from judgelab.metaeval.core.result import Estimate
from judgelab.reporting.facts import ReportFacts
from judgelab.reporting.flow import FONT
from judgelab.reporting.terms import SHORT_LEVEL_WORDS, coefficient_heading

LEFT, RIGHT, ROW, TOP, BOTTOM = 230, 560, 28, 38, 54


def forest_rows(facts: ReportFacts, criterion: str) -> tuple[list[ForestRow], Estimate | None]:
    """Return judges and metrics, best first by the first coefficient, and the human ceiling.

    With a ceiling, they are measured as the raters are, against the other raters; without one, against all
    raters.
    """
    learned = {judge.name for judge in facts.judges if judge.origin == "learned"}
    rows = [
        ForestRow(
            row.rater, "judge" if row.rater_kind == "judge" else "metric", row.estimate, row.rater in learned
        )
        for row in (facts.vs_ceiling if facts.has_ceiling(criterion) else facts.rows)
        if row.criterion == criterion
        and row.coefficient == facts.first_coefficient
        and facts.judged(criterion)
    ]
    rows.sort(key=lambda row: -(row.estimate.value if row.estimate.value is not None else -2.0))
    return rows, facts.ceiling_of(criterion)


def axis_title(facts: ReportFacts, criterion: str) -> str:
    """Return the axis title: coefficient, what judges are compared with, level, interval."""
    others = "the other raters" if facts.has_ceiling(criterion) else "all raters"
    symbol, level = coefficient_heading(facts.first_coefficient), SHORT_LEVEL_WORDS[facts.recipe.level]
    target = aggregate_name(facts.scores.aggregation, facts.scores.project.scales.get(criterion))
    return f"{symbol} with the {target} of {others}, {level}, 95 % interval"


def svg_caption(facts: ReportFacts, criterion: str) -> str:
    """Return the axis title and, at a level of systems' means, what each row's n counts."""
    title = axis_title(facts, criterion)
    if facts.recipe.level not in SYSTEM_LEVELS:
        return title
    return f"{title}, n: {'responses' if facts.has_ceiling(criterion) else 'systems'}"


def plotly_figure(facts: ReportFacts, criterion: str) -> Any:
    """Return the forest plot of a criterion as a Plotly figure, as the app draws it."""
    rows, ceiling = forest_rows(facts, criterion)
    return forest_plot(rows, ceiling=ceiling, title=axis_title(facts, criterion), theme=LIGHT)


def forest_svg(rows: Sequence[ForestRow], ceiling: Estimate | None, *, caption: str) -> str:
    """Return the forest plot as SVG: marks with intervals and n, the ceiling as a band behind them."""
    low, high = _axis_limits([row.estimate for row in rows], ceiling)
    height = TOP + ROW * len(rows) + BOTTOM
    width = RIGHT + 90

    def x_of(value: float) -> float:
        return round(LEFT + (RIGHT - LEFT) * (min(max(value, low), high) - low) / (high - low), 1)

    bottom = TOP + ROW * len(rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'font-family="{FONT}" font-size="13" aria-label="{escape(_alt_text(rows, ceiling))}">',
        f'<rect width="{width}" height="{height}" fill="#FFFFFF"/>',
    ]
    if ceiling is not None and ceiling.value is not None:
        left, right = ceiling.ci or (ceiling.value, ceiling.value)
        band_width = max(x_of(right) - x_of(left), 1)
        parts.append(
            f'<rect x="{x_of(left)}" y="{TOP - 8}" width="{band_width}" height="{bottom - TOP + 8}" '
            f'fill="#E4E7E6"/>'
            f'<line x1="{x_of(ceiling.value)}" x2="{x_of(ceiling.value)}" y1="{TOP - 8}" y2="{bottom}" '
            f'stroke="{LIGHT.ink}" stroke-dasharray="3 3"/>'
            f'<text x="{x_of(ceiling.value)}" y="{TOP - 16}" text-anchor="{_anchor(x_of(ceiling.value))}" '
            f'fill="{LIGHT.ink}">{CEILING}</text>'
        )
    for index, row in enumerate(rows):
        parts.append(_row_svg(row, TOP + ROW * index + ROW / 2, x_of))
    parts.append(_axis_svg(low, high, bottom, x_of, caption))
    return "".join([*parts, "</svg>\n"])


def _anchor(at: float) -> str:
    """Return the text anchor that keeps the ceiling's name within the drawing."""
    return "end" if at > RIGHT - 60 else "start" if at < LEFT + 60 else "middle"


def _row_svg(row: ForestRow, y: float, x_of: Callable[[float], float]) -> str:
    colour, estimate = LIGHT.kind_colour(row.kind), row.estimate
    parts = [
        f'<text x="{LEFT - 10}" y="{y + 4}" text-anchor="end" fill="{LIGHT.ink}">{escape(row.name)}</text>'
    ]
    if estimate.value is None:
        parts.append(f'<text x="{LEFT}" y="{y + 4}" fill="{LIGHT.muted}">– (why: under the table)</text>')
        return "".join(parts)
    if estimate.ci:
        parts.append(
            f'<line x1="{x_of(estimate.ci[0])}" x2="{x_of(estimate.ci[1])}" y1="{y}" y2="{y}" '
            f'stroke="{colour}" stroke-width="2"/>'
        )
    mark_x = x_of(estimate.value)
    fill = "#FFFFFF" if row.kind == "metric" or row.learned else colour
    shape = (
        f'<rect x="{mark_x - 4}" y="{y - 4}" width="8" height="8"'
        if row.kind == "metric"
        else f'<polygon points="{mark_x},{y - 6} {mark_x + 6},{y} {mark_x},{y + 6} {mark_x - 6},{y}"'
    )
    parts.append(f'{shape} fill="{fill}" stroke="{colour}"/>')
    parts.append(f'<text x="{RIGHT + 12}" y="{y + 4}" fill="{LIGHT.muted}">n {estimate.n:,}</text>')
    return "".join(parts)


def _axis_svg(low: float, high: float, bottom: float, x_of: Callable[[float], float], caption: str) -> str:
    step = 0.2 if high - low <= 1.2 else 0.5
    first = round(low / step) * step
    ticks = [first + step * n for n in range(int((high - first) / step + 1e-9) + 1)]
    marks = "".join(
        f'<line x1="{x_of(tick)}" x2="{x_of(tick)}" y1="{bottom}" y2="{bottom + 5}" stroke="{LIGHT.rule}"/>'
        f'<text x="{x_of(tick)}" y="{bottom + 20}" text-anchor="middle" '
        f'fill="{LIGHT.muted}">{tick:z.1f}</text>'
        for tick in ticks
        if low - 1e-9 <= tick
    )
    line = f'<line x1="{LEFT}" x2="{RIGHT}" y1="{bottom}" y2="{bottom}" stroke="{LIGHT.rule}"/>'
    caption_tag = (
        f'<text x="{(LEFT + RIGHT) / 2}" y="{bottom + 42}" text-anchor="middle" fill="{LIGHT.muted}">'
    )
    return f"{line}{marks}{caption_tag}{escape(caption)}</text>"


def _axis_limits(estimates: Sequence[Estimate], ceiling: Estimate | None) -> tuple[float, float]:
    ends = [
        end
        for estimate in (*estimates, ceiling)
        if estimate and estimate.value is not None
        for end in estimate.ci or (estimate.value,)
    ]
    low = min([0.0, *ends])
    return (-1.0 if low < -0.5 else low - (low % -0.2) - 0.2 if low < 0 else 0.0), max([1.0, *ends])


def _alt_text(rows: Sequence[ForestRow], ceiling: Estimate | None) -> str:
    parts = [f"{row.name} {row.estimate.value:z.2f}" for row in rows if row.estimate.value is not None]
    if ceiling is not None and ceiling.value is not None:
        parts.append(f"{CEILING} {ceiling.value:z.2f}")
    return ", ".join(parts)
