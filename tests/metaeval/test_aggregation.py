"""Putting the ratings of several people together, against worked examples and scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import trim_mean

from judgelab.errors import InvalidInput
from judgelab.metaeval.agreement.agreement import agreement, human_ceiling
from judgelab.metaeval.core.aggregation import AGGREGATIONS, LABEL_MODELS, Aggregation, aggregate
from judgelab.metaeval.core.dawid_skene import dawid_skene
from judgelab.metaeval.core.ratings import Rated
from judgelab.scales import scale_from_json

SCALES = {"answers": scale_from_json({"kind": "ordinal", "low": 0, "high": 3})}
CLOSED = [how for how in sorted(AGGREGATIONS) if how not in LABEL_MODELS]
KEEPING = [how for how in sorted(AGGREGATIONS) if how != "z_mean"]


def rated(rows):
    unit, rater, score = (np.array(column) for column in zip(*rows, strict=True))
    return Rated(unit.astype(np.int64), rater.astype(np.int64), score.astype(float))


def of(rows, how, **options):
    ratings = rated(rows)
    size = {"units": int(ratings.unit.max()) + 1, "raters": int(ratings.rater.max()) + 1}
    return aggregate(ratings, aggregation=Aggregation(how, **options), **size)


@st.composite
def tables(draw):
    cells = draw(
        st.lists(
            st.tuples(st.integers(0, 6), st.integers(0, 5), st.integers(0, 4)),
            min_size=1,
            max_size=40,
            unique_by=lambda row: row[:2],
        )
    )
    return cells


def by_unit(rows):
    scores_of_units = {}
    for unit, _, score in rows:
        scores_of_units.setdefault(unit, []).append(score)
    return scores_of_units


def test_dawid_and_skenes_own_patients(golden):
    example = golden("dawid_skene_1979")
    rows = np.array(example["rows_patient_observer_label"])
    model = dawid_skene(rows[:, 0] - 1, rows[:, 1] - 1, rows[:, 2].astype(float), units=45, raters=5)
    computed = example["computed"]
    assert model.marginals == pytest.approx(computed["class_marginals"], abs=1e-6)
    assert np.round(model.marginals, 2) == pytest.approx(example["published"]["class_marginals"])
    assert model.labels().tolist() == computed["map_labels"]
    assert model.confusion[0] == pytest.approx(
        np.array(computed["observer1_confusion_true_by_observed"]), abs=1e-6
    )
    assert model.log_likelihood == pytest.approx(computed["log_likelihood"], abs=1e-6)
    assert model.posterior.max(axis=1).min() == pytest.approx(computed["min_max_posterior"], abs=1e-6)
    assert model.converged


def test_units_with_the_same_labels_count_as_often_as_they_are_there():
    chance = np.random.default_rng(4)
    rows = np.column_stack([np.arange(90) // 3, np.arange(90) % 3, chance.integers(0, 2, 90)])
    once = dawid_skene(rows[:, 0], rows[:, 1], rows[:, 2].astype(float), units=30, raters=3)
    # Another order of the units and of their labels, and units without labels in between.
    shuffled = chance.permutation(rows) * [2, 1, 1]
    again = dawid_skene(shuffled[:, 0], shuffled[:, 1], shuffled[:, 2].astype(float), units=60, raters=3)
    assert again.posterior[::2] == pytest.approx(once.posterior, abs=1e-9)
    assert np.isnan(again.posterior[1::2]).all()
    assert again.confusion == pytest.approx(once.confusion, abs=1e-9)
    assert again.log_likelihood == pytest.approx(once.log_likelihood, abs=1e-9)
    by_kind = {tuple(rows[rows[:, 0] == unit, 2]): once.posterior[unit] for unit in range(30)}
    assert len(by_kind) == 8
    marginals = np.mean([by_kind[tuple(rows[rows[:, 0] == unit, 2])] for unit in range(30)], axis=0)
    assert once.marginals == pytest.approx(marginals, abs=1e-6)


def test_a_rater_who_turns_the_scale_round_is_read_the_right_way_round():
    chance = np.random.default_rng(3)
    truth = chance.integers(0, 2, 60)
    rows = [(unit, rater, truth[unit]) for unit in range(60) for rater in range(4)]
    rows = [(u, r, 1 - s if chance.random() < 0.1 else s) for u, r, s in rows]
    rows += [(unit, 4, 1 - truth[unit]) for unit in range(60)]
    assert (of(rows, "dawid_skene") == truth).mean() > 0.95


def test_a_slider_has_no_classes():
    rows = [(unit, rater, unit + rater / 10) for unit in range(20) for rater in range(3)]
    with pytest.raises(InvalidInput, match="at most 32 different scores"):
        of(rows, "dawid_skene")


def test_a_tied_vote_leaves_the_unit_out_or_takes_the_middle():
    rows = [(0, 0, 1), (0, 1, 1), (0, 2, 3), (1, 0, 0), (1, 1, 2), (2, 0, 3)]
    assert of(rows, "majority") == pytest.approx([1, np.nan, 3], nan_ok=True)
    assert of(rows, "majority", ties="mean") == pytest.approx([1, 1, 3])
    assert of(rows, "median") == pytest.approx([1, 1, 3])
    assert of(rows, "mean") == pytest.approx([5 / 3, 1, 3])


def test_z_scores_take_out_each_raters_level_and_spread():
    strict = [(unit, 0, score) for unit, score in enumerate((0, 1, 2, 3))]
    lenient = [(unit, 1, 60 + 10 * score) for unit, score in enumerate((0, 1, 2, 3))]
    constant = [(unit, 2, 7) for unit in range(4)]
    z = (np.arange(4) - 1.5) / np.std([0, 1, 2, 3], ddof=1)
    assert of(strict + lenient + constant, "z_mean") == pytest.approx(z)


@given(tables())
def test_median_and_trimmed_mean_are_those_of_numpy_and_scipy(rows):
    median, trimmed = of(rows, "median"), of(rows, "trimmed", trim=0.2)
    for unit, scores in by_unit(rows).items():
        assert median[unit] == pytest.approx(np.median(scores))
        assert trimmed[unit] == pytest.approx(trim_mean(scores, 0.2))


@given(tables())
def test_a_majority_is_a_score_that_nobody_outvotes(rows):
    majority = of(rows, "majority")
    for unit, scores in by_unit(rows).items():
        votes = sorted((scores.count(s) for s in set(scores)), reverse=True)
        if len(votes) > 1 and votes[0] == votes[1]:
            assert np.isnan(majority[unit])
        else:
            assert scores.count(majority[unit]) == votes[0]


@given(tables(), st.randoms(use_true_random=False), st.sampled_from(CLOSED))
def test_the_order_of_the_ratings_does_not_matter(rows, chance, how):
    mixed = list(rows)
    chance.shuffle(mixed)
    assert of(mixed, how) == pytest.approx(of(rows, how), nan_ok=True)


@given(tables(), st.sampled_from(KEEPING))
def test_raters_who_agree_keep_their_score(rows, how):
    agreed = [(unit, rater, unit % 4) for unit, rater, _ in rows]
    aggregated = of(agreed, how)
    for unit in by_unit(agreed):
        assert aggregated[unit] == pytest.approx(unit % 4)


def humans_and_a_judge(make_frame):
    chance = np.random.default_rng(1)
    rows = []
    for n in range(40):
        truth = int(chance.integers(0, 4))
        for rater in "ABC":
            score = float(np.clip(truth + chance.integers(-1, 2), 0, 3))
            rows.append((f"q{n}", "s", "", "answers", rater, "human", score))
        rows.append(
            (f"q{n}", "s", "", "answers", "J", "judge", float(np.clip(truth + chance.integers(-1, 2), 0, 3)))
        )
    return make_frame(rows)


def test_the_human_side_of_agreement_follows_the_aggregation(make_frame):
    scores = humans_and_a_judge(make_frame)
    human = scores[scores["rater_kind"] == "human"].groupby("item", sort=False)["score"]
    judge = scores[scores["rater"] == "J"].set_index("item")["score"]
    options = {"scales": SCALES, "coefficients": ("pearson",), "resamples": 0}
    mean, median = (
        agreement(scores, aggregation=Aggregation(how), **options)[0].estimate for how in ("mean", "median")
    )
    assert mean.value == pytest.approx(np.corrcoef(human.mean(), judge[human.mean().index])[0, 1])
    assert median.value == pytest.approx(np.corrcoef(human.median(), judge[human.median().index])[0, 1])
    assert agreement(scores, **options)[0].estimate.value == mean.value


def test_units_without_a_majority_are_left_out_of_agreement(make_frame):
    scores = humans_and_a_judge(make_frame)
    agreements = agreement(
        scores, scales=SCALES, coefficients=("qwk",), resamples=50, aggregation=Aggregation("majority")
    )
    by_item = scores[scores["rater_kind"] == "human"].groupby("item")["score"]
    decided = int((by_item.nunique() < 3).sum())
    assert 0 < decided < 40
    assert agreements[0].estimate.n == decided


def test_z_scores_have_no_kappa_but_a_correlation(make_frame):
    scores = humans_and_a_judge(make_frame)
    rows = agreement(
        scores,
        scales=SCALES,
        coefficients=("spearman", "qwk"),
        resamples=0,
        aggregation=Aggregation("z_mean"),
    )
    assert rows[0].estimate.value is not None
    assert rows[1].estimate.value is None and "z-scores" in rows[1].estimate.reason


@pytest.mark.parametrize("how", sorted(AGGREGATIONS))
def test_a_rater_left_out_meets_the_others_put_together_in_the_same_way(make_frame, how):
    scores = humans_and_a_judge(make_frame)
    ceilings = human_ceiling(
        scores, scales=SCALES, coefficients=("pearson",), resamples=0, aggregation=Aggregation(how)
    )
    assert 0.3 < ceilings[0].estimate.value < 1


def test_an_unknown_way_is_refused():
    with pytest.raises(InvalidInput, match="must be one of mean, median"):
        Aggregation("mode")
