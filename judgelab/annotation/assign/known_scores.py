"""Scores that are known before anybody rates: was a rater right, and what a training round decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from judgelab.annotation.rating.settings import AssignmentPolicy

ROUNDING = 1e-9  # 0.3 is 0.1 away from 0.2 only to rounding


@dataclass(frozen=True)
class KnownScore:
    """A score that is known under one criterion of one unit.

    Args:
        criterion: the criterion's key.
        score: the known score; of a pair 1 when the response stored first is better, -1 the other, 0 a tie;
            of a list 1, since what is compared is the likeness of two orders.
        tolerance: how far off still counts as right.
        loud: whether a rater is told at once.
        explanation: why this is the right score.
        places: of a list, the known place of each response, 1 the best; empty otherwise.
    """

    criterion: str
    score: float
    tolerance: float = 0.0
    loud: bool = False
    explanation: str = ""
    places: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class CheckResult:
    """What a rater said of a known score; `said` is None when they could not judge.

    Attributes:
        orders: of a list, what was said and what is known in words, as the rater saw the responses.
    """

    known: KnownScore
    said: float | None
    right: bool
    orders: tuple[str, str] | None = None


TrainingOutcome = Literal["passed", "again", "out"]


def check_scores(known: Sequence[KnownScore], said: Mapping[str, float | None]) -> list[CheckResult]:
    """Return for each known score whether what was said lies within its tolerance."""
    return [
        CheckResult(one, said.get(one.criterion), _is_right(one, said.get(one.criterion))) for one in known
    ]


def order_similarity(said: Mapping[int, int], known: Mapping[int, int], *, ends: bool = False) -> float:
    """Return how like an order is to the known one, over the responses that both place; 1 is the same.

    Kendall's tau-b, from -1 to 1, so that ties count; where it is undefined, as one of the two places all
    alike, 1 if both do, else 0. With `ends` only the best and the worst count: half for each that is right.

    Example: 1, 2, 3 beside the known 1, 3, 2 gives 0.33, and with `ends` 0.5.
    """
    both = [response for response in known if response in said]
    if len(both) < 2:
        return 0.0
    # Few studies ask for orders, and statistics double the memory of an app that only takes in ratings.
    import numpy as np

    from judgelab.metaeval.coefficients.rowwise import kendall

    own, right = (np.array([[places[one] for one in both]], dtype=float) for places in (said, known))
    if ends:
        best, worst = right[0, own.argmin()] == right.min(), right[0, own.argmax()] == right.max()
        return (int(best) + int(worst)) / 2
    value = float(kendall(own, right)[0])
    return value if np.isfinite(value) else float(np.ptp(own) == np.ptp(right) == 0)


def share_right(found: Sequence[CheckResult]) -> float:
    """Return the share of right scores; 1 when nothing was asked."""
    return sum(verdict.right for verdict in found) / len(found) if found else 1.0


def training_outcome(score: float, *, tries: int, policy: AssignmentPolicy) -> TrainingOutcome:
    """Return what a finished training round means.

    Args:
        score: share of right scores in this round.
        tries: rounds the person has finished, this one counted.
        policy: how much is needed, and how often one may try.
    """
    if score >= policy.needed - ROUNDING:
        return "passed"
    return "again" if tries < policy.tries else "out"


def _is_right(known: KnownScore, said: float | None) -> bool:
    return said is not None and abs(said - known.score) <= known.tolerance + ROUNDING
