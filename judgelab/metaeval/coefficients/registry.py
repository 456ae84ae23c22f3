"""The coefficients by name, with their requirements and their two ways of computation."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from judgelab.errors import NotFound
from judgelab.metaeval.coefficients import alpha, ordinal_association, rowwise, weighted
from judgelab.metaeval.coefficients.weighted import Formula, Prepare
from judgelab.metaeval.core.arrays import Floats, points_of, rounded, to_points
from judgelab.metaeval.core.pairing import SYSTEM_LEVELS
from judgelab.scales import Scale, why_no_order
from judgelab.wording import mark, sentence


@dataclass(frozen=True)
class Coefficient:
    """One coefficient of agreement.

    Args:
        name: the name on the command line.
        title: the name on pages and in reports.
        rows: computes many groups of equal size at once.
        resampled: computes many resamples of one group at once.
        needs: what the scores must be: "order" (any numbers), "scale" (numbers on the human scale), or
            "points" (scores of the scale; means are rounded half up to them).
        of_labels: whether it only asks whether scores are equal, so that they need no order.
        of_variation: whether it is undefined for a group in which the humans do not differ.
    """

    name: str
    title: str
    rows: Formula
    resampled: Prepare
    needs: str
    of_variation: bool
    of_labels: bool = False

    @property
    def least(self) -> int:
        """Return the smallest number of units it needs."""
        return 1 if self.name in ("exact", "mae") else 2

    def is_share(self, level: str) -> bool:
        """Return whether it is a mean over items of values within 0 and 1."""
        return level in {"exact": ("none", "item", "sys", "group"), "acc_eq": ("item",)}.get(self.name, ())


COEFFICIENTS = {
    c.name: c
    for c in (
        Coefficient("pearson", "Pearson r", rowwise.pearson, weighted.pearson, "order", True),
        Coefficient("spearman", "Spearman rho", rowwise.spearman, weighted.spearman, "order", True),
        Coefficient("kendall", "Kendall tau-b", rowwise.kendall, weighted.kendall, "order", True),
        Coefficient("qwk", "Quadratic-weighted kappa", rowwise.qwk, weighted.qwk, "points", True),
        Coefficient("kappa", "Cohen kappa", rowwise.kappa, weighted.kappa, "points", True, True),
        Coefficient(
            "alpha", "Krippendorff alpha", alpha.interval_rows, alpha.interval_weighted, "alpha", True
        ),
        Coefficient(
            "exact", "Exact agreement", rowwise.exact, weighted.weighted_mean(np.equal), "points", False, True
        ),
        Coefficient(
            "mae",
            "Mean absolute error",
            rowwise.mae,
            weighted.weighted_mean(lambda x, y: np.abs(x - y)),
            "scale",
            False,
        ),
        Coefficient("acc_eq", "Pairwise accuracy with ties", rowwise.acc_eq, weighted.acc_eq, "order", False),
        Coefficient(
            "somers",
            "Somers D",
            ordinal_association.somers,
            ordinal_association.resampled_somers,
            "order",
            True,
        ),
        Coefficient(
            "tau_c",
            "Kendall tau-c",
            ordinal_association.tau_c,
            ordinal_association.resampled_tau_c,
            "order",
            True,
        ),
        Coefficient(
            "weighted_tau",
            "Top-weighted tau",
            ordinal_association.weighted_tau,
            ordinal_association.resampled_weighted_tau,
            "order",
            True,
        ),
        Coefficient("ccc", "Lin concordance", ordinal_association.ccc, weighted.qwk, "scale", True),
        Coefficient(
            "kappa_linear",
            "Linear-weighted kappa",
            ordinal_association.kappa_linear,
            ordinal_association.resampled_kappa_linear,
            "points",
            True,
        ),
    )
}
ERRORS = ("mae",)  # less is better
ALPHA_ROWS = {"nominal": alpha.nominal_rows, "ordinal": alpha.ordinal_rows, "interval": alpha.interval_rows}
ALPHA_WEIGHTED = {
    "nominal": alpha.nominal_weighted,
    "ordinal": alpha.ordinal_weighted,
    "interval": alpha.interval_weighted,
}


def rounds_to_points(name: str, scale: Scale) -> bool:
    """Return whether a coefficient needs points, so that a mean between two is rounded, halves up."""
    return coefficient(name, scale=scale).needs == "points" and bool(scale.points()) and scale.ordered


def coefficient(name: str, *, scale: Scale | None = None) -> Coefficient:
    """Return the coefficient of that name; alpha takes its level from the scale. Raises `NotFound`."""
    if name not in COEFFICIENTS:
        raise NotFound(mark("coefficient"), name, COEFFICIENTS, "kappa" if name == "cohen" else "")
    definition = COEFFICIENTS[name]
    if name != "alpha" or scale is None:
        return definition
    return Coefficient(
        name,
        f"Krippendorff alpha ({scale.level})",
        ALPHA_ROWS[scale.level],
        ALPHA_WEIGHTED[scale.level],
        "points" if scale.points() else "scale",
        True,
        scale.level == "nominal",
    )


OUTSIDE_THE_SCALE = mark("{outside} of {scores} scores outside the scale {low} to {high}")
NOT_ON_THE_SCALE = mark("the values are not scores on the scale {low} to {high}")
OWN_SCALE = "own_scale"  # the kind of a judge whose scores are ranks, wins or votes


def scale_kind(name: str, kind: str, own_scale: Collection[str]) -> str:
    """Return the kind that `why_incompatible` takes: `OWN_SCALE` for a judge whose name is in `own_scale`."""
    return OWN_SCALE if kind == "judge" and name in own_scale else kind


def why_incompatible(
    definition: Coefficient, judge: Floats, *, criterion: str, kind: str, scale: Scale | None, level: str
) -> str | None:
    """Return why this rater's scores cannot enter the coefficient, or None if they can.

    A text metric has a scale of its own even where its numbers lie within the human one, so it is compared
    point by point only if all its values are points (exact match on right and wrong). A judge of kind
    `OWN_SCALE`, which ranks or votes, never is.
    """
    if scale is not None and not scale.ordered and not definition.of_labels:
        return why_no_order(criterion)
    if definition.needs == "order":
        return None
    if scale is None:
        return sentence(
            "{coefficient} needs the criterion's scale, which is not known", coefficient=definition.name
        )
    ends = {"low": f"{scale.low:g}", "high": f"{scale.high:g}"}
    if definition.needs == "points" and level in SYSTEM_LEVELS:
        return sentence(
            "{coefficient} compares single scores; system means are not points of the scale",
            coefficient=definition.name,
        )
    if definition.needs == "points" and not scale.points():
        return sentence(
            "{coefficient} needs a scale with points, and the scale {low} to {high} has none",
            coefficient=definition.name,
            **ends,
        )
    if kind == OWN_SCALE:
        return sentence(
            "this judge's scores are wins, ranks or votes, not scores on the scale {low} to {high}", **ends
        )
    outside = int(((judge < scale.low) | (judge > scale.high)).sum())
    if outside and kind == "metric":  # some of its values may lie within the scale by chance
        return sentence(NOT_ON_THE_SCALE, **ends)
    if outside:
        return sentence(OUTSIDE_THE_SCALE, outside=outside, scores=len(judge), **ends)
    if not scale.ordered and (off := int((~np.isin(rounded(judge), points_of(scale))).sum())):
        return sentence("{off} of {scores} scores are not labels of the scale", off=off, scores=len(judge))
    if kind == "metric" and not _metric_fits(definition, judge, scale):
        return sentence(NOT_ON_THE_SCALE, **ends)
    return None


def _metric_fits(definition: Coefficient, values: Floats, scale: Scale) -> bool:
    points = points_of(scale)
    if len(points) and bool(np.isin(values, points).all()):
        # Right or wrong is not the two lowest of several points, nor the first of two labels.
        return (len(points) == 2 and scale.ordered) or not bool(np.isin(values, (0, 1)).all())
    # A share of words right (token F1) has the same zero and one as a share of raters who said "right".
    return definition.needs == "scale" and scale.mean_is_share


def prepare_scores(definition: Coefficient, scores: Floats, scale: Scale | None) -> Floats:
    """Return the scores as the coefficient takes them: with exact ties, or rounded half up to points."""
    exact_scores = rounded(scores)
    if definition.needs == "points" and scale is not None:
        return to_points(exact_scores, points_of(scale))
    return exact_scores
