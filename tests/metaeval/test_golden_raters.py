"""Agreement among raters against published worked examples, from long data with gaps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from judgelab.errors import InvalidInput, NotFound
from judgelab.metaeval.coefficients.between_raters import INTER_RATER_COEFFICIENTS, between_raters
from judgelab.metaeval.coefficients.chance import beyond_chance
from judgelab.metaeval.coefficients.icc import icc, kendall_w, mean_squares
from judgelab.metaeval.coefficients.kappas import kappa_of_table, kappas_of_pairs, pair_kappa
from judgelab.metaeval.core.ratings import Rated
from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.core.units import unit_tables
from judgelab.scales import scale_from_json
from tests.examples import examples

Golden = Callable[[str], dict[str, Any]]
FIVE = np.arange(1.0, 6.0)


def long(table: Any) -> Rated:
    """Long ratings of a table of units by raters; None or NaN is no rating."""
    cells = np.array([[np.nan if cell is None else cell for cell in row] for row in table], dtype=float)
    unit, rater = np.nonzero(np.isfinite(cells))
    return Rated(unit, rater, cells[unit, rater])


@pytest.mark.parametrize("weights", ["identity", "quadratic"])
def test_gwets_four_raters_with_gaps(golden: Golden, weights: str) -> None:
    file = golden("gwet_raw4raters")
    rated = long(file["ratings_units_by_raters"])
    values = {
        kind: beyond_chance(rated, FIVE, kind=kind, weights=weights).value
        for kind in ("percent", "gwet", "fleiss", "conger", "brennan_prediger")
    }
    computed = file[f"computed_{weights}"]
    for kind, key in (("percent", "pa"), ("gwet", "gwet"), ("fleiss", "fleiss"), ("brennan_prediger",) * 2):
        assert values[kind] == pytest.approx(computed[key], abs=1e-9)
    published = file["published_identity"] if weights == "identity" else file["irrCAC_pandas2_quadratic"]
    assert values["conger"] == pytest.approx(published["conger"], abs=1e-5)


def test_fleiss_kappa_of_its_worked_example(golden: Golden) -> None:
    example = golden("fleiss_kappa")["examples"][0]
    counts = np.array(example["counts"])
    raters = int(counts[0].sum())
    score = np.concatenate([np.repeat(np.arange(counts.shape[1]), row) for row in counts]).astype(float)
    rated = Rated(np.repeat(np.arange(len(counts)), raters), np.tile(np.arange(raters), len(counts)), score)
    points = np.arange(counts.shape[1], dtype=float)
    fleiss = beyond_chance(rated, points, kind="fleiss").value
    assert fleiss == pytest.approx(example["computed"]["kappa"], abs=1e-9)
    assert fleiss == pytest.approx(example["published"]["kappa"], abs=5e-4)
    randolph = beyond_chance(rated, points, kind="brennan_prediger").value
    assert randolph == pytest.approx(example["computed"]["randolph"], abs=1e-9)


def test_cohens_kappa_with_weights_and_standard_error(golden: Golden) -> None:
    for example in golden("cohen_kappa")["examples"]:
        computed = example["computed"]
        for weights, key in (("identity", "kappa"), ("linear", "linear"), ("quadratic", "quadratic")):
            if key in computed:
                weighted = kappa_of_table(np.array(example["table"]), weights=weights)
                assert weighted.value == pytest.approx(computed[key], abs=1e-9)
        if "se" in computed:
            plain = kappa_of_table(np.array(example["table"]))
            linear = kappa_of_table(np.array(example["table"]), weights="linear")
            assert plain.params["se"] == pytest.approx(computed["se"], abs=1e-9)
            assert linear.params["se"] == pytest.approx(computed["linear_se"], abs=1e-9)


def test_an_interval_of_kappa_stays_within_1_and_holds_it_nineteen_times_in_twenty() -> None:
    # By hand: kappa .4 of ((20, 5), (10, 15)); its standard error .1287 over 1 - .16 on Fisher's scale.
    moderate = kappa_of_table(np.array([[20, 5], [10, 15]]))
    se, z = moderate.params["se"], np.arctanh(0.4)
    assert moderate.ci == pytest.approx(
        (np.tanh(z - 1.96 * se / 0.84), np.tanh(z + 1.96 * se / 0.84)), abs=1e-4
    )
    perfect = kappa_of_table(np.array([[20, 0], [0, 30]]))
    assert perfect.value == 1.0 and perfect.ci is None and "no spread" in perfect.ci_method
    rng, shares = np.random.default_rng(0), np.array([[0.45, 0.05], [0.05, 0.45]])  # kappa .8
    samples = [kappa_of_table(rng.multinomial(40, shares.ravel()).reshape(2, 2)) for _ in range(2_000)]
    ends = np.array([estimate.ci for estimate in samples if estimate.ci is not None])
    assert (ends < 1).all() and ((ends[:, 0] <= 0.8) & (ends[:, 1] >= 0.8)).mean() > 0.92


def test_every_two_raters_have_their_kappa_and_its_n() -> None:
    # a and b by hand: 4 of 5 alike, by chance (3 x 2 + 2 x 3) / 25 = .48. c rates two units.
    rated = long([[1, 1, None], [1, 1, None], [1, 2, 2], [2, 2, 2], [2, 2, None]])
    kappas = kappas_of_pairs(rated, ("a", "b", "c"), np.array([1.0, 2.0]))
    assert [(pair.first, pair.second, pair.estimate.n) for pair in kappas] == [
        ("a", "b", 5), ("a", "c", 2), ("b", "c", 2),
    ]  # fmt: skip
    assert kappas[0].estimate.value == pytest.approx((0.8 - 0.48) / 0.52)
    assert kappas[2].estimate.reason == "all ratings are the same"
    x, y = [1, 1, 1, 2, 2], [1, 1, 2, 2, 2]
    assert kappas[0].estimate.value == pytest.approx(cohen_kappa_score(x, y))
    assert kappas_of_pairs(rated, ("a", "b", "c"), np.zeros(0))[0].estimate.reason is not None


def test_the_six_forms_of_shrout_and_fleiss(golden: Golden) -> None:
    file = golden("icc_shrout_fleiss")
    rated = long(file["ratings_targets_by_judges"])
    for form, number in (("1", 1), ("A", 2), ("C", 3)):
        for mean, k in ((False, "1"), (True, "k")):
            estimate = icc(rated, form=form, mean=mean, draws=ItemDraws(6, 50, 0))
            assert estimate.value == pytest.approx(file["computed"][f"ICC({number},{k})"], abs=1e-9)
            assert estimate.value == pytest.approx(file["published"][f"ICC({number},{k})"], abs=0.0051)
            assert estimate.ci is not None and estimate.ci_method.startswith("percentile")
    squares = mean_squares(np.array(file["ratings_targets_by_judges"]))
    for name, value in zip(("MSR", "MSC", "MSE", "MSW"), squares, strict=True):
        assert value[0] == pytest.approx(file["computed"][name], abs=1e-9)


@examples(20)
@given(st.lists(st.lists(st.integers(0, 4), min_size=4, max_size=4), min_size=3, max_size=12))
def test_kendalls_w_is_friedmans_statistic_on_a_scale_of_0_to_1(rows: list[list[int]]) -> None:
    table = np.array(rows, dtype=float)
    estimate = kendall_w(long(table))
    with np.errstate(all="ignore"):
        friedman = stats.friedmanchisquare(*table).statistic / (4 * (len(table) - 1))
    if estimate.value is None:
        assert not np.isfinite(friedman)
    else:
        assert estimate.value == pytest.approx(friedman, abs=1e-9)


@examples(20)
@given(st.lists(st.lists(st.integers(1, 5), min_size=2, max_size=2), min_size=4, max_size=40))
def test_with_two_raters_conger_is_cohen_and_names_do_not_matter(rows: list[list[int]]) -> None:
    rated = long(rows)
    conger, cohen = beyond_chance(rated, FIVE, kind="conger").value, pair_kappa(rated, FIVE).value
    assert conger == pytest.approx(cohen, abs=1e-9) if cohen is not None else conger is None
    relabelled = rated._replace(rater=1 - rated.rater, score=6 - rated.score)
    for kind in ("fleiss", "gwet", "conger"):
        before, after = (beyond_chance(r, FIVE, kind=kind).value for r in (rated, relabelled))
        assert before == after or before == pytest.approx(after, abs=1e-9)


def test_what_cannot_be_computed_has_a_reason() -> None:
    constant = long([[1, 1], [1, 1], [1, 1]])
    assert "all ratings are the same" in (beyond_chance(constant, FIVE, kind="fleiss").reason or "")
    assert "all ratings are the same" in (pair_kappa(constant, FIVE).reason or "")
    assert "all ratings are the same" in (kappa_of_table(np.diag([3, 0])).reason or "")
    unshared = long([[1, None], [None, 2]])
    assert "two ratings" in (beyond_chance(unshared, FIVE, kind="gwet").reason or "")
    assert icc(unshared, form="A").value is None and icc(unshared, form="1").value is None
    assert kendall_w(long([[None, None]])).value is None
    crossed = long([[1, 2], [2, 1]])
    assert icc(crossed, form="A").reason == "the mean ratings of the responses differ too little"
    assert "not points" in (beyond_chance(long([[1, 2.5]]), FIVE, kind="gwet").reason or "")
    with pytest.raises(InvalidInput, match="quadratic"):
        beyond_chance(constant, FIVE, kind="gwet", weights="square")


def test_a_weight_of_an_item_counts_like_copies_of_it(golden: Golden) -> None:
    table = golden("gwet_raw4raters")["ratings_units_by_raters"]
    twice = long([row for row in table for _ in range(2)])
    item = np.repeat(np.arange(len(table)), 2)
    for kind in ("gwet", "conger", "fleiss"):
        once = beyond_chance(long(table), FIVE, kind=kind).value
        assert beyond_chance(twice, FIVE, kind=kind, item=item).value == pytest.approx(once, abs=1e-9)


def test_all_coefficients_of_the_experts_of_summeval(summeval: Any) -> None:
    table = unit_tables(
        summeval[(summeval["criterion"] == "coherence") & (summeval["rater_kind"] == "human")]
    )[0]
    scale = scale_from_json({"kind": "ordinal", "low": 1, "high": 5})
    estimates = between_raters(table, scale, resamples=50)
    assert set(estimates) == set(INTER_RATER_COEFFICIENTS) and all(
        estimate.ci is not None for estimate in estimates.values()
    )
    expected = {"alpha_interval": 0.5591, "alpha_ordinal": 0.5537, "alpha_nominal": 0.1501, "mean_r": 0.6513}
    for name, value in expected.items():
        assert estimates[name].value == pytest.approx(value, abs=5e-5)
    with pytest.raises(NotFound, match="fleiss"):
        between_raters(table, scale, coefficients=["fleis"])
