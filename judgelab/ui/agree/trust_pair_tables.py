"""Tables of *Trust* on pairs of responses: the order of the two, their length, and ties by scores."""

from __future__ import annotations

import pandas as pd

from judgelab.analysis.trust.measured_trust import JudgeTrust
from judgelab.analysis.trust.pair_statements import is_significant
from judgelab.languages import _
from judgelab.metaeval.core.result import printed_difference
from judgelab.ui.agree.trust_tables import estimate_cell, points_cell, share_cell
from judgelab.ui.kit import text


def order_table(trust: JudgeTrust) -> pd.DataFrame:
    """Return how the order of the two responses changes the judge's choices, where it is known."""
    rows = [
        {
            _("Criterion"): criterion.label,
            _("First response preferred"): share_cell(criterion.of_pairs.order.first_rate),
            _("Choices with a winner"): text.count(criterion.of_pairs.order.first_rate.n),
            "p": text.p_value(criterion.of_pairs.order.first_test.adjusted),
            _("Prefers one position"): _("yes")
            if is_significant(criterion.of_pairs.order.first_test)
            else _("no"),
            _("Exact agreement, raters' choice first"): share_cell(criterion.of_pairs.order.winner_first),
            _("Exact agreement, raters' choice second"): share_cell(criterion.of_pairs.order.winner_second),
            _("Same choice in both orders"): share_cell(criterion.of_pairs.order.consistency),
            _("Pairs"): text.count(criterion.of_pairs.order.consistency.n),
        }
        for criterion in trust.criteria.values()
        if criterion.of_pairs is not None and criterion.of_pairs.order is not None
    ]
    return pd.DataFrame(rows)


def longer_table(trust: JudgeTrust) -> pd.DataFrame:
    """Return how often judge and raters choose the longer of two responses."""
    rows = []
    for criterion in trust.criteria.values():
        longer = None if criterion.of_pairs is None else criterion.of_pairs.longer
        if longer is not None and longer.own.value is not None:
            rows.append(
                {
                    _("Criterion"): criterion.label,
                    _("Judge, longer chosen"): share_cell(longer.own),
                    _("Raters, longer chosen"): share_cell(longer.raters),
                    _("Judge − raters"): points_cell(
                        printed_difference(longer.own, longer.raters, 2), longer.difference
                    ),
                    "p": text.p_value(longer.test.adjusted),
                    _("Pairs"): text.count(longer.own.n),
                }
            )
    return pd.DataFrame(rows)


def ties_table(trust: JudgeTrust) -> pd.DataFrame:
    """Return how often the judge orders or ties two answers to a question as the raters do."""
    rows = [
        {
            _("Criterion"): criterion.label,
            _("Pairs ordered as by raters"): estimate_cell(criterion.ties.uncalibrated),
            _("If all were tied"): estimate_cell(criterion.ties.all_ties),
            _("Best tie threshold"): _tie_distance(criterion.ties.epsilon),
            _("Pairs after tying"): estimate_cell(criterion.ties.accuracy),
            _("On held-out items"): estimate_cell(criterion.ties.held_out),
            _("Items"): text.count(criterion.ties.accuracy.n),
        }
        for criterion in trust.criteria.values()
        if criterion.ties is not None and criterion.ties.accuracy.value is not None
    ]
    return pd.DataFrame(rows)


def _tie_distance(distance: float) -> str:
    return _("up to {distance} apart", distance=f"{distance:.3g}") if distance else _("equal scores")
