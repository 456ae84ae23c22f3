"""Tests between two judges measured against the same humans: dependent correlations, paired verdicts.

All p-values are two-sided and signs are kept; nothing here takes absolute values first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from judgelab.metaeval.core.arrays import NOISE, Floats, rounded
from judgelab.metaeval.core.distributions import normal_two_sided, sign_test_p, student_two_sided
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.metaeval.core.shares import share
from judgelab.wording import sentence

LEAST = 4


@dataclass(frozen=True)
class Test:
    """A significance test: its p-value, or the reason why there is none.

    Args:
        name: the test.
        p: two-sided p-value, None when undefined.
        statistic: the test statistic, if it has one.
        n: units it is based on.
        reason: why there is no p-value.
        adjusted: the p-value corrected for the family it was tested in, None while not corrected.
        correction: how ("holm", "bh", "by").
        seed: seed of the permutations; None when nothing was drawn.
        params: further settings.
    """

    __test__ = False  # keeps pytest from collecting the class

    name: str
    p: float | None
    statistic: float | None = None
    n: int = 0
    reason: str | None = None
    adjusted: float | None = None
    correction: str | None = None
    seed: int | None = None
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def draws(self) -> int | None:
        """Return the number of permutations or resamples behind p; None if it comes from a distribution."""
        count = self.params.get("permutations", self.params.get("resamples"))
        return None if count is None else int(count)

    @property
    def floor(self) -> float | None:
        """Return the smallest p that the test can give; None if it comes from a distribution."""
        return None if self.draws is None else 1 / (self.draws + 1)

    def to_json(self) -> dict[str, Any]:
        """Return the test as plain JSON values; undefined is null with a reason."""
        return {
            "test": self.name,
            "p": self.p,
            "p_floor": self.floor,
            "reason": self.reason,
            "statistic": self.statistic,
            "n": self.n,
            "p_adjusted": self.adjusted,
            "correction": self.correction,
            "seed": self.seed,
            "params": dict(self.params),
        }


def williams(r12: float, r13: float, r23: float, n: int) -> Test:
    """Williams' t of two correlations that share the human scores, with n - 3 degrees of freedom.

    1 is the human, 2 and 3 are the judges, r23 the judges' correlation with one another. Exact for Pearson's
    r of ungrouped normal scores, otherwise approximate. Undefined for n < 4 or judges that are one and the
    same. Source: Williams 1959; Steiger 1980. Example: .5, .4, .1 of 103 units give t = 0.89, p = .37.
    """
    reason = _unfit(r12, r13, r23, n)
    if reason:
        return Test("williams", None, n=n, reason=reason)
    k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    mean = (r12 + r13) / 2
    denominator = 2 * (n - 1) / (n - 3) * k + mean**2 * (1 - r23) ** 3
    if denominator <= 0:
        return Test(
            "williams",
            None,
            n=n,
            reason=sentence("the three correlations are not compatible with each other"),
        )
    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23) / denominator)
    return Test("williams", student_two_sided(t, n - 3), t, n)


def steiger(r12: float, r13: float, r23: float, n: int) -> Test:
    """Steiger's z of two correlations that share the human scores, with their mean in the covariance.

    Arguments as in `williams`. Source: Steiger 1980, equation 14.
    """
    reason = _unfit(r12, r13, r23, n)
    if reason:
        return Test("steiger", None, n=n, reason=reason)
    square = ((r12 + r13) / 2) ** 2
    psi = r23 * (1 - 2 * square) - square * (1 - 2 * square - r23**2) / 2
    spread = 2 - 2 * psi / (1 - square) ** 2
    z = (math.atanh(r12) - math.atanh(r13)) * math.sqrt((n - 3) / spread)
    return Test("steiger", normal_two_sided(z), z, n)


def meng(r12: float, r13: float, r23: float, n: int) -> Test:
    """Z of Meng, Rosenthal and Rubin 1992 for two correlations that share the human scores.

    Arguments as in `williams`.
    """
    reason = _unfit(r12, r13, r23, n)
    if reason:
        return Test("meng", None, n=n, reason=reason)
    square = (r12**2 + r13**2) / 2
    f = min(1.0, (1 - r23) / (2 * (1 - square)))
    h = (1 - f * square) / (1 - square)
    z = (math.atanh(r12) - math.atanh(r13)) * math.sqrt((n - 3) / (2 * (1 - r23) * h))
    return Test("meng", normal_two_sided(z), z, n)


def _unfit(r12: float, r13: float, r23: float, n: int) -> str | None:
    if n < LEAST:
        return sentence("n is {n}; the test needs at least {least}", n=n, least=LEAST)
    if not all(math.isfinite(r) for r in (r12, r13, r23)):
        return sentence("one of the three correlations is undefined")
    if max(r23, abs(r12), abs(r13)) >= 1 - NOISE:
        return sentence("two of the three raters agree perfectly")
    return None


@dataclass(frozen=True)
class McNemar:
    """Two judges right or wrong on the same units.

    Args:
        first: share of units the first judge has right, with Wilson's interval.
        second: the same of the second.
        only_first: units only the first has right.
        only_second: units only the second has right.
        test: McNemar's exact test of these two counts.
    """

    first: Estimate
    second: Estimate
    only_first: int
    only_second: int
    test: Test


def mcnemar(first_right: npt.ArrayLike, second_right: npt.ArrayLike) -> McNemar:
    """Run McNemar's exact test of two judges' right and wrong verdicts on the same units.

    Only units on which one is right and the other wrong count; without any p is 1. Source: McNemar 1947, the
    binomial form. Example: 8 against 2 such units give p = 0.1094.
    """
    a, b = rounded(first_right) > 0, rounded(second_right) > 0
    nothing = sentence("no response or pair was judged by both")
    first_share, second_share = (share(int(x.sum()), len(x), nothing=nothing) for x in (a, b))
    if not len(a):
        return McNemar(first_share, second_share, 0, 0, Test("mcnemar", None, reason=nothing))
    only_first, only_second = int((a & ~b).sum()), int((b & ~a).sum())
    p = mcnemar_p(only_first, only_second)
    return McNemar(
        first_share,
        second_share,
        only_first,
        only_second,
        Test("mcnemar", p, n=len(a), params={"discordant": (only_first, only_second)}),
    )


def mcnemar_p(only_first: int, only_second: int) -> float:
    """Return the exact two-sided p-value of two discordant counts. Example: (2, 0) gives 0.5."""
    return sign_test_p(only_first, only_first + only_second)


def bootstrap_p(value: float, drawn: Floats) -> float:
    """Return the two-sided bootstrap p-value of the null hypothesis that the value is 0.

    (1 + count) / (B + 1), where the count is of resamples at least as far from the value as the value is from
    0; so p is never below 1 / (B + 1), and 1 without resamples. Source: Davison and Hinkley 1997, section
    4.4. Example: of the resamples (1, 2, 3, 6) of 3 one lies 3 away: p is 2 / 5.
    """
    drawn = drawn[np.isfinite(drawn)]
    as_far = np.abs(drawn - value) >= abs(value) - 1e-12 * max(1.0, abs(value))
    return float((1 + as_far.sum()) / (len(drawn) + 1))


def no_test(name: str, reason: str) -> Test:
    """Return a test without a p-value, with the reason."""
    return Test(name, None, reason=reason)


def binomial(part: int, whole: int, *, nothing: str) -> tuple[Estimate, Test]:
    """Return a share with Wilson's interval, and the exact two-sided test that it is one half."""
    if not whole:
        return undefined(nothing), no_test("binomial", nothing)
    p = sign_test_p(part, whole)
    return share(part, whole, nothing=nothing), Test("binomial", p, n=whole)
