"""Permutation tests of two judges against the same humans: swap their scores and compare the gap.

Source: Deutsch, Dror and Roth 2021 (PERM-BOTH, PERM-INPUTS, PERM-SYSTEMS). Both judges are standardised
first, so that they are exchangeable, except under a coefficient on the scale itself (an error, a kappa),
which standardising would make meaningless. With A their mean and D half their difference, a swapped judge is
A + s D with a sign s. Under PERM-BOTH, s is the product of a sign of the system and a sign of the item, so a
thousand permutations are one matrix product.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from judgelab.errors import InvalidInput
from judgelab.metaeval.coefficients.registry import Coefficient
from judgelab.metaeval.coefficients.rowwise import mid_ranks
from judgelab.metaeval.core.arrays import Floats, Ints, codes, constant, rounded, rounded_means
from judgelab.metaeval.inference.significance import Test
from judgelab.wording import sentence

SCHEMES = ("perm_both", "perm_inputs", "perm_systems", "perm_cell")
FEWEST = 200
MOST_CELLS = 20_000_000
NOISE = 1e-9


@dataclass(frozen=True)
class Signs:
    """The random signs of all permutations: of the items (B, items), the systems (B, systems), or the cells.

    Args:
        scheme: one of `SCHEMES`.
        permutations: how many.
        seed: equal seeds, equal signs.
    """

    scheme: str
    permutations: int
    seed: int

    def __post_init__(self) -> None:
        if self.scheme not in SCHEMES:
            raise InvalidInput(
                sentence(
                    "{option} is '{found}', but must be one of {known}",
                    option="test", found=self.scheme, known=", ".join(SCHEMES),
                )
            )  # fmt: skip

    def items(self, number: int) -> npt.NDArray[np.int8]:
        """Return the signs of the items, all 1 where items are not swapped."""
        if self.scheme == "perm_systems":
            return np.ones((self.permutations, number), dtype=np.int8)
        return _signs(np.random.default_rng((self.seed, 1)), (self.permutations, number))

    def systems(self, number: int) -> npt.NDArray[np.int8]:
        """Return the signs of the systems, all 1 where systems are not swapped."""
        if self.scheme == "perm_inputs":
            return np.ones((self.permutations, number), dtype=np.int8)
        return _signs(np.random.default_rng((self.seed, 2)), (self.permutations, number))


def _signs(rng: np.random.Generator, shape: tuple[int, ...]) -> npt.NDArray[np.int8]:
    return rng.integers(0, 2, shape, dtype=np.int8) * 2 - 1


def standard(scores: Floats) -> Floats:
    """Return each judge's scores (judges, units) with mean 0 and spread 1; a constant judge is all 0."""
    spread = scores.std(axis=1, keepdims=True)
    flat = constant(scores)[:, None]
    return np.where(flat, 0.0, (scores - scores.mean(axis=1, keepdims=True)) / np.where(flat, 1.0, spread))


def _exchangeable(coefficient: Coefficient, *sides: Floats) -> list[Floats]:
    """Return the judges' scores made exchangeable for a coefficient; missing ones stay missing."""
    if coefficient.needs != "order":
        return list(sides)
    exchangeable = []
    for side in sides:
        finite = np.isfinite(side)
        scaled = np.full(side.shape, np.nan)
        scaled[finite] = standard(side[finite][None])[0]
        exchangeable.append(scaled)
    return exchangeable


