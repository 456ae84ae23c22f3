"""Effect of a filter on agreement among raters, on the order of systems and on judges' agreement."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from judgelab.analysis.filters.filter_estimates import ALPHA, KAPPA, RANKING, FilterEffect, R
from judgelab.analysis.filters.filter_preview import filter_for_criterion
from judgelab.annotation.filters.apply_filter import FilterPolicy, apply_filter
from judgelab.annotation.filters.criterion_filter import one_score_each
from judgelab.annotation.filters.intervals import RESAMPLES
from judgelab.annotation.filters.rater_controls import ControlResults
from judgelab.metaeval.coefficients.alpha import krippendorff_alpha
from judgelab.metaeval.coefficients.alpha_draws import alpha_draws
from judgelab.metaeval.coefficients.estimates import compare_mean
from judgelab.metaeval.coefficients.rater_intervals import mean_draws
from judgelab.metaeval.coefficients.rater_kappas import kappa_pairs, mean_pairwise_kappa
from judgelab.metaeval.coefficients.raters import mean_pairwise_r, rater_pairs
from judgelab.metaeval.coefficients.registry import scale_kind
from judgelab.metaeval.coefficients.settings import CoefficientSettings, StatisticKey
from judgelab.metaeval.core.aggregation import aggregation_of_labels
from judgelab.metaeval.core.arrays import Bools, Floats
from judgelab.metaeval.core.pairing import ResampledValue
from judgelab.metaeval.core.resampling import ItemDraws, percentile_interval
from judgelab.metaeval.core.result import NO_VALUE, Estimate
from judgelab.metaeval.core.targets import all_raters_target
from judgelab.metaeval.core.units import UnitTable, unit_tables
from judgelab.metaeval.judges.ranking import (
    Swap,
    SystemScores,
    item_centres,
    rank_agreement,
    swaps,
    system_scores,
)
from judgelab.scales import Scale, unordered, why_no_order


@dataclass(frozen=True)
class EffectSettings:
    """What is measured under every filter, and how.

    Args:
        criterion: key of the criterion.
        level: level of judges' agreement.
        coefficient: coefficient of judges' agreement.
        resamples: number of resamples of items, the same under every filter.
        seed: seed of the resamples.
    """

    criterion: str
    level: str
    coefficient: str
    resamples: int = RESAMPLES
    seed: int = 0


@dataclass(frozen=True)
class _Measures:
    people: Mapping[str, ResampledValue]
    judges: Mapping[str, ResampledValue]
    system_scores: SystemScores


@dataclass(frozen=True)
class _Removal:
    """What a filter removes, for thresholds above `low` and up to `high`."""

    low: float
    high: float
    removed_raters: tuple[str, ...]
    kept: Bools
    by_kept_raters: Bools
    stopped: str | None


@dataclass
class EffectEstimator:
    """Measures filters on one project's ratings under one criterion; equal outcomes are measured once.

    Args:
        humans: ratings by people, under all criteria.
        other_scores: scores of judges and metrics under the criterion.
        scales: scale by criterion.
        settings: what is measured.
        controls: results of degraded copies and repeats, by rater.
        own_scale: judges whose scores (wins, ranks, votes) are not on the criterion's scale.
        drawn_items: as in `unit_tables`.
    """

    humans: pd.DataFrame
    other_scores: pd.DataFrame
    scales: Mapping[str, Scale]
    settings: EffectSettings
    controls: ControlResults | None = None
    own_scale: frozenset[str] = frozenset()
    drawn_items: pd.Index[Any] | None = None
    kinds: dict[str, str] = field(init=False)
    _criterion_ratings: pd.DataFrame = field(init=False)
    _base: UnitTable = field(init=False)
    _recipe: CoefficientSettings = field(init=False)
    _measured_by_key: dict[tuple[bytes, str], _Measures] = field(init=False, default_factory=dict)
    _removals: dict[FilterPolicy, list[_Removal]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        settings = self.settings
        self.humans = one_score_each(self.humans, FilterPolicy(), unordered=unordered(self.scales))
        self._criterion_ratings = self.humans[self.humans["criterion"] == settings.criterion]
        frame = pd.concat([self._criterion_ratings, self.other_scores], ignore_index=True)
        (self._base,) = unit_tables(frame, scales=self.scales, drawn_items=self.drawn_items)
        self.kinds = {judge.name: judge.kind for judge in self._base.compared}
        draws = ItemDraws(self._base.items, settings.resamples, settings.seed)
        statistics = [StatisticKey(settings.level, settings.coefficient)]
        self._recipe = CoefficientSettings(self.scales, statistics, "zero", draws, joint=True, targets="all")

    def measure(
        self, policy: FilterPolicy | None, *, aggregate_as: FilterPolicy | None = None
    ) -> FilterEffect:
        """Return the estimates under a filter; None for all ratings, aggregated as in `aggregate_as`."""
        aggregated_as = policy or aggregate_as or FilterPolicy()
        everything = np.ones(len(self._criterion_ratings), dtype=bool)
        if policy is None:
            removal = _Removal(-math.inf, math.inf, (), everything, everything, None)
        else:
            removal = self._removal(policy)
        all_ratings = self._measured(everything, aggregated_as)
        filtered = self._measured(removal.kept, aggregated_as)
        raters_only = self._measured(removal.by_kept_raters, aggregated_as)
        before, after = ({**measured.people, **measured.judges} for measured in (all_ratings, filtered))
        ranking, swapped = self._ranking(all_ratings, filtered)
        return FilterEffect(
            policy=policy,
            removed_raters=removal.removed_raters,
            raters=int(self._criterion_ratings.loc[removal.kept, "rater"].nunique()),
            responses=int(self._criterion_ratings.loc[removal.kept, "response"].nunique()),
            ratings=int(removal.kept.sum()),
            people={
                **{name: self._estimate(measured) for name, measured in filtered.people.items()},
                RANKING: self._estimate(ranking),
            },
            judges={name: self._estimate(measured) for name, measured in filtered.judges.items()},
            on_all_responses={
                name: self._estimate(measured) for name, measured in raters_only.judges.items()
            },
            change={
                name: self._estimate(_difference(measured, before[name])) for name, measured in after.items()
            },
            swaps=swapped,
            stopped=removal.stopped,
        )

    def _ranking(self, before: _Measures, after: _Measures) -> tuple[ResampledValue, tuple[Swap, ...]]:
        """Return the agreement of the systems' orders and the swaps; labels without order give no order."""
        if self._no_order is not None:
            return self._no_order, ()
        ranking = rank_agreement(before.system_scores, after.system_scores, items=self._base.items)
        return ranking, tuple(swaps(before.system_scores, after.system_scores, self._base.systems))

    @property
    def _no_order(self) -> ResampledValue | None:
        """The undefined value of what needs an order; None if the criterion's scale has one."""
        criterion = self.settings.criterion
        scale = self.scales.get(criterion)
        return None if scale is None or scale.ordered else ResampledValue(math.nan, why_no_order(criterion))

    def deciding_ratings(self, policy: FilterPolicy) -> pd.DataFrame:
        """Return the ratings from which the filter decides which raters to remove under the criterion."""
        return self.humans if policy.criterion == "all" else self._criterion_ratings

    def _removal(self, policy: FilterPolicy) -> _Removal:
        """Apply the filter, once for all thresholds that remove the same raters."""
        removals = self._removals.setdefault(replace(policy, threshold=0.0), [])
        same_removal = next(
            (removal for removal in removals if removal.low < policy.threshold <= removal.high), None
        )
        if same_removal is not None:
            return same_removal
        criterion_policy = filter_for_criterion(policy, self.settings.criterion)
        outcome = apply_filter(
            self.deciding_ratings(policy), criterion_policy, scales=self.scales, controls=self.controls
        )
        removed = (
            verdict
            for verdict in outcome.raters
            if verdict.criterion == self.settings.criterion and not verdict.kept
        )
        names = tuple(
            verdict.rater
            for verdict in sorted(removed, key=lambda verdict: verdict.removed_in_round or math.inf)
        )
        ranges = outcome.threshold_ranges.values()
        removals.append(
            _Removal(
                low=max((range_.low for range_ in ranges), default=-math.inf),
                high=min((range_.high for range_ in ranges), default=math.inf),
                removed_raters=names,
                kept=self._criterion_ratings.index.isin(outcome.kept.index),
                by_kept_raters=~self._criterion_ratings["rater"].isin(names).to_numpy(),
                stopped=outcome.stopped,
            )
        )
        return removals[-1]

    def _measured(self, kept: Bools, policy: FilterPolicy) -> _Measures:
        key = (kept.tobytes(), repr(policy.aggregation))
        if key not in self._measured_by_key:
            aggregation = policy.aggregation
            if self._no_order is not None:
                aggregation = aggregation_of_labels(aggregation)
            table = replace(self._base, aggregation=aggregation)
            self._measured_by_key[key] = self._measure(
                table.kept(kept), table.kept(np.ones(len(kept), dtype=bool))
            )
        return self._measured_by_key[key]

    def _measure(self, table: UnitTable, base: UnitTable) -> _Measures:
        draws, statistic = self._recipe.draws, self._recipe.statistics[0]
        target = all_raters_target(table)
        judges = {
            judge.name: compare_mean(
                table,
                [target.with_scores(judge.scores)],
                statistic=statistic,
                kind=scale_kind(judge.name, judge.kind, self.own_scale),
                recipe=self._recipe,
            )
            for judge in table.compared
        }
        mean_of = R if self._no_order is None else KAPPA
        people = {mean_of: self._mean_agreement(table), ALPHA: self._alpha(table)}
        return _Measures(people, judges, system_scores(table, item_centres(base), draws))

    def _mean_agreement(self, table: UnitTable) -> ResampledValue:
        """Return the mean over pairs of raters of r, or of kappa without an order."""
        ordered, humans, raters = self._no_order is None, table.humans, len(table.human_names)
        pairs = (rater_pairs if ordered else kappa_pairs)(humans, units=len(table.item), raters=raters)
        of_two = pairs.among(np.ones(raters, dtype=bool), least=2)
        estimate = (mean_pairwise_r if ordered else mean_pairwise_kappa)(of_two)
        draws = None
        if estimate.value is not None:
            draws = mean_draws(humans, table.item, self._recipe.draws, ordered=ordered)
        return self._resampled(estimate, table, draws)

    def _alpha(self, table: UnitTable) -> ResampledValue:
        scale = self.scales.get(table.criterion)
        level = "ordinal" if scale is None else scale.level
        estimate = krippendorff_alpha(table.humans.unit, table.humans.score, level=level)
        draws = None
        if estimate.value is not None:
            draws = alpha_draws(table.humans, table.item, self._recipe.draws, level=level)
        return self._resampled(estimate, table, draws)

    def _resampled(self, estimate: Estimate, table: UnitTable, draws: Floats | None) -> ResampledValue:
        if estimate.value is None:
            return ResampledValue(math.nan, estimate.reason, n=estimate.n)
        items = len(np.unique(table.item))
        return ResampledValue(
            estimate.value, draws=draws if draws is not None else np.zeros(0), n=estimate.n, items=items
        )

    def _estimate(self, measured: ResampledValue) -> Estimate:
        if measured.reason is not None:
            return Estimate(None, measured.reason, ci_method=NO_VALUE, n=measured.n)
        interval = percentile_interval(measured.draws, items=measured.items)
        return Estimate(
            measured.value,
            ci=interval.ends,
            ci_method=interval.method,
            n=measured.n,
            seed=self._recipe.draws.seed,
            params={"resamples_undefined": interval.undefined, **measured.notes},
        )


def at_thresholds(policy: FilterPolicy, thresholds: Sequence[float]) -> list[FilterPolicy]:
    """Return the filter at each threshold."""
    return [replace(policy, threshold=float(threshold)) for threshold in thresholds]


def _difference(first: ResampledValue, second: ResampledValue) -> ResampledValue:
    reason = first.reason or second.reason
    if reason is not None:
        return ResampledValue(math.nan, reason, n=first.n)
    paired = len(first.draws) == len(second.draws)
    draws = first.draws - second.draws if paired else np.zeros(0)
    return ResampledValue(
        first.value - second.value, draws=draws, n=first.n, items=min(first.items, second.items)
    )
