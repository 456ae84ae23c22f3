"""Intervals by resampling items, and a small-sample interval that needs no resampling.

A study samples items, so items are resampled with all their responses and raters, never single scores.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from judgelab.metaeval.core.arrays import Floats, Ints
from judgelab.metaeval.core.confidence import interval_tail, normal_quantile
from judgelab.metaeval.core.result import Estimate, no_interval, no_interval_reason
from judgelab.wording import Sentence, counted, mark, sentence

LEAST_ITEMS = 3
SMALL = 30
FEWEST_RESAMPLES = 200
CHUNK = 200_000
AT_ONCE = 128  # resamples whose sums by many groups are added up in the processor's cache
LEAST_AT_ONCE, MOST_DRAWN = 16, 4_000_000  # resamples of many items, and draws, that are copied at a time
DENSE = 16  # cells for each unit up to which a dense product is faster than a sparse one
EXACT = 2**24  # counts below this are exact in float32
PARTS = 16  # sums of sixteenths are exact too: squares of whole scores' means over two or four raters
MAX_LOST_SHARE = 0.05  # beyond it an interval would cover only the easier resamples
METHOD = mark("percentile bootstrap over items, {resamples} resamples")
METHOD_FEW_LOST = mark(
    "percentile bootstrap over items, {resamples} resamples, {lost} of them without a value"
)
MANY_LOST = mark("too many resamples without a value ({lost} of {resamples})")
ALL_EQUAL = mark("all {resamples} resamples are equal (n = {items})")
NO_VARIATION = mark("there is no variation between items (n = {items})")
EQUAL_WITHIN = 1e-12  # relative size of rounding errors


@dataclass(frozen=True)
class ItemDraws:
    """How often each resample drew each item; the same draws for every judge, so results are paired.

    Args:
        items: number of items.
        resamples: number of resamples asked for.
        seed: the seed; equal seeds, equal draws.
        max_draws: how many item draws are affordable; beyond it fewer resamples are drawn, never under 200.
    """

    items: int
    resamples: int
    seed: int
    max_draws: int = 20_000_000

    @property
    def number(self) -> int:
        """Number of resamples actually drawn."""
        affordable = max(FEWEST_RESAMPLES, self.max_draws // max(1, self.items))
        return min(self.resamples, affordable)

    @cached_property
    def counts(self) -> npt.NDArray[np.uint16]:
        """Resamples in rows, items in columns: how often each was drawn."""
        rng = np.random.default_rng(self.seed)
        drawn = np.empty((self.number, self.items), dtype=np.uint16)
        step = max(1, CHUNK // max(1, self.items))
        for start in range(0, self.number, step):
            rows = min(step, self.number - start)
            places = rng.integers(0, self.items, (rows, self.items))
            places += np.arange(rows)[:, None] * self.items
            counted = np.bincount(places.ravel(), minlength=rows * self.items)
            drawn[start : start + rows] = counted.reshape(rows, self.items)
        return drawn

    @cached_property
    def by_item(self) -> npt.NDArray[np.uint16]:
        """The same counts with items in rows, so that one rater's few items are close together in memory."""
        return np.ascontiguousarray(self.counts.T)

    def of_units(self, item: Ints) -> Iterator[Floats]:
        """Yield the weights of units by their items, in order, some resamples at a time."""
        step = max(1, CHUNK // max(1, len(item)))
        for start in range(0, self.number, step):
            yield np.take(self.counts[start : start + step], item, axis=1).astype(float)

    def of_cells(self, cell: Ints, item: Ints) -> Iterator[Floats]:
        """Yield the weights of cells, each the sum over its units, in order, some resamples at a time."""
        size = np.bincount(cell)
        # Only the items of these units: of many raters, each has rated a few.
        items, place = np.unique(item, return_inverse=True)
        drawn = self.by_item if len(items) == self.items else np.take(self.by_item, items, axis=0)
        shape = len(size), len(items)
        number = self._fastest(np.bincount(place))
        if len(size) * len(items) <= min(DENSE * len(cell), EXACT):
            counted = np.bincount(cell * len(items) + place, minlength=len(size) * len(items))
            belongs = counted.reshape(shape).astype(number)
        else:
            starts, in_order = np.append(0, np.cumsum(size)), np.argsort(cell, kind="stable")
            belongs = csr_matrix((np.ones(len(cell), number), place[in_order], starts), shape=shape)
        step = max(1, min(CHUNK // max(1, len(size)), max(LEAST_AT_ONCE, MOST_DRAWN // max(1, len(items)))))
        for start in range(0, self.number, step):
            part = np.ascontiguousarray(drawn[:, start : start + step], dtype=belongs.dtype)
            yield np.asarray((belongs @ part).T, dtype=float)

    def sums(self, values: Sequence[Floats], group: Ints, item: Ints, *, groups: int) -> list[Floats]:
        """Return, for each array of unit values, their sums by resample and group; see `sums_in_parts`."""
        parts = self.sums_in_parts(values, group, item, groups=groups)
        return [np.concatenate(sums) for sums in zip(*parts, strict=True)]

    def sums_in_parts(
        self, values: Sequence[Floats], group: Ints, item: Ints, *, groups: int
    ) -> Iterator[list[Floats]]:
        """Yield, for each array of unit values, their sums by resample and group, some resamples at a time.

        Args:
            values: arrays of one number a unit.
            group: where each unit's numbers are added up, numbered from 0.
            item: the item of each unit.
            groups: how many places there are.
        """
        number = len(values)
        if groups == 1:  # as good as dense: BLAS is twice as fast
            by_item = np.stack([np.bincount(item, part, minlength=self.items) for part in values])
            for start in range(0, max(1, self.number), AT_ONCE):
                part = self.counts[start : start + AT_ONCE].astype(float)
                yield [drawn[:, None] for drawn in by_item @ part.T]
            return
        # The rows of one group are adjacent, so that they read the same few items' draws in turn.
        row = np.concatenate([group * number + k for k in range(number)])
        shape = (groups * number, self.items)
        added = csr_matrix((np.concatenate(values), (row, np.tile(item, number))), shape=shape)
        added = added.astype(self._fastest(added.data))
        for start in range(0, max(1, self.number), AT_ONCE):
            part = np.ascontiguousarray(self.by_item[:, start : start + AT_ONCE], dtype=added.dtype)
            drawn = np.asarray(added @ part).reshape(groups, number, part.shape[1])
            yield [drawn[:, k].T.astype(float) for k in range(number)]

    def _fastest(self, sums_of_items: npt.NDArray[Any]) -> type[np.floating]:
        """Return the smallest type in which sums over resampled items are exact, or float64."""
        parts = sums_of_items * PARTS
        largest = np.abs(parts).max(initial=0) * self.items  # one item drawn every time
        return np.float32 if largest < EXACT and (parts == np.rint(parts)).all() else np.float64


@lru_cache(maxsize=1)
def item_draws(items: int, resamples: int, seed: int) -> ItemDraws:
    """Return the draws; the last ones are cached, since one page asks for the same several times."""
    return ItemDraws(items, resamples, seed)


class Interval(NamedTuple):
    """An interval with its method; `undefined` counts resamples without a value, which are left out."""

    ends: tuple[float, float] | None
    method: str
    undefined: int = 0


def percentile_interval(draws: Floats, *, items: int) -> Interval:
    """Return the middle part (95 %) of the resampled values; none with fewer than three items or two values.

    None also if all resamples are equal, as those of a perfect correlation are: they carry no information
    about further items, and an interval without width would present a handful of items as certain. For
    shares, `shares.share_interval` keeps a width.
    """
    too_few = too_few_values(draws, items=items)
    if too_few is not None:
        return too_few
    defined = np.sort(draws[np.isfinite(draws)])
    lost = len(draws) - len(defined)
    if defined[-1] - defined[0] <= EQUAL_WITHIN * max(1.0, abs(defined[0])):
        reason = sentence(ALL_EQUAL, resamples=len(defined), items=items)
        return Interval(None, no_interval(reason), lost)
    return Interval(_middle(defined), interval_method(len(draws), lost), lost)


def no_variation_reason(estimate: Estimate) -> str | None:
    """Return why a value has no interval if the data show no variation around it, else None."""
    reason = no_interval_reason(estimate)
    return reason if reason is not None and reason.template in (ALL_EQUAL, NO_VARIATION) else None


def too_few_values(draws: Floats, *, items: int) -> Interval | None:
    """Return why no interval can be made of resamples: too few items or values; None where one can."""
    if items < LEAST_ITEMS:
        return Interval(None, too_few_items(items))
    lost = int((~np.isfinite(draws)).sum())
    if len(draws) - lost < 2:
        return Interval(None, no_interval(sentence("no resample has a value")), lost)
    if lost > MAX_LOST_SHARE * len(draws):
        return Interval(None, no_interval(sentence(MANY_LOST, lost=lost, resamples=len(draws))), lost)
    return None


def too_few_items(items: int) -> str:
    """Return that so few items have no interval."""
    return no_interval(
        counted(
            "only {n} item; an interval needs {least}", "only {n} items; an interval needs {least}",
            items, least=LEAST_ITEMS,
        )
    )  # fmt: skip


def interval_method(resamples: int, lost: int, words: tuple[str, str] = (METHOD, METHOD_FEW_LOST)) -> str:
    """Return how an interval was computed, in the words for no or few lost resamples."""
    return sentence(words[bool(lost)], resamples=resamples, **({"lost": lost} if lost else {}))


def resamples_lost(estimate: Estimate) -> int:
    """Return how many resamples without a value an interval leaves out."""
    method = estimate.ci_method
    return int(method.values.get("lost", 0)) if isinstance(method, Sentence) else 0


def without_lost(method: str) -> str:
    """Return how an interval was computed without its number of lost resamples."""
    if isinstance(method, Sentence) and method.template == METHOD_FEW_LOST:
        return sentence(METHOD, resamples=method.values["resamples"])
    return method


def _middle(values: Floats) -> tuple[float, float]:
    """Return `numpy.percentile` at both ends (2.5 and 97.5) of sorted values, without its overhead."""
    ends = []
    tail = interval_tail()
    for share in (tail, 1 - tail):
        place = (len(values) - 1) * share
        first = int(place)
        low, high = float(values[first]), float(values[min(first + 1, len(values) - 1)])
        part = place - first
        ends.append(low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part))
    return ends[0], ends[1]


def fisher_interval(value: float, n: int, *, coefficient: str) -> Interval | None:
    """Return the z interval of a correlation of n <= 30 independent units; None where it does not apply.

    Up to 30 units a percentile bootstrap covers too little (.92 instead of .95 at n = 12). Widths are those
    of Fisher (Pearson), Bonett and Wright 2000 (Spearman) and Fieller, Hartley and Pearson 1957 (Kendall).
    """
    widths = {
        "pearson": (3, 1.0),
        "spearman": (3, math.sqrt(1 + value**2 / 2)),
        "kendall": (4, math.sqrt(0.437)),
    }
    if coefficient not in widths or n > SMALL or abs(value) >= 1 - EQUAL_WITHIN:
        return None
    lost, factor = widths[coefficient]
    if n - lost < 1:
        return None
    z, half = math.atanh(value), normal_quantile() * factor / math.sqrt(n - lost)
    return Interval((math.tanh(z - half), math.tanh(z + half)), sentence("Fisher z, n = {n}", n=n))