def pooled_tests(
    human: Floats,
    judges: Floats,
    item: Ints,
    pairs: Sequence[tuple[int, int]],
    *,
    signs: Signs,
    ranks: bool = False,
) -> list[Test]:
    """Test pairs of judges on pooled Pearson's r: all units of an item are swapped together.

    Three products of matrices serve all pairs of all judges. With `ranks` every rater's scores become
    mid-ranks first, which makes the statistic Spearman's rho and keeps the test exact under the hypothesis
    that the judges' ranks can change places. Swapping systems makes no sense here: the test is PERM-INPUTS.

    Args:
        human: the human scores (units).
        judges: the judges' scores (judges, units), none missing.
        item: the item of each unit.
        pairs: which judges to compare, by row.
        signs: the permutations.
        ranks: whether to rank first.
    """
    if ranks:
        human, judges = mid_ranks(rounded(human)[None])[0], mid_ranks(rounded(judges))
    h, x = standard(human[None])[0], standard(judges)
    n, item_code = len(h), codes(item)
    items = int(item_code.max()) + 1
    # Per item: sums of the judge's scores, of their squares, and of their products with the human's.
    sums = [_by_item(part, item_code, items) for part in (x, x * x, x * h)]
    s = signs.items(items).astype(np.float32)
    moved = [s @ part.T.astype(np.float32) for part in sums]  # each (permutations, judges)
    with_human = [float(part) for part in (x * h).sum(axis=1)]
    tests = []
    for i, j in pairs:
        if not x[i].any() or not x[j].any() or not h.any():
            reason = sentence("the raters or one of the two compared always gave the same score")
            tests.append(Test("perm_inputs", None, n=n, reason=reason))
            continue
        observed = (with_human[i] - with_human[j]) / n
        a_squares = float(((x[i] + x[j]) ** 2).sum()) / 4
        d_squares = float(((x[i] - x[j]) ** 2).sum()) / 4
        a_human = (with_human[i] + with_human[j]) / 2
        d_mean, ad, d_human = ((part[:, i] - part[:, j]).astype(float) / 2 for part in moved)
        ad = ad / 2  # A D = (x_i^2 - x_j^2) / 4
        drawn = np.zeros(signs.permutations)
        for sign in (1, -1):
            # The mean of A is 0, as both judges have mean 0.
            variance = (a_squares + d_squares + sign * 2 * ad) - d_mean**2 / n
            drawn += sign * (a_human + sign * d_human) / np.sqrt(np.maximum(variance, 1e-12) * n)
        tests.append(_test("perm_inputs", observed, drawn, n=n, signs=signs, unit="items", units=items))
    return tests


def _by_item(values: Floats, place: Ints, items: int) -> Floats:
    if items == values.shape[1] and bool((place == np.arange(items)).all()):
        return values
    return np.stack([np.bincount(place, row, minlength=items) for row in values])


def system_test(
    human: Floats, first: Floats, second: Floats, coefficient: Coefficient, *, signs: Signs
) -> Test:
    """Test two judges on a coefficient of system means, each over all items that the system has.

    Args:
        human: human scores (systems, items), NaN where a system has none; every system has one.
        first: one judge's scores of the same cells.
        second: the other's.
        coefficient: what is compared.
        signs: the permutations; all schemes work.
    """
    systems, items = human.shape
    x, y = _exchangeable(coefficient, first, second)
    finite = np.isfinite(human)
    size = finite.sum(axis=1)
    half = np.where(finite, (x - y) / 2, 0.0)
    h, mean_x, mean_y = (rounded_means(np.where(finite, s, 0.0).sum(axis=1) / size) for s in (human, x, y))
    if signs.scheme == "perm_cell":
        moved = _cells(half, signs) / size
    else:
        moved = (signs.items(items) @ half.T) / size * signs.systems(systems)
    centre = np.where(finite, (x + y) / 2, 0.0).sum(axis=1) / size
    target = np.broadcast_to(h, moved.shape)
    observed = _gap(coefficient, h[None], mean_x[None], mean_y[None])
    if not np.isfinite(observed[0]):
        return Test(
            signs.scheme,
            None,
            n=systems,
            reason=sentence("the coefficient is undefined for one of the judges"),
        )
    drawn = _gap(coefficient, target, rounded_means(centre + moved), rounded_means(centre - moved))
    return _test(signs.scheme, float(observed[0]), drawn, n=systems, signs=signs, unit="items", units=items)


def group_test(gaps: Floats, *, signs: Signs) -> Test:
    """Test two judges on the mean over items of a coefficient within them.

    Judges are swapped within items (PERM-INPUTS), in which the mean of their differences is linear.

    Args:
        gaps: the first judge's coefficient minus the second's within each item that counts.
        signs: the permutations; of the items only.
    """
    items = len(gaps)
    drawn = signs.items(items) @ gaps / items
    return _test("perm_inputs", float(gaps.mean()), drawn, n=items, signs=signs, unit="items", units=items)


