"""How many more items or raters would settle a claim, by resampling the existing ratings.

For each size, data sets of that many items are drawn with replacement from the present ones; the share of
them in which the claim is settled is its power. The present data are taken for the truth: a difference that
is chance today is planned for as if it were real. A claim that no size up to the limit settles is answered
with that limit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from judgelab.metaeval.core.arrays import Bools, Floats
from judgelab.metaeval.core.confidence import Z95
from judgelab.metaeval.core.distributions import student_quantile_975, t_test_power
from judgelab.metaeval.core.resampling import CHUNK, ItemDraws
from judgelab.metaeval.core.result import Estimate, no_interval
from judgelab.metaeval.core.shares import share
from judgelab.wording import Sentence, counted, sentence

TARGET_POWER = 0.8
WANTED_PERCENT = round(100 * TARGET_POWER)
FACTORS = (1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0)
LEAST_ITEMS = 3
RATERS = (2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50)


@dataclass(frozen=True)
class SizedDraws(ItemDraws):
    """Resamples of a different size than the data: `size` items each, drawn with replacement."""

    size: int = 0

    @property
    def number(self) -> int:
        """Return the resamples asked for."""
        return self.resamples

    @cached_property
    def counts(self) -> npt.NDArray[np.uint16]:
        """Resamples in rows, items in columns: how often each was drawn."""
        rng = np.random.default_rng((self.seed, self.size))
        drawn = np.empty((self.number, self.items), dtype=np.uint16)
        step = max(1, 10 * CHUNK // max(1, self.size))
        for start in range(0, self.number, step):
            rows = min(step, self.number - start)
            places = rng.integers(0, self.items, (rows, self.size))
            places += np.arange(rows)[:, None] * self.items
            counted = np.bincount(places.ravel(), minlength=rows * self.items)
            drawn[start : start + rows] = counted.reshape(rows, self.items)
        return drawn


class PowerAtSize(NamedTuple):
    """One size and the share of data sets of that size that settle the claim, with Wilson's interval."""

    size: int
    power: Estimate

    @property
    def percent(self) -> int:
        """Return the power in whole per cent; 79.8 are 79, as 80 are wanted and not reached."""
        power = self.power.value or 0.0
        return round(100 * power) if power >= TARGET_POWER else min(round(100 * power), WANTED_PERCENT - 1)


@dataclass(frozen=True)
class SampleSizePlan:
    """What would settle a claim.

    Args:
        unit: "items" or "raters".
        now: how many there are.
        settled: whether the present data settle it; None if they cannot say.
        steps: power by size.
        needed: the smallest size tried with the wanted power; None if none has it.
        largest_size: the largest size tried.
        target_power: the power wanted.
        reason: why nothing can be said.
    """

    unit: str
    now: int
    settled: bool | None
    steps: tuple[PowerAtSize, ...]
    needed: int | None
    largest_size: int
    target_power: float = TARGET_POWER
    reason: str | None = None


def rater_sizes(now: int, most: int) -> list[int]:
    """Return the numbers of raters to try. Example: 3 up to 20 gives 3, 4, 5, 6, 8, 10, 15, 20."""
    return sorted({now, *(size for size in RATERS if now < size < most), max(most, now)})


def no_plan(unit: str, now: int, reason: str) -> SampleSizePlan:
    """Return a plan without sizes, with the reason."""
    return SampleSizePlan(unit, now, None, (), None, now, reason=reason)


def sizes(now: int, *, most: int | None = None, factors: Sequence[float] = FACTORS) -> list[int]:
    """Return the sizes to try: multiples of what there is, up to `most`. Of 100: 100, 125, ..., 1,000."""
    limit = most if most is not None else int(now * max(factors))
    candidates = {round(now * factor) for factor in factors if round(now * factor) <= limit}
    return sorted({*candidates, limit} if limit >= now else {now})


