"""Known scores: whether a rater gave the right score, and the outcome of a training round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from judgelab.annotation.rating.settings import AssignmentPolicy

ROUNDING = 1e-9  # the difference of 0.3 and 0.2 is 0.1 only up to rounding


@dataclass(frozen=True)
class KnownScore:
    """The known score of one unit under one criterion.

    Args:
        criterion: the criterion's key.
        score: the known score; for a pair 1 if the response stored first is better, -1 if the other is, 0 for
            a tie; for a list 1, the similarity of an order to itself.
        tolerance: how far off still counts as right.
        loud: whether a rater is told at once.
        explanation: why this is the right score.
        places: for a list, the known place of each response, 1 for the best; empty otherwise.
    """

    criterion: str
    score: float
    tolerance: float = 0.0
    loud: bool = False
    explanation: str = ""
    places: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class CheckResult:
    """A rater's score compared with the known one.

    Attributes:
        known_score: the score that is known to be right.
        rater_score: the rater's; None if they could not judge.
        right: whether it is within the tolerance.
        orders: for a list, the rater's order and the known one as text, in the letters of the screen.
    """

    known_score: KnownScore
    rater_score: float | None
    right: bool
    orders: tuple[str, str] | None = None


TrainingOutcome = Literal["passed", "again", "out"]


def check_scores(known: Sequence[KnownScore], rater_scores: Mapping[str, float | None]) -> list[CheckResult]:
    """Return for each known score whether the rater's score is within its tolerance."""
    return [
        CheckResult(
            score, rater_scores.get(score.criterion), _is_right(score, rater_scores.get(score.criterion))
        )
        for score in known
    ]


def order_similarity(
    rater_places: Mapping[int, int], known_places: Mapping[int, int], *, ends: bool = False
) -> float:
    """Return the similarity of an order to the known one, over the responses that both place; 1 is the same.

    Kendall's tau-b, from -1 to 1, so that ties count. It is undefined if one of the orders is all ties; then
    the similarity is 1 if both are, else 0. With `ends` only the best and the worst count, half each.

    Example: 1, 2, 3 and the known 1, 3, 2 give 0.33, with `ends` 0.5.
    """
    common = [response for response in known_places if response in rater_places]
    if len(common) < 2:
        return 0.0
    # Imported here: few studies ask for orders, and numpy doubles the memory of a rating app.
    import numpy as np

    from judgelab.metaeval.coefficients.rowwise import kendall

    given, expected = (
        np.array([[places[response] for response in common]], dtype=float)
        for places in (rater_places, known_places)
    )
    if ends:
        best_is_right = expected[0, given.argmin()] == expected.min()
        worst_is_right = expected[0, given.argmax()] == expected.max()
        return (int(best_is_right) + int(worst_is_right)) / 2
    value = float(kendall(given, expected)[0])
    return value if np.isfinite(value) else float(np.ptp(given) == np.ptp(expected) == 0)


def share_right(results: Sequence[CheckResult]) -> float:
    """Return the share of right scores; 1 if there are none."""
    return sum(result.right for result in results) / len(results) if results else 1.0


def training_outcome(score: float, *, tries: int, policy: AssignmentPolicy) -> TrainingOutcome:
    """Return the outcome of a finished training round.

    Args:
        score: share of right scores in this round.
        tries: rounds that the person has finished, including this one.
        policy: says what share is needed, and how many tries there are.
    """
    if score >= policy.needed - ROUNDING:
        return "passed"
    return "again" if tries < policy.tries else "out"


def _is_right(known: KnownScore, rater_score: float | None) -> bool:
    return rater_score is not None and abs(rater_score - known.score) <= known.tolerance + ROUNDING
