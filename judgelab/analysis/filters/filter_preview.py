"""Preview of a filter on one criterion: raters and ratings it would remove, and the effect on agreement."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import pandas as pd

from judgelab.analysis.filters.score_distribution import ScoreDistribution, score_distribution
from judgelab.annotation.filters.apply_filter import FilterOutcome, FilterPolicy, RaterVerdict, apply_filter
from judgelab.annotation.filters.criterion_filter import one_score_each
from judgelab.annotation.filters.intervals import (
    RESAMPLES,
    IntervalEnds,
    alpha_estimate,
    mean_agreement_interval,
    rater_intervals,
)
from judgelab.annotation.filters.rater_controls import ControlResults
from judgelab.annotation.raters.rater_behaviour import RaterBehaviour, behaviour_hint, rater_behaviours
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.scales import Scale
from judgelab.wording import sentence

NOBODY_BELOW = -1.0  # no correlation or kappa is below it, so every rater is kept


@dataclass(frozen=True)
class RaterPreview:
    """One rater under the filter.

    Args:
        habit: number, speed and level of their ratings.
        before: agreement when every rater counts.
        after: agreement among the kept raters; None for a removed rater.
        kept: whether the filter keeps them.
        round: the round in which they were removed, from 1; None if kept.
        reason: why they were removed or could not be assessed; empty if they passed.
        note: a possible cause of low agreement; empty if kept.
    """

    habit: RaterBehaviour
    before: Estimate
    after: Estimate | None
    kept: bool
    round: int | None
    reason: str
    note: str

    @property
    def rater(self) -> str:
        """Return the rater's name."""
        return self.habit.rater


@dataclass(frozen=True)
class FilterLoss:
    """What one part of the filter removes; answers are responses under the criterion."""

    cause: str
    answers: int
    ratings: int


@dataclass(frozen=True)
class FilterPreview:
    """The effect of a filter on the ratings under one criterion; nothing is stored.

    Args:
        raters: all raters, kept ones first, each part by agreement.
        losses: removed by raters, by too few ratings left, and by conflict; the rest is `kept`.
        total: all answers and ratings.
        kept: the answers and ratings left.
        coefficient: how raters' agreement is measured: "pearson", or "kappa" without an order.
        stages: mean agreement "before", "after_raters" and "after_items".
        alpha: Krippendorff's alpha at the scale's level, "before" and "after_items".
        distribution: the scores before and after.
        same_from: thresholds above this and up to `same_to` remove the same raters; None if unbounded.
        same_to: see `same_from`.
        exclusions: every answer left out: item, system, reason.
        stopped: why the result needs a second look, if it does.
        resamples: number of resamples of items for the intervals.
        seed: seed of the resamples.
        compared: whether answers are pairs of responses that raters compared.
    """

    raters: tuple[RaterPreview, ...]
    losses: tuple[FilterLoss, ...]
    total: FilterLoss
    kept: FilterLoss
    coefficient: str
    stages: Mapping[str, Estimate]
    alpha: Mapping[str, Estimate]
    distribution: ScoreDistribution
    same_from: float | None
    same_to: float | None
    exclusions: pd.DataFrame
    stopped: str | None
    resamples: int = RESAMPLES
    seed: int = 0
    compared: bool = False

    @property
    def removed(self) -> tuple[RaterPreview, ...]:
        """Return the removed raters in order of removal."""
        removed = [rater for rater in self.raters if not rater.kept]
        return tuple(sorted(removed, key=lambda rater: rater.round or math.inf))


