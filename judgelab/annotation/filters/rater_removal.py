"""Which raters go under a quality rule, round by round, and which thresholds would let the same ones go."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from judgelab.annotation.filters.policy import FilterPolicy
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
    """Agreement of the raters still in, and who went out: on it, or on the control by degraded copies.

    `highest_out` is the highest score of those who went out on their agreement, minus infinity for nobody.
    """

    scores: RaterScores
    present: Bools
    removed: Bools
    by_control: bool = False
    highest_out: float = -math.inf


@dataclass(frozen=True)
class Removal:
    """The rounds in order, the raters left, and why a removal was refused, if one was."""

    rounds: tuple[RemovalRound, ...]
    present: Bools
    refused: str | None = None


class ThresholdRange(NamedTuple):
    """The same raters go for every threshold above `low` and up to `high`."""

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
) -> Removal:
    """Return who goes under the rule; `failed` are those whom its control by degraded copies takes out.

    `after` may be what the same rule took out of the same ratings at a lower threshold. Where the worst go
    first, those whom it took out so go here too, in the same order, and only the rest is decided anew.

    The last two raters are never taken out one after the other: of two who disagree nobody can say which is
    wrong. "one_pass" and "fixpoint" are taken by their word, however many they remove.
    """
    score = _scorer(rated, pairs, policy, units=units, raters=raters)
    present = np.zeros(raters, dtype=bool)
    present[rated.rater] = True
    rounds: list[RemovalRound] = []
    if after is not None and policy.passes == "worst_first" and policy.control != "hit":
        rounds, present = _shared_rounds(after)
    elif policy.control != "agreement":
        out = present & failed if failed is not None else np.zeros(raters, dtype=bool)
        if policy.control == "hit" or out.any():
            rounds.append(RemovalRound(score(present), present, out, by_control=True))
            present = present & ~out
        if policy.control == "hit":
            return Removal(tuple(rounds), present)
    while True:
        now = score(present)
        removed = _next_removed(now, present, policy)
        refused = _refusal(now, removed, present, policy)
        if refused:
            removed = np.zeros(raters, dtype=bool)
        rounds.append(RemovalRound(now, present, removed, highest_out=_highest_removed(now, removed)))
        present = present & ~removed
        if not removed.any() or policy.passes == "one_pass":
            return Removal(tuple(rounds), present, refused)


def threshold_range(removal: Removal, policy: FilterPolicy) -> ThresholdRange:
    """Return the thresholds under which the same raters go in the same rounds.

    Each removed score lies below any such threshold; a score that stayed lies at or above it, except where
    only the worst of the failing went. Example: -.80, .26, .28, .29 with the first removed, then .86, .79,
    .80 staying, give -.80 to .79 under "worst_first".
    """
    low, high = -math.inf, math.inf
    for found in removal.rounds:
        if found.by_control:
            continue
        low = max(low, found.highest_out)
        if policy.passes == "worst_first" and found.highest_out > -math.inf:
            continue
        stays = found.present & ~found.removed & np.isfinite(found.scores.score)
        stayed = rounded(found.scores.score[stays])
        if removal.refused and (stayed < policy.threshold).any():
            # It was about the worst, who fails at every higher threshold too, and would stay there as well.
            low = max(low, stayed.min())
        else:
            high = min([high, *stayed])
    return ThresholdRange(float(low), float(high))


def _shared_rounds(lower: Removal) -> tuple[list[RemovalRound], Bools]:
    """Return the rounds that a higher threshold has too, and who is present after them.

    Those are the rounds by control and those in which the worst went for a score below the lower threshold;
    what came then, removals of those without a score and further ones after them, may come later here.
    """
    shared: list[RemovalRound] = []
    for found in lower.rounds:
        if not found.by_control and found.highest_out == -math.inf:
            return shared, found.present
        shared.append(found)
    return shared, lower.present


def _highest_removed(now: RaterScores, removed: Bools) -> float:
    out = now.score[removed & np.isfinite(now.score)]
    return float(rounded(out).max(initial=-math.inf))


def _scorer(
    rated: Rated, pairs: RaterPairs, policy: FilterPolicy, *, units: int, raters: int
) -> Callable[[Bools], RaterScores]:
    if policy.method == "loo":
        return lambda present: leave_one_out_scores(
            rated, present, units=units, raters=raters, least=policy.min_overlap
        )
    by_overlap = policy.weight == "overlap"
    return PairwiseScorer(pairs, raters=raters, least=policy.min_overlap, by_overlap=by_overlap)


def _next_removed(now: RaterScores, present: Bools, policy: FilterPolicy) -> Bools:
    """Return who goes next; raters who cannot be assessed go last, as removals may leave more of them."""
    score: Floats = rounded(now.score)
    failing = present & (score < policy.threshold)
    unassessed = present & np.isnan(score) & (policy.unassessed == "drop")
    if policy.passes != "worst_first":
        return failing | unassessed
    if not failing.any():
        return unassessed
    worst = np.zeros_like(failing)
    worst[np.nanargmin(np.where(failing, score, np.nan))] = True
    return worst


def _refusal(now: RaterScores, removed: Bools, present: Bools, policy: FilterPolicy) -> str | None:
    left = int((present & ~removed).sum())
    if policy.passes != "worst_first" or not removed.any() or left >= LAST_TWO:
        return None
    if np.isnan(now.score[removed]).any():
        return sentence(
            "without those who cannot be assessed fewer than two raters would be left, so they stay"
        )
    return sentence(
        "only two raters are left; of two who disagree the rule cannot say which is wrong, so both stay"
    )