def item_test(
    human: Floats, first: Floats, second: Floats, coefficient: Coefficient, *, signs: Signs
) -> Test:
    """Test two judges on a coefficient within items, averaged over items.

    Arguments as in `system_test`, but arrays are (items, systems). If only items are swapped the average is
    linear in the signs; Pearson's r under PERM-BOTH needs two matrix products; other coefficients are
    recomputed in each permutation, with fewer permutations for large data (at least 200). An undefined item
    counts as 0.
    """
    items, systems = human.shape
    x, y = _exchangeable(coefficient, first, second)
    if signs.scheme == "perm_inputs":
        gaps = _values(coefficient, human, first) - _values(coefficient, human, second)
        return group_test(gaps, signs=signs)
    if coefficient.name == "pearson" and signs.scheme != "perm_cell":
        return _item_pearson(human, x, y, signs)
    fewer = Signs(signs.scheme, min(signs.permutations, max(FEWEST, MOST_CELLS // human.size)), signs.seed)
    middle, half = (x + y) / 2, (x - y) / 2
    by_item, by_system = fewer.items(items), fewer.systems(systems)
    rng = np.random.default_rng((fewer.seed, 3))
    drawn = np.empty(fewer.permutations)
    for number in range(fewer.permutations):
        if fewer.scheme == "perm_cell":
            sign = _signs(rng, half.shape)
        else:
            sign = by_item[number][:, None] * by_system[number]
        first_swapped, second_swapped = rounded(middle + sign * half), rounded(middle - sign * half)
        gaps = _values(coefficient, human, first_swapped) - _values(coefficient, human, second_swapped)
        drawn[number] = gaps.mean()
    observed = float((_values(coefficient, human, first) - _values(coefficient, human, second)).mean())
    return _test(fewer.scheme, observed, drawn, n=items, signs=fewer, unit="items", units=items)


def _item_pearson(human: Floats, x: Floats, y: Floats, signs: Signs) -> Test:
    items, systems = human.shape
    h = human - human.mean(axis=1, keepdims=True)
    spread = np.sqrt((h * h).sum(axis=1))
    varies = ~constant(human)
    scaled = np.where(varies[:, None], h / np.where(varies, spread, 1.0)[:, None], 0.0)
    middle, half = (x + y) / 2, (x - y) / 2
    middle = middle - middle.mean(axis=1, keepdims=True)
    with_middle = (scaled * middle).sum(axis=1)
    squares = (middle * middle).sum(axis=1) + (half * half).sum(axis=1)
    by_system, by_item = signs.systems(systems), signs.items(items)
    step = max(1, MOST_CELLS // (8 * items))
    drawn = []
    for start in range(0, signs.permutations, step):
        sigma, s = by_system[start : start + step], by_item[start : start + step]
        human_half, middle_half = sigma @ (scaled * half).T, sigma @ (middle * half).T
        mean_squares = (sigma @ half.T) ** 2 / systems
        gap = np.zeros(len(sigma))
        for sign in (1, -1):
            variance = squares + sign * 2 * s * middle_half - mean_squares
            flat = variance <= NOISE * squares
            value = (with_middle + sign * s * human_half) / np.sqrt(np.where(flat, 1.0, variance))
            gap += sign * np.where(flat, 0.0, value).mean(axis=1)
        drawn.append(gap)
    rows = _pearson_rows(scaled, x) - _pearson_rows(scaled, y)
    observed = float(rows.mean())
    return _test(
        signs.scheme, observed, np.concatenate(drawn), n=items, signs=signs, unit="items", units=items
    )


def _pearson_rows(scaled: Floats, x: Floats) -> Floats:
    d = x - x.mean(axis=1, keepdims=True)
    size = np.sqrt((d * d).sum(axis=1))
    flat = constant(x)
    return np.where(flat, 0.0, (scaled * d).sum(axis=1) / np.where(flat, 1.0, size))


def _values(coefficient: Coefficient, human: Floats, judge: Floats) -> Floats:
    return np.nan_to_num(coefficient.rows(human, judge))


def _cells(half: Floats, signs: Signs) -> Floats:
    """Return system sums of the half differences, with an independent sign for every cell."""
    rng = np.random.default_rng((signs.seed, 3))
    sums = np.empty((signs.permutations, len(half)))
    for number in range(signs.permutations):
        sums[number] = (half * _signs(rng, half.shape)).sum(axis=1)
    return sums


def _gap(coefficient: Coefficient, human: Floats, first: Floats, second: Floats) -> Floats:
    return coefficient.rows(human, first) - coefficient.rows(human, second)


def _test(name: str, observed: float, drawn: Floats, *, n: int, signs: Signs, unit: str, units: int) -> Test:
    """Return the two-sided p-value (1 + as wide) / (B + 1); permutations without a value count as wide."""
    lost = int((~np.isfinite(drawn)).sum())
    wide = np.abs(np.where(np.isfinite(drawn), drawn, np.inf)) >= abs(observed) - NOISE * max(
        1.0, abs(observed)
    )
    p = float((1 + wide.sum()) / (len(drawn) + 1))
    params = {"permutations": len(drawn), unit: units, **({"undefined": lost} if lost else {})}
    return Test(name, p, observed, n, seed=signs.seed, params=params)
