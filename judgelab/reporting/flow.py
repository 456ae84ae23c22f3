"""The rater flow chart: how many joined, rated, and were removed by the filter, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import ceil
from typing import NamedTuple

from judgelab.reporting.facts import ReportFacts
from judgelab.reporting.terms import count_words, rated_units

WIDTH, BOX_WIDTH, BOX_HEIGHT, GAP, INDENT = 640, 280, 42, 22, 28  # WIDTH grows with long texts
REMOVED_X = 16 + BOX_WIDTH + 42  # left edge of the texts about what was removed
NARROW_WIDTH, LINE_HEIGHT = 16 + BOX_WIDTH + 16, 20
LETTER_WIDTH = 7.4  # pixels, estimated generously for text of 14 pixels
FONT_SIZE, BOX_LETTER_WIDTH = 14, 6.4  # the letters of a text that must fit its box
FONT = "IBM Plex Sans, Helvetica, Arial, sans-serif"


class ChartColours(NamedTuple):
    """The colours of the chart: text, text about what was removed, lines, background."""

    ink: str
    muted: str
    rule: str
    paper: str


PRINT_COLOURS = ChartColours("#1A2225", "#566266", "#868F8E", "#FFFFFF")


class FlowStep(NamedTuple):
    """What is left, what was removed here, and whether it is one of several branches of the step before."""

    kept: str
    removed: str = ""
    branch: bool = False


def flow_steps(facts: ReportFacts) -> list[FlowStep]:
    """Return the steps of the chart; the criteria are branches of one step."""
    flow, outcome = facts.flow, facts.scores.outcome
    without_ratings = flow.members - flow.rated
    # A file names raters; it does not say whether each is one person.
    places, rated = (
        ("raters took part", "raters gave ratings")
        if flow.imported
        else ("people registered as raters", "people rated")
    )
    if flow.slots and flow.slots == flow.members:
        places = f"rater slots in {'a file' if facts.recorded else 'the data'}"
        rated = "rater slots have ratings"
    noun = "rater slot" if flow.slots and flow.slots == flow.members else "rater"
    if facts.scores.compared is not None:
        rated = {
            "raters gave ratings": "raters compared responses",
            "people rated": "people compared responses",
        }.get(rated, "rater slots have comparisons")
    steps = [FlowStep(f"{flow.members} {places}", _count_of(without_ratings, "gave no rating"))]
    if flow.trained is not None:
        steps.append(FlowStep(f"{flow.trained} passed the training round"))
    steps.append(FlowStep(f"{flow.rated} {rated}"))
    branches = len(facts.scores.project.criteria) > 1
    for criterion in facts.scores.project.criteria:
        removed = flow.removed.get(criterion.key, {})
        kept_count = flow.kept.get(criterion.key, 0)
        steps.append(
            FlowStep(
                f"{criterion.label}: {count_words(kept_count, noun)} kept",
                _count_of(len(removed), "removed by the filter"),
                branches,
            )
        )
    if outcome is not None:
        answers = outcome.losses.answers
        what = "ratings" if facts.scores.compared is None else "comparisons"
        total = sum(answers.values())
        compared = facts.scores.compared is not None
        units = "pairs" if compared else rated_units(len(facts.scores.project.criteria))
        reasons = [
            _count_of(answers["by_raters"] + answers["too_few"], f"with too few {what} left"),
            _count_of(answers["conflict"], "with conflicting ratings"),
        ]
        steps.append(
            FlowStep(
                f"{answers['kept']:,} of {total:,} {'compared' if compared else 'rated'} {units} kept",
                "; ".join(part for part in reasons if part),
            )
        )
    return steps


def chart_width(steps: Sequence[FlowStep], *, narrow: bool = False) -> int:
    """Return the chart's width in pixels, so that its longest text fits; `narrow`: as in `flow_svg`."""
    if narrow:
        return NARROW_WIDTH
    return max(WIDTH, *(ceil(REMOVED_X + LETTER_WIDTH * len(step.removed) + 12) for step in steps))


def alt_text(steps: Sequence[FlowStep]) -> str:
    """Return the chart as text, for screen readers."""
    return "; ".join(f"{step.kept} ({step.removed})" if step.removed else step.kept for step in steps)


def flow_svg(
    steps: Sequence[FlowStep], inks: ChartColours = PRINT_COLOURS, *, narrow: bool = False, style: str = ""
) -> str:
    """Return the chart as SVG: boxes from top to bottom, with what was removed at their right.

    Args:
        steps: what to draw.
        inks: the colours.
        narrow: write what was removed below the boxes instead, so that the chart fits a phone.
        style: CSS to embed, such as a typeface: an image cannot use those of the page around it.
    """
    width = chart_width(steps, narrow=narrow)
    parts = []
    top = 6
    for index, (kept, removed, branch) in enumerate(steps):
        middle = top + BOX_HEIGHT // 2
        left = 16 + (INDENT if branch else 0)
        if index and not (branch and steps[index - 1].branch):
            parts.append(_arrow(16 + BOX_WIDTH / 2, top - GAP, 16 + BOX_WIDTH / 2, top, inks.rule))
        parts.append(
            f'<rect x="{left}" y="{top}" width="{16 + BOX_WIDTH - left}" height="{BOX_HEIGHT}" rx="4" '
            f'fill="none" stroke="{inks.rule}"/>'
            + _text(
                (left + 16 + BOX_WIDTH) / 2,
                middle + 5,
                kept,
                inks.ink,
                anchor="middle",
                size=_size_in(BOX_WIDTH - left, kept),
            )
        )
        top += BOX_HEIGHT
        if removed and narrow:
            for line in removed.split("; "):
                top += LINE_HEIGHT
                parts.append(_text((left + 16 + BOX_WIDTH) / 2, top - 4, line, inks.muted, anchor="middle"))
            top += 4
        elif removed:
            parts.append(_arrow(16 + BOX_WIDTH, middle, 16 + BOX_WIDTH + 34, middle, inks.rule))
            parts.append(_text(REMOVED_X, middle + 5, removed, inks.muted))
        top += GAP
    height = top + 6
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'font-family="{FONT}" font-size="{FONT_SIZE}" aria-label="{escape(alt_text(steps))}">'
        + (f"<style>{style}</style>" if style else "")
        + f'<rect width="{width}" height="{height}" fill="{inks.paper}"/>'
    )
    return "".join([head, *parts, "</svg>\n"])


def _size_in(width: float, words: str) -> float:
    """Return the size of the letters with which a text fits a box."""
    return min(FONT_SIZE, round(FONT_SIZE * width / (BOX_LETTER_WIDTH * len(words)), 1))


def _text(
    x: float, y: float, words: str, fill: str, *, anchor: str = "start", size: float = FONT_SIZE
) -> str:
    smaller = "" if size == FONT_SIZE else f' font-size="{size}"'
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}"{smaller} fill="{fill}">{escape(words)}</text>'


def _arrow(x1: float, y1: float, x2: float, y2: float, rule: str) -> str:
    is_horizontal = x2 > x1
    tip = (
        f"{x2},{y2} {x2 - 6},{y2 - 3} {x2 - 6},{y2 + 3}"
        if is_horizontal
        else f"{x2},{y2} {x2 - 3},{y2 - 6} {x2 + 3},{y2 - 6}"
    )
    return (
        f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{rule}"/>'
        f'<polygon points="{tip}" fill="{rule}"/>'
    )


def _count_of(n: int, words: str) -> str:
    return f"{n:,} {words}" if n else ""
