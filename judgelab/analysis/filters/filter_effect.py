"""What a quality rule does to all that stands on the ratings: agreement, the order of systems, the judges."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from judgelab.analysis.filters.filter_preview import of_criterion
from judgelab.annotation.filters.apply_filter import FilterPolicy, apply_filter
from judgelab.annotation.filters.criterion_filter import one_each
from judgelab.annotation.filters.rater_controls import Controls
from judgelab.metaeval.coefficients.alpha import krippendorff_alpha
from judgelab.metaeval.coefficients.alpha_draws import alpha_draws
from judgelab.metaeval.coefficients.estimates import compare_mean
from judgelab.metaeval.coefficients.rater_intervals import mean_draws
from judgelab.metaeval.coefficients.raters import mean_pairwise_r, rater_pairs
from judgelab.metaeval.coefficients.registry import scale_kind
from judgelab.metaeval.coefficients.settings import CoefficientSettings, StatisticKey
from judgelab.metaeval.core.arrays import Bools, Floats
from judgelab.metaeval.core.pairing import ResampledValue
from judgelab.metaeval.core.resampling import ItemDraws, percentile_interval
from judgelab.metaeval.core.result import Estimate
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
from judgelab.scales import Scale

R, ALPHA, RANKING = "r", "alpha", "ranking"
RESAMPLES = 400


@dataclass(frozen=True)
class EffectSettings:
    """What is measured under every rule, and how.

    Args:
        criterion: its key.
        level: of judges' agreement.
        coefficient: of judges' agreement.
        resamples: of items, the same ones under every rule.
        seed: of the resamples.
    """

    criterion: str
    level: str
    coefficient: str
    resamples: int = RESAMPLES
    seed: int = 0


@dataclass(frozen=True)
class Effect:
    """What stands under one rule; raters and responses that the rule took out are taken as given.

    Args:
        policy: the rule; None for all ratings.
        out: who goes, in order.
        raters: how many stay.
        responses: how many are left.
        ratings: how many are left.
        people: "r" (mean over pairs of raters), "alpha", and "ranking" (tau-b with the order of systems by
            all ratings).
        judges: agreement of each judge and metric with the people.
        on_all_responses: the same with the kept raters only, on all responses they rated: the rule's raters
            without its responses.
        change: of "r", "alpha" and each judge, minus all ratings, on the same resamples.
        swaps: systems in another order than by all ratings.
        stopped: why the outcome needs a second look, if it does.
    """

    policy: FilterPolicy | None
    out: tuple[str, ...]
    raters: int
    responses: int
    ratings: int
    people: Mapping[str, Estimate]
    judges: Mapping[str, Estimate]
    on_all_responses: Mapping[str, Estimate]
    change: Mapping[str, Estimate]
    swaps: tuple[Swap, ...]
    stopped: str | None = None


@dataclass(frozen=True)
class _Measures:
    people: Mapping[str, ResampledValue]
    judges: Mapping[str, ResampledValue]
    standing: SystemScores


@dataclass(frozen=True)
class _Outcome:
    """What a rule takes out, for thresholds above `low` and up to `high`."""

    low: float
    high: float
    out: tuple[str, ...]
    kept: Bools
    stays: Bools
    stopped: str | None


@dataclass
class EffectEstimator:
    """Measures rules on one project's ratings under one criterion; equal outcomes are measured once.

    Args:
        humans: ratings by people, of all criteria.
        others: scores of judges and metrics under the criterion.
        scales: scale by criterion.
        yardstick: what is measured.
        controls: what degraded copies and repeats say about raters.
        own_scale: judges whose scores are wins, ranks or votes and not on the scale of the criterion.
    """

    humans: pd.DataFrame
    others: pd.DataFrame
    scales: Mapping[str, Scale]
    yardstick: EffectSettings
    controls: Controls | None = None
    own_scale: frozenset[str] = frozenset()
    kinds: dict[str, str] = field(init=False)
    _own: pd.DataFrame = field(init=False)
    _base: UnitTable = field(init=False)
    _recipe: CoefficientSettings = field(init=False)
    _known: dict[tuple[bytes, str], _Measures] = field(init=False, default_factory=dict)
    _outcomes: dict[FilterPolicy, list[_Outcome]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        asked = self.yardstick
        self.humans = one_each(self.humans, FilterPolicy())
        self._own = self.humans[self.humans["criterion"] == asked.criterion]
        frame = pd.concat([self._own, self.others], ignore_index=True)
        (self._base,) = unit_tables(frame)
        self.kinds = {one.name: one.kind for one in self._base.compared}
        draws = ItemDraws(self._base.items, asked.resamples, asked.seed)
        wanted = [StatisticKey(asked.level, asked.coefficient)]
        self._recipe = CoefficientSettings(self.scales, wanted, "zero", draws, joint=True, targets="all")

    def of(self, policy: FilterPolicy | None, *, aggregate_as: FilterPolicy | None = None) -> Effect:
        """Return what stands under the rule; None for all ratings, put together as `aggregate_as` says."""
        shown = policy or aggregate_as or FilterPolicy()
        everything = np.ones(len(self._own), dtype=bool)
        if policy is None:
            outcome = _Outcome(-math.inf, math.inf, (), everything, everything, None)
        else:
            outcome = self._outcome(policy)
        all_ratings, found = self._measured(everything, shown), self._measured(outcome.kept, shown)
        raters_only = self._measured(outcome.stays, shown)
        before, after = ({**m.people, **m.judges} for m in (all_ratings, found))
        ranking = rank_agreement(all_ratings.standing, found.standing, items=self._base.items)
        return Effect(
            policy=policy,
            out=outcome.out,
            raters=int(self._own.loc[outcome.kept, "rater"].nunique()),
            responses=int(self._own.loc[outcome.kept, "response"].nunique()),
            ratings=int(outcome.kept.sum()),
            people={
                **{name: self._estimate(m) for name, m in found.people.items()},
                RANKING: self._estimate(ranking),
            },
            judges={name: self._estimate(m) for name, m in found.judges.items()},
            on_all_responses={name: self._estimate(m) for name, m in raters_only.judges.items()},
            change={name: self._estimate(_minus(m, before[name])) for name, m in after.items()},
            swaps=tuple(swaps(all_ratings.standing, found.standing, self._base.systems)),
            stopped=outcome.stopped,
        )

    def deciding(self, policy: FilterPolicy) -> pd.DataFrame:
        """Return the ratings that the rule looks at to decide who goes under the criterion."""
        return self.humans if policy.criterion == "all" else self._own

    def _outcome(self, policy: FilterPolicy) -> _Outcome:
        """Apply the rule, once for all thresholds that take out the same raters."""
        others = self._outcomes.setdefault(replace(policy, threshold=0.0), [])
        known = next((other for other in others if other.low < policy.threshold <= other.high), None)
        if known is not None:
            return known
        rule = of_criterion(policy, self.yardstick.criterion)
        outcome = apply_filter(self.deciding(policy), rule, scales=self.scales, controls=self.controls)
        own = (v for v in outcome.raters if v.criterion == self.yardstick.criterion and not v.kept)
        out = tuple(v.rater for v in sorted(own, key=lambda v: v.removed_in_round or math.inf))
        same = outcome.threshold_ranges.values()
        others.append(
            _Outcome(
                low=max((found.low for found in same), default=-math.inf),
                high=min((found.high for found in same), default=math.inf),
                out=out,
                kept=self._own.index.isin(outcome.kept.index),
                stays=~self._own["rater"].isin(out).to_numpy(),
                stopped=outcome.stopped,
            )
        )
        return others[-1]

    def _measured(self, kept: Bools, policy: FilterPolicy) -> _Measures:
        key = (kept.tobytes(), repr(policy.aggregation))
        if key not in self._known:
            base = replace(self._base, aggregation=policy.aggregation)
            self._known[key] = self._measure(base.kept(kept), base.kept(np.ones(len(kept), dtype=bool)))
        return self._known[key]

    def _measure(self, table: UnitTable, base: UnitTable) -> _Measures:
        draws, wanted = self._recipe.draws, self._recipe.statistics[0]
        target = all_raters_target(table)
        judges = {
            one.name: compare_mean(
                table,
                [target.with_scores(one.scores)],
                statistic=wanted,
                kind=scale_kind(one.name, one.kind, self.own_scale),
                recipe=self._recipe,
            )
            for one in table.compared
        }
        people = {R: self._mean_r(table), ALPHA: self._alpha(table)}
        return _Measures(people, judges, system_scores(table, item_centres(base), draws))

    def _mean_r(self, table: UnitTable) -> ResampledValue:
        humans, raters = table.humans, len(table.human_names)
        pairs = rater_pairs(humans, units=len(table.item), raters=raters)
        found = mean_pairwise_r(pairs.among(np.ones(raters, dtype=bool), least=2))
        drawn = mean_draws(humans, table.item, self._recipe.draws) if found.value is not None else None
        return self._of_people(found, table, drawn)

    def _alpha(self, table: UnitTable) -> ResampledValue:
        scale = self.scales.get(table.criterion)
        level = "ordinal" if scale is None else scale.level
        found = krippendorff_alpha(table.humans.unit, table.humans.score, level=level)
        drawn = None
        if found.value is not None:
            drawn = alpha_draws(table.humans, table.item, self._recipe.draws, level=level)
        return self._of_people(found, table, drawn)

    def _of_people(self, found: Estimate, table: UnitTable, drawn: Floats | None) -> ResampledValue:
        if found.value is None:
            return ResampledValue(math.nan, found.reason, n=found.n)
        items = len(np.unique(table.item))
        return ResampledValue(
            found.value, draws=drawn if drawn is not None else np.zeros(0), n=found.n, items=items
        )

    def _estimate(self, measured: ResampledValue) -> Estimate:
        if measured.reason is not None:
            return Estimate(None, measured.reason, ci_method="none: no value", n=measured.n)
        interval = percentile_interval(measured.draws, items=measured.items)
        return Estimate(
            measured.value,
            ci=interval.ends,
            ci_method=interval.method,
            n=measured.n,
            seed=self._recipe.draws.seed,
            params={"resamples_undefined": interval.undefined, **measured.notes},
        )


def grid_of(policy: FilterPolicy, thresholds: Sequence[float]) -> list[FilterPolicy]:
    """Return the rule at each threshold."""
    return [replace(policy, threshold=float(threshold)) for threshold in thresholds]


def _minus(one: ResampledValue, other: ResampledValue) -> ResampledValue:
    reason = one.reason or other.reason
    if reason is not None:
        return ResampledValue(math.nan, reason, n=one.n)
    paired = len(one.draws) == len(other.draws)
    drawn = one.draws - other.draws if paired else np.zeros(0)
    return ResampledValue(one.value - other.value, draws=drawn, n=one.n, items=min(one.items, other.items))
