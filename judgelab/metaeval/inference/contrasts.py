"""Judges compared with one another on the same units: values, paired differences, tests, clusters."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from judgelab.metaeval.coefficients.estimates import to_estimate
from judgelab.metaeval.coefficients.levels import measure
from judgelab.metaeval.coefficients.registry import ERRORS
from judgelab.metaeval.coefficients.settings import CoefficientSettings, check_known, settings_for
from judgelab.metaeval.coefficients.system_counts import with_systems_named
from judgelab.metaeval.core.aggregation import MEAN, Aggregation
from judgelab.metaeval.core.arrays import Bools, stable_difference
from judgelab.metaeval.core.pairing import ResampledValue
from judgelab.metaeval.core.resampling import item_draws, percentile_interval
from judgelab.metaeval.core.result import NOT_ASKED, Estimate, printed_difference, undefined
from judgelab.metaeval.core.units import UnitTable, unit_tables
from judgelab.metaeval.inference.comparison_sets import ComparisonSet, coefficient_of, comparison_set
from judgelab.metaeval.inference.contrast_tests import (
    PER_PAIR,
    TESTS,
    ComparedJudge,
    TestOptions,
    pair_tests,
    paired_scores,
    tests_by_resampling,
)
from judgelab.metaeval.inference.multiplicity import CORRECTIONS, LEVEL, rank_clusters, with_correction
from judgelab.metaeval.inference.permutation import Signs
from judgelab.metaeval.inference.significance import Test
from judgelab.scales import Scale
from judgelab.wording import mark, sentence


@dataclass(frozen=True)
class RankedJudge:
    """One judge on the units that all compared judges scored.

    Args:
        estimate: its coefficient there.
        cluster: 1 for the best; judges of one cluster cannot be told apart. None without a value.
        n_own: units it scored, of which `estimate.n` are common to all.
    """

    rater: str
    rater_kind: str
    estimate: Estimate
    cluster: int | None
    n_own: int


@dataclass(frozen=True)
class Contrast:
    """Two judges: how far the first is ahead of the second.

    Args:
        difference: coefficient of the first minus that of the second, with a paired bootstrap interval.
        test: the test of no difference, corrected for the family.
        better: the name of the one ahead if the corrected p-value is below .05, else None.
    """

    first: str
    second: str
    difference: Estimate
    test: Test
    better: str | None


@dataclass(frozen=True)
class Contrasts:
    """All judges of one criterion compared with one another.

    Args:
        n: units that all compared judges and the humans scored.
        lost: units with a human score that not all compared judges scored.
        left_out: judges that cannot be compared, each with the reason.
        family: tests with a p-value, over which they are corrected: of every pair under every criterion.
    """

    criterion: str
    level: str
    coefficient: str
    placed: tuple[RankedJudge, ...]
    contrasts: tuple[Contrast, ...]
    n: int
    lost: int
    left_out: Mapping[str, str]
    family: int = 0

    @property
    def ranked(self) -> list[RankedJudge]:
        """Return the judges by value, best first, those without a value last."""
        sign = 1.0 if self.coefficient in ERRORS else -1.0
        return sorted(
            self.placed, key=lambda row: (row.estimate.value is None, sign * (row.estimate.value or 0.0))
        )

    def between(self, first: str, second: str) -> Contrast | None:
        """Return the contrast of two judges whichever comes first; None where there is none."""
        return next((c for c in self.contrasts if {c.first, c.second} == {first, second}), None)

    def printed_difference(self, contrast: Contrast, digits: int) -> float | None:
        """Return the difference between two judges' values as printed with this many digits."""
        if contrast.difference.value is None:
            return None
        estimates = {row.rater: row.estimate for row in self.placed}
        return printed_difference(estimates[contrast.first], estimates[contrast.second], digits)


def contrasts(
    scores: pd.DataFrame,
    *,
    scales: Mapping[str, Scale],
    raters: Sequence[str] | None = None,
    baseline: str | None = None,
    level: str = "none",
    coefficient: str = "pearson",
    test: str = "permutation",
    correction: str = "holm",
    constant_groups: str = "zero",
    resamples: int = 1000,
    permutations: int = 1000,
    seed: int = 0,
    aggregation: Aggregation = MEAN,
    own_scale: Collection[str] = (),
    drawn_items: Sequence[Any] | pd.Index[Any] | None = None,
) -> list[Contrasts]:
    """Compare judges and metrics on the units that all of them scored; one result per criterion.

    Args:
        scores: the long frame; humans already filtered.
        scales: the scale of each criterion.
        raters: the judges and metrics to compare; all if not given.
        baseline: compare all others with this one only; every pair if not given.
        level: as in `agreement`.
        coefficient: as in `agreement`.
        test: one of `TESTS`. "permutation" takes PERM-BOTH where systems can be swapped, else PERM-INPUTS;
            "williams", "steiger" and "meng" are for pooled Pearson and approximate for Spearman.
        correction: "holm", "bh", "by", "bonferroni" or "none", over all pairs under all criteria in `scores`:
            who looks at several criteria has as many chances as there are pairs in all of them.
        constant_groups: as in `agreement`.
        resamples: resamples of the items for the intervals.
        permutations: of the test; at least 40 for each pair of judges, so that a correction for all pairs
            can still be passed.
        seed: of both.
        aggregation: as in `agreement`.
        own_scale: as in `agreement`.
        drawn_items: as in `unit_tables`.

    Raises:
        InvalidInput: an unknown test or correction, or a baseline that is not compared.
        NotFound: an unknown coefficient.
    """
    check_known(test, TESTS, mark("test"))
    check_known(correction, CORRECTIONS, mark("correction"))
    tables = unit_tables(scores, aggregation, scales=scales, drawn_items=drawn_items)
    recipe = settings_for(
        tables, scales, levels=[level], coefficients=[coefficient], constant_groups=constant_groups,
        resamples=resamples, seed=seed, targets="all",
    )  # fmt: skip
    recipe = replace(recipe, joint=True)
    comparisons = [comparison_set(table, recipe, raters, baseline, own_scale) for table in tables]
    pairs = sum(len(comparison.pairs) for comparison in comparisons)
    how = TestOptions(test, correction, partial(Signs, permutations=permutations, seed=seed)).for_family(
        pairs
    )
    recipe = _with_enough_draws(recipe, tables, pairs, test=test)
    measured = [[_measured(f.table, judge, f.common, recipe) for judge in f.judges] for f in comparisons]
    tests = [
        pair_tests(
            f.table, f.judges, f.common, coefficient_of(f.table, recipe), recipe, f.pairs, values, how=how
        )
        for f, values in zip(comparisons, measured, strict=True)
    ]
    tested = with_correction(
        [test_of_pair for tests_of_criterion in tests for test_of_pair in tests_of_criterion], correction
    )
    family, corrected = sum(each.p is not None for each in tested), iter(tested)
    return [
        _of_field(comparison, values, [next(corrected) for _ in comparison.pairs], recipe, baseline, family)
        for comparison, values in zip(comparisons, measured, strict=True)
    ]


