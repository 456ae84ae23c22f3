"""A criterion whose responses have several labels: import, majorities by label, agreement."""

from __future__ import annotations

import pytest

from judgelab.analysis.agreement.agreement_table import agreement_table
from judgelab.store.db.engine import Store
from tests.labelled import faults


@pytest.fixture
def slug(store: Store) -> str:
    return faults(store)


def test_labels_are_decided_and_compared_one_by_one(store: Store, slug: str) -> None:
    (found,) = agreement_table(store, slug, resamples=0).label_sets
    # Majorities: vague, vague + wrong, none, vague + rude, wrong + rude; the last response is tied.
    assert found.tied == {"vague": 1, "wrong": 1, "rude": 0}
    (judge,) = found.judges
    assert (judge.n, judge.exact.value) == (5, pytest.approx(3 / 5))
    assert judge.jaccard.value == pytest.approx((1 + 1 / 2 + 0 + 1 + 1) / 5)
    vague, wrong, rude = judge.labels
    assert (vague.given, vague.by_raters, vague.true_positive_rate.value) == (2, 3, pytest.approx(2 / 3))
    assert (wrong.accuracy.value, wrong.kappa.value, wrong.f1.value) == (1, 1, 1)
    assert (rude.accuracy.value, rude.f1.value) == (pytest.approx(4 / 5), pytest.approx(4 / 5))
    assert found.alpha is not None and 0 < found.alpha < 1


def test_equal_sets_are_the_exact_agreement(store: Store, slug: str) -> None:
    table = agreement_table(store, slug, coefficients=["exact"], resamples=0)
    row = next(row for row in table.rows if row.rater == "strict")
    assert (row.estimate.value, row.estimate.n) == (pytest.approx(3 / 5), 5)
