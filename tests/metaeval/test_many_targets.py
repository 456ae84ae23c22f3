"""Many humans left out at once: the same figures as one by one, and as scipy has them of the drawn units."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import stats

from judgelab.metaeval.coefficients.count_tables import OF_TABLE
from judgelab.metaeval.coefficients.levels import measure
from judgelab.metaeval.coefficients.many_targets import measure_each
from judgelab.metaeval.coefficients.registry import coefficient, prepare_scores
from judgelab.metaeval.core.arrays import stable_order, unique_codes
from judgelab.metaeval.core.pairing import PairedScores, ResampledValue
from judgelab.metaeval.core.resampling import ItemDraws, percentile_interval
from judgelab.scales import scale_from_json

SCALE = scale_from_json({"kind": "ordinal", "low": 1, "high": 5})
SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
ITEMS = 40


@pytest.fixture(scope="module")
def met() -> tuple[PairedScores, np.ndarray]:
    """Twelve targets: of one unit, of none, constant, with a constant judge, of halves and of thirds."""
    rng = np.random.default_rng(4)
    size = np.array([70, 35, 1, 0, 20, 20, 64, 12, 5, 90, 3, 40])
    target = np.repeat(np.arange(len(size)), size)
    human = rng.integers(2, 11, len(target)) / 2
    human[target == 6] = rng.integers(3, 16, 64) / 3
    judge = np.clip(np.rint(human + rng.normal(0, 1, len(target))), 1, 5)
    human[target == 4], judge[target == 5] = 3.0, 2.0
    item = rng.integers(0, ITEMS, len(target))
    none = np.full(len(target), -1)
    return PairedScores(human, judge, item, none, none), np.append(0, np.cumsum(size))


def one_by_one(pairs: PairedScores, starts: np.ndarray, name: str, draws: ItemDraws) -> list[ResampledValue]:
    measured = coefficient(name, scale=SCALE)
    return [
        measure(
            PairedScores(*(column[a:b] for column in pairs)),
            measured,
            level="none",
            constant_groups="zero",
            draws=draws,
        )
        for a, b in zip(starts[:-1], starts[1:], strict=True)
    ]


@pytest.mark.parametrize(
    "name", ["pearson", "spearman", "kendall", "qwk", "kappa", "exact", "mae", "acc_eq", "weighted_tau"]
)
def test_all_at_once_is_what_each_is_alone(met: tuple[PairedScores, np.ndarray], name: str) -> None:
    pairs, starts = met
    measured = coefficient(name, scale=SCALE)
    pairs = pairs._replace(human=prepare_scores(measured, pairs.human, SCALE))
    for resamples in (0, 60):
        draws = ItemDraws(ITEMS, resamples, 3)
        separately = one_by_one(pairs, starts, name, draws)
        (jointly,) = measure_each(
            pairs, starts, [measured], level="none", constant_groups="zero", draws=draws
        )
        for separate, joint in zip(separately, jointly, strict=True):
            assert (separate.reason, separate.n, separate.items) == (joint.reason, joint.n, joint.items)
            np.testing.assert_allclose(joint.value, separate.value, rtol=0, atol=1e-12)
            np.testing.assert_allclose(joint.draws, separate.draws, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", list(SCIPY))
def test_each_resample_is_what_scipy_says_of_the_units_drawn(
    met: tuple[PairedScores, np.ndarray], name: str
) -> None:
    pairs, starts = met
    draws = ItemDraws(ITEMS, 25, 8)
    (jointly,) = measure_each(
        pairs, starts, [coefficient(name)], level="none", constant_groups="zero", draws=draws
    )
    for target in (0, 6, 9, 10):
        units = slice(starts[target], starts[target + 1])
        human, judge, item = pairs.human[units], pairs.judge[units], pairs.item[units]
        for times, ours in zip(draws.counts[:, item], jointly[target].draws, strict=True):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                few = times.sum() < 2
                theirs = np.nan if few else SCIPY[name](np.repeat(human, times), np.repeat(judge, times))[0]
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


def test_a_target_of_more_units_than_small_numbers_count_is_counted_in_parts() -> None:
    rng = np.random.default_rng(1)
    n, items = 40_000, 7  # an item is drawn up to seven times: 280,000 is beyond 65,535
    human, judge = rng.integers(1, 6, (2, n)).astype(float)
    none = np.full(n, -1)
    pairs = PairedScores(human, judge, rng.integers(0, items, n), none, none)
    draws = ItemDraws(items, 12, 0)
    (separate,) = one_by_one(pairs, np.array([0, n]), "spearman", draws)
    ((joint,),) = measure_each(
        pairs, np.array([0, n]), [coefficient("spearman")], level="none", constant_groups="zero", draws=draws
    )
    np.testing.assert_allclose(joint.draws, separate.draws, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", list(OF_TABLE))
def test_a_table_in_which_a_side_is_constant_has_no_correlation(name: str) -> None:
    counts = np.array([[[2, 2, 1], [0, 1, 0]], [[3, 0, 0], [0, 0, 2]]], dtype=float)
    correlations = OF_TABLE[name](counts, np.array([1.0, 2.0]), np.array([1.0, 5.0]))
    assert np.isnan(correlations).tolist() == [True, True, False]
    assert correlations[2] == pytest.approx(1.0)


@pytest.mark.parametrize("n", [20, 41, 200, 1000])
def test_the_middle_of_the_draws_is_that_of_numpy(n: int) -> None:
    draws = np.random.default_rng(n).normal(size=n)
    interval = percentile_interval(np.append(draws, np.nan), items=5)
    assert interval.ends == tuple(np.percentile(draws, [2.5, 97.5]))
    assert interval.undefined == 1


def test_numbers_are_counted_as_numpy_sorts_them() -> None:
    for most in (3, 70_000):
        numbers = np.random.default_rng(0).integers(0, most, 500)
        present, index = unique_codes(numbers)
        theirs, back = np.unique(numbers, return_inverse=True)
        assert (present == theirs).all() and (index == back).all()
        assert (stable_order(numbers) == np.argsort(numbers, kind="stable")).all()
