"""How many more items or raters a judge needs to pass the alternative annotator test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from judgelab.metaeval.core.arrays import Bools, Floats, Ints, codes
from judgelab.metaeval.core.distributions import student_cdf
from judgelab.metaeval.core.ratings import Rated
from judgelab.metaeval.inference.alternative_annotator import (
    LEAST,
    LEVEL,
    PASS,
    TOO_FEW_SHARED,
    human_leads,
)
from judgelab.metaeval.inference.planning import (
    TARGET_POWER,
    SampleSizePlan,
    SizedDraws,
    no_plan,
    power_at_size,
    rater_sizes,
    sample_size_plan,
    sizes,
)
from judgelab.wording import sentence


def alternative_annotator_plans(
    rated: Rated,
    judge: Floats,
    *,
    names: tuple[str, ...],
    item: Ints,
    scoring: str,
    epsilon: float,
    most: int | None = None,
    most_raters: int = 30,
    resamples: int = 400,
    seed: int = 0,
    wanted: float = TARGET_POWER,
    of_pairs: bool = False,
) -> tuple[SampleSizePlan, SampleSizePlan]:
    """Return plans for passing the alternative annotator test: with more items, and with more raters.

    More items sharpen the test against each rater. More raters (drawn with replacement from the present ones,
    each with as many items as now) stabilise the share that is beaten. Only items with a unit that the judge
    and two raters scored are counted and drawn. Arguments as in `alternative_annotator`; the test against a
    rater needs 30 units at every size.
    """
    rows = human_leads(rated, judge, scoring)
    drawn_item = codes(item[rows.unit])
    items = int(drawn_item.max(initial=-1)) + 1
    size = np.bincount(rows.rater, minlength=len(names))
    measurable = np.flatnonzero(size > 0)
    if not len(measurable) or len(rows.unit) < LEAST:
        reason = sentence(TOO_FEW_SHARED[of_pairs], least=LEAST)
        return no_plan("items", items, reason), no_plan("raters", len(measurable), reason)
    sums = _HumanSums.of(rows.rater, drawn_item, rows.lead, raters=len(names), items=items)
    now = sums.beaten(np.ones((1, items)), epsilon)[0]
    counted = size >= LEAST
    settled = bool(now[counted].mean() >= PASS) if counted.any() else None
    steps = []
    for number in sizes(items, most=most):
        w = SizedDraws(items, resamples, seed, size=number).counts.astype(float)
        steps.append(power_at_size(number, sums.rate(w, epsilon) >= PASS))
        if (steps[-1].power.value or 0.0) >= wanted:
            break
    by_items = sample_size_plan("items", items, settled, steps, wanted, most=sizes(items, most=most)[-1])
    if not counted.any():
        reason = sentence(TOO_FEW_SHARED[of_pairs], least=LEAST)
        return by_items, no_plan("raters", 0, reason)
    return by_items, _more_raters(sums, counted, epsilon, settled, most_raters, resamples, seed, wanted)


def _more_raters(
    sums: _HumanSums, counted: Bools, epsilon: float, settled: bool | None, most: int, resamples: int,
    seed: int, wanted: float,
) -> SampleSizePlan:  # fmt: skip
    rng = np.random.default_rng((seed, 7))
    places, steps = np.flatnonzero(counted), []
    p = sums.p_values(np.ones((1, sums.items)), epsilon)[0]
    for number in rater_sizes(len(places), most):
        drawn = p[places[rng.integers(0, len(places), (resamples, number))]]
        steps.append(power_at_size(number, _rejected(drawn).mean(axis=1) >= PASS))
        if (steps[-1].power.value or 0.0) >= wanted:
            break
    return sample_size_plan("raters", len(places), settled, steps, wanted, most=max(most, len(places)))


@dataclass(frozen=True)
class _HumanSums:
    """By human and item: units, the human's lead over the judge, and its square."""

    tables: tuple[Floats, Floats, Floats]

    @property
    def items(self) -> int:
        return int(self.tables[0].shape[1])

    @classmethod
    def of(cls, rater: Ints, item: Ints, lead: Floats, *, raters: int, items: int) -> _HumanSums:
        cell, shape = rater * items + item, (raters, items)
        parts = (np.ones(len(lead)), lead, lead * lead)
        tables = [
            np.bincount(cell, part, minlength=raters * items).reshape(shape).astype(float) for part in parts
        ]
        return cls((tables[0], tables[1], tables[2]))

    def p_values(self, w: Floats, epsilon: float) -> Floats:
        """Return the one-sided p-value against each human (resamples, humans), NaN below 30 units."""
        n, total, squares = (w @ table.T for table in self.tables)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = total / n
            variance = np.maximum(squares - n * mean**2, 0.0) / (n - 1)
            t = (mean - epsilon) / np.sqrt(variance / n)
            t = np.where(variance > 0, t, np.where(mean < epsilon, -np.inf, np.inf))
            p = student_cdf(t, n - 1)
        return np.where(n >= LEAST, p, np.nan)

    def beaten(self, w: Floats, epsilon: float) -> Bools:
        """Return which humans are beaten after the Benjamini-Yekutieli correction."""
        return _rejected(self.p_values(w, epsilon))

    def rate(self, w: Floats, epsilon: float) -> Floats:
        """Return the share of humans with enough units that are beaten; 0 where there is none."""
        p = self.p_values(w, epsilon)
        enough_units = np.isfinite(p).sum(axis=1)
        return np.asarray(_rejected(p).sum(axis=1) / np.maximum(enough_units, 1))


def _rejected(p: Floats) -> Bools:
    """Return which hypotheses of each row Benjamini and Yekutieli's step-up procedure rejects at .05."""
    defined = np.isfinite(p)
    m = defined.sum(axis=1, keepdims=True)
    order = np.argsort(np.where(defined, p, 2.0), axis=1)
    ranked = np.take_along_axis(np.where(defined, p, 2.0), order, axis=1)
    rank = np.arange(1, p.shape[1] + 1)
    harmonic = np.concatenate([[1.0], np.cumsum(1 / rank)])[m]
    passes = ranked * m * harmonic / rank < LEVEL
    last = np.where(passes, rank, 0).max(axis=1, keepdims=True)
    rejected = np.zeros(p.shape, dtype=bool)
    np.put_along_axis(rejected, order, rank <= last, axis=1)
    return rejected & defined
