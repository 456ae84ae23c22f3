"""What is computed for many at once equals the plain way, one by one."""

import numpy as np
import pytest
from scipy import stats

from judgelab.metaeval.core.bounded_means import bounded_interval
from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.core.units import Rated
from judgelab.metaeval.inference.alternative_annotator import alternative_annotator
from judgelab.metaeval.judges.slices import slices
from judgelab.metaeval.judges.verbosity import verbosity


@pytest.fixture
def rng():
    return np.random.default_rng(8)


@pytest.mark.parametrize("groups", [1, 7])
def test_sums_by_resample_are_those_of_the_drawn_units(rng, groups):
    item, group = rng.integers(0, 12, 50), rng.integers(0, groups, 50)
    values, draws = [rng.normal(size=50), np.ones(50)], ItemDraws(12, 30, 2)
    resampled = draws.sums(values, group, item, groups=groups)
    for value, sums in zip(values, resampled, strict=True):
        plain = [np.bincount(group, value * counts[item], minlength=groups) for counts in draws.counts]
        assert sums == pytest.approx(np.array(plain))


def test_there_are_sums_of_nothing():
    none = np.zeros(0, dtype=np.int64)
    for draws in (ItemDraws(3, 10, 0), ItemDraws(3, 0, 0)):
        (sums,) = draws.sums([np.zeros(0)], none, none, groups=0)
        assert sums.shape == (draws.number, 0)


def test_the_weight_of_a_cell_is_that_of_its_units(rng):
    item, cell = rng.integers(0, 12, 50), np.arange(50) % 7
    draws = ItemDraws(12, 30, 2)
    plain = [np.bincount(cell, counts[item]) for counts in draws.counts]
    assert np.concatenate(list(draws.of_cells(cell, item))).tolist() == np.array(plain).tolist()


def partial(x, y, controlled):
    xy, xz, yz = (stats.spearmanr(a, b).statistic for a, b in ((x, y), (x, controlled), (y, controlled)))
    return (xy - xz * yz) / np.sqrt((1 - xz**2) * (1 - yz**2))


@pytest.mark.parametrize("steps", [1.0, 1e-6])
def test_verbosity_equals_scipy_on_the_units_drawn_out(rng, steps):
    item = rng.integers(0, 30, 80)
    human, judge = (np.rint(rng.normal(size=80) / steps) * steps for _ in range(2))
    length, draws = np.rint(rng.uniform(3, 9, 80) / steps) * steps, ItemDraws(30, 60, 5)
    result = verbosity(human, judge, length, item=item, draws=draws)
    resampled = [np.repeat(np.arange(80), counts[item]) for counts in draws.counts]
    for estimate, plain in (
        (result.partial, lambda u: partial(judge[u], length[u], human[u])),
        (result.human, lambda u: stats.spearmanr(human[u], length[u]).statistic),
    ):
        assert estimate.value == pytest.approx(plain(np.arange(80)))
        assert estimate.ci == pytest.approx(np.percentile([plain(units) for units in resampled], [2.5, 97.5]))


@pytest.mark.parametrize("sizes", [(2,), (1, 2, 3), (1,)])
def test_parts_change_places_as_sorting_each_row_by_itself_has_it(rng, sizes):
    item = np.repeat(np.arange(60), rng.choice(sizes, 60))
    part, apart = rng.integers(0, 2, len(item)), rng.normal(size=len(item))
    if len(sizes) > 1:
        part[np.flatnonzero(np.diff(item) == 0)[0] + np.arange(2)] = (0, 1)  # parts cross items
    result = slices(
        np.zeros(len(item)), apart, part, ("a", "b"), item=item, draws=ItemDraws(60, 0, 0), permutations=99
    )
    draws = np.random.default_rng(0)
    if sizes == (1,):
        rows = draws.permuted(np.tile(part, (99, 1)), axis=1)
    else:
        rows = [part[np.lexsort((fraction, item))] for fraction in draws.random((99, len(item)))]
    plain = np.array([spread(apart, row) for row in rows])
    observed = spread(apart, part)
    assert result.spread.value == pytest.approx(observed)
    assert result.test.p == pytest.approx((1 + (plain >= observed - 1e-12).sum()) / 100)


def spread(apart, part):
    return np.sqrt(np.mean([(apart[part == which].mean() - apart.mean()) ** 2 for which in part]))


def test_a_lead_is_tested_as_scipy_tests_it(rng):
    score, judge = rng.integers(1, 6, (40, 3)).astype(float), rng.integers(1, 6, 40).astype(float)
    unit, rater = np.indices(score.shape).reshape(2, -1)
    result = alternative_annotator(Rated(unit, rater, score.ravel()), judge, names=("a", "b", "c"))
    for number, human in enumerate(result.humans):
        other_scores, own = np.delete(score, number, axis=1), score[:, number]
        near = [-np.sqrt(np.mean((other_scores - side[:, None]) ** 2, axis=1)) for side in (own, judge)]
        lead = (near[0] >= near[1] - 1e-9).astype(float) - (near[1] >= near[0] - 1e-9)
        plain = stats.ttest_1samp(lead, 0.2, alternative="less")
        assert human.test.p == pytest.approx(plain.pvalue, rel=1e-12)
        assert human.test.statistic == pytest.approx(plain.statistic, rel=1e-12)


def test_the_share_of_a_rater_has_the_interval_of_the_drawn_items(rng):
    score, judge = rng.integers(1, 6, (60, 3)).astype(float), rng.integers(1, 6, 60).astype(float)
    unit, rater = np.indices(score.shape).reshape(2, -1)
    item, draws = np.arange(60) // 3, ItemDraws(20, 200, 5)
    rated = Rated(unit, rater, score.ravel())
    result = alternative_annotator(rated, judge, names=("a", "b", "c"), item=item, draws=draws)
    means = []
    for number, human in enumerate(result.humans):
        other_scores, own = np.delete(score, number, axis=1), score[:, number]
        mine, theirs = (
            -np.sqrt(np.mean((other_scores - side[:, None]) ** 2, axis=1)) for side in (judge, own)
        )
        for share, closer in (
            (human.judge_as_good, mine >= theirs - 1e-9),
            (human.human_as_good, theirs >= mine - 1e-9),
        ):
            weights = draws.counts[:, item]
            resampled = (weights * closer).sum(axis=1) / weights.sum(axis=1)
            assert share.ci == pytest.approx(
                bounded_interval(closer.mean(), resampled.var() * 20**2 / 19, 20, (0, 1))
            )
            assert (share.n, share.seed) == (60, 5)
            if share is human.judge_as_good:
                means.append(resampled)
    spread = np.mean(means, axis=0).var() * 20**2 / 19
    assert result.advantage.ci == pytest.approx(bounded_interval(result.advantage.value, spread, 20, (0, 1)))
