"""A judge's mean error and offset in parts of the data, and whether the parts differ.

A part may be a group, a system, a third of the lengths, a human score, or the judge's own model family.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from judgelab.metaeval.core.arrays import Bools, Floats, Ints, codes
from judgelab.metaeval.core.resampling import CHUNK, ItemDraws, percentile_interval
from judgelab.metaeval.core.result import NOT_ASKED, Estimate, no_interval, undefined
from judgelab.metaeval.inference.cluster_robust import NAME, cluster_gaps
from judgelab.metaeval.inference.multiplicity import LEVEL
from judgelab.metaeval.inference.significance import Test
from judgelab.wording import sentence

LEAST = 5


@dataclass(frozen=True)
class Slice:
    """One part of the data.

    Args:
        offset: mean of judge minus human, in points.
        error: mean absolute distance, in points.
        apart: how much larger the error is here than elsewhere, with its interval.
        test: that `apart` is 0, clustered by item; to be corrected over all parts that are looked at.
    """

    name: str
    offset: Estimate
    error: Estimate
    apart: Estimate
    test: Test

    @property
    def worse(self) -> bool:
        """Return whether the judge is significantly worse here than elsewhere, by the corrected p-value."""
        p = self.test.adjusted
        return p is not None and p < LEVEL and (self.apart.value or 0.0) > 0


@dataclass(frozen=True)
class OffsetsBySlice:
    """Whether a judge's offset differs between the parts.

    Args:
        slices: one a part, with at least five units.
        spread: standard deviation of the parts' offsets (weighted by units), in points.
        test: permutation test of the spread, permuting the parts over items.
    """

    slices: tuple[Slice, ...]
    spread: Estimate
    test: Test


def slices(
    human: Floats,
    judge: Floats,
    part: Ints,
    names: Sequence[str],
    *,
    item: Ints,
    draws: ItemDraws,
    permutations: int = 1000,
    errors_comparable: bool = True,
) -> OffsetsBySlice:
    """Return a judge's offset and error in each part, and the test that its offset is the same in all.

    Args:
        human: human scores, none missing.
        judge: the judge's, on the same scale.
        part: the part of each unit, numbered as in `names`; -1 for none.
        names: of the parts.
        item: item of each unit; items are resampled and, if each lies in one part, permuted.
        draws: how often each resample drew each item.
        permutations: of the test.
        errors_comparable: whether errors may be as large in one part as in another. Not so in parts by score:
            where both scores are at an end of the scale, they can't differ much.

    Example: offsets of 0 in one part and 1 in another of the same size have a spread of 0.5.
    """
    in_a_part = part >= 0
    human, judge, part, item = human[in_a_part], judge[in_a_part], part[in_a_part], item[in_a_part]
    size = np.bincount(part, minlength=len(names)) if len(part) else np.zeros(len(names), dtype=np.int64)
    used = np.flatnonzero(size >= LEAST)
    if len(used) < 2:
        reason = sentence("fewer than two subsets have {least} judgments", least=LEAST)
        return OffsetsBySlice(
            (), undefined(reason, n=len(part)), Test("permutation", None, n=len(part), reason=reason)
        )
    keep = np.isin(part, used)
    offsets, part, item = (judge - human)[keep], codes(part[keep]), item[keep]
    offset = _by_part(offsets, part, item, len(used), draws)
    error = _by_part(np.abs(offsets), part, item, len(used), draws)
    gaps = cluster_gaps(np.abs(offsets), part, item, parts=len(used)) if errors_comparable else None
    n = np.bincount(part)
    found_slices = tuple(
        Slice(
            names[int(place)],
            _estimate(offset, k, int(n[k]), part, item, draws),
            _estimate(error, k, int(n[k]), part, item, draws),
            *(_not_compared(int(n[k])) if gaps is None else (gaps[k].estimate, gaps[k].test)),
        )
        for k, place in enumerate(used)
    )
    return OffsetsBySlice(found_slices, *_spread(offsets, part, item, permutations, draws.seed))


def _not_compared(n: int) -> tuple[Estimate, Test]:
    reason = sentence("errors are smaller near the ends of the scale")
    return undefined(reason, n=n), Test(NAME, None, n=n, reason=reason)


def own_family(
    human: Floats, judge: Floats, own: Bools, *, item: Ints, draws: ItemDraws
) -> tuple[Estimate, Estimate, Estimate]:
    """Return a judge's offset on its own family's responses, on the others', and the difference.

    A positive difference is self-preference: the judge is more lenient with its own family than the humans
    are. Undefined if one side has fewer than five responses. Arguments as in `slices`.
    """
    by_family = slices(
        human, judge, own.astype(np.int64), ("others", "own"), item=item, draws=draws, permutations=0
    )
    if len(by_family.slices) < 2:
        no_estimate = undefined(
            sentence(
                "fewer than {least} responses from the judge's own model family or from the others",
                least=LEAST,
            ),
            n=int(own.sum()),
        )
        return no_estimate, no_estimate, no_estimate
    part = own.astype(np.int64)
    value, drawn = _by_part(judge - human, part, item, 2, draws)
    gap = (value[1:] - value[:1], drawn[:, 1:] - drawn[:, :1])
    difference = _estimate(gap, 0, len(human), np.zeros(len(part), dtype=np.int64), item, draws)
    return by_family.slices[1].offset, by_family.slices[0].offset, difference


def thirds(values: Floats) -> tuple[Ints, tuple[str, str, str]]:
    """Return the third that each value is in, by rank, and the thirds' names with their limits."""
    low, high = np.quantile(values, [1 / 3, 2 / 3])
    part = np.where(values <= low, 0, np.where(values <= high, 1, 2))
    if np.array_equal(values, np.rint(values)):  # counts: whole limits name the same thirds
        low, high = math.floor(low), math.floor(high)
        middle = f"{high}" if high == low + 1 else f"{low + 1} – {high}"
        return part.astype(np.int64), (f"≤ {low}", middle, f"> {high}")
    return part.astype(np.int64), (f"≤ {low:.3g}", f"> {low:.3g}, ≤ {high:.3g}", f"> {high:.3g}")


