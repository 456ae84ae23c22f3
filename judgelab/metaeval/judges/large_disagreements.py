"""Large disagreements between a judge and people, and the parts of the data where they are frequent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from judgelab.metaeval.core.arrays import Bools, Floats, Ints
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.core.shares import share
from judgelab.metaeval.inference.multiplicity import LEVEL
from judgelab.metaeval.inference.significance import Test
from judgelab.scales import Scale
from judgelab.wording import mark

LEAST = 5  # responses a part needs
ALIKE = 1 / 8  # of a scale's width: half a point from 1 to 5
HALF = 0.5  # labels are whole numbers
NOTHING = mark("no responses")


class LargeDisagreement(NamedTuple):
    """A response on which people and a judge or metric disagree strongly: its row id and both scores."""

    response: int
    human: float
    judged: float


def large_disagreement_from(scale: Scale) -> float:
    """Return the smallest difference that counts as a large disagreement: half the scale, in whole points.

    Example: 2 on a scale from 1 to 5, 1 between no and yes, 0.5 on a scale of any number from 0 to 1. Two
    labels without an order are either equal or 1 apart (`score_difference`).
    """
    if not scale.ordered:
        return 1.0
    half = (scale.high - scale.low) / 2
    return float(max(1, round(half))) if scale.points() else half


def score_difference(scored: ArrayLike, human: ArrayLike, scale: Scale) -> Floats:
    """Return scores minus human scores; for labels without an order 1 where they differ, else 0."""
    difference: Floats = np.asarray(scored, dtype=float) - np.asarray(human, dtype=float)
    if scale.ordered:
        return difference
    return np.asarray(np.where(np.isnan(difference), np.nan, np.abs(difference) > HALF), dtype=float)


def same_score_within(scale: Scale) -> float:
    """Return the largest difference that counts as the same score: half a point, or 1/8 of the range.

    Example: 0.5 on a scale from 1 to 5, 12.5 on a scale of any number from 0 to 100.
    """
    return 0.5 if scale.points() else (scale.high - scale.low) * ALIKE


@dataclass(frozen=True)
class DisagreementRate:
    """Large disagreements in one part of the data.

    Args:
        name: the part's.
        n: responses in it.
        far: how many of them are large disagreements.
        share: `far` of `n`, with Wilson's interval.
        elsewhere: the same share in all other parts.
        difference: mean of judge minus people here.
        test: Fisher's exact test of the share against elsewhere, two-sided; whoever looks at several parts
            corrects it for all. It takes responses as independent; responses to one item are not quite.
    """

    name: str
    n: int
    far: int
    share: Estimate
    elsewhere: Estimate
    difference: float
    test: Test

    @property
    def is_more_frequent(self) -> bool:
        """Return whether large disagreements are significantly more frequent than elsewhere."""
        p = self.test.adjusted
        return p is not None and p < LEVEL and (self.share.value or 0.0) > (self.elsewhere.value or 0.0)


def disagreement_rates(
    difference: Floats, far: Bools, part: Ints, names: Sequence[str]
) -> list[DisagreementRate]:
    """Return the parts with at least five responses, the largest share first; none if only one is left.

    Args:
        difference: judge minus people, one a response.
        far: whether the response counts as a disagreement.
        part: the part of each response, numbered as in `names`; -1 for none.
        names: of the parts.

    Example: 4 of 5 far apart in one part and 1 of 5 in the other give shares of 0.8 and 0.2.
    """
    in_a_part = part >= 0
    size = (
        np.bincount(part[in_a_part], minlength=len(names)) if in_a_part.any() else np.zeros(len(names), int)
    )
    used = np.flatnonzero(size >= LEAST)
    if len(used) < 2:
        return []
    in_used_part = np.isin(part, used)
    total, all_far = int(in_used_part.sum()), int(far[in_used_part].sum())
    rates = []
    for number in map(int, used):
        of_part = part == number
        n, count = int(of_part.sum()), int(far[of_part].sum())
        table = [[count, n - count], [all_far - count, total - n - all_far + count]]
        rates.append(
            DisagreementRate(
                names[number],
                n,
                count,
                share(count, n, nothing=NOTHING),
                share(all_far - count, total - n, nothing=NOTHING),
                float(difference[of_part].mean()),
                Test("fisher", float(scipy.stats.fisher_exact(table).pvalue), n=total),
            )
        )
    return sorted(rates, key=lambda rate: (-(rate.share.value or 0.0), rate.name))
