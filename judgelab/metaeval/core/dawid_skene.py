"""True classes and raters' error rates from labels of several raters, estimated together by EM.

Source: Dawid and Skene 1979, Applied Statistics 28(1). Start: shares of votes; no smoothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from judgelab.errors import InvalidInput
from judgelab.metaeval.core.arrays import Floats, Ints
from judgelab.metaeval.core.label_classes import MOST_CLASSES, most_probable
from judgelab.wording import sentence

MOST_STEPS = 500
TOLERANCE = 1e-8


@dataclass(frozen=True)
class DawidSkene:
    """The result of the EM estimation.

    Args:
        classes: the labels in order.
        posterior: probability of each class (columns) for each unit (rows); NaN for units without labels.
        marginals: how common each class is.
        confusion: for each rater, the true class in rows, the label given in columns.
        log_likelihood: of the labels.
        steps: EM steps taken.
        converged: whether the posteriors stopped changing before the last allowed step.
    """

    classes: Floats
    posterior: Floats
    marginals: Floats
    confusion: Floats
    log_likelihood: float
    steps: int
    converged: bool

    def labels(self) -> Floats:
        """Return the most probable class of each unit; NaN without labels or if several are."""
        return most_probable(self.classes, self.posterior)


def dawid_skene(unit: Ints, rater: Ints, label: Floats, *, units: int, raters: int) -> DawidSkene:
    """Return classes and error rates for long labels; a rater may label a unit more than once.

    Classes have no order: on a rating scale a near miss counts as much as a distant one.

    Raises:
        InvalidInput: more than 32 different labels; a slider's scores are no classes.
    """
    classes, classes_given = np.unique(label, return_inverse=True)
    classes_given = classes_given.reshape(-1)
    if len(classes) > MOST_CLASSES:
        raise InvalidInput(
            sentence(
                "Dawid and Skene's method allows at most {most} different scores, and these ratings have "
                "{found}; choose another way to combine ratings.",
                most=MOST_CLASSES,
                found=len(classes),
            )
        )
    votes = np.zeros((units, len(classes)))
    np.add.at(votes, (unit, classes_given), 1.0)
    size = votes.sum(axis=1)
    labelled = size > 0
    # Units with the same labels by the same raters have the same posterior, so each kind is computed once.
    kind = _kinds(unit, rater * len(classes) + classes_given, units=units)
    kinds, example, number = np.unique(kind[labelled], return_index=True, return_counts=True)
    example = np.flatnonzero(labelled)[example]
    posterior = votes[example] / size[example][:, None]
    row = np.searchsorted(kinds, kind)
    used = np.isin(unit, example)
    labels = _Labels(row[unit[used]], rater[used], classes_given[used], number.astype(float), raters)
    steps, converged = 0, not len(label)
    marginals, confusion, likelihood = np.zeros(len(classes)), labels.confusion(posterior), 0.0
    while len(label) and steps < MOST_STEPS and not converged:
        marginals, confusion = labels.number @ posterior / labels.number.sum(), labels.confusion(posterior)
        joint = labels.log_joint(marginals, confusion, units=len(posterior))
        top = joint.max(axis=1, keepdims=True)
        share = np.exp(joint - top)
        total = share.sum(axis=1, keepdims=True)
        likelihood = float(labels.number @ (top + np.log(total))[:, 0])
        before, posterior = posterior, share / total
        steps += 1
        converged = bool(np.abs(posterior - before).max() < TOLERANCE)
    posteriors = np.full((units, len(classes)), np.nan)
    posteriors[labelled] = posterior[row[labelled]]
    return DawidSkene(classes, posteriors, marginals, confusion, likelihood, steps, converged)


def _kinds(unit: Ints, cell: Ints, *, units: int) -> Ints:
    """Return a number for each unit, the same for those whose labels are in the same cells (rater, class)."""
    size = np.bincount(unit, minlength=units)
    order = np.lexsort((cell, unit))
    place = np.arange(len(unit)) - (np.cumsum(size) - size)[unit[order]]
    order = order[np.argsort(place, kind="stable")]
    kind = np.zeros(units, dtype=np.int64)
    cells = int(cell.max(initial=0)) + 1
    for part in np.split(order, np.cumsum(np.bincount(place))[:-1]):
        _, kind[unit[part]] = np.unique(kind[unit[part]] * cells + cell[part], return_inverse=True)
    return np.asarray(kind * (size.max(initial=0) + 1) + size)


@dataclass(frozen=True)
class _Labels:
    unit: Ints
    rater: Ints
    label: Ints
    number: Floats  # of units of each kind
    raters: int

    def confusion(self, posterior: Floats) -> Floats:
        """Return each rater's error rates; a class that a rater never met has a row of zeros."""
        classes = posterior.shape[1]
        cell, cells = self.rater * classes + self.label, self.raters * classes
        units = posterior * self.number[:, None]
        counts = np.stack([np.bincount(cell, units[self.unit, c], minlength=cells) for c in range(classes)])
        table = counts.reshape(classes, self.raters, classes).transpose(1, 0, 2)
        row_sums = table.sum(axis=2, keepdims=True)
        return np.asarray(table / np.maximum(row_sums, np.finfo(float).tiny))

    def log_joint(self, marginals: Floats, confusion: Floats, *, units: int) -> Floats:
        """Return the log probability of each unit's class and labels together."""
        with np.errstate(divide="ignore"):
            # An empty class keeps a tiny probability, so that its log is finite.
            log_confusion = np.log(np.maximum(confusion, np.finfo(float).tiny))[self.rater, :, self.label]
            log_probability = np.tile(np.log(np.maximum(marginals, np.finfo(float).tiny)), (units, 1))
        for c in range(len(marginals)):
            log_probability[:, c] += np.bincount(self.unit, log_confusion[:, c], minlength=units)
        return log_probability
