"""The coefficients of agreement among raters, by name, from long ratings with gaps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from judgelab.errors import NotFound
from judgelab.metaeval.coefficients.alpha import AlphaLevel
from judgelab.metaeval.coefficients.alpha_draws import alpha_over_items
from judgelab.metaeval.coefficients.chance import beyond_chance
from judgelab.metaeval.coefficients.icc import icc, kendall_w
from judgelab.metaeval.coefficients.kappas import pair_kappa
from judgelab.metaeval.coefficients.rater_intervals import mean_draws
from judgelab.metaeval.coefficients.raters import mean_pairwise_r, rater_pairs
from judgelab.metaeval.core.arrays import count_distinct, points_of
from judgelab.metaeval.core.resampling import ItemDraws, percentile_interval
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.metaeval.core.units import UnitTable
from judgelab.scales import Scale, why_no_order
from judgelab.wording import mark


@dataclass(frozen=True)
class InterRaterCoefficient:
    """One coefficient of agreement among raters: its name, title and computation."""

    name: str
    title: str
    compute: Callable[[UnitTable, Scale | None, ItemDraws, str], Estimate]

    def needs_order(self, weights: str) -> bool:
        """Return whether it is undefined for labels without an order, with these weights."""
        if self.name in CHANCE_CORRECTED:
            return weights != "identity"
        return self.name not in ("percent", "alpha_nominal")


CHANCE_CORRECTED = ("cohen", "fleiss", "conger", "gwet", "brennan_prediger")  # which take weights


def _chance(kind: str) -> Callable[[UnitTable, Scale | None, ItemDraws, str], Estimate]:
    def compute(table: UnitTable, scale: Scale | None, draws: ItemDraws, weights: str) -> Estimate:
        points = np.zeros(0) if scale is None else points_of(scale)
        return beyond_chance(table.humans, points, kind=kind, weights=weights, item=table.item, draws=draws)

    return compute


def _cohen(table: UnitTable, scale: Scale | None, draws: ItemDraws, weights: str) -> Estimate:
    points = np.zeros(0) if scale is None else points_of(scale)
    return pair_kappa(table.humans, points, weights=weights, item=table.item, draws=draws)


def _alpha(level: AlphaLevel) -> Callable[[UnitTable, Scale | None, ItemDraws, str], Estimate]:
    def compute(table: UnitTable, scale: Scale | None, draws: ItemDraws, weights: str) -> Estimate:
        return alpha_over_items(table.humans, table.item, draws, level=level)

    return compute


def _icc(form: str, *, mean: bool) -> Callable[[UnitTable, Scale | None, ItemDraws, str], Estimate]:
    def compute(table: UnitTable, scale: Scale | None, draws: ItemDraws, weights: str) -> Estimate:
        return icc(table.humans, form=form, mean=mean, item=table.item, draws=draws)

    return compute


def _w(table: UnitTable, scale: Scale | None, draws: ItemDraws, weights: str) -> Estimate:
    return kendall_w(table.humans, item=table.item, draws=draws)


def _mean_r(table: UnitTable, scale: Scale | None, draws: ItemDraws, weights: str) -> Estimate:
    raters = len(table.human_names)
    estimate = mean_pairwise_r(rater_pairs(table.humans, units=len(table.item), raters=raters))
    if estimate.value is None or not draws.resamples:
        return estimate
    drawn = mean_draws(table.humans, table.item, draws)
    interval = percentile_interval(drawn, items=count_distinct(table.item))
    return replace(estimate, ci=interval.ends, ci_method=interval.method, seed=draws.seed)


INTER_RATER_COEFFICIENTS = {
    coefficient.name: coefficient
    for coefficient in (
        InterRaterCoefficient("percent", mark("Observed agreement"), _chance("percent")),
        InterRaterCoefficient("cohen", mark("Cohen kappa, mean over pairs"), _cohen),
        InterRaterCoefficient("fleiss", mark("Fleiss kappa"), _chance("fleiss")),
        InterRaterCoefficient("conger", mark("Conger kappa"), _chance("conger")),
        InterRaterCoefficient("gwet", mark("Gwet AC1/AC2"), _chance("gwet")),
        InterRaterCoefficient("brennan_prediger", mark("Brennan-Prediger"), _chance("brennan_prediger")),
        InterRaterCoefficient("alpha_nominal", mark("Krippendorff alpha, nominal"), _alpha("nominal")),
        InterRaterCoefficient("alpha_ordinal", mark("Krippendorff alpha, ordinal"), _alpha("ordinal")),
        InterRaterCoefficient("alpha_interval", mark("Krippendorff alpha, interval"), _alpha("interval")),
        InterRaterCoefficient("alpha_ratio", mark("Krippendorff alpha, ratio"), _alpha("ratio")),
        InterRaterCoefficient("icc_1", mark("ICC(1,1)"), _icc("1", mean=False)),
        InterRaterCoefficient("icc_a", mark("ICC(A,1)"), _icc("A", mean=False)),
        InterRaterCoefficient("icc_c", mark("ICC(C,1)"), _icc("C", mean=False)),
        InterRaterCoefficient("icc_1k", mark("ICC(1,k)"), _icc("1", mean=True)),
        InterRaterCoefficient("icc_ak", mark("ICC(A,k)"), _icc("A", mean=True)),
        InterRaterCoefficient("icc_ck", mark("ICC(C,k)"), _icc("C", mean=True)),
        InterRaterCoefficient("kendall_w", mark("Kendall W"), _w),
        InterRaterCoefficient("mean_r", mark("Mean pairwise Pearson r"), _mean_r),
    )
}


def suited_coefficients(scale: Scale | None) -> tuple[str, ...]:
    """Return the coefficients that suit a scale: alpha at its level first, kappas and AC where it has points.

    Labels and two answers have no intraclass correlation and no ranks.
    """
    points = 0 if scale is None else len(scale.points())
    alpha = "alpha_interval" if scale is None else f"alpha_{scale.level}"
    kappas = ("cohen", "fleiss", "gwet") if points else ()
    if scale is not None and (not scale.ordered or points == 2):
        return (alpha, *kappas, "percent")
    return (alpha, *kappas, "icc_a", "icc_ak", "kendall_w", "mean_r")


def between_raters(
    table: UnitTable,
    scale: Scale | None,
    *,
    coefficients: Sequence[str] = tuple(INTER_RATER_COEFFICIENTS),
    weights: str = "identity",
    resamples: int = 1000,
    seed: int = 0,
) -> dict[str, Estimate]:
    """Return the coefficients of agreement among the human raters of one criterion, by name.

    Args:
        table: the units of one criterion (`units.unit_tables`).
        scale: its scale; those that count points are undefined without points, and those that need an order
            without one.
        coefficients: keys of `INTER_RATER_COEFFICIENTS`.
        weights: "identity", "linear" or "quadratic"; for Cohen, Fleiss, Conger, Gwet and Brennan-Prediger.
        resamples: resamples of the items for the intervals; 0 for none.
        seed: seed of the resampling.

    Raises:
        NotFound: an unknown name.
    """
    unknown = [name for name in coefficients if name not in INTER_RATER_COEFFICIENTS]
    if unknown:
        meant = "cohen" if unknown[0] == "kappa" else ""
        raise NotFound(mark("coefficient"), unknown[0], INTER_RATER_COEFFICIENTS, meant)
    draws = ItemDraws(table.items, resamples, seed)
    ordered = scale is None or scale.ordered
    return {
        name: INTER_RATER_COEFFICIENTS[name].compute(table, scale, draws, weights)
        if ordered or not INTER_RATER_COEFFICIENTS[name].needs_order(weights)
        else undefined(why_no_order(table.criterion), n=len(table.item))
        for name in coefficients
    }
