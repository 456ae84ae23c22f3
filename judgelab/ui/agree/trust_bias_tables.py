"""Tables of *Trust* on a judge's biases: each compared with the raters', with the difference."""

from __future__ import annotations

import pandas as pd

from judgelab.analysis.trust.criterion_trust import CriterionTrust
from judgelab.analysis.trust.measured_trust import JudgeTrust
from judgelab.languages import _
from judgelab.metaeval.core.result import printed_difference
from judgelab.metaeval.judges.biases import BiasEstimate
from judgelab.ui.agree.trust_tables import difference_cell, estimate_cell, rows_by_criterion
from judgelab.ui.kit import text


def scale_use_table(trust: JudgeTrust) -> pd.DataFrame:
    """Return the mean and spread of the judge's scores compared with the raters'."""
    return rows_by_criterion(
        trust,
        lambda criterion: {
            _("Judge, mean"): estimate_cell(criterion.leniency.own),
            _("Raters’ mean"): estimate_cell(criterion.leniency.raters),
            _("Judge − raters"): _scale_use_difference(criterion.leniency),
            "p": text.p_value(criterion.leniency.test.adjusted),
            _("Judge, SD"): estimate_cell(criterion.spread.own),
            _("One rater, SD"): estimate_cell(criterion.spread.raters),
            _("Judge − one rater"): _scale_use_difference(criterion.spread),
            _("p, SD"): text.p_value(criterion.spread.test.adjusted),
            "n": text.count(criterion.leniency.own.n),
        },
    )


def scale_points_table(trust: JudgeTrust) -> pd.DataFrame:
    """Return how the judge and the raters use the scale, two rows per criterion.

    What needs an order of the scale is left out if no criterion has one.
    """
    rows = []
    unordered = all(criterion.no_order for criterion in trust.criteria.values())
    modal = _("Modal label") if unordered else _("Modal score")
    for criterion in trust.criteria.values():
        for name, use in ((trust.judge, criterion.use), (_("the raters"), criterion.human_use)):
            rows.append(
                {
                    _("Criterion"): criterion.label if name == trust.judge else "",
                    _("Who"): name,
                    "n": text.count(use.mean.n),
                    _("Mean"): text.number(use.mean.value),
                    _("SD"): text.number(use.spread.value),
                    _("Points used"): f"{use.levels} / {use.points}"
                    if use.points
                    else text.count(use.levels),
                    modal: text.MISSING if use.modal is None else use.modal_label or f"{use.modal:g}",
                    _("its share"): estimate_cell(use.modal_share),
                    _("At the ends"): estimate_cell(use.ends),
                }
            )
    frame = pd.DataFrame(rows)
    if unordered:
        return frame.drop(columns=[_("Mean"), _("SD"), _("At the ends")], errors="ignore")
    return frame


def length_table(trust: JudgeTrust) -> pd.DataFrame:
    """Return how the judge's scores depend on the length of a response."""
    return rows_by_criterion(
        trust,
        lambda criterion: {
            _("Judge, points per SD"): estimate_cell(criterion.verbosity.own, sign=True),
            _("Raters, points per SD"): estimate_cell(criterion.verbosity.raters, sign=True),
            _("Judge − raters"): _slope_difference(criterion),
            "p": text.p_value(criterion.verbosity.test.adjusted),
            _("Partial ρ, judge and length"): estimate_cell(criterion.verbosity.partial),
            _("ρ, raters and length"): estimate_cell(criterion.verbosity.human),
        },
    )


def family_table(trust: JudgeTrust) -> pd.DataFrame:
    """Return the judge's offset on responses of systems of its own family."""
    rows = [
        {
            _("Criterion"): criterion.label,
            _("Systems"): ", ".join(criterion.family.systems),
            _("Offset on its own"): estimate_cell(criterion.family.own, sign=True),
            _("Offset on others"): estimate_cell(criterion.family.others, sign=True),
            _("Difference"): estimate_cell(criterion.family.difference, sign=True),
            _("Judge, lead of its own"): estimate_cell(criterion.family.favour.own, sign=True),
            _("Raters, lead of its own"): estimate_cell(criterion.family.favour.raters, sign=True),
            "p": text.p_value(criterion.family.favour.test.adjusted),
        }
        for criterion in trust.criteria.values()
        if criterion.family is not None
    ]
    return pd.DataFrame(rows)


def _scale_use_difference(bias: BiasEstimate) -> str:
    return difference_cell(printed_difference(bias.own, bias.raters, 2), bias.difference)


def _slope_difference(criterion: CriterionTrust) -> str:
    verbosity = criterion.verbosity
    return difference_cell(printed_difference(verbosity.own, verbosity.raters, 2), verbosity.slope)
