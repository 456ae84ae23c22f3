"""Sentences of the methods about how scores enter the coefficients."""

from __future__ import annotations

from judgelab.analysis.data.filter_info import aggregate_name
from judgelab.metaeval.coefficients.registry import rounds_to_points
from judgelab.reporting.facts import ReportFacts
from judgelab.reporting.terms import coefficient_name, count_words, join_names
from judgelab.scales import unordered


def labels_sentence(facts: ReportFacts) -> str:
    """Return how labels without an order are treated, if there are any."""
    keys = unordered(facts.scores.project.scales)
    labels = [criterion.label for criterion in facts.scores.project.criteria if criterion.key in keys]
    if not labels:
        return ""
    order = f"The labels of {join_names(labels)} have no order"
    method = facts.scores.aggregation.method
    majority = (
        ""
        if facts.scores.aggregation.by_model or method == "majority"
        else f"their majority takes the place of the {aggregate_name(facts.scores.aggregation)} everywhere, "
    )
    return f"{order}: {majority}ties are left out, and coefficients that need an order are undefined. "


def decisions_sentence(facts: ReportFacts) -> str:
    """Return how many scores an adjudicator decided instead of the ratings; empty if decisions are unused."""
    count = facts.scores.n_decided
    if count is None:
        return ""
    decided = f"{count_words(count, 'score')} {'was' if count == 1 else 'were'} decided by an adjudicator"
    return f"{decided}; the decision replaces the ratings. "


def rounding_sentence(facts: ReportFacts) -> str:
    """Return how a mean or other score between two points is rounded, for coefficients that need points."""
    point_coefficients = [
        name
        for name in facts.recipe.coefficients
        if any(rounds_to_points(name, scale) for scale in facts.scores.project.scales.values())
    ]
    if not point_coefficients:
        return ""
    names = join_names([*map(coefficient_name, point_coefficients)])
    between = "mean" if facts.scores.aggregation.method == "mean" else "score"
    return f" For {names}, a {between} between two points is rounded to the nearest point, halves up."