def difference_plan(
    drawn: Callable[[ItemDraws], Floats],
    *,
    items: int,
    settled: bool | None,
    most: int | None = None,
    resamples: int = 400,
    seed: int = 0,
    wanted: float = TARGET_POWER,
) -> SampleSizePlan:
    """Plan for a difference whose interval is to leave out 0.

    At each size the spread of the drawn differences is the standard error at that size; a drawn data set
    settles the claim if its difference is more than 1.96 of them from 0, on the side of the present one.

    Args:
        drawn: returns the difference in each resample of given draws.
        items: how many items there are.
        settled: whether the present data settle it.
        most: the largest number of items to try; ten times the present number if not given.
        resamples: data sets drawn of each size.
        seed: of the draws.
        wanted: the power wanted.
    """
    if items < LEAST_ITEMS:
        return no_plan("items", items, _too_few(items))
    steps = []
    for size in sizes(items, most=most):
        values = drawn(SizedDraws(items, resamples, seed, size=size))
        values = values[np.isfinite(values)]
        if len(values) < resamples / 2:
            return no_plan("items", items, sentence("the difference is undefined in most resamples"))
        centre = float(np.median(values))
        beyond = (
            np.sign(centre) * values > Z95 * float(values.std(ddof=1)) if values.std() > 0 else values != 0
        )
        steps.append(power_at_size(size, beyond))
        if steps[-1].power.value is not None and steps[-1].power.value >= wanted:
            break
    return sample_size_plan("items", items, settled, steps, wanted, most=sizes(items, most=most)[-1])


def mean_difference_plan(
    differences: Floats,
    *,
    most: int | None = None,
    resamples: int = 400,
    seed: int = 0,
    wanted: float = TARGET_POWER,
) -> SampleSizePlan:
    """Plan for a mean of item differences (two systems) to differ from 0 by a two-sided t-test at .05."""
    n = len(differences)
    if n < LEAST_ITEMS:
        return no_plan("items", n, _too_few(n))
    settled = _t_settles(differences.mean(), differences.var(ddof=1), n)
    columns = np.stack([differences, differences**2], axis=1)
    steps = []
    for size in sizes(n, most=most):
        w = SizedDraws(n, resamples, seed, size=size).counts.astype(float)
        mean, square = (w @ columns / size).T
        variance = np.maximum(square - mean**2, 0.0) * size / (size - 1)
        same_side = np.sign(mean) == np.sign(differences.mean())
        steps.append(power_at_size(size, _t_settles(mean, variance, size) & same_side))
        if (steps[-1].power.value or 0.0) >= wanted:
            break
    return sample_size_plan("items", n, bool(settled), steps, wanted, most=sizes(n, most=most)[-1])


def raters_plan(
    differences: Floats, noise: float, *, raters: float, most: int = 20, wanted: float = TARGET_POWER
) -> SampleSizePlan:
    """Plan for the same mean with more raters per response and the same items, by the noncentral t.

    The variance of an item's difference is the variance between items plus `noise / raters`. Only the second
    part shrinks with more raters, so some claims need items whatever the number of raters.

    Args:
        differences: by item, as rated now by `raters` people each.
        noise: variance of one person's ratings of the difference around the mean of all.
        raters: mean number of ratings of a response now.
        most: the largest number to try.
        wanted: the power wanted.
    """
    n, now = len(differences), max(1, round(raters))
    if n < LEAST_ITEMS:
        return no_plan("raters", now, _too_few(n))
    if not np.isfinite(noise):
        return no_plan("raters", now, sentence("no response or pair has two human ratings"))
    between = max(0.0, float(differences.var(ddof=1)) - noise / raters)
    effect = abs(float(differences.mean()))
    steps = []
    for number in rater_sizes(now, most):
        se = np.sqrt((between + noise / number) / n)
        power = t_test_power(effect / se, n - 1) if se > 0 else float(effect > 0)
        steps.append(
            PowerAtSize(number, Estimate(power, n=n, ci_method=no_interval(sentence("noncentral t"))))
        )
        if power >= wanted:
            break
    settled = bool(_t_settles(differences.mean(), differences.var(ddof=1), n))
    return sample_size_plan("raters", now, settled, steps, wanted, most=most)


def _too_few(items: int) -> Sentence:
    return counted("{n} item; {least} are needed", "{n} items; {least} are needed", items, least=LEAST_ITEMS)


def _t_settles(mean: npt.ArrayLike, variance: npt.ArrayLike, n: int) -> Bools:
    average, spread = np.asarray(mean, dtype=float), np.asarray(variance, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(spread > 0, np.abs(average) / np.sqrt(spread / n), np.where(average != 0, np.inf, 0.0))
    return np.asarray(t > student_quantile_975(n - 1))


def power_at_size(size: int, settled: Bools) -> PowerAtSize:
    """Return a size with the share of its data sets that settle the claim."""
    return PowerAtSize(size, share(int(settled.sum()), len(settled), nothing=sentence("no resamples")))


def sample_size_plan(
    unit: str, now: int, settled: bool | None, steps: list[PowerAtSize], wanted: float, *, most: int
) -> SampleSizePlan:
    """Return the plan from the sizes tried so far."""
    needed = next((step.size for step in steps if (step.power.value or 0.0) >= wanted), None)
    return SampleSizePlan(unit, now, settled, tuple(steps), needed, most, wanted)
