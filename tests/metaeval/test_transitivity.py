"""Circular triples: worked out by hand, and against all orders of three responses."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.raters.transitivity import circular_share, is_circular


def test_a_triple_is_circular_if_no_order_with_a_just_noticeable_difference_fits() -> None:
    places = [0.3 * step for step in range(10)]  # closer than 1 is a tie
    fits = set()
    for a, b, c in product(places, repeat=3):
        fits.add(tuple(0 if abs(x - y) < 1 else int(np.sign(x - y)) for x, y in ((a, b), (b, c), (a, c))))
    circular = {signs for signs in product((-1, 0, 1), repeat=3) if is_circular(*signs)}
    assert circular == set(product((-1, 0, 1), repeat=3)) - fits
    assert len([signs for signs in circular if 0 not in signs]) == 2, "of 8 without a tie"


def test_the_share_counts_triples_of_one_item() -> None:
    # Item 0: 1 beats 2, 2 beats 3, 3 beats 1. Item 1: 4 beats 5, 5 and 6 tie, 4 beats 6. Item 2: one pair.
    first, second = [1, 2, 1, 4, 5, 6, 7], [2, 3, 3, 5, 6, 4, 8]
    choice, item = [1, 1, -1, 1, 0, -1, 1], np.array([0, 0, 0, 1, 1, 1, 2])
    found = circular_share(first, second, choice, item, ItemDraws(3, 100, 0))
    assert (found.value, found.n) == (0.5, 2)
    nothing = circular_share([7], [8], [1], np.array([0]), ItemDraws(1, 100, 0))
    assert nothing.value is None and nothing.reason


def test_random_winners_are_circular_in_a_quarter_of_the_triples() -> None:
    rng = np.random.default_rng(0)
    items = 2_000
    first, second = np.tile([1, 2, 1], items), np.tile([2, 3, 3], items)
    choice = rng.choice([-1, 1], 3 * items)
    found = circular_share(
        first.tolist(),
        second.tolist(),
        choice.tolist(),
        np.repeat(np.arange(items), 3),
        ItemDraws(items, 200, 0),
    )
    assert found.value == pytest.approx(0.25, abs=0.03) and found.ci is not None and found.n == items
