"""How probable it is that a rater gives a label whatever the response, by MACE."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from judgelab.metaeval.core.label_classes import MOST_CLASSES
from judgelab.metaeval.core.mace import mace
from judgelab.metaeval.core.ratings import Rated
from judgelab.metaeval.core.result import Estimate, no_interval, undefined
from judgelab.wording import Sentence, mark, sentence

FEWEST_LABELS = 5
MOST_POINTS = 3  # of a scale with an order: with more, scores one point apart would count as different labels
NO_LABELS = sentence("MACE needs labels without order, or a scale with at most 3 points")
TOO_FEW = mark("gave fewer than {least} labels to responses that others labelled too")
TOO_MANY = mark("MACE allows at most {most} different labels")
NOT_CONVERGED = mark(
    "MACE has not converged in {steps} steps, so P(spam) is uncertain: these labels say little about it."
)
# Two raters' agreement is one number, which either's competence explains as well.
TWO_LABELS = mark("With two labels a response, P(spam) is hardly identified.")
NOT_COMPUTED = no_interval(sentence("MACE gives none"))


def spam_probabilities(rated: Rated, *, units: int, raters: int) -> list[Estimate]:
    """Return P(spam) of each rater, from the units with labels of two raters or more.

    The setting "converged" is False if EM stopped at its last allowed step (`not_converged`);
    "most_labels" is the largest number of labels of a unit (`hardly_identified`).
    """
    labels = np.bincount(rated.unit, minlength=units)
    shared = rated.where(labels[rated.unit] > 1)
    given = np.bincount(shared.rater, minlength=raters)
    if len(np.unique(shared.score)) > MOST_CLASSES:
        return [undefined(sentence(TOO_MANY, most=MOST_CLASSES), n=int(n)) for n in given]
    model = mace(*shared, units=units, raters=raters)
    settings = {"steps": model.steps, "converged": model.converged, "most_labels": int(labels.max(initial=0))}
    return [
        Estimate(float(model.spamming[rater]), ci_method=NOT_COMPUTED, n=int(n), params=settings)
        if n >= FEWEST_LABELS
        else undefined(sentence(TOO_FEW, least=FEWEST_LABELS), n=int(n))
        for rater, n in enumerate(given)
    ]


def not_converged(found: Iterable[Estimate]) -> Sentence | None:
    """Return the note beside probabilities of which some come from an EM that has not converged."""
    stopped = [estimate.params["steps"] for estimate in found if not estimate.params.get("converged", True)]
    return sentence(NOT_CONVERGED, steps=max(stopped)) if stopped else None


def hardly_identified(found: Iterable[Estimate]) -> Sentence | None:
    """Return the note beside probabilities from units of which none has three labels or more."""
    given = [estimate.params["most_labels"] for estimate in found if estimate.value is not None]
    return sentence(TWO_LABELS) if given and max(given) < 3 else None
