"""What the models of raters' labels have in common: how many classes they allow, and the class of a unit."""

from __future__ import annotations

import numpy as np

from judgelab.metaeval.core.arrays import Floats

MOST_CLASSES = 32
DIGITS = 6  # to which probabilities are compared; estimates stop at changes below 1e-8


def most_probable(classes: Floats, posterior: Floats) -> Floats:
    """Return the most probable class of each unit (row); NaN without labels or if several are.

    Example: classes 0 and 1 with probabilities 0.3 and 0.7 give 1; 0.5 and 0.5 give none.
    """
    labels = np.full(len(posterior), np.nan)
    if not len(classes):
        return labels
    probability = np.round(posterior, DIGITS)
    top = probability.max(axis=1, keepdims=True)
    clear = (probability == top).sum(axis=1) == 1  # NaN equals nothing
    labels[clear] = classes[probability[clear].argmax(axis=1)]
    return labels
