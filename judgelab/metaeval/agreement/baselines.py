"""Trivial baselines that read nothing: word count, always the same score, random scores by prevalence.

Of two responses, the longer one.

A judge that agrees with the humans no better than the best baseline has not been shown to read the responses.
Baselines are measured as judges are: on the same targets, by the same coefficient, in the same resamples.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from judgelab.metaeval.coefficients.estimates import BY_DEFINITION, compare_each_target
from judgelab.metaeval.coefficients.registry import ERRORS, coefficient
from judgelab.metaeval.coefficients.settings import CoefficientSettings, StatisticKey
from judgelab.metaeval.core.arrays import Bools, Floats, points_of, rounded, to_points
from judgelab.metaeval.core.pairing import ResampledValue
from judgelab.metaeval.core.result import WITHOUT_TEXT
from judgelab.metaeval.core.statistic_defaults import (
    LENGTH,
    LONGER,
    ONE_ANSWER,
    PREVALENCE,
    defaults_for_scale,
)
from judgelab.metaeval.core.targets import Target
from judgelab.metaeval.core.units import UnitTable
from judgelab.wording import mark

BREVITY, SEVERAL = "brevity", "several"
BY_LENGTH = (LENGTH, BREVITY)
WORDS = {
    LENGTH: mark("word count"),
    BREVITY: mark("brevity"),
    ONE_ANSWER: mark("always the same answer"),
    PREVALENCE: mark("random answers by frequency"),
    LONGER: mark("longer response"),
    SEVERAL: mark("the best under each criterion"),
}
OWN_INTERVAL = mark(
    "A baseline's row gives the interval of that baseline. The page “Trust” gives the interval of the "
    "best baseline, chosen anew in each resample."
)
MIRRORED = (
    "pearson",
    "spearman",
    "kendall",
    "somers",
    "tau_c",
)  # brevity has the value of length with a minus
# Names that no judge or metric can have; files keep theirs where the words shown have changed.
NAMES = {key: f"baseline: {word}" for key, word in WORDS.items()} | {
    PREVALENCE: "baseline: random answers by prevalence"
}


def baseline_label(rater: str) -> str:
    """Return the baseline's label from its rater name, to be translated where it is displayed."""
    return next(WORDS[key] for key, name in NAMES.items() if name == rater)


def shown_name(rater: str) -> str:
    """Return the name of a row in English tables: a baseline's with its present words."""
    return f"baseline: {baseline_label(rater)}" if rater in NAMES.values() else rater


class BestOfBaselines(NamedTuple):
    """The best baseline on all units, with its value and, in each resample, the best value there."""

    name: str
    measured: ResampledValue


