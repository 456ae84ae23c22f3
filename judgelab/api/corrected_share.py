"""The share of right answers corrected for a judge's errors, and how to split labels to estimate these."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple, overload

import numpy as np
import pandas as pd
from scipy.special import ndtri

from judgelab.api.vectors import labels_and_pool
from judgelab.errors import InvalidInput
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.judges import corrected_share as shares

BY_NUMBERS = "jl.corrected_share(p, q0, q1, n, m0, m1)"
BY_VECTORS = "jl.corrected_share(labelled=[…], judged=[…], pool=[…])"


@overload
def corrected_share(
    p: float, q0: float, q1: float, n: int, m0: float, m1: float, *, confidence: float = 0.95
) -> Estimate: ...
@overload
def corrected_share(*, labelled: Any, judged: Any, pool: Any, confidence: float = 0.95) -> Estimate: ...
def corrected_share(
    p: float | None = None,
    q0: float | None = None,
    q1: float | None = None,
    n: int | None = None,
    m0: float | None = None,
    m1: float | None = None,
    *,
    labelled: Any = None,
    judged: Any = None,
    pool: Any = None,
    confidence: float = 0.95,
) -> Estimate:
    """Return the share of right answers among those that only a judge scored, corrected for its errors.

    The share is (p + q0 - 1) / (q0 + q1 - 1), cut off at 0 and 1 (Rogan and Gladen 1978). Valid if the
    labelled responses were drawn at random, or among the right and among the wrong ones, and the judge errs
    as often on the others. Not valid for labels drawn by the judge's verdict.

    Args:
        p: the judge's share of yes among the n responses that people did not label.
        q0: its specificity (TNR): the share of no among the m0 responses that people found wrong.
        q1: its sensitivity (TPR): the share of yes among the m1 responses that people found right.
        n: number of responses that only the judge scored.
        m0: number of labelled responses that people found wrong.
        m1: number of labelled responses that people found right.
        labelled: instead of numbers, people's verdicts: 1 or yes for right, 0 or no for wrong, and values
            between for divided people.
        judged: the judge's verdicts on the same responses, in the same order.
        pool: the judge's verdicts on the others.
        confidence: that the interval contains the share, 0.95 for 95 %.

    Returns:
        An estimate from 0 to 1 with the interval of Lang and Reiczigel (2014); `recipe["raw"]` is the share
        before it was cut off. Undefined if q0 + q1 is 1 or less, as for a judge that guesses, if people found
        all right or all wrong, or without a pool. Missing verdicts are left out with their pair and counted
        in `recipe["n_missing"]`.

    Raises:
        InvalidInput: an argument is missing, is no share, or the lengths differ.

    Example:
        >>> import judgelab as jl
        >>> jl.corrected_share(p=0.576, q0=30 / 36, q1=21 / 24, n=2000, m0=36, m1=24)
        Estimate(0.578 [0.453, 0.751], n=2,000)
        >>> float(jl.corrected_share(labelled=[1, 1, 0, 0], judged=[1, 1, 1, 0], pool=[1, 0, 1, 1]))
        0.5
    """
    numbers = {"p": p, "q0": q0, "q1": q1, "n": n, "m0": m0, "m1": m1}
    vectors = {"labelled": labelled, "judged": judged, "pool": pool}
    by_number = [name for name, value in numbers.items() if value is not None]
    by_vector = [name for name, value in vectors.items() if value is not None]
    if by_number and by_vector:
        raise InvalidInput(f"give numbers or vectors, not both: {BY_NUMBERS} or {BY_VECTORS}.")
    z = _quantile(confidence)
    if by_vector:
        _complete(vectors, BY_VECTORS)
        found = _of_vectors(labelled, judged, pool, z)
    else:
        _complete(numbers, BY_NUMBERS)
        for name in ("p", "q0", "q1"):
            _share(numbers[name], name)
        counts = [_count(numbers[name], name) for name in ("n", "m0", "m1")]
        found = shares.corrected_share(
            float(p or 0), int(counts[0]), (float(q0 or 0), counts[1]), (float(q1 or 0), counts[2]), z=z
        )
    return replace(found, params={**found.params, "confidence": confidence})


class LabelSplit(NamedTuple):
    """How many labels to spend on wrong and on right responses.

    Attributes:
        m0: responses that are wrong.
        m1: responses that are right.
    """

    m0: int
    m1: int

    def to_frame(self) -> pd.DataFrame:
        """Return one row with m0 and m1."""
        return pd.DataFrame([self.to_dict()])

    def to_dict(self) -> dict[str, int]:
        """Return both numbers by name."""
        return {"m0": self.m0, "m1": self.m1}


def allocate_labels(m: int, p: float, q0: float, q1: float, *, pilot: int) -> LabelSplit:
    """Return how to split m labels between wrong and right responses for the shortest interval.

    A pilot labels as many wrong as right responses and gives a first q0 and q1; the rest goes where the judge
    errs more often and more responses lie. The interval is that of `judgelab.corrected_share`.

    Args:
        m: number of labels in all, those of the pilot included.
        p: the judge's share of yes among the unlabelled responses.
        q0: its specificity in the pilot: share of no among the wrong responses.
        q1: its sensitivity in the pilot: share of yes among the right responses.
        pilot: number of wrong, and also of right, responses in the pilot; neither number gets fewer.

    Returns:
        m0, labels of wrong responses, and m1, labels of right ones; together m. The kinds are what people
        find, not what the judge says: labels drawn by the judge's verdict make the interval invalid.

    Raises:
        InvalidInput: p, q0 or q1 is not from 0 to 1, or m is less than the pilot's labels.

    Source: Lee and others 2025 (arXiv 2511.21140), algorithm 2.

    Example:
        >>> import judgelab as jl
        >>> jl.allocate_labels(200, 0.376, 0.776, 0.878, pilot=20)
        LabelSplit(m0=135, m1=65)
    """
    for name, value in (("p", p), ("q0", q0), ("q1", q1)):
        _share(value, name)
    _count(pilot, "pilot", least=1)
    _count(m, "m", least=1)
    if m != int(m) or pilot != int(pilot):
        raise InvalidInput(f"m is {m} and pilot is {pilot}, but both must be whole numbers.")
    if m < 2 * pilot:
        raise InvalidInput(
            f"m is {m}, but the pilot alone has {2 * pilot} labels; m counts these too: "
            f"jl.allocate_labels({10 * int(pilot)}, p, q0, q1, pilot={pilot})."
        )
    return LabelSplit(*shares.allocate_labels(int(m), float(p), float(q0), float(q1), pilot=int(pilot)))


def _of_vectors(labelled: Any, judged: Any, pool: Any, z: float) -> Estimate:
    human, judge, others, _notes = labels_and_pool(labelled, judged, pool, BY_VECTORS)
    for name, part in (("labelled", human), ("judged", judge), ("pool", others)):
        outside = part[(part < 0) | (part > 1)]
        if len(outside):
            raise InvalidInput(f"{name} holds {outside[0]:g}; a verdict is from 0 (wrong) to 1 (right).")
    found = shares.rogan_gladen(human, judge, others, z=z)
    missing = len(labelled) - len(human) + len(pool) - len(others)
    return replace(found, params={**found.params, "n_missing": missing})


def _complete(given: dict[str, Any], call: str) -> None:
    missing = [name for name, value in given.items() if value is None]
    if missing:
        raise InvalidInput(f"{', '.join(missing)} is missing; call {call}.")


def _share(value: Any, name: str) -> None:
    if not isinstance(value, (int, float, np.number)) or not 0 <= value <= 1:
        raise InvalidInput(f"{name} is {value}, but must be a share from 0 to 1.")


def _count(value: Any, name: str, *, least: int = 0) -> float:
    if not isinstance(value, (int, float, np.number)) or not least <= value < float("inf"):
        raise InvalidInput(f"{name} is {value}, but must be a number of responses, {least} or more.")
    return float(value)


def _quantile(confidence: Any) -> float:
    if not isinstance(confidence, (int, float, np.number)) or not 0 < confidence < 1:
        raise InvalidInput(f"confidence is {confidence}, but must be between 0 and 1, such as 0.95.")
    return float(ndtri((1 + confidence) / 2))
