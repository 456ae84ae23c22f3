"""Sets of labels: Jaccard, MASI, majorities by label, Krippendorff's alpha."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest

from judgelab.metaeval.coefficients.alpha import krippendorff_alpha
from judgelab.metaeval.core.label_sets import (
    as_scores,
    has_label,
    jaccard,
    majority_sets,
    masi_alpha,
    masi_distance,
)

LABELS = "abcd"


def _number(letters: str) -> int:
    return sum(2 ** LABELS.index(letter) for letter in letters)


def _masi(one: set[str], other: set[str]) -> Fraction:
    if not one | other:
        return Fraction(0)
    alike = Fraction(len(one & other), len(one | other))
    kind = (
        1
        if one == other
        else Fraction(2, 3)
        if one <= other or other <= one
        else Fraction(bool(one & other), 3)
    )
    return 1 - alike * kind


SETS = ["".join(each) for size in range(4) for each in combinations(LABELS, size)]


@pytest.mark.parametrize("one", SETS)
def test_distances_are_those_of_the_definition(one: str) -> None:
    for other in SETS:
        expected = float(_masi(set(one), set(other)))
        assert masi_distance([_number(one)], [_number(other)])[0] == pytest.approx(expected, abs=1e-12)
        both, either = len(set(one) & set(other)), len(set(one) | set(other))
        assert jaccard([_number(one)], [_number(other)])[0] == pytest.approx(both / either if either else 1.0)


def test_alpha_is_that_of_the_definition() -> None:
    units = [["a", "ab", "a"], ["b", "b"], ["abc", "c", "ac"], ["", "d"], ["cd"], ["a", "b"]]
    unit = np.array([place for place, given in enumerate(units) for _ in given])
    scores = [_number(letters) for given in units for letters in given]
    paired = [given for given in units if len(given) > 1]
    everything = [letters for given in paired for letters in given]
    observed = sum(
        _masi(set(x), set(y)) / (len(given) - 1) for given in paired for x, y in permutations(given, 2)
    )
    expected = sum(_masi(set(x), set(y)) for x, y in permutations(everything, 2)) / (len(everything) - 1)
    assert masi_alpha(unit, scores) == pytest.approx(float(1 - observed / expected), abs=1e-12)


def test_with_single_labels_alpha_is_nominal() -> None:
    unit = np.repeat(np.arange(8), 3)
    place = np.random.default_rng(4).integers(0, 3, 24)
    nominal = krippendorff_alpha(unit, place.astype(float), level="nominal").value
    assert masi_alpha(unit, 2**place) == pytest.approx(nominal)


def test_labels_are_decided_one_by_one_and_a_tie_leaves_the_response_out() -> None:
    unit = np.array([0, 0, 0, 1, 1, 3])
    given = [_number(letters) for letters in ("ab", "ac", "bc", "a", "ab", "")]
    sets, tied = majority_sets(unit, given, units=4, labels=4)
    assert sets[[0, 3]].tolist() == [_number("abc"), 0] and np.isnan(sets[[1, 2]]).all()
    assert tied.tolist() == [0, 1, 0, 0]


def test_scores_are_the_labels_in_binary() -> None:
    scores = np.arange(16.0)
    assert as_scores(has_label(scores, 4)).tolist() == scores.tolist()
