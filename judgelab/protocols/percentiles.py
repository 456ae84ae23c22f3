"""Choose rated examples by percentile, as in the BioASQ study (section 4.2.2)."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from judgelab.domain import Demonstration
from judgelab.errors import InvalidInput
from judgelab.wording import sentence

PERCENTILES = (15, 80)
PAPER_CRITERIA = ("recall", "precision", "readability")
MAX_CRITERIA = 3


def shown_criteria(keys: Sequence[str]) -> tuple[str, ...]:
    """Return the criteria whose percentiles are shown: the paper's three, or a project's first three."""
    paper_keys = [key for key in PAPER_CRITERIA if key in keys]
    return tuple(paper_keys or list(keys)[:MAX_CRITERIA])


def choose_by_percentile(
    rated: Sequence[Demonstration],
    criteria: Sequence[str],
    *,
    percentiles: Sequence[int] = PERCENTILES,
    seed: int = 0,
) -> tuple[Demonstration, ...]:
    """Return one example for each percentile of each criterion, in that order, none twice.

    The percentile uses the nearest-rank method. Among examples equally close to its score, those with a new
    question are preferred, and then `seed` decides.

    Args:
        rated: candidates with `scores` for all of `criteria`, without the responses to be judged.
        criteria: keys of criteria.
        percentiles: from 0 to 100.
        seed: the seed for breaking ties.

    Raises:
        InvalidInput: there are too few candidates.
    """
    left = [example for example in rated if all(key in example.scores for key in criteria)]
    needed = len(criteria) * len(percentiles)
    if len(left) < needed:
        raise InvalidInput(
            sentence(
                "responses rated under {criteria} needed as examples: {shots}, available: {there}; rate "
                "more, or take the examples from more groups.",
                shots=needed,
                criteria=", ".join(criteria),
                there=len(left),
            )
        )
    left.sort(key=lambda example: (example.question, example.response, sorted(example.scores.items())))
    random.Random(seed).shuffle(left)
    targets = [
        (key, _percentile_score([example.scores[key] for example in left], p))
        for key in criteria
        for p in percentiles
    ]
    chosen: list[Demonstration] = []
    for key, target in targets:
        seen = {example.question for example in chosen}
        distances = [(abs(example.scores[key] - target), example.question in seen) for example in left]
        chosen.append(left.pop(distances.index(min(distances))))
    return tuple(chosen)


def _percentile_score(scores: Sequence[float], percentile: int) -> float:
    """Return the percentile by nearest rank: the smallest score that so many per cent do not exceed."""
    ranked = sorted(scores)
    return ranked[max(0, math.ceil(percentile / 100 * len(ranked)) - 1)]
