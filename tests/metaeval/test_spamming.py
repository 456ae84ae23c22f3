"""P(spam) of each rater: simulated truth, and who has none."""

from __future__ import annotations

import numpy as np

from judgelab.metaeval.core.ratings import Rated
from judgelab.metaeval.raters.spamming import hardly_identified, not_converged, spam_probabilities

UNITS = 60


def labels() -> Rated:
    """Three raters who know the class, one who gives -1, 0 or 1 by chance, one who labels alone."""
    chance = np.random.default_rng(3)
    truth = chance.integers(-1, 2, UNITS).astype(float)
    by_rater = [truth, truth, truth, chance.integers(-1, 2, UNITS).astype(float)]
    unit, rater = np.tile(np.arange(UNITS), 4), np.repeat(np.arange(4), UNITS)
    alone = np.arange(UNITS, UNITS + 20)
    score = np.concatenate([*by_rater, np.zeros(20)])
    return Rated(np.concatenate([unit, alone]), np.concatenate([rater, np.full(20, 4)]), score)


def test_who_labels_by_chance_spams_and_who_knows_the_class_does_not() -> None:
    *careful, random, alone = spam_probabilities(labels(), units=UNITS + 20, raters=5)
    # Without an error, only the prior Beta(0.5, 0.5) and lucky guesses are left: 0.5 / 61 at least.
    assert all(0.5 / 61 <= (found.value or 0) < 0.05 and found.n == UNITS for found in careful)
    # A spammer's lucky third is told apart only in part, so the probability is near 1.
    assert random.value is not None and random.value > 0.85 and random.n == UNITS
    assert alone.value is None and alone.n == 0
    assert alone.reason == "gave fewer than 5 labels to responses that others labelled too"


def test_a_sliders_scores_are_no_labels() -> None:
    score = np.arange(80, dtype=float)
    rated = Rated(np.repeat(np.arange(40), 2), np.tile([0, 1], 40), score)
    found = spam_probabilities(rated, units=40, raters=2)
    assert {estimate.reason for estimate in found} == {"MACE allows at most 32 different labels"}


def test_labels_by_chance_alone_are_said_not_to_converge() -> None:
    """Nothing in the labels of two who toss a coin tells which of them knows more."""
    label = np.array([(0, 0), (0, 1), (1, 0), (1, 1)]).repeat([6, 10, 11, 13], axis=0).ravel().astype(float)
    found = spam_probabilities(
        Rated(np.repeat(np.arange(40), 2), np.tile([0, 1], 40), label), units=40, raters=2
    )
    assert {estimate.params["converged"] for estimate in found} == {False}
    assert str(not_converged(found)).startswith("MACE has not converged in 5,000 steps")
    assert not_converged(spam_probabilities(labels(), units=UNITS + 20, raters=5)) is None
    assert str(hardly_identified(found)) == "With two labels a response, P(spam) is hardly identified."
    # One response with a third label is enough to say nothing.
    assert hardly_identified(spam_probabilities(labels(), units=UNITS + 20, raters=5)) is None
