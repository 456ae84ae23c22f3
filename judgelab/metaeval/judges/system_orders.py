"""Whether the humans' order of two systems is significant, corrected over all pairs and criteria.

A pair is tested by swapping its two systems' scores on the items that both have (Deutsch, Dror and Roth 2021,
PERM-INPUTS). The order comes from the same human scores that test it, so the test is two-sided.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from judgelab.metaeval.core.arrays import Floats
from judgelab.metaeval.core.distributions import normal_two_sided
from judgelab.metaeval.inference.contrast_tests import PER_PAIR
from judgelab.metaeval.inference.multiplicity import with_correction
from judgelab.metaeval.inference.significance import Test
from judgelab.metaeval.judges.system_differences import (
    EXACT_UP_TO,
    PairDifferences,
    SystemItemScores,
    signs_of,
)

CORRECTION = "holm"
MOST_SIGNS = 200_000_000  # beyond it p-values are those of the normal limit
CHUNK = 4_000_000
PERMUTATIONS = 10_000  # with 1,000, chance decided whether a p of .045 was below .05
DRAWN_SIGNS = 20_000_000  # beyond it there are fewer, but never fewer than were asked for
EXACT, DRAWN, IN_LIMIT = "swapped_systems_exact", "swapped_systems", "swapped_systems_limit"


def human_order_tests(
    grids: Sequence[SystemItemScores | None], *, permutations: int = 1000, seed: int = 0
) -> list[list[Test]]:
    """Return the test of each pair of systems under each criterion, corrected over all of them (Holm).

    With 12 items or fewer all permutations are tried. Otherwise there are 10,000, fewer with thousands of
    items, and at least 40 per pair, so that the correction can still be passed. With so many items that this
    would take minutes, all p-values come from the normal limit.

    Args:
        grids: of each criterion (`system_differences.system_item_scores`); None where there are no systems.
        permutations: at least so many.
        seed: of the permutations.
    """
    sides = [None if grid is None else PairDifferences.of(grid.human, grid) for grid in grids]
    with_pairs = [side for side in sides if side is not None]
    items = max((1, *(len(side.apart) for side in with_pairs)))
    usual = min(PERMUTATIONS, DRAWN_SIGNS // items)
    number = max(permutations, usual, PER_PAIR * sum(side.apart.shape[1] for side in with_pairs))
    in_limit = number * items > MOST_SIGNS
    tests_by_criterion = [
        [] if side is None else _in_limit(side) if in_limit else _swapped(side, number, seed)
        for side in sides
    ]
    corrected = iter(with_correction([test for tests in tests_by_criterion for test in tests], CORRECTION))
    return [[next(corrected) for _ in tests] for tests in tests_by_criterion]


def _swapped(side: PairDifferences, permutations: int, seed: int) -> list[Test]:
    total = side.apart.sum(axis=0)
    limit = np.abs(total) - 1e-9 * np.maximum(1.0, np.abs(total))
    if len(side.apart) <= EXACT_UP_TO:
        p_values = (np.abs(signs_of(len(side.apart), 0, seed) @ side.apart) >= limit).mean(axis=0)
        return [
            Test(EXACT, float(p), float(lead), int(n))
            for p, lead, n in zip(p_values, side.lead, side.items, strict=True)
        ]
    rng, as_far = np.random.default_rng((seed, 3)), np.zeros(len(total))
    step = max(1, CHUNK // max(1, len(side.apart)))
    for start in range(0, permutations, step):
        rows = min(step, permutations - start)
        signs = rng.integers(0, 2, (rows, len(side.apart)), dtype=np.int8) * 2.0 - 1.0
        as_far += (np.abs(signs @ side.apart) >= limit).sum(axis=0)
    params = {"permutations": permutations}
    return [
        Test(DRAWN, float((1 + count) / (permutations + 1)), float(lead), int(n), seed=seed, params=params)
        for count, lead, n in zip(as_far, side.lead, side.items, strict=True)
    ]


def _in_limit(side: PairDifferences) -> list[Test]:
    total, spread = side.apart.sum(axis=0), np.sqrt((side.apart**2).sum(axis=0))
    z: Floats = np.divide(total, spread, out=np.zeros_like(total), where=spread > 0)
    return [
        Test(IN_LIMIT, normal_two_sided(math.fabs(z_value)), float(lead), int(n))
        for z_value, lead, n in zip(z, side.lead, side.items, strict=True)
    ]
