"""Which raters a filter removes, round by round, and which thresholds would remove the same ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.metaeval.coefficients.rater_kappas import leave_one_out_kappas
from judgelab.metaeval.coefficients.raters import (
    PairwiseScorer,
    RaterPairs,
    RaterScores,
    leave_one_out_scores,
)
from judgelab.metaeval.core.arrays import Bools, Floats, rounded
from judgelab.metaeval.core.units import Rated
from judgelab.wording import sentence

LAST_TWO = 2


class RemovalRound(NamedTuple):
    """The agreement of the remaining raters, and who was removed for it, or by the control.

    `highest_out` is the highest agreement of those removed for it, minus infinity if there are none.
    """

    scores: RaterScores
    present: Bools
    removed: Bools
    by_control: bool = False
    highest_out: float = -math.inf


@dataclass(frozen=True)
class Removal:
    """The rounds in order, the raters left, and why the last removal was refused, if it was."""

    rounds: tuple[RemovalRound, ...]
    present: Bools
    refused: str | None = None


class ThresholdRange(NamedTuple):
    """The same raters are removed for every threshold above `low` and up to `high`."""

    low: float
    high: float


def remove_raters(
    rated: Rated,
    pairs: RaterPairs,
    policy: FilterPolicy,
    *,
    units: int,
    raters: int,
    failed: Bools | None = None,
    after: Removal | None = None,
    ordered: bool = True,
) -> Removal:
    """Return the raters whom the filter removes; `failed` are those who fail its control.

    `after` can be the removal by the same filter from the same ratings at a lower threshold. With
    "worst_first", the rounds of that removal are also rounds of this one, and only the rest is computed.

    With "worst_first" the last two raters are never removed: if only two are left and disagree, it is unknown
    which of them is wrong. "one_pass" and "fixpoint" remove everybody who fails, however many.

    Scores that are not `ordered` are labels: then a rater agrees with the majority of all others, not with
    their mean.
    """
    score_raters = _scorer(rated, pairs, policy, units=units, raters=raters, ordered=ordered)
    present = np.zeros(raters, dtype=bool)
    present[rated.rater] = True
    rounds: list[RemovalRound] = []
    if after is not None and policy.passes == "worst_first" and policy.control != "hit":
        rounds, present = _shared_rounds(after)
    elif policy.control != "agreement":
        failed_control = present & failed if failed is not None else np.zeros(raters, dtype=bool)
        if policy.control == "hit" or failed_control.any():
            rounds.append(RemovalRound(score_raters(present), present, failed_control, by_control=True))
            present = present & ~failed_control
        if policy.control == "hit":
            return Removal(tuple(rounds), present)
    while True:
        scores = score_raters(present)
        removed = _next_removed(scores, present, policy)
        refused = _refusal(scores, removed, present, policy)
        if refused:
            removed = np.zeros(raters, dtype=bool)
        rounds.append(RemovalRound(scores, present, removed, highest_out=_highest_removed(scores, removed)))
        present = present & ~removed
        if not removed.any() or policy.passes == "one_pass":
            return Removal(tuple(rounds), present, refused)


def threshold_range(removal: Removal, policy: FilterPolicy) -> ThresholdRange:
    """Return the thresholds for which the same raters are removed in the same rounds.

    Each removed score is below any such threshold; a remaining one is at or above it, except if only the
    worst of those who failed was removed. Example: -.80, .26, .28, .29 with the first removed, then .86, .79,
    .80 remaining, give -.80 to .79 under "worst_first".
    """
    low, high = -math.inf, math.inf
    for removal_round in removal.rounds:
        if removal_round.by_control:
            continue
        low = max(low, removal_round.highest_out)
        if policy.passes == "worst_first" and removal_round.highest_out > -math.inf:
            continue
        staying = removal_round.present & ~removal_round.removed & np.isfinite(removal_round.scores.score)
        stayed = rounded(removal_round.scores.score[staying])
        if removal.refused and (stayed < policy.threshold).any():
            # The worst rater, whose removal was refused, also fails at higher thresholds and stays there.
            low = max(low, stayed.min())
        else:
            high = min([high, *stayed])
    return ThresholdRange(float(low), float(high))


def _shared_rounds(lower: Removal) -> tuple[list[RemovalRound], Bools]:
    """Return the rounds that a higher threshold shares with a lower one, and the raters present after them.

    These are the rounds by control, and those that removed the worst rater for a score below the lower
    threshold. Later rounds, which remove raters without a score, may come later for a higher threshold.
    """
    shared: list[RemovalRound] = []
    for removal_round in lower.rounds:
        if not removal_round.by_control and removal_round.highest_out == -math.inf:
            return shared, removal_round.present
        shared.append(removal_round)
    return shared, lower.present


def _highest_removed(scores: RaterScores, removed: Bools) -> float:
    removed_scores = scores.score[removed & np.isfinite(scores.score)]
    return float(rounded(removed_scores).max(initial=-math.inf))


def _scorer(
    rated: Rated, pairs: RaterPairs, policy: FilterPolicy, *, units: int, raters: int, ordered: bool
) -> Callable[[Bools], RaterScores]:
    if policy.method == "loo":
        leave_one_out = leave_one_out_scores if ordered else leave_one_out_kappas
        return lambda present: leave_one_out(
            rated, present, units=units, raters=raters, least=policy.min_overlap
        )
    by_overlap = policy.weight == "overlap"
    return PairwiseScorer(pairs, raters=raters, least=policy.min_overlap, by_overlap=by_overlap)


def _next_removed(scores: RaterScores, present: Bools, policy: FilterPolicy) -> Bools:
    """Return who is removed next; raters without a score come last, since removals can add to them."""
    score: Floats = rounded(scores.score)
    failing = present & (score < policy.threshold)
    unassessed = present & np.isnan(score) & (policy.unassessed == "drop")
    if policy.passes != "worst_first":
        return failing | unassessed
    if not failing.any():
        return unassessed
    worst = np.zeros_like(failing)
    worst[np.nanargmin(np.where(failing, score, np.nan))] = True
    return worst


def _refusal(scores: RaterScores, removed: Bools, present: Bools, policy: FilterPolicy) -> str | None:
    left = int((present & ~removed).sum())
    if policy.passes != "worst_first" or not removed.any() or left >= LAST_TWO:
        return None
    if np.isnan(scores.score[removed]).any():
        return sentence(
            "without the raters who can't be assessed fewer than two would be left, so they are kept"
        )
    return sentence(
        "only two raters are left; if they disagree, the filter can't tell which is wrong, so both are kept"
    )