class Baselines:
    """The trivial baselines of one table for one statistic.

    Length gives two baselines, most words first and fewest words first, because which one the humans prefer
    is not known beforehand. Coefficients that need scores of the scale use the best constant score instead.
    """

    def __init__(self, table: UnitTable, statistic: StatisticKey, recipe: CoefficientSettings) -> None:
        self.table, self.statistic, self.recipe = table, statistic, recipe
        self.scale = recipe.scales.get(table.criterion)
        self.coefficient = coefficient(statistic.coefficient, scale=self.scale)

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """Return the keys of the baselines that apply, such as `ONE_ANSWER`, the best known first."""
        longer = self.table.longer
        if (self.table.words is None and longer is None) or self.scale is None:
            return ()
        named = defaults_for_scale(self.scale).baselines
        length: tuple[str, ...] = (ONE_ANSWER,)
        if self.coefficient.needs == "order":
            # Labels may be imported without texts; their length is then unknown.
            length = BY_LENGTH if np.isfinite(self.length).any() else ()
        of_pairs = () if longer is None or not np.isfinite(longer).any() else (LONGER,)
        of_scale = (key for name in named for key in (length if name == LENGTH else (name,)))
        return tuple(dict.fromkeys((*of_pairs, *of_scale)))

    @cached_property
    def length(self) -> Floats:
        """Return the word count of each unit; NaN for a response without its text."""
        words = self.table.words
        return np.full(len(self.table.item), np.nan) if words is None else np.where(words > 0, words, np.nan)

    def measurable(self, key: str, target: Target) -> Bools:
        """Return which units of a target the baseline can score; the length baselines need a text."""
        if key in BY_LENGTH:
            return np.isfinite(self.length[target.unit])
        if key == LONGER and self.table.longer is not None:
            return np.isfinite(self.table.longer[target.unit])
        return np.ones(len(target.unit), dtype=bool)

    def each(self, targets: Sequence[Target]) -> dict[str, list[ResampledValue]]:
        """Return, by baseline, the statistic for each target on the units that the judge scored."""
        values: dict[str, list[ResampledValue]] = {}
        for key in self.keys:
            if key == BREVITY and self.coefficient.name in MIRRORED:
                values[key] = [_scaled(value, -1.0, 0.0) for value in values[LENGTH]]
            else:
                values[key] = self._of(key, targets)
        return values

    def _of(self, key: str, targets: Sequence[Target]) -> list[ResampledValue]:
        if key == PREVALENCE:
            return self._drawn(targets)
        if key == LONGER and self.table.longer is not None:
            return self._beside(self.table.longer, targets)
        if key == ONE_ANSWER and self.coefficient.of_variation and self.coefficient.name != "alpha":
            return self._zeros(targets)
        if key == ONE_ANSWER:  # a constant rater has an alpha, slightly below 0
            values = self._beside(self._always(self._one_answer), targets)
        else:
            values = [
                self._without_text(value, target)
                for value, target in zip(
                    self._beside(-self.length if key == BREVITY else self.length, targets),
                    targets,
                    strict=True,
                )
            ]
        if not self.coefficient.of_variation:
            return values
        lacking = [target for target, value in zip(targets, values, strict=True) if value.reason is not None]
        zeros = iter(self._zeros(lacking))
        return [value if value.reason is None else next(zeros) for value in values]

    def _without_text(self, value: ResampledValue, target: Target) -> ResampledValue:
        """Return the value with a note of how many responses lack a text."""
        lost = int((np.isfinite(target.compared) & ~self.measurable(LENGTH, target)).sum())
        return replace(value, notes={**value.notes, WITHOUT_TEXT: lost}) if lost else value

    def best(self, parts: Mapping[str, ResampledValue]) -> BestOfBaselines:
        """Return the best of the baselines, chosen anew in each resample."""
        defined = {key: value for key, value in parts.items() if value.reason is None}
        if not defined:
            key, first = next(iter(parts.items()))
            return BestOfBaselines(key, first)
        sign = -1.0 if self.coefficient.name in ERRORS else 1.0
        key = max(defined, key=lambda value: sign * defined[value].value)
        with np.errstate(invalid="ignore"):
            draws = sign * np.fmax.reduce([sign * value.draws for value in defined.values()])
        return BestOfBaselines(key, replace(defined[key], draws=draws, share=False))

    @cached_property
    def _ratings(self) -> Floats:
        """Return the ratings, or what adjudicators decided where the filter keeps no rating."""
        if len(self.table.humans.score):
            return rounded(self.table.humans.score)
        return self.table.human_score[np.isfinite(self.table.human_score)]

    @cached_property
    def _one_answer(self) -> float:
        """Return the constant score that fits the ratings best: the median for an error, else the mode."""
        ratings, points = self._ratings, points_of(self.scale) if self.scale else np.zeros(0)
        if self.coefficient.name in ERRORS or not len(points):
            middle = np.array([np.median(ratings)])
            return float(to_points(middle, points)[0] if len(points) else middle[0])
        values, first, counts = np.unique(to_points(ratings, points), return_index=True, return_counts=True)
        if self.scale is not None and not self.scale.ordered:
            # Of labels that are equally frequent, which one is listed first must not matter.
            return float(values[min(np.flatnonzero(counts == counts.max()), key=first.__getitem__)])
        return float(values[counts.argmax()])

    def _always(self, value: float) -> Floats:
        return np.full(len(self.table.item), value)

    def _beside(self, scores: Floats, targets: Sequence[Target]) -> list[ResampledValue]:
        placed = [
            target._replace(compared=np.where(np.isfinite(target.compared), scores[target.unit], np.nan))
            for target in targets
        ]
        return self._compared(placed, "judge")

    def _drawn(self, targets: Sequence[Target]) -> list[ResampledValue]:
        """Return the expected value for scores drawn at random with the raters' own frequencies.

        Such scores are independent of everything, so a correlation or a chance-corrected coefficient is 0. A
        share of equal scores, or an error, is the mean of the two constant baselines weighted by their
        frequencies.
        """
        if self.coefficient.of_variation or self.scale is None:
            return self._zeros(targets)
        if not self.scale.ordered:
            return self._drawn_labels(targets)
        low, high = self.scale.low, self.scale.high
        share = float(np.mean((self._ratings - low) / (high - low)))
        always = [self._beside(self._always(value), targets) for value in (low, high)]
        if self.coefficient.name == "acc_eq":
            tied = share**2 + (1 - share) ** 2  # of two answers drawn; the others are put right half the time
            return [_scaled(lowest, tied - (1 - tied) / 2, (1 - tied) / 2) for lowest in always[0]]
        return [
            replace(
                lowest,
                value=(1 - share) * lowest.value + share * highest.value,
                draws=(1 - share) * lowest.draws + share * highest.draws,
            )
            for lowest, highest in zip(*always, strict=True)
        ]

    def _drawn_labels(self, targets: Sequence[Target]) -> list[ResampledValue]:
        """Return the mean of the constant baselines of all labels, weighted by the labels' frequencies."""
        labels, counts = np.unique(self._ratings, return_counts=True)
        weights = counts / counts.sum()
        by_label = [self._beside(self._always(float(label)), targets) for label in labels]
        return [
            replace(
                constants[0],
                value=float(sum(w * constant.value for w, constant in zip(weights, constants, strict=True))),
                draws=sum(
                    (w * constant.draws for w, constant in zip(weights, constants, strict=True)),
                    np.zeros(len(constants[0].draws)),
                ),
            )
            for constants in zip(*by_label, strict=True)
        ]

    def _zeros(self, targets: Sequence[Target]) -> list[ResampledValue]:
        """Return 0 for each target in which the humans differ, since a constant rater orders nothing.

        The humans' coefficient with themselves supplies the number of units, groups and resamples.
        """
        themselves = [
            target._replace(compared=np.where(np.isfinite(target.compared), target.score, np.nan))
            for target in targets
        ]
        return [
            replace(_scaled(value, 0.0, 0.0), notes={BY_DEFINITION: True})
            for value in self._compared(themselves, "human")
        ]

    def _compared(self, targets: Sequence[Target], kind: str) -> list[ResampledValue]:
        (values,) = compare_each_target(
            self.table, targets, statistics=[self.statistic], kind=kind, recipe=self.recipe
        )
        return values


def _scaled(measured: ResampledValue, factor: float, offset: float) -> ResampledValue:
    return replace(measured, value=measured.value * factor + offset, draws=measured.draws * factor + offset)
