"""Statistics of raters' answers to a question that has no score: counts, means, and how well raters agree."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from judgelab.metaeval.coefficients.alpha_draws import alpha_over_items
from judgelab.metaeval.core.arrays import Floats, Ints
from judgelab.metaeval.core.ratings import Rated
from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.wording import sentence

Kind = Literal["text", "number", "choice", "choices"]
_FITTING: dict[str, type | tuple[type, ...]] = {
    "text": str,
    "number": (int, float),
    "choice": str,
    "choices": list,
}


class Answer(NamedTuple):
    """One rater's answer about one unit; a list for several options."""

    item: Hashable
    unit: Hashable
    rater: Hashable
    value: Any


@dataclass(frozen=True)
class OptionStatistics:
    """One option: in how many answers it was chosen, which share that is, and how well raters agree on it.

    `alpha` is nominal, of chosen or not, where an answer can have several options; else None.
    """

    option: str
    n: int
    share: float
    alpha: Estimate | None


@dataclass(frozen=True)
class AnswerStatistics:
    """The statistics of the answers to one question.

    Attributes:
        n: answers that fit the kind of question.
        not_fitting: answers left out because they were given when the question was of another kind.
        units: how many units have an answer.
        raters: how many raters gave one.
        mean: of numbers; None for other kinds and without an answer.
        median: as the mean.
        options: each option, asked options first; those that no longer are asked follow.
        alpha: Krippendorff's alpha of the raters, interval for numbers and nominal for one option; None for
            texts, and for several options, where each option has its own.
    """

    n: int
    not_fitting: int
    units: int
    raters: int
    mean: float | None
    median: float | None
    options: tuple[OptionStatistics, ...]
    alpha: Estimate | None


def answer_statistics(
    answers: Sequence[Answer],
    kind: Kind,
    *,
    options: Sequence[str] = (),
    resamples: int = 1000,
    seed: int = 0,
) -> AnswerStatistics:
    """Return the statistics of the answers to one question, at most one answer of a rater about a unit.

    Intervals of alpha resample items; `resamples` 0 makes none.
    """
    given = [
        answer
        for answer in answers
        if isinstance(answer.value, _FITTING[kind]) and not isinstance(answer.value, bool)
    ]
    found = AnswerStatistics(
        n=len(given),
        not_fitting=len(answers) - len(given),
        units=len({answer.unit for answer in given}),
        raters=len({answer.rater for answer in given}),
        mean=None,
        median=None,
        options=(),
        alpha=None,
    )
    if kind == "text":
        return found
    places = _Places(given, resamples, seed)
    if kind == "number":
        values = np.array([float(answer.value) for answer in given])
        mean, median = (float(np.mean(values)), float(np.median(values))) if given else (None, None)
        return replace(found, mean=mean, median=median, alpha=places.alpha(values, interval=True))
    chosen = [answer.value if kind == "choices" else [answer.value] for answer in given]
    names = [*options, *sorted({option for row in chosen for option in row} - set(options))]
    several = kind == "choices"
    counted = tuple(_option(option, chosen, places if several else None) for option in names)
    if several:
        return replace(found, options=counted)
    codes = np.array([float(names.index(row[0])) for row in chosen])
    return replace(found, options=counted, alpha=places.alpha(codes))


def _option(option: str, chosen: Sequence[Collection[str]], places: _Places | None) -> OptionStatistics:
    has = np.array([option in row for row in chosen], dtype=float)
    n = int(has.sum())
    share = n / len(chosen) if chosen else 0.0
    return OptionStatistics(option, n, share, None if places is None else places.alpha(has))


class _Places:
    """Where the answers of a question were given: units, their items and raters, as numbers."""

    def __init__(self, given: Sequence[Answer], resamples: int, seed: int) -> None:
        units = {unit: place for place, unit in enumerate(dict.fromkeys(answer.unit for answer in given))}
        items = {item: place for place, item in enumerate(dict.fromkeys(answer.item for answer in given))}
        raters = {rater: place for place, rater in enumerate(dict.fromkeys(answer.rater for answer in given))}
        item_of_unit = {units[answer.unit]: items[answer.item] for answer in given}
        self.unit: Ints = np.array([units[answer.unit] for answer in given], dtype=np.int64)
        self.rater: Ints = np.array([raters[answer.rater] for answer in given], dtype=np.int64)
        self.item: Ints = np.array([item_of_unit[place] for place in range(len(units))], dtype=np.int64)
        self.draws = ItemDraws(len(items), resamples, seed)

    def alpha(self, values: Floats, *, interval: bool = False) -> Estimate:
        """Return Krippendorff's alpha, interval or nominal, with reasons that speak of answers."""
        rated = Rated(self.unit, self.rater, values)
        found = alpha_over_items(rated, self.item, self.draws, level="interval" if interval else "nominal")
        if found.value is not None:
            return found
        if not found.n:
            return undefined(sentence("no response or pair has two answers"), params=found.params)
        return undefined(sentence("all answers are the same"), n=found.n, params=found.params)
