"""The tables of the trust page on a judge's habits: each beside the raters' own, with the difference."""

from __future__ import annotations

import pandas as pd

from judgelab.analysis.trust.criterion_trust import CriterionTrust
from judgelab.analysis.trust.judge_trust import Trust
from judgelab.languages import _
from judgelab.metaeval.core.result import printed_difference
from judgelab.metaeval.judges.biases import BiasEstimate
from judgelab.ui.agree.trust_tables import difference_cell, estimate_cell, rows_by_criterion
from judgelab.ui.kit import text


def scale_use_table(found: Trust) -> pd.DataFrame:
    """Return how high it scores and how much of the scale it uses, beside the raters, as it is written."""
    return rows_by_criterion(
        found,
        lambda one: {
            _("Judge, mean"): estimate_cell(one.leniency.own),
            _("Raters, mean"): estimate_cell(one.leniency.raters),
            _("Judge − raters"): _scale_use_difference(one.leniency),
            "p": text.p_value(one.leniency.test.adjusted),
            _("Judge, sd"): estimate_cell(one.spread.own),
            _("A rater, sd"): estimate_cell(one.spread.raters),
            _("Judge − a rater"): _scale_use_difference(one.spread),
            _("p, sd"): text.p_value(one.spread.test.adjusted),
        },
    )


def length_table(found: Trust) -> pd.DataFrame:
    """Return how its scores depend on length, as it is written."""
    return rows_by_criterion(
        found,
        lambda one: {
            _("Judge, points for one sd of length"): estimate_cell(one.verbosity.own, sign=True),
            _("Raters, the same"): estimate_cell(one.verbosity.raters, sign=True),
            _("Judge − raters"): _slope_difference(one),
            "p": text.p_value(one.verbosity.test.adjusted),
            _("Judge and length, raters held fixed"): estimate_cell(one.verbosity.partial),
            _("Raters and length"): estimate_cell(one.verbosity.human),
        },
    )


def family_table(found: Trust) -> pd.DataFrame:
    """Return its offset on responses of its own family, as it is written."""
    rows = [
        {
            _("Criterion"): criterion.label,
            _("Systems"): ", ".join(criterion.family.systems),
            _("Offset on its own"): estimate_cell(criterion.family.own, sign=True),
            _("Offset on others"): estimate_cell(criterion.family.others, sign=True),
            _("Difference"): estimate_cell(criterion.family.difference, sign=True),
            _("Judge, lead of its own"): estimate_cell(criterion.family.favour.own, sign=True),
            _("Raters, the same"): estimate_cell(criterion.family.favour.raters, sign=True),
            "p": text.p_value(criterion.family.favour.test.adjusted),
        }
        for criterion in found.criteria.values()
        if criterion.family is not None
    ]
    return pd.DataFrame(rows)


def _scale_use_difference(habit: BiasEstimate) -> str:
    return difference_cell(printed_difference(habit.own, habit.raters, 2), habit.difference)


def _slope_difference(one: CriterionTrust) -> str:
    habit = one.verbosity
    return difference_cell(printed_difference(habit.own, habit.raters, 2), habit.slope)
