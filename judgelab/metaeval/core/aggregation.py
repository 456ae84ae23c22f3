"""One human score per unit: ways of aggregating the ratings of several raters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from judgelab.errors import InvalidInput
from judgelab.metaeval.core.arrays import Bools, Floats, Ints, rounded
from judgelab.metaeval.core.dawid_skene import DawidSkene, dawid_skene
from judgelab.metaeval.core.label_sets import majority_sets
from judgelab.metaeval.core.mace import Mace, mace
from judgelab.metaeval.core.ratings import Rated
from judgelab.scales.categorical import MOST_LABELS
from judgelab.wording import sentence

TIES = ("leave_out", "mean")
LABEL_MODELS = ("dawid_skene", "mace")  # models of raters, whose scores are classes without an order


@dataclass(frozen=True)
class Aggregation:
    """How ratings of one unit become one score.

    Args:
        method: a key of `AGGREGATIONS`.
        trim: share of a unit's ratings that "trimmed" leaves out at each end, rounded down.
        ties: what "majority" does with several most frequent scores: "leave_out" the unit, or their "mean".
        by_label: whether the scores are sets of labels, each of which "majority" decides by itself.
    """

    method: str = "mean"
    trim: float = 0.2
    ties: str = "leave_out"
    by_label: bool = False

    def __post_init__(self) -> None:
        if self.method not in tuple(AGGREGATIONS):  # also what cannot be a key, such as a list
            raise InvalidInput(
                sentence(
                    "{option} is '{found}', but must be one of {known}",
                    option="aggregate",
                    found=self.method,
                    known=", ".join(AGGREGATIONS),
                )
            )
        if not 0 <= self.trim < 0.5:
            raise InvalidInput(
                sentence("trim is {trim}, but must be 0 or more and below 0.5", trim=f"{self.trim:g}")
            )
        if self.ties not in TIES:
            raise InvalidInput(
                sentence(
                    "{option} is '{found}', but must be one of {known}",
                    option="ties",
                    found=self.ties,
                    known=", ".join(TIES),
                )
            )

    @property
    def on_scale(self) -> bool:
        """Whether the aggregated scores lie on the criterion's scale; z-scores do not."""
        return self.method != "z_mean"

    @property
    def by_model(self) -> bool:
        """Whether the scores are classes by a model of raters, also on scales without an order."""
        return self.method in LABEL_MODELS

    @property
    def leaves_ties_out(self) -> bool:
        """Whether a rated unit has no score if several scores are equally frequent or probable."""
        return self.by_model or (self.method, self.ties) == ("majority", "leave_out")


def aggregate(rated: Rated, *, units: int, raters: int, aggregation: Aggregation) -> Floats:
    """Return one score per unit, NaN where the ratings give none (no rating, or a tie that is left out).

    Example: ratings 1, 1, 3 of one unit give a mean of 1.6667, a median of 1 and a majority of 1.
    """
    if not len(rated.score):
        return np.full(units, np.nan)
    if aggregation.by_label:
        return majority_sets(rated.unit, rated.score, units=units, labels=MOST_LABELS)[0]
    return AGGREGATIONS[aggregation.method](rated, units, raters, aggregation)


def _mean(rated: Rated, units: int, raters: int, aggregation: Aggregation) -> Floats:
    return _mean_of(rated.unit, rated.score, units)


def _mean_of(unit: Ints, score: Floats, units: int) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.asarray(np.bincount(unit, score, minlength=units) / np.bincount(unit, minlength=units))


class _Ordered(NamedTuple):
    """Ratings sorted by unit and score, with each one's place within its unit and the unit's size."""

    unit: Ints
    score: Floats
    place: Ints
    size: Ints

    @classmethod
    def of(cls, rated: Rated, units: int) -> _Ordered:
        order = np.lexsort((rated.score, rated.unit))
        unit = rated.unit[order]
        size = np.bincount(unit, minlength=units)
        start = np.cumsum(size) - size
        return cls(unit, rated.score[order], np.arange(len(unit)) - start[unit], size[unit])

    def mean_where(self, keep: Bools, units: int) -> Floats:
        return _mean_of(self.unit[keep], self.score[keep], units)


