"""Choosing rated examples by percentile, as the BioASQ study does (section 4.2.2)."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from judgelab.domain import Demonstration
from judgelab.errors import InvalidInput
from judgelab.wording import sentence

PERCENTILES = (15, 80)
PAPER_CRITERIA = ("recall", "precision", "readability")
MOST_CRITERIA = 3


def shown_criteria(keys: Sequence[str]) -> tuple[str, ...]:
    """Return the criteria whose percentiles are shown: the paper's three, or a project's own first three."""
    known = [key for key in PAPER_CRITERIA if key in keys]
    return tuple(known or list(keys)[:MOST_CRITERIA])


def by_percentile(
    rated: Sequence[Demonstration],
    criteria: Sequence[str],
    *,
    percentiles: Sequence[int] = PERCENTILES,
    seed: int = 0,
) -> tuple[Demonstration, ...]:
    """Return one example for each percentile of each criterion, in that order; none comes twice.

    The percentile is that of the nearest rank. Among examples equally near its score chance decides, by
    `seed` alone, and one to a question that is not shown yet comes first.

    Args:
        rated: candidates with `scores` under all of `criteria`; keep out what is to be judged.
        criteria: keys of criteria.
        percentiles: from 0 to 100.
        seed: of the choice among equals.

    Raises:
        InvalidInput: there are fewer candidates than examples wanted.
    """
    left = [one for one in rated if all(key in one.scores for key in criteria)]
    wanted = len(criteria) * len(percentiles)
    if len(left) < wanted:
        raise InvalidInput(
            sentence(
                "{shots} responses rated under {criteria} are needed as examples and {there} are there; rate "
                "more, or widen the groups they are taken from.",
                shots=wanted,
                criteria=", ".join(criteria),
                there=len(left),
            )
        )
    left.sort(key=lambda one: (one.question, one.response, sorted(one.scores.items())))
    random.Random(seed).shuffle(left)
    targets = [(key, _at([one.scores[key] for one in left], p)) for key in criteria for p in percentiles]
    chosen: list[Demonstration] = []
    for key, target in targets:
        seen = {one.question for one in chosen}
        distances = [(abs(one.scores[key] - target), one.question in seen) for one in left]
        chosen.append(left.pop(distances.index(min(distances))))
    return tuple(chosen)


def _at(scores: Sequence[float], percentile: int) -> float:
    """Return the score of the nearest rank: the smallest that at least so many per cent do not exceed."""
    ranked = sorted(scores)
    return ranked[max(0, math.ceil(percentile / 100 * len(ranked)) - 1)]
