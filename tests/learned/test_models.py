"""The learned judge as a pure thing: no leak between folds, models as JSON, reasons that add up."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import spearmanr

from judgelab.errors import InvalidInput
from judgelab.learned import crossvalidation
from judgelab.learned.crossvalidation import splits
from judgelab.learned.explanation import rationale, reasons
from judgelab.learned.feature_inputs import Floats, Ints
from judgelab.learned.features import FEATURES, FeatureTable, features
from judgelab.learned.linear import odds, ridge
from judgelab.learned.models import LearnedModel, ModelSettings, check_enough, fit
from judgelab.learned.proposals import in_order, uncertainty
from judgelab.metrics.base import MetricInput
from judgelab.metrics.encoder import TFIDF

NAMES = tuple(FEATURES)[:6]
WISH = ModelSettings("ordinal", 1, 5, (1, 2, 3, 4, 5))


def world(seed: int = 0, items: int = 30, systems: int = 4) -> tuple[FeatureTable, Floats, Ints]:
    """Scores from 1 to 5 that two of six features make, with noise; features are missing here and there."""
    rng = np.random.default_rng(seed)
    item = np.repeat(np.arange(items), systems)
    values = rng.normal(size=(len(item), len(NAMES)))
    scores = np.clip(np.round(3 + values[:, 0] - 0.5 * values[:, 1] + 0.4 * rng.normal(size=len(item))), 1, 5)
    values[rng.random(values.shape) < 0.05] = np.nan
    return FeatureTable(NAMES, values, item, TFIDF), scores, np.tile(np.arange(systems), items)


@pytest.mark.parametrize("by_system", [False, True])
def test_nothing_is_learned_from_and_scored_at_once(by_system: bool) -> None:
    table, _, system = world()
    scored = []
    for learned, held_out in splits(table.item, system if by_system else None, seed=3):
        assert not set(table.item[learned]) & set(table.item[held_out])
        assert not by_system or not set(system[learned]) & set(system[held_out])
        scored += list(held_out)
    assert sorted(scored) == list(range(len(table.item)))


@pytest.mark.parametrize("kind", ["ridge", "ordinal", "stack"])
def test_a_judge_finds_what_made_the_scores_and_comes_back_from_json_the_same(kind: str) -> None:
    if kind == "stack":
        pytest.importorskip("sklearn")
    table, scores, _ = world(items=16 if kind == "stack" else 30)
    rows = np.arange(len(scores))
    wish = ModelSettings(kind, 1, 5, (1, 2, 3, 4, 5), seed=1)
    held_out = crossvalidation.out_of_fold(table, scores, rows, wish, most=2)
    assert spearmanr(held_out.scores, scores).statistic > 0.7
    assert ((held_out.scores >= 1) & (held_out.scores <= 5)).all()
    model = fit(table, scores, rows, wish)
    restored = LearnedModel.from_json(json.loads(json.dumps(model.to_json())))
    assert restored.predict(table) == pytest.approx(model.predict(table), abs=1e-9)
    assert restored.contributions(table) == pytest.approx(model.contributions(table), abs=1e-9)
    assert set(np.argsort(-np.abs(model.contributions(table)).mean(axis=0))[:2]) == {0, 1}


def test_contributions_add_up_to_the_score_less_that_of_an_average_response() -> None:
    table, scores, _ = world()
    average = np.nanmean(table.values, axis=0)[None]
    for model in (ridge(table.values, scores), odds(table.values, scores, (1, 2, 3, 4, 5))):
        moved = model.contributions(table.values).sum(axis=1)
        assert moved == pytest.approx(model.predict(table.values) - model.predict(average), abs=1e-9)


def test_proportional_odds_equal_logistic_regression_of_scikit_learn_where_there_are_two_points() -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    table, scores, _ = world(items=60)
    values, verdicts = np.nan_to_num(table.values), (scores > 3).astype(float)
    model = odds(values, verdicts, (0, 1))
    oracle = linear.LogisticRegression(C=1e6, max_iter=2000).fit(model.standard.apply(values), verdicts)
    free = oracle.predict_proba(model.standard.apply(values))[:, 1]
    assert spearmanr(model.predict(values), free).statistic > 0.995
    assert np.abs(model.predict(values) - free).max() < 0.25  # ours is held back by its penalty


def test_shuffled_ratings_leave_nothing_to_be_learned() -> None:
    table, scores, _ = world()

    def measure(rows: Ints, human: Floats, predicted: Floats) -> float:
        return float(spearmanr(human, predicted).statistic)

    rows = np.arange(len(scores))
    null_values = crossvalidation.null(table, scores, rows, WISH, measure, shuffles=12)
    assert -0.3 < np.mean(null_values) < 0.1 and max(null_values) < 0.4  # real ratings give .8


def test_too_little_is_refused_with_a_sentence() -> None:
    with pytest.raises(InvalidInput, match="ratings of 8 responses to 2 items"):
        check_enough(np.repeat([0, 1], 4), np.arange(8.0), "coherence")
    with pytest.raises(InvalidInput, match="nothing to learn"):
        check_enough(np.arange(30), np.ones(30), "coherence")


def test_features_of_texts_and_the_words_of_a_rationale() -> None:
    source = "Bees dance for their hive. The dance shows where flowers are. Rain stops all flights."
    batch = [
        MetricInput(
            "The dance shows where flowers are. Bees dance.",
            ("Bees show flowers by dancing.",),
            context=source,
        ),
        MetricInput(
            "Cats sleep for 15 hours. Cats sleep for 15 hours.", ("Bees show flowers.",), context=source
        ),
        MetricInput("", (), context=""),
    ]
    table = features(batch, np.array([0, 0, 1]), TFIDF)
    value = {name: table.chosen([name])[:, 0] for name in table.names}
    assert value["grounding"][0] > 0.7 and value["grounding"][1] < 0.5
    assert value["strange_numbers"][:2].tolist() == [0, 1]
    assert value["redundancy"][1] == pytest.approx(1)
    assert np.isnan(value["rouge1_mean"][2]) and np.isnan(value["grounding"][2])
    assert value["longest_copy"][0] == 6
    why = reasons(
        ["grounding", "log_words"], np.array([0.9, np.nan]), np.array([0.4, -0.2]),
        mean=np.array([0.5, 2.0]), spread=np.array([0.2, 1.0]),
    )  # fmt: skip
    explanation = rationale(3.62, why, width=4, held_out=True)
    assert str(explanation) == (
        "Predicted score 3.62. Raised by: similarity of its sentences to the source (mean) 0.90, above "
        "average (+0.40 points). Lowered by: length in words: no value (−0.20 points). The judge was not "
        "trained on this item's ratings."
    )


def test_a_rationale_counts_words_not_their_logarithm() -> None:
    names, moved = ["log_words", "length_ratio", "longest_sentence"], np.array([-0.5, 0.25, 0.125])
    values = np.array([np.log1p(17), np.log(0.5), 7.0])
    explanation = str(
        rationale(
            -1.5,
            reasons(names, values, moved, mean=values, spread=np.ones(3)),
            width=4,
            held_out=True,
        )
    )
    assert explanation.startswith("Predicted score −1.50.")
    assert "length in words 17, about average (−0.50 points)" in explanation
    assert "length compared with the references 0.50, about average (+0.25 points)" in explanation
    assert "words in the longest sentence 7, about average (+0.12 points)" in explanation


def test_a_feature_that_holds_or_not_is_a_statement() -> None:
    names, values = ["ends_open", "ends_whole"], np.array([0.0, 1.0])
    why = reasons(names, values, np.array([0.1, -0.2]), mean=values, spread=np.ones(2))
    explanation = str(rationale(2, why, width=4, held_out=True))
    assert "Raised by: last sentence complete (+0.10 points)." in explanation
    assert "Lowered by: ends with a full stop (−0.20 points)." in explanation


def test_what_a_committee_differs_about_is_proposed_first_and_no_two_alike_in_a_row() -> None:
    predictions = np.array([[1, 3, 3.0, 3], [5, 3, 3.2, 4]])
    unsure = uncertainty(predictions, low=1, high=5, binary=False)
    assert unsure.argmax() == 0 and unsure[1] == 0
    values = np.array([[1.0, 0], [-1, 0], [0, 1], [1, 0.01]])
    no_scores = np.full(4, np.nan)
    order = in_order(np.arange(4), np.arange(4), unsure, no_scores, values=values)
    assert order[0] == 0 and order.index(3) > order.index(2)  # 3 is more uncertain than 2, but like 0
