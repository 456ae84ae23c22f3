"""True classes and raters' competence from labels of several raters: MACE, by variational EM.

A rater either knows the class of a unit and gives it, or spams: gives a label by a habit of their own,
whatever the unit. All classes are equally common.

Source: Hovy, Berg-Kirkpatrick, Vaswani and Hovy 2013, Learning Whom to Trust with MACE, NAACL-HLT, with its
priors: Beta(0.5, 0.5) of spamming and a symmetric Dirichlet(10) of the labels given when spamming.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import digamma

from judgelab.errors import InvalidInput
from judgelab.metaeval.core.arrays import Floats, Ints
from judgelab.metaeval.core.label_classes import MOST_CLASSES, most_probable
from judgelab.wording import sentence

RESTARTS = 10
SEED = 0
# How many starts are continued, the likeliest, and to which step: all converge slowly if raters are weak, and
# the likeliest after 50 steps is not always the likeliest in the end.
ROUNDS = ((RESTARTS, 50), (3, 500), (1, 5000))
# Steps times labels in units that differ, beyond which the last round has fewer steps: it takes seconds.
MOST_WORK = 100_000_000
TOLERANCE = 1e-8
SPAMMING_PRIOR = 0.5
HABIT_PRIOR = 10.0
COUNT_DIGITS = 10  # so that the order in which labels are added never decides between raters who are alike
LIKELIHOOD_DIGITS = 6


class Start(NamedTuple):
    """Starting values of EM.

    Args:
        spamming: how probable it is that a rater spams, and that they know, one row per rater.
        habits: probability of each label (columns) when the rater (rows) spams.
    """

    spamming: Floats
    habits: Floats


@dataclass(frozen=True)
class Mace:
    """The result of the start with the highest likelihood.

    Args:
        classes: the labels in order.
        posterior: probability of each class (columns) for each unit (rows); NaN for units without labels.
        spamming: for each rater, the probability that a label of theirs is given without knowing the class:
            the mean of its posterior; NaN for raters without labels.
        habits: for each rater, the probability of each label when they spam.
        log_likelihood: of the labels, given the parameters of the last step.
        steps: EM steps of this start.
        converged: whether the posteriors stopped changing before the last allowed step.
    """

    classes: Floats
    posterior: Floats
    spamming: Floats
    habits: Floats
    log_likelihood: float
    steps: int
    converged: bool

    def labels(self) -> Floats:
        """Return the most probable class of each unit; NaN without labels or if several are."""
        return most_probable(self.classes, self.posterior)


def mace(
    unit: Ints,
    rater: Ints,
    label: Floats,
    *,
    units: int,
    raters: int,
    starts: Sequence[Start] = (),
    seed: int = SEED,
    rounds: Sequence[tuple[int, int]] = (),
) -> Mace:
    """Return classes and raters' competence for long labels; a rater may label a unit more than once.

    Classes have no order. Without `starts`, ten are drawn with `seed`; raters who cannot be told apart
    by their labels start alike, so that neither the order of raters nor that of labels decides a tie.
    Each of `rounds` continues that many starts, those with the highest likelihood, up to that step, or until
    the posteriors stop changing. By default the last one is continued for 5,000 steps, or for fewer, but 500
    at least, if there are more than 20,000 labels in units that differ.

    Raises:
        InvalidInput: more than 32 different labels; a slider's scores are no classes.
    """
    classes, given = np.unique(label, return_inverse=True)
    if len(classes) > MOST_CLASSES:
        raise InvalidInput(
            sentence(
                "MACE allows at most {most} different scores, and these ratings have {found}; choose another "
                "way to combine ratings.",
                most=MOST_CLASSES,
                found=len(classes),
            )
        )
    if not len(label):
        empty = np.full((units, 0), np.nan)
        return Mace(classes, empty, np.full(raters, np.nan), np.zeros((raters, 0)), 0.0, 0, True)
    labels, kind = _distinct(unit, rater, given.reshape(-1), units, raters, len(classes))
    fits = [_Fit(*labels.expected(start), 0, False) for start in starts or labels.starts(seed)]
    for kept, most_steps in rounds or labels.rounds():
        fits = [labels.continued(fit, most_steps) for fit in fits[:kept]]
        fits.sort(key=_likelihood, reverse=True)
    best = fits[0]
    has_labels = labels.used.any(axis=1)
    return Mace(
        classes,
        np.where(kind[:, None] >= 0, best.posterior[kind], np.nan),
        np.where(has_labels, _shares(best.counts.of_raters())[:, 0], np.nan),
        _shares(best.counts.of_habits()),
        best.log_likelihood,
        best.steps,
        best.converged,
    )


class _Counts(NamedTuple):
    """Expected numbers of labels: given when spamming, by rater (rows) and label; given knowing, by rater."""

    spam: Floats
    known: Floats

    def of_raters(self) -> Floats:
        """Return the numbers of each rater, plus the prior's: spamming, knowing."""
        return np.stack([self.spam.sum(axis=1), self.known], axis=1) + SPAMMING_PRIOR

    def of_habits(self) -> Floats:
        """Return the numbers by label when spamming, plus the prior's."""
        return self.spam + HABIT_PRIOR

    def estimates(self) -> Start:
        """Return the variational estimates; their rows add up to less than 1."""
        return Start(_variational(self.of_raters()), _variational(self.of_habits()))


class _Fit(NamedTuple):
    posterior: Floats
    counts: _Counts
    log_likelihood: float
    steps: int
    converged: bool


