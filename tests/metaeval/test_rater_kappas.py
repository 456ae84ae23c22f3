"""Agreement of raters by labels: each pair and each rater with the majority, against worked-out values."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgelab.metaeval.coefficients.kappas import kappa_of_table, pair_kappa
from judgelab.metaeval.coefficients.rater_intervals import (
    leave_one_out_intervals,
    mean_interval,
    pairwise_intervals,
)
from judgelab.metaeval.coefficients.rater_kappas import (
    beside_majority,
    kappa_pairs,
    leave_one_out_kappas,
    mean_pairwise_kappa,
)
from judgelab.metaeval.coefficients.raters import pairwise_scores
from judgelab.metaeval.core.arrays import Floats
from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.core.units import Rated
from tests.examples import examples

POINTS = np.array([1.0, 2.0, 3.0])
LABELS = st.lists(st.lists(st.sampled_from([0, 1, 2, 3]), min_size=4, max_size=4), min_size=1, max_size=14)
ROWS = {
    "A": [1, 1, 2, 2, 3, 3, 1, 2],
    "B": [1, 1, 2, 2, 3, 3, 2, 2],
    "C": [2, 3, 1, 3, 1, 2, 2, 1],
    "E": [1, 1, 2, 2, 3, 3, 1, 3],
}


def pairwise(ratings, item, draws, *, raters, **options):
    """The intervals of all raters with all others."""
    (intervals,) = pairwise_intervals(ratings, item, draws, panels=[np.ones(raters, dtype=bool)], **options)
    return intervals


def rated(table: list[list[int]]) -> Rated:
    """Return a table of units in rows and raters in columns as ratings; 0 is none."""
    cells = [(u, r, float(x)) for u, row in enumerate(table) for r, x in enumerate(row) if x]
    unit, rater, score = zip(*cells, strict=True) if cells else ((), (), ())
    return Rated(np.array(unit, dtype=np.int64), np.array(rater, dtype=np.int64), np.array(score))


def worked() -> Rated:
    return rated([list(row) for row in zip(*ROWS.values(), strict=True)])


def plain_kappa(first: list[int], second: list[int]) -> float:
    table = np.zeros((3, 3))
    for x, y in zip(first, second, strict=True):
        table[x - 1, y - 1] += 1
    value = kappa_of_table(table).value
    return np.nan if value is None else value


def test_pairs_and_majority_of_a_worked_example() -> None:
    pairs = kappa_pairs(worked(), units=8, raters=4)
    found = dict(zip(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True), pairs.value, strict=True))
    # A and B: 7 of 8 equal, counts 3·2 + 3·4 + 2·2 = 22 of 64 by chance: (56 - 22) / (64 - 22).
    assert found[0, 1] == 34 / 42 and found[0, 2] == -22 / 42 and found[1, 2] == (8 - 22) / 42
    result = leave_one_out_kappas(worked(), np.ones(4, dtype=bool), units=8, raters=4)
    # A beside B, C and E: the last unit has three labels; of 7 units 6 are equal, 16 of 49 by chance.
    assert result.score[0] == 26 / 33 and result.shared.tolist()[0] == 7 and result.partners.tolist()[0] == 3
    assert result.score[2] == -22 / 42 and result.shared.tolist()[2] == 8


@examples(80)
@given(LABELS)
def test_pairs_equal_the_kappa_of_their_table(table: list[list[int]]) -> None:
    pairs = kappa_pairs(rated(table), units=len(table), raters=4)
    for first, second, shared, kappa in zip(*pairs[:4], strict=True):
        both = [(row[first], row[second]) for row in table if row[first] and row[second]]
        assert shared == len(both)
        x, y = (list(side) for side in zip(*both, strict=True))
        assert kappa == pytest.approx(plain_kappa(x, y), nan_ok=True)
    shared_pairs = {(a, b) for row in table for a, b in combinations(range(4), 2) if row[a] and row[b]}
    assert len(pairs.first) == len(shared_pairs)
    mean = mean_pairwise_kappa(pairs.where(pairs.shared >= 2)).value
    light = pair_kappa(rated(table), POINTS).value
    assert (mean is None) == (light is None) and (mean is None or mean == pytest.approx(light))


@examples(80)
@given(LABELS)
def test_a_rater_is_compared_with_the_label_most_others_gave(table: list[list[int]]) -> None:
    result = leave_one_out_kappas(rated(table), np.ones(4, dtype=bool), units=len(table), raters=4)
    for rater in range(4):
        own, most = [], []
        for row in table:
            votes = Counter(x for other, x in enumerate(row) if x and other != rater).most_common()
            if row[rater] and votes and (len(votes) == 1 or votes[0][1] > votes[1][1]):
                own.append(row[rater])
                most.append(votes[0][0])
        if len(own) < 2 or len(set(most)) == 1:
            assert np.isnan(result.score[rater])
        else:
            expected = 0.0 if len(set(own)) == 1 else plain_kappa(own, most)
            assert result.score[rater] == pytest.approx(expected) and result.shared[rater] == len(own)


@examples(40)
@given(LABELS, st.permutations([1, 2, 3]))
def test_names_of_labels_do_not_matter(table: list[list[int]], names: list[int]) -> None:
    renamed = [[names[x - 1] if x else 0 for x in row] for row in table]
    before, after = (
        (kappa_pairs(rated(t), units=len(t), raters=4), leave_one_out_kappas(
            rated(t), np.ones(4, dtype=bool), units=len(t), raters=4
        ))
        for t in (table, renamed)
    )  # fmt: skip
    for parts in zip((*before[0], *before[1]), (*after[0], *after[1]), strict=True):
        np.testing.assert_array_equal(*parts)


def test_one_label_always_counts_as_0_for_that_rater_alone() -> None:
    table = [[1, 1, 1], [1, 2, 2], [1, 1, 1], [1, 2, 2]]  # the first rater never varies
    pairs = kappa_pairs(rated(table), units=4, raters=3)
    scores = pairwise_scores(pairs, raters=3)
    assert scores.score.tolist() == [0.0, 1.0, 1.0] and scores.constant.tolist() == [True, False, False]
    assert scores.partners.tolist() == [2, 1, 1]
    opposite = kappa_pairs(rated([[1, 2], [1, 2]]), units=2, raters=2)
    assert opposite.value.tolist() == [0.0] and np.isnan(pairwise_scores(opposite, raters=2).score).all()
    assert mean_pairwise_kappa(kappa_pairs(rated([[1, 1], [1, 1]]), units=2, raters=2)).value is None
    assert len(kappa_pairs(rated([[1, 0], [0, 2]]), units=2, raters=2).value) == 0
    assert not len(beside_majority(rated([]), np.ones(2, dtype=bool), units=0).own)


def test_intervals_equal_resamples_drawn_out() -> None:
    rng = np.random.default_rng(5)
    truth = rng.integers(1, 4, 30)
    table = [
        [int(t) if rng.random() < p else int(rng.integers(1, 4)) for p in (0.9, 0.8, 0.6)] for t in truth
    ]
    ratings, draws, items = rated(table), ItemDraws(30, 60, 3), np.arange(30)

    def drawn_out(value: object) -> list[Floats]:
        rows = np.array(table)
        resampled = [rows[np.repeat(items, counts)] for counts in draws.counts]
        return [value(rated(part.tolist()), len(part)) for part in resampled]  # type: ignore[operator]  # as below

    def ends(values: list[float]) -> Floats:
        return np.percentile(values, [2.5, 97.5])

    means = drawn_out(lambda r, n: mean_pairwise_kappa(kappa_pairs(r, units=n, raters=3)).value)
    assert mean_interval(ratings, items, draws, ordered=False).ends == pytest.approx(ends(means))  # type: ignore[arg-type]  # numbers
    assert pair_kappa(ratings, POINTS, item=items, draws=draws).ci == pytest.approx(ends(means))  # type: ignore[arg-type]  # numbers
    each = np.array(
        drawn_out(lambda r, n: pairwise_scores(kappa_pairs(r, units=n, raters=3), raters=3).score)
    )
    others = np.array(
        drawn_out(
            lambda r, n: leave_one_out_kappas(r, np.ones(3, dtype=bool), units=n, raters=3).score
        )
    )  # fmt: skip
    of_pairs = pairwise(ratings, items, draws, raters=3, least=5, ordered=False)
    beside = leave_one_out_intervals(ratings, items, draws, raters=3, ordered=False)
    for rater in range(3):
        assert of_pairs[rater].ends == pytest.approx(ends(each[:, rater].tolist()))
        assert beside[rater].ends == pytest.approx(ends(others[:, rater].tolist()))
