"""The rater flow chart: who had a place, who rated, whom the rule removed, as a drawing."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import ceil
from typing import NamedTuple

from judgelab.report.facts import Facts

WIDTH, BOX, HEIGHT, GAP, INDENT = 640, 280, 42, 22, 28  # of the chart where its words need no more
ASIDE = 16 + BOX + 42  # where the words stand that say what left
LETTER = 7.4  # of 14 pixels, a wide one on average
FONT = "IBM Plex Sans, Helvetica, Arial, sans-serif"


class Inks(NamedTuple):
    """The colours of the chart: words, what left, lines, ground."""

    ink: str
    muted: str
    rule: str
    paper: str


PRINT = Inks("#1A2225", "#566266", "#868F8E", "#FFFFFF")


class FlowStep(NamedTuple):
    """Who is left, what left here, and whether it is one of several branches of the step before."""

    kept: str
    gone: str = ""
    branch: bool = False


def flow_steps(facts: Facts) -> list[FlowStep]:
    """Return each step with what left at it; the criteria are branches of one step."""
    flow, outcome = facts.flow, facts.scores.outcome
    without_ratings = flow.places - flow.rated
    # A file has raters; whether each is one person it does not say.
    places, rated = (
        ("raters took part", "raters gave ratings")
        if flow.imported
        else ("people had a place as raters", "people rated")
    )
    steps = [FlowStep(f"{flow.places} {places}", _said(without_ratings, "gave no rating"))]
    if flow.trained is not None:
        steps.append(FlowStep(f"{flow.trained} passed the training round"))
    steps.append(FlowStep(f"{flow.rated} {rated}"))
    branches = len(facts.scores.project.criteria) > 1
    for criterion in facts.scores.project.criteria:
        removed = flow.removed.get(criterion.key, {})
        kept_count = flow.kept.get(criterion.key, 0)
        steps.append(
            FlowStep(
                f"{criterion.label}: {kept_count} kept", _said(len(removed), "removed by the rule"), branches
            )
        )
    if outcome is not None:
        answers = outcome.losses.answers
        total = sum(answers.values())
        reasons = [
            _said(answers["by_raters"] + answers["too_few"], "with too few ratings left"),
            _said(answers["conflict"], "with conflicting ratings"),
        ]
        steps.append(
            FlowStep(
                f"{answers['kept']:,} of {total:,} rated units kept",
                "; ".join(part for part in reasons if part),
            )
        )
    return steps


def width_of(steps: Sequence[FlowStep]) -> int:
    """Return how many pixels wide the chart is: its longest words fit."""
    return max(WIDTH, *(ceil(ASIDE + LETTER * len(step.gone) + 12) for step in steps))


def words_of(steps: Sequence[FlowStep]) -> str:
    """Return the chart in words, for who cannot see it."""
    return "; ".join(f"{step.kept} ({step.gone})" if step.gone else step.kept for step in steps)


def flow_svg(steps: Sequence[FlowStep], inks: Inks = PRINT) -> str:
    """Return the chart as SVG in colours of print or a theme: boxes from the top, what left beside them."""
    height = len(steps) * (HEIGHT + GAP) + 12
    width = width_of(steps)
    description = words_of(steps)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'font-family="{FONT}" font-size="14" aria-label="{escape(description)}">',
        f'<rect width="{width}" height="{height}" fill="{inks.paper}"/>',
    ]
    for index, (kept, gone, branch) in enumerate(steps):
        top = 6 + index * (HEIGHT + GAP)
        middle = top + HEIGHT / 2
        left = 16 + (INDENT if branch else 0)
        if index and not (branch and steps[index - 1].branch):
            parts.append(_arrow(16 + BOX / 2, top - GAP, 16 + BOX / 2, top, inks.rule))
        parts.append(
            f'<rect x="{left}" y="{top}" width="{16 + BOX - left}" height="{HEIGHT}" rx="4" '
            f'fill="none" stroke="{inks.rule}"/>'
            f'<text x="{(left + 16 + BOX) / 2}" y="{middle + 5}" text-anchor="middle" fill="{inks.ink}">'
            f"{escape(kept)}</text>"
        )
        if gone:
            parts.append(_arrow(16 + BOX, middle, 16 + BOX + 34, middle, inks.rule))
            parts.append(f'<text x="{ASIDE}" y="{middle + 5}" fill="{inks.muted}">{escape(gone)}</text>')
    return "".join([*parts, "</svg>\n"])


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


def _said(n: int, words: str) -> str:
    return f"{n:,} {words}" if n else ""
