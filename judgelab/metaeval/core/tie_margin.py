"""How close two scores must be to count as a tie: the distance with which most pairs are as people say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from judgelab.metaeval.core.arrays import Floats
from judgelab.wording import sentence

NO_EXAMPLES = sentence(
    "a wider margin could be chosen only from compared pairs in a group named “examples”, and this project "
    "has no such pairs"
)
NO_MAJORITY = sentence("no pair of the group “examples” has a majority of the raters")
NOTHING_ELSE = sentence("raters compared no pair outside the group “examples”")
NO_TIES = sentence("no rater chose a tie in the group “examples”")
NOT_SCORED = sentence("it scored no pair of the group “examples” that has a majority of the raters")
GAIN_NOISE = 1e-15  # of sums of weights


@dataclass(frozen=True)
class TieMargin:
    """Up to which difference of its scores of two responses a judge or metric is taken to choose a tie.

    Attributes:
        points: the largest difference that is a tie, in its own points; 0 if only equal scores are.
        pairs: number of example pairs on which it was chosen; 0 if it was not.
        reason: why it was not chosen; None if it was.
    """

    points: float
    pairs: int
    reason: str | None = None

    @property
    def chosen(self) -> bool:
        """Return whether the margin was chosen on example pairs."""
        return self.reason is None


def best_distance(human: Floats, difference: Floats, weight: Floats | None = None) -> float:
    """Return the distance up to which a judge's differences are best called ties; 0 if none gains anything.

    The distances tried are the judge's own. Of several that are equally good, it is the smallest.

    Example: people choose first, tie, tie, second, and the judge's differences are 1, 0.5, -0.5 and -2. With
    ties up to 0.5, all four are right.

    Args:
        human: which of the two is better: 1 the first, 0 neither, -1 the second.
        difference: the judge's score of the first minus that of the second.
        weight: the weight of each pair; equal if not given.
    """
    weight = np.ones(len(human)) if weight is None else weight
    distance = np.abs(difference)
    unequal = distance > 0
    h, j, weight, distance = human[unequal], np.sign(difference[unequal]), weight[unequal], distance[unequal]
    if not len(distance):
        return 0.0
    # A pair that becomes a tie is now right where the humans tie, no longer right where it was concordant.
    gain = np.where(h == 0, weight, np.where(h == j, -weight, 0.0))
    order = np.argsort(distance, kind="stable")
    distance, total = distance[order], np.cumsum(gain[order])
    last = np.flatnonzero(np.diff(distance, append=np.inf) > 0)
    best = int(last[np.argmax(total[last])])
    return float(distance[best]) if total[best] > GAIN_NOISE else 0.0


def tie_margin(
    majority: Floats, difference: Floats, *, compared: bool, decided: bool, tied: bool, elsewhere: bool
) -> TieMargin:
    """Return the margin with which a judge agrees with the raters' majority on most example pairs.

    Example: on the four pairs of `best_distance` the margin is 0.5, chosen on 4 pairs.

    Args:
        majority: which of the two most raters prefer, on each example pair that the judge scored: 1 the
            first, 0 neither, -1 the second, NaN if there is no majority.
        difference: the judge's score of the first response minus that of the second.
        compared: whether raters compared any example pair.
        decided: whether any of these has a majority, scored or not.
        tied: whether any rater chose a tie on an example pair.
        elsewhere: whether raters compared other pairs, on which agreement can be measured.
    """
    used = np.isfinite(majority)
    lacking = (
        (compared, NO_EXAMPLES),
        (decided, NO_MAJORITY),
        (elsewhere, NOTHING_ELSE),
        (tied, NO_TIES),
        (used.any(), NOT_SCORED),
    )
    reason = next((reason for fulfilled, reason in lacking if not fulfilled), None)
    if reason is not None:
        return TieMargin(0.0, 0, reason)
    return TieMargin(best_distance(majority[used], difference[used]), int(used.sum()))
