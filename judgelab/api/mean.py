"""Means by people, by a judge and by both: people on a random part, the judge on all."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from judgelab.api.tables import Row, Table
from judgelab.api.vectors import vector
from judgelab.errors import InvalidInput
from judgelab.metaeval.core.arrays import Floats
from judgelab.metaeval.core.bounded_means import Ends
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.metaeval.judges.prediction_powered import PoweredMean, powered_mean

if TYPE_CHECKING:
    import plotly.graph_objects as go

CALL = "jl.mean(labelled, judged, pool)"
MEASURES = ("powered", "human", "judge", "shift", "gain")


class MeanTable(Table):
    """A mean by people and a judge together, beside that of each: one row a measure."""

    @property
    def powered(self) -> Estimate:
        """Return the prediction-powered mean; `recipe["lambda"]` is the weight that the judge got."""
        return self["powered"]

    @property
    def human(self) -> Estimate:
        """Return the mean of people's scores alone."""
        return self["human"]

    @property
    def judge(self) -> Estimate:
        """Return the mean of all the judge's scores; its interval ignores the judge's errors."""
        return self["judge"]

    @property
    def shift(self) -> Estimate:
        """Return the judge's mean on labelled minus on other responses; far from 0, these differ."""
        return self["shift"]

    @property
    def gain(self) -> Estimate:
        """Return how many labels by people alone would give the powered interval, for each label there is."""
        return self["gain"]

    def plot(
        self, *, criterion: str | None = None, coefficient: str | None = None, dark: bool = False
    ) -> go.Figure:
        """Return the app's chart of the three means with their intervals."""
        from judgelab.charts.means import MeanRow, means_chart
        from judgelab.charts.tokens import palette

        return means_chart(
            [MeanRow("", self.human, self.powered, self.judge)],
            title="mean and 95 % interval",
            labels=("people alone", "people and judge", "judge alone"),
            theme=palette("dark" if dark else None),
        )


def mean(
    labelled: Any,
    judged: Any,
    pool: Any,
    *,
    bounds: tuple[float, float] | None = None,
    lam: float | None = None,
) -> MeanTable:
    """Return a mean of which people scored a part and a judge all: prediction-powered inference (PPI++).

    The judge's errors are measured on the labelled responses and taken off its mean. Valid only if these are
    a random sample of all; then the interval holds however wrong the judge is.

    Args:
        labelled: people's scores of the n labelled responses: a list, tuple, array or Series of numbers, or
            of yes and no. Two are needed.
        judged: the judge's scores of the same responses, in the same order.
        pool: the judge's scores of the N other responses.
        bounds: the lowest and highest score that people can give, such as (1, 5); intervals then stay within
            (Wilson's, adjusted for the spread). Without bounds they are normal, as in `ppi_py`.
        lam: the judge's weight lambda from 0 (people alone) to 1; the one with the shortest interval if not
            given.

    Returns:
        A table of `powered`, `human`, `judge`, `shift` and `gain`, each an `Estimate` with a 95 % interval
        where it has one. A missing score (None, NaN, "") is left out with its pair, and `notes` says so.
        With fewer than two labelled responses `powered` is undefined; with fewer than two others it is the
        people's mean.

    Raises:
        InvalidInput: the lengths differ, a score is no number or is outside `bounds`.

    Source: Angelopoulos and others 2023 (Science 382) and 2024 (arXiv 2311.01453).

    Example:
        >>> import judgelab as jl
        >>> m = jl.mean([1, 0, 1, 1, 0, 1], [1, 0, 1, 0, 0, 1], [1, 0, 1, 1, 0, 1, 0, 1, 1, 1], bounds=(0, 1))
        >>> round(m.powered.value, 3), round(m.human.value, 3), round(m.judge.value, 3)
        (0.75, 0.667, 0.625)
    """
    human, judge, others, notes = labels_and_pool(labelled, judged, pool, CALL)
    ends = _ends(bounds, human)
    within = ends is not None and all(
        bool(((part >= ends[0]) & (part <= ends[1])).all()) for part in (judge, others)
    )
    found = powered_mean(
        human, judge, others, weight=_weight(lam), ends=ends, judge_ends=ends if within else None
    )
    return MeanTable(
        ("measure",),
        tuple(Row((name,), estimate) for name, estimate in _estimates(found).items()),
        f"{len(human):,} labelled responses, {len(others):,} scored by the judge only",
        (*notes, "Valid if the labelled responses are a random sample of all; 95 % intervals."),
    )


def labels_and_pool(
    labelled: Any, judged: Any, pool: Any, call: str
) -> tuple[Floats, Floats, Floats, tuple[str, ...]]:
    """Return people's and the judge's scores of labelled units, the judge's of others, and what was left out.

    Raises:
        InvalidInput: the first two differ in length, or something is no vector of numbers.
    """
    human, judge = vector(labelled, "labelled"), vector(judged, "judged")
    others = vector(pool, "pool")
    if len(human) != len(judge):
        raise InvalidInput(
            f"labelled has {len(human)} values and judged has {len(judge)}; both need one for each labelled "
            f"response: {call}."
        )
    both, known = np.isfinite(human) & np.isfinite(judge), np.isfinite(others)
    notes = tuple(
        f"{lost:,} of {total:,} {what} left out, as a score is missing."
        for lost, total, what in (
            (int((~both).sum()), len(both), "labelled responses"),
            (int((~known).sum()), len(known), "other responses"),
        )
        if lost
    )
    return human[both], judge[both], others[known], notes


def _estimates(found: PoweredMean) -> dict[str, Estimate]:
    n = found.human.n
    gain = (
        undefined(found.powered.reason or "the corrected scores do not differ", n=n)
        if found.gain is None
        else Estimate(found.gain, n=n)
    )
    return {
        "powered": found.powered, "human": found.human, "judge": found.judge, "shift": found.shift,
        "gain": gain,
    }  # fmt: skip


def _ends(bounds: Any, human: Floats) -> Ends | None:
    if bounds is None:
        return None
    ends = vector(bounds, "bounds")
    if len(ends) != 2 or not ends[0] < ends[1]:
        raise InvalidInput(f"bounds is {bounds}; write the lowest and the highest score, bounds=(1, 5).")
    low, high = float(ends[0]), float(ends[1])
    outside = human[(human < low) | (human > high)]
    if len(outside):
        raise InvalidInput(f"labelled holds {outside[0]:g}, which is outside bounds=({low:g}, {high:g}).")
    return low, high


def _weight(lam: float | None) -> float | None:
    if lam is None:
        return None
    if not isinstance(lam, (int, float, np.number)) or not 0 <= lam <= 1 or math.isnan(lam):
        raise InvalidInput(f"lam is {lam}, but must be from 0 (people alone) to 1.")
    return float(lam)
