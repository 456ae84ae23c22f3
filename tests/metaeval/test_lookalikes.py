import json

import numpy as np
import pytest

from judgelab.metaeval.core.units import Rated
from judgelab.metaeval.raters.duplicate_raters import duplicate_raters


def rated(matrix):
    matrix = np.asarray(matrix, dtype=float)
    unit, rater = np.nonzero(np.isfinite(matrix))
    return Rated(unit, rater, matrix[unit, rater])


def crowd(*, units=40, raters=4, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, units)
    noise = rng.integers(-1, 2, (units, raters))
    return np.clip(truth[:, None] + noise, 0, 3).astype(float)


def found(matrix, comments=()):
    return duplicate_raters(rated(matrix), units=len(matrix), raters=matrix.shape[1], comments=comments)


def test_two_names_with_nearly_the_same_scores_are_named_with_what_is_usual():
    matrix = crowd()
    matrix[:, 3] = matrix[:, 1]
    matrix[0, 3] = 3 - matrix[0, 3]
    (alike,) = found(matrix)
    assert (alike.first, alike.second, alike.shared) == (1, 3, 40)
    assert alike.equal == 39 / 40 and alike.usual < 0.7


def test_honest_raters_are_not():
    assert all(found(crowd(seed=seed)) == [] for seed in range(20))


def test_on_an_easy_task_everybody_is_alike_and_nobody_is_named():
    matrix = np.tile(np.arange(40)[:, None] % 2, (1, 4)).astype(float)
    assert found(matrix) == []


@pytest.mark.parametrize(
    ("units", "differ", "named"),
    # Six pairs; all others differ on a tenth. By chance 0.9^n differ on none: n 100 gives 0.00003, less than
    # 0.001 / 6; n 40 gives 0.015. Of 400, 40 would differ: 4 is a tenth of that, 8 is not.
    [(100, 0, True), (40, 0, False), (400, 4, True), (400, 8, False)],
)
def test_where_all_are_much_alike_those_who_differ_far_more_seldom_are_named(units, differ, named):
    truth = np.arange(units) % 2
    matrix = np.tile(truth[:, None], (1, 4)).astype(float)
    tenth = np.arange(0, units, 20)
    for rater in (0, 1, 2):  # each differs from each other one on a tenth: twice a twentieth of their own
        matrix[tenth + rater, rater] = 1 - matrix[tenth + rater, rater]
    matrix[:, 3] = matrix[:, 2]
    matrix[20 * np.arange(differ) + 3, 3] = 9
    alike = found(matrix)
    assert [(pair.first, pair.second) for pair in alike] == ([(2, 3)] if named else [])
    assert all(pair.usual == pytest.approx(0.9, abs=0.03) for pair in alike)


def test_too_few_shared_ratings_or_one_score_only_say_nothing():
    few = crowd(units=19)
    few[:, 3] = few[:, 1]
    assert found(few) == []
    flat = crowd()
    flat[:, 1] = flat[:, 3] = 2
    assert found(flat) == []


def test_two_raters_alone_cannot_be_compared_with_other_pairs():
    matrix = crowd(raters=2)
    matrix[:, 1] = matrix[:, 0]
    assert found(matrix) == []


def test_the_same_long_comments_name_two_raters():
    comments = ["The lid is made of glass, see there.", "Nothing about the handle at all."]
    twice = [(0, words) for words in comments] + [(2, words.upper() + " ") for words in comments]
    (alike,) = found(crowd(), [*twice, (1, "ok"), (3, "ok")])
    assert (alike.first, alike.second, alike.comments, alike.equal) == (0, 2, 2, None)
    assert found(crowd(), [(0, comments[0]), (2, comments[0])]) == []


def test_no_ratings_no_pairs():
    none = Rated(np.zeros(0, int), np.zeros(0, int), np.zeros(0))
    assert duplicate_raters(none, units=0, raters=0) == []


def test_the_real_workers_of_cebab_are_different_people(datasets):
    labels = json.loads((datasets / "alttest-labels" / "cebab_stars_human_annotations.json").read_text())
    names = {name: n for n, name in enumerate(labels)}
    items = {
        item: n
        for n, item in enumerate({item for labels_of_rater in labels.values() for item in labels_of_rater})
    }
    rows = [
        (items[i], names[r], float(s))
        for r, labels_of_rater in labels.items()
        for i, s in labels_of_rater.items()
    ]
    unit, rater, score = map(np.array, zip(*rows, strict=True))
    assert duplicate_raters(Rated(unit, rater, score), units=len(items), raters=len(names)) == []
