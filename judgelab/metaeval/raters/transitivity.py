"""Transitivity of a rater's choices: triples of responses between which no order fits the three choices."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from judgelab.metaeval.core.arrays import Ints
from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.metaeval.core.shares import share_over_items
from judgelab.wording import sentence

NO_TRIPLE = sentence("compared no three responses of an item with one another")


def is_circular(ab: int, bc: int, ac: int) -> bool:
    """Return whether no order fits three choices; each is 1 for the first response, -1 the second, 0 a tie.

    That is so if one response is better than a second and this than a third, but the first is not better
    than the third (Kendall and Babington Smith 1940, who had no ties). Two ties and a winner are not
    circular: small differences can go unnoticed until they add up.

    >>> is_circular(1, 1, -1), is_circular(1, 1, 0), is_circular(1, 0, 0)
    (True, True, False)
    """
    return abs(ab + bc - ac) >= 2


def circular_share(
    first: Sequence[int], second: Sequence[int], choice: Sequence[int], item: Ints, draws: ItemDraws
) -> Estimate:
    """Return the share of circular triples among one rater's choices; n is the number of triples.

    Args:
        first: one response of each pair.
        second: the other.
        choice: 1 if the first is better, -1 if the second is, 0 for a tie.
        item: the item of each pair, numbered as in `draws`.
        draws: how often each resample drew each item, for the interval.
    """
    by_item: dict[int, dict[tuple[int, int], int]] = {}
    for a, b, chosen, of_item in zip(first, second, choice, item.tolist(), strict=True):
        known = by_item.setdefault(of_item, {})
        known[a, b], known[b, a] = chosen, -chosen
    circular, items = [], []
    for of_item, known in by_item.items():
        for a, b, c in combinations(sorted({response for pair in known for response in pair}), 3):
            if {(a, b), (b, c), (a, c)} <= known.keys():
                circular.append(is_circular(known[a, b], known[b, c], known[a, c]))
                items.append(of_item)
    if not circular:
        return undefined(NO_TRIPLE)
    of_triple = np.array(items, dtype=np.int64)
    return share_over_items(np.array(circular, dtype=float), np.ones(len(circular)), of_triple, draws)