def _distinct(
    unit: Ints, rater: Ints, label: Ints, units: int, raters: int, classes: int
) -> tuple[_Labels, Ints]:
    """Return units with different labels, and which of them each unit is like; -1 for units without labels.

    Units with the same labels by the same raters have the same posterior, so each kind is computed once.
    """
    order = np.lexsort((label, rater, unit))
    cell = rater[order] * classes + label[order]
    ends = np.cumsum(np.bincount(unit, minlength=units))
    kind, kinds, firsts = np.full(units, -1), dict[bytes, int](), list[Ints]()
    for number, (start, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        if start == end:
            continue
        cells = cell[start:end]
        kind[number] = kinds.setdefault(cells.tobytes(), len(kinds))
        if kind[number] == len(firsts):
            firsts.append(cells)
    cells = np.concatenate(firsts)
    of_kind = np.repeat(np.arange(len(firsts)), [len(first) for first in firsts])
    times = np.bincount(kind[kind >= 0]).astype(float)
    return _Labels(of_kind, *np.divmod(cells, classes), times, raters, classes), kind


@dataclass(frozen=True)
class _Labels:
    """Labels of units that differ in them.

    Args:
        unit: one per label, as `rater` and `label`; each unit has at least one.
        times: how many units are like this one.
    """

    unit: Ints
    rater: Ints
    label: Ints
    times: Floats
    raters: int
    classes: int

    @property
    def units(self) -> int:
        return len(self.times)

    def rounds(self) -> Sequence[tuple[int, int]]:
        """Return how many starts are continued to which step."""
        *first, (kept, most_steps) = ROUNDS
        affordable = max(first[-1][1], MOST_WORK // len(self.label))
        return [*first, (kept, min(most_steps, affordable))]

    @cached_property
    def weight(self) -> Floats:
        """Return how many labels each one stands for."""
        return self.times[self.unit]

    @cached_property
    def unit_and_class(self) -> Ints:
        """Return the cell of each label in a table of units and classes."""
        return self.unit * self.classes + self.label

    @cached_property
    def rater_and_class(self) -> Ints:
        """Return the cell of each label in a table of raters and classes."""
        return self.rater * self.classes + self.label

    def by_unit(self, weights: Floats | None = None) -> Floats:
        sums = np.bincount(self.unit_and_class, weights, minlength=self.units * self.classes)
        return np.asarray(sums.reshape(self.units, self.classes), dtype=float)

    def by_rater(self, weights: Floats | float = 1.0) -> Floats:
        weights = self.weight * weights
        sums = np.bincount(self.rater_and_class, weights, minlength=self.raters * self.classes)
        return np.asarray(sums.reshape(self.raters, self.classes), dtype=float)

    @cached_property
    def used(self) -> Floats:
        """Return how often each rater gave each label."""
        return self.by_rater()

    def starts(self, seed: int) -> list[Start]:
        """Return random starts: a rater's values depend only on how their labels agree with others'."""
        votes = self.by_unit()
        share = (votes / np.maximum(votes.sum(axis=1, keepdims=True), 1)).ravel()[self.unit_and_class]
        agreement = [self.by_rater(share**power).sum(axis=1) for power in (1, 2)]
        figures = np.stack([*agreement, *((self.used**power).sum(axis=1) for power in (1, 2))], axis=1)
        distinct, kind = np.unique(np.round(figures, COUNT_DIGITS), axis=0, return_inverse=True)
        rng = np.random.default_rng(seed)
        spamming = rng.uniform(0.05, 0.95, size=(RESTARTS, len(distinct)))[:, kind.reshape(-1)]
        habits = np.full((self.raters, self.classes), 1 / self.classes)
        return [Start(np.stack([spam, 1 - spam], axis=1), habits) for spam in spamming]

    def continued(self, fit: _Fit, most_steps: int) -> _Fit:
        """Return the fit after further steps, until it converges or has `most_steps` in all."""
        posterior, counts, likelihood, steps, converged = fit
        while steps < most_steps and not converged:
            before = posterior
            posterior, counts, likelihood = self.expected(counts.estimates())
            steps += 1
            converged = bool(np.abs(posterior - before).max() < TOLERANCE)
        return _Fit(posterior, counts, likelihood, steps, converged)

    def expected(self, values: Start) -> tuple[Floats, _Counts, float]:
        """Return the posteriors of the classes, the expected counts and the log likelihood."""
        spam, knows = values.spamming[:, :1] * values.habits, values.spamming[:, 1:]
        # A label that is right is this many times as probable as the same label where it is wrong.
        gain = self.by_unit(np.log1p(knows / spam).ravel()[self.rater_and_class])
        top = gain.max(axis=1, keepdims=True)
        share = np.exp(gain - top)
        total = share.sum(axis=1, keepdims=True)
        posterior = share / total
        of_units = top + np.log(total / self.classes)
        likelihood = (self.used * np.log(spam)).sum() + (self.times * of_units[:, 0]).sum()
        right = self.by_rater(posterior.ravel()[self.unit_and_class])
        known = np.round(right * knows / (spam + knows), COUNT_DIGITS)
        return posterior, _Counts(self.used - known, known.sum(axis=1)), float(likelihood)


def _likelihood(fit: _Fit) -> float:
    return round(fit.log_likelihood, LIKELIHOOD_DIGITS)


def _variational(counts: Floats) -> Floats:
    return np.asarray(np.exp(digamma(counts) - digamma(counts.sum(axis=1, keepdims=True))))


def _shares(counts: Floats) -> Floats:
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))