def preview_on_ratings(
    humans: pd.DataFrame,
    policy: FilterPolicy,
    *,
    criterion: str,
    scales: Mapping[str, Scale],
    seconds: Mapping[str, float] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    controls: ControlResults | None = None,
    compared: bool = False,
) -> FilterPreview:
    """Return what the filter does to the ratings of one criterion, or to comparisons as scores of pairs.

    The filter runs twice: on all ratings, to select raters, and on the ratings of the kept raters, to get
    the agreement among them with its interval.
    """
    ratings = humans[humans["criterion"] == criterion]
    if not scales[criterion].ordered:
        ratings = one_score_each(ratings, policy, unordered=(criterion,))
    # Only criterion "all" needs the ratings of all criteria to select raters.
    deciding = humans if policy.criterion == "all" else ratings
    criterion_policy = filter_for_criterion(policy, criterion)
    outcome = apply_filter(deciding, criterion_policy, scales=scales, controls=controls, compared=compared)
    verdicts = {verdict.rater: verdict for verdict in outcome.raters if verdict.criterion == criterion}
    staying = ratings[
        ~ratings["rater"].isin([name for name, verdict in verdicts.items() if not verdict.kept])
    ]
    keep_all = replace(
        criterion_policy, threshold=NOBODY_BELOW, criterion="each", unassessed="keep", control="agreement"
    )
    after_conflicts = apply_filter(staying, keep_all, scales=scales, compared=compared)
    ordered = scales[criterion].ordered
    panels = [set(part["rater"].unique()) for part in (ratings, staying)]
    before, after = rater_intervals(
        ratings, policy, resamples=resamples, seed=seed, panels=panels, ordered=ordered
    )
    agreement = outcome.agreement_by_criterion.get(criterion, {})
    by_stage = {"before": ratings, "after_raters": staying, "after_items": after_conflicts.kept}
    items = list(humans.loc[humans["score"].notna(), "item"].unique())
    means = {
        stage: mean_agreement_interval(
            part, policy, resamples=resamples, seed=seed, items=items, ordered=ordered
        )
        for stage, part in by_stage.items()
    }
    verdicts_among_kept = {verdict.rater: verdict for verdict in after_conflicts.raters}
    range_ = outcome.threshold_ranges.get(criterion)
    return FilterPreview(
        raters=_rater_previews(
            verdicts,
            verdicts_among_kept,
            rater_behaviours(ratings, seconds=seconds, ordered=ordered),
            before=before,
            after=after,
        ),
        losses=_losses(_scored(ratings), _scored(staying), after_conflicts),
        total=FilterLoss("all", _scored(ratings)["response"].nunique(), len(_scored(ratings))),
        kept=FilterLoss(
            "kept", after_conflicts.losses.answers["kept"], after_conflicts.losses.ratings["kept"]
        ),
        coefficient=outcome.coefficients.get(criterion, "pearson" if ordered else "kappa"),
        stages={stage: replace(estimate, ci=means[stage]) for stage, estimate in agreement.items()},
        alpha={
            stage: alpha_estimate(
                part, policy, level=scales[criterion].level, resamples=resamples, seed=seed, items=items
            )
            for stage, part in (("before", ratings), ("after_items", after_conflicts.kept))
        },
        distribution=score_distribution(ratings["score"], after_conflicts.kept["score"], scales[criterion]),
        same_from=_none_if_infinite(range_.low) if range_ else None,
        same_to=_none_if_infinite(range_.high) if range_ else None,
        exclusions=_exclusions(outcome, criterion),
        stopped=outcome.stopped,
        resamples=resamples,
        seed=seed,
        compared=compared,
    )


def filter_for_criterion(policy: FilterPolicy, criterion: str) -> FilterPolicy:
    """Return the filter as it acts on this criterion; one for another criterion removes no raters here."""
    if policy.criterion in ("each", "all", criterion):
        return policy if policy.criterion == "all" else replace(policy, criterion="each")
    return replace(
        policy,
        criterion="each",
        threshold=NOBODY_BELOW,
        unassessed="keep",
        conflict_scope="off",
        min_annotations=1,
        control="agreement",
    )


def _rater_previews(
    verdicts: Mapping[str, RaterVerdict],
    among_kept: Mapping[str, RaterVerdict],
    habits: Mapping[str, RaterBehaviour],
    *,
    before: Mapping[str, IntervalEnds],
    after: Mapping[str, IntervalEnds],
) -> tuple[RaterPreview, ...]:
    previews = []
    for name, verdict in verdicts.items():
        habit = habits[name]
        agreement = _estimate(verdict, habit, before.get(name))
        verdict_among_kept = among_kept.get(name) if verdict.kept else None
        previews.append(
            RaterPreview(
                habit=habit,
                before=agreement,
                after=_estimate(verdict_among_kept, habit, after.get(name)) if verdict_among_kept else None,
                kept=verdict_among_kept is not None,
                round=verdict.removed_in_round,
                reason=verdict.reason or "",
                note="" if verdict_among_kept else behaviour_hint(habit, agreement.value, habits),
            )
        )
    return tuple(sorted(previews, key=_sort_key))


def _sort_key(rater: RaterPreview) -> tuple[bool, float, str]:
    """Return the key that sorts kept raters first, then by agreement, unknown agreement last."""
    agreement = rater.before if rater.after is None else rater.after
    return not rater.kept, math.inf if agreement.value is None else -agreement.value, rater.rater


def _estimate(verdict: RaterVerdict, habit: RaterBehaviour, ci: tuple[float, float] | None) -> Estimate:
    if verdict.agreement_before is None:
        return undefined(verdict.reason or sentence("can't be assessed"), n=habit.ratings)
    return Estimate(verdict.agreement_before, ci=ci, n=habit.ratings)


def _scored(ratings: pd.DataFrame) -> pd.DataFrame:
    """Return the ratings with a score: the filter counts no others."""
    return ratings[ratings["score"].notna()]


def _losses(
    all_ratings: pd.DataFrame, staying: pd.DataFrame, after_conflicts: FilterOutcome
) -> tuple[FilterLoss, ...]:
    lost_answers, lost_ratings = after_conflicts.losses.answers, after_conflicts.losses.ratings
    return (
        FilterLoss(
            "raters",
            all_ratings["response"].nunique() - staying["response"].nunique(),
            len(all_ratings) - len(staying),
        ),
        FilterLoss("too_few", lost_answers["too_few"], lost_ratings["too_few"]),
        FilterLoss("conflict", lost_answers["conflict"], lost_ratings["conflict"]),
    )


def _exclusions(outcome: FilterOutcome, criterion: str) -> pd.DataFrame:
    units = outcome.units
    excluded = units[(units["criterion"] == criterion) & ~units["kept"].astype(bool)]
    return excluded[["item", "system", "reason"]].reset_index(drop=True)


def _none_if_infinite(value: float) -> float | None:
    return value if math.isfinite(value) else None