def length_thirds(words: Floats) -> tuple[Ints, tuple[str, ...]]:
    """Return each response's third by length, -1 for one without a text, and the thirds' names.

    No names if fewer than three lengths differ.
    """
    part = np.full(len(words), -1, dtype=np.int64)
    with_text = words > 0
    if len(np.unique(words[with_text])) < 3:
        return part, ()
    part[with_text], names = thirds(words[with_text])
    return part, names


def _sums(
    values: Floats, part: Ints, item: Ints, parts: int, draws: ItemDraws
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the sums and sizes of the parts, as observed and in each resample (resamples, parts)."""
    drawn, drawn_size = draws.sums([values, np.ones(len(values))], part, item, groups=parts)
    return (
        np.bincount(part, values, minlength=parts).astype(float),
        np.bincount(part, minlength=parts).astype(float),
        drawn,
        drawn_size,
    )


def _by_part(values: Floats, part: Ints, item: Ints, parts: int, draws: ItemDraws) -> tuple[Floats, Floats]:
    total, size, drawn, drawn_size = _sums(values, part, item, parts, draws)
    with np.errstate(divide="ignore", invalid="ignore"):
        return total / size, drawn / drawn_size


def _estimate(
    value_and_draws: tuple[Floats, Floats], k: int, n: int, part: Ints, item: Ints, draws: ItemDraws
) -> Estimate:
    value = float(value_and_draws[0][k])
    if not draws.resamples:
        return Estimate(value, n=n, ci_method=NOT_ASKED)
    interval = percentile_interval(value_and_draws[1][:, k], items=len(np.unique(item[part == k])))
    return Estimate(value, ci=interval.ends, ci_method=interval.method, n=n, seed=draws.seed)


def _spread(offsets: Floats, part: Ints, item: Ints, permutations: int, seed: int) -> tuple[Estimate, Test]:
    parts, n = int(part.max()) + 1, len(offsets)
    observed = float(_between(offsets, part[None], parts)[0])
    spread = Estimate(observed, n=n, groups_used=parts, ci_method=no_interval(sentence("see the test")))
    if not permutations:
        return spread, Test("permutation", None, n=n, reason=sentence("not asked for"))
    rng = np.random.default_rng(seed)
    step = max(1, CHUNK // n)
    sizes = [min(step, permutations - start) for start in range(0, permutations, step)]
    order = np.argsort(codes(item), kind="stable")
    shuffle = _shuffler(part[order], codes(item)[order])
    drawn = np.concatenate([_between(offsets[order], shuffle(rng, size), parts) for size in sizes])
    p = float((1 + (drawn >= observed - 1e-12).sum()) / (permutations + 1))
    return spread, Test("permutation", p, observed, n, seed=seed, params={"permutations": permutations})


def _shuffler(part: Ints, item: Ints) -> Callable[[np.random.Generator, int], Ints]:
    """Return a function that draws rows of shuffled parts, for units sorted by item.

    If each item lies in one part, items exchange parts. If parts span items (as systems do), the parts are
    shuffled within each item.
    """
    first = np.flatnonzero(np.diff(item, prepend=-1))
    size = np.diff(first, append=len(item))
    if bool((part == part[first][item]).all()):
        return lambda rng, rows: rng.permuted(np.tile(part[first], (rows, 1)), axis=1)[:, item]
    # Units whose items have equally many, as places: a row an item. Rows of few are sorted many at once,
    # and two, the usual number of systems, change places or do not, which is quicker than sorting them.
    grids = [first[size == most][:, None] + np.arange(most) for most in np.unique(size[size > 1])]

    def within(rng: np.random.Generator, rows: int) -> Ints:
        fraction = rng.random((rows, len(item)))
        drawn = np.tile(part, (rows, 1))
        for grid in grids:
            if grid.shape[1] == 2:
                left, right = grid.T
                changed = fraction[:, left] > fraction[:, right]
                drawn[:, left] = np.where(changed, part[right], part[left])
                drawn[:, right] = np.where(changed, part[left], part[right])
                continue
            places = np.argsort(fraction[:, grid], axis=2)
            parts_of_items = np.broadcast_to(part[grid], places.shape)
            drawn[:, grid] = np.take_along_axis(parts_of_items, places, axis=2)
        return drawn

    return within


def _between(offsets: Floats, part: Ints, parts: int) -> Floats:
    """Return the spread of the parts' means for each row of parts."""
    rows, n = part.shape
    cell = (part + parts * np.arange(rows)[:, None]).ravel()
    size = np.bincount(cell, minlength=rows * parts).reshape(rows, parts)
    total = np.bincount(cell, np.broadcast_to(offsets, part.shape).ravel(), minlength=rows * parts)
    mean = total.reshape(rows, parts) / np.maximum(size, 1)
    return np.asarray(np.sqrt((size * (mean - offsets.mean()) ** 2).sum(axis=1) / n))
