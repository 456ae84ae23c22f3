"""The tables of the trust page on a judge's habits: each beside the raters' own, with the difference."""

from __future__ import annotations

import pandas as pd

from judgelab.analysis.trust.criterion_trust import CriterionTrust
from judgelab.analysis.trust.judge_trust import Trust
from judgelab.languages import _
from judgelab.metaeval.core.result import printed_difference
from judgelab.metaeval.judges.biases import BiasEstimate
from judgelab.ui.agree.trust_tables import apart, rows_of, written
from judgelab.ui.kit import text


def habits(found: Trust) -> pd.DataFrame:
    """Return how high it scores and how much of the scale it uses, beside the raters, as it is written."""
    return rows_of(
        found,
        lambda one: {
            _("Judge, mean"): written(one.leniency.own),
            _("Raters, mean"): written(one.leniency.raters),
            _("Judge − raters"): _habits_apart(one.leniency),
            "p": text.p_value(one.leniency.test.adjusted),
            _("Judge, sd"): written(one.spread.own),
            _("A rater, sd"): written(one.spread.raters),
            _("Judge − a rater"): _habits_apart(one.spread),
            _("p, sd"): text.p_value(one.spread.test.adjusted),
        },
    )


def length(found: Trust) -> pd.DataFrame:
    """Return how its scores depend on length, as it is written."""
    return rows_of(
        found,
        lambda one: {
            _("Judge, points for one sd of length"): written(one.verbosity.own, sign=True),
            _("Raters, the same"): written(one.verbosity.raters, sign=True),
            _("Judge − raters"): _slopes_apart(one),
            "p": text.p_value(one.verbosity.test.adjusted),
            _("Judge and length, raters held fixed"): written(one.verbosity.partial),
            _("Raters and length"): written(one.verbosity.human),
        },
    )


def family(found: Trust) -> pd.DataFrame:
    """Return its offset on responses of its own family, as it is written."""
    rows = [
        {
            _("Criterion"): one.label,
            _("Systems"): ", ".join(one.family.systems),
            _("Offset on its own"): written(one.family.own, sign=True),
            _("Offset on others"): written(one.family.others, sign=True),
            _("Difference"): written(one.family.difference, sign=True),
            _("Judge, lead of its own"): written(one.family.favour.own, sign=True),
            _("Raters, the same"): written(one.family.favour.raters, sign=True),
            "p": text.p_value(one.family.favour.test.adjusted),
        }
        for one in found.criteria.values()
        if one.family is not None
    ]
    return pd.DataFrame(rows)


def _habits_apart(habit: BiasEstimate) -> str:
    return apart(printed_difference(habit.own, habit.raters, 2), habit.difference)


def _slopes_apart(one: CriterionTrust) -> str:
    habit = one.verbosity
    return apart(printed_difference(habit.own, habit.raters, 2), habit.slope)