def _with_enough_draws(
    recipe: CoefficientSettings, tables: Sequence[UnitTable], family: int, *, test: str
) -> CoefficientSettings:
    """Return the settings with as many resamples as bootstrap p-values of so large a family need."""
    level, name = recipe.statistics[0].level, recipe.statistics[0].coefficient
    made_of_draws = test == "permutation" and tests_by_resampling(level, name, recipe.constant_groups)
    if not made_of_draws or not recipe.draws.resamples or PER_PAIR * family <= recipe.draws.resamples:
        return recipe
    return replace(recipe, draws=item_draws(tables[0].items, PER_PAIR * family, recipe.draws.seed))


def _of_field(
    comparison: ComparisonSet,
    measured: Sequence[ResampledValue],
    tests: Sequence[Test],
    recipe: CoefficientSettings,
    baseline: str | None,
    family: int,
) -> Contrasts:
    statistic, judges = recipe.statistics[0], comparison.judges
    estimates = [to_estimate(value, statistic, mean=False, recipe=recipe) for value in measured]
    rows = [
        _contrast(judges[i].name, judges[j].name, measured[i], measured[j], tested, recipe)
        for (i, j), tested in zip(comparison.pairs, tests, strict=True)
    ]
    clusters = (
        _clusters(judges, estimates, rows, less_is_better=statistic.coefficient in ERRORS)
        if baseline is None
        else [None] * len(judges)
    )
    placed = tuple(
        RankedJudge(judge.name, judge.kind, estimate, cluster, int(scored.sum()))
        for judge, estimate, cluster, scored in zip(judges, estimates, clusters, comparison.each, strict=True)
    )
    rated = np.isfinite(comparison.table.human_score)
    lost = int((rated & ~comparison.common).sum()) if comparison.each else 0
    return Contrasts(
        comparison.table.criterion,
        statistic.level,
        statistic.coefficient,
        placed,
        tuple(rows),
        int(comparison.common.sum()),
        lost,
        comparison.left_out,
        family,
    )


def _measured(
    table: UnitTable, judge: ComparedJudge, common: Bools, recipe: CoefficientSettings
) -> ResampledValue:
    if not common.any():
        return ResampledValue(math.nan, sentence("no response or pair was scored by all these judges"))
    definition = coefficient_of(table, recipe)
    pairs = paired_scores(table, judge, common, definition, recipe.scales.get(table.criterion))
    measured = measure(
        pairs, definition, level=recipe.statistics[0].level, constant_groups=recipe.constant_groups,
        draws=recipe.draws,
    )  # fmt: skip
    return with_systems_named(measured, table.systems)


def _contrast(
    first: str,
    second: str,
    first_value: ResampledValue,
    second_value: ResampledValue,
    test: Test,
    recipe: CoefficientSettings,
) -> Contrast:
    reason = first_value.reason or second_value.reason
    if reason is not None:
        return Contrast(first, second, undefined(reason, n=first_value.n), test, None)
    value = float(stable_difference(first_value.value, second_value.value))
    estimate = Estimate(
        value,
        n=first_value.n,
        ci_method=NOT_ASKED,
        params=recipe.params(recipe.statistics[0].level),
    )
    if len(first_value.draws):
        interval = percentile_interval(
            stable_difference(first_value.draws, second_value.draws), items=first_value.items
        )
        estimate = replace(estimate, ci=interval.ends, ci_method=interval.method, seed=recipe.draws.seed)
    p = test.adjusted if test.adjusted is not None else test.p
    better = None
    if p is not None and p < LEVEL and value:
        ahead = value < 0 if recipe.statistics[0].coefficient in ERRORS else value > 0
        better = first if ahead else second
    return Contrast(first, second, estimate, test, better)


def _clusters(
    judges: Sequence[ComparedJudge],
    estimates: Sequence[Estimate],
    rows: Sequence[Contrast],
    *,
    less_is_better: bool,
) -> list[int | None]:
    place = {judge.name: number for number, judge in enumerate(judges)}
    beats = np.zeros((len(judges), len(judges)), dtype=bool)
    for row in rows:
        if row.better is not None:
            worse = row.second if row.better == row.first else row.first
            beats[place[row.better], place[worse]] = True
    sign = -1.0 if less_is_better else 1.0
    return rank_clusters([sign * (math.nan if e.value is None else e.value) for e in estimates], beats)