def _median(rated: Rated, units: int, raters: int, aggregation: Aggregation) -> Floats:
    ratings = _Ordered.of(rated, units)
    middle = (ratings.place == (ratings.size - 1) // 2) | (ratings.place == ratings.size // 2)
    return ratings.mean_where(middle, units)


def _trimmed(rated: Rated, units: int, raters: int, aggregation: Aggregation) -> Floats:
    ratings = _Ordered.of(rated, units)
    # A fifth of five is one, despite floating-point error.
    cut = np.floor(aggregation.trim * ratings.size + 1e-9).astype(np.int64)
    return ratings.mean_where((ratings.place >= cut) & (ratings.place < ratings.size - cut), units)


def _majority(rated: Rated, units: int, raters: int, aggregation: Aggregation) -> Floats:
    values, value = np.unique(rounded(rated.score), return_inverse=True)
    cell, votes = np.unique(rated.unit * len(values) + value.reshape(-1), return_counts=True)
    unit, score = cell // len(values), values[cell % len(values)]
    most = np.zeros(units, dtype=np.int64)
    np.maximum.at(most, unit, votes)
    top = votes == most[unit]
    scores = _mean_of(unit[top], score[top], units)
    if aggregation.ties == "leave_out":
        scores[np.bincount(unit[top], minlength=units) > 1] = np.nan
    return scores


def _z_mean(rated: Rated, units: int, raters: int, aggregation: Aggregation) -> Floats:
    """Return the mean of ratings standardised by rater; constant raters have none."""
    size = np.bincount(rated.rater, minlength=raters)
    mean = np.bincount(rated.rater, rated.score, minlength=raters) / np.maximum(size, 1)
    deviation = rated.score - mean[rated.rater]
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt(np.bincount(rated.rater, deviation**2, minlength=raters) / (size - 1))
    varies = (size > 1) & (spread > 1e-12 * np.maximum(1.0, np.abs(mean)))
    keep = varies[rated.rater]
    return _mean_of(rated.unit[keep], deviation[keep] / spread[rated.rater[keep]], units)


def _model(rated: Rated, units: int, raters: int, aggregation: Aggregation) -> DawidSkene | Mace:
    fit = mace if aggregation.method == "mace" else dawid_skene
    return fit(rated.unit, rated.rater, rounded(rated.score), units=units, raters=raters)


def _labels(rated: Rated, units: int, raters: int, aggregation: Aggregation) -> Floats:
    return _model(rated, units, raters, aggregation).labels()


def model_converged(rated: Rated, *, units: int, raters: int, aggregation: Aggregation) -> bool:
    """Return whether the EM of the model of raters converged; True if the scores are from no model."""
    return not aggregation.by_model or _model(rated, units, raters, aggregation).converged


AGGREGATIONS: dict[str, Callable[[Rated, int, int, Aggregation], Floats]] = {
    "mean": _mean,
    "median": _median,
    "majority": _majority,
    "z_mean": _z_mean,
    "trimmed": _trimmed,
    "dawid_skene": _labels,
    "mace": _labels,
}
MEAN = Aggregation()
MAJORITY = Aggregation("majority")
MAJORITY_OF_EACH_LABEL = Aggregation("majority", by_label=True)


def aggregation_of_labels(aggregation: Aggregation, *, several: bool = False) -> Aggregation:
    """Return how ratings on a scale without an order are aggregated: labels have no mean and no middle.

    Models of raters remain; everything else becomes the majority, which leaves ties out. Where scores are
    sets of labels (`several`), it decides each label by itself.
    """
    if several:
        return MAJORITY_OF_EACH_LABEL
    return aggregation if aggregation.by_model else MAJORITY


def score_per_rater_and_unit(
    unit: Ints, rater: Ints, score: Floats, *, ordered: bool = True, several: bool = False
) -> Rated:
    """Return the ratings, with several scores of one rater for one unit replaced by their mean.

    On a scale without an order they are replaced by the most frequent one, or left out if there are several;
    sets of labels (`several`) by the labels in more than half of them.
    """
    key = unit * (int(rater.max()) + 1 if len(rater) else 1) + rater
    if (np.diff(np.sort(key)) > 0).all():
        return Rated(unit, rater, score)
    order = np.argsort(key, kind="stable")
    sorted_key = key[order]
    first = np.flatnonzero(np.diff(sorted_key, prepend=-1))
    size = np.diff(first, append=len(key))
    keep = order[first]
    if not ordered:
        how = aggregation_of_labels(MAJORITY, several=several)
        repeated = Rated(np.repeat(np.arange(len(first)), size), rater[order], score[order])
        most_frequent = aggregate(repeated, units=len(first), raters=0, aggregation=how)
        clear = np.isfinite(most_frequent)
        return Rated(unit[keep][clear], rater[keep][clear], most_frequent[clear])
    return Rated(unit[keep], rater[keep], np.add.reduceat(score[order], first) / size)


def only_mode(scores: pd.Series[float]) -> float:
    """Return the most frequent score, missing if several are."""
    modes = scores.mode()
    return float(modes.iloc[0]) if len(modes) == 1 else float("nan")
