import numpy as np
import pandas as pd
import pytest

from judgelab.analysis.agreement.vs_ceiling import confusion_matrix, nearest_points, pairs_in_cell
from judgelab.scales import scale_from_json

SCALE = scale_from_json({"kind": "ordinal", "low": 0, "high": 3})


def pairs(*scores: tuple[float, float]) -> pd.DataFrame:
    frame = pd.DataFrame(scores, columns=["human", "score"])
    return frame.assign(item=[f"i{n}" for n in range(len(frame))])


def test_halves_round_up_and_values_beyond_the_ends_to_the_ends():
    points = np.array([0.0, 1.0, 2.0, 3.0])
    scores = pd.Series([0.49, 0.5, 2.5, 3.0, -1.0, 9.0])
    assert list(nearest_points(scores, points)) == [0, 1, 3, 3, 0, 3]


def test_the_matrix_counts_every_pair_once_and_knows_the_shares():
    matrix = confusion_matrix(pairs((0, 0), (0.33, 1.4), (3, 0), (2, 2)), SCALE)
    assert matrix.total == 4
    assert (matrix.exact_agreement.value, matrix.adjacent_agreement.value, matrix.exact_agreement.n) == (
        0.5,
        0.75,
        4,
    )
    assert matrix.counts.loc[3.0, 0.0] == 1
    assert list(matrix.counts.index) == [0, 1, 2, 3]


def test_the_shares_have_intervals_over_items_not_over_responses():
    each = pairs(*[(0, 0), (1, 0)] * 20)
    ten_per_item = each.assign(item=[f"i{n // 10}" for n in range(40)])
    unclustered, clustered = confusion_matrix(each, SCALE), confusion_matrix(ten_per_item, SCALE)
    assert unclustered.exact_agreement.value == clustered.exact_agreement.value == 0.5
    low, high = unclustered.exact_agreement.ci
    # Binomial: 0.5 ± 1.96 · √(0.25 / 40) = 0.345 to 0.655. Four items of half each have no spread: as if of
    # five one had the widest there is, so n = 4 · 5 and 0.5 ± 1.96 · √(20 · 0.25 + 0.96) / (20 + 3.84).
    assert (low, high) == (pytest.approx(0.345, abs=0.03), pytest.approx(0.655, abs=0.03))
    assert clustered.exact_agreement.ci == pytest.approx((0.2993, 0.7007), abs=1e-4)


def test_a_cell_gives_back_the_pairs_it_counts():
    rows = pairs((0, 0), (0.33, 1.4), (3, 0))
    assert list(pairs_in_cell(rows, SCALE, human=0.0, judge=1.0).index) == [1]


def test_a_scale_without_points_has_no_matrix():
    assert (
        confusion_matrix(pairs((3, 4)), scale_from_json({"kind": "numeric", "low": 0, "high": 100})) is None
    )
    assert confusion_matrix(pairs((3, 4)), scale_from_json({"kind": "ordinal", "low": 0, "high": 20})) is None
