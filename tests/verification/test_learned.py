"""The learned judge on published ratings, without an encoder: seconds, where the benchmark takes minutes."""

from __future__ import annotations

import numpy as np
import pytest

from judgelab.learned.crossvalidation import out_of_fold
from judgelab.learned_training.evaluation import HeldOutScore
from judgelab.learned_training.training_data import training_data
from judgelab.metrics.encoder import TFIDF
from tests.verification.conftest import Bring

pytestmark = [pytest.mark.datasets, pytest.mark.timeout(600)]  # 10 s alone


def test_summeval_on_unseen_articles_and_on_unseen_systems_too(bring: Bring) -> None:
    data = training_data(
        bring("summeval", preset="summeval", study="summeval"), "p", policy="none", encoder=TFIDF
    )
    by_item, by_item_and_system = [], []
    for criterion in ("coherence", "consistency", "fluency", "relevance"):
        scores, wish = data.scores(criterion), data.model_settings(criterion, kind="ordinal", seed=0)
        rows = np.arange(len(scores))
        figure = HeldOutScore(data, criterion, level="item", binary=False)
        by_item.append(figure(rows, out_of_fold(data.table, scores, rows, wish).scores))
        apart = out_of_fold(data.table, scores, rows, wish, system=data.system, most=4)
        by_item_and_system.append(figure(rows, apart.scores))
    assert np.mean(by_item) >= 0.42
    assert np.mean(by_item_and_system) >= 0.37


def test_nq301_verdicts_out_of_fold_by_question(bring: Bring) -> None:
    store = bring("qa-eval-nq301", preset="qa-eval-nq301", study="qa_eval")
    data = training_data(store, "p", policy="none", encoder=TFIDF)
    (criterion,) = data.criteria()
    scores, wish = data.scores(criterion), data.model_settings(criterion, kind="ordinal", seed=0)
    rows = np.flatnonzero(np.isfinite(scores))
    predicted = out_of_fold(data.table, scores, rows, wish).scores[rows]
    assert ((predicted >= 0.5) == (scores[rows] == 1)).mean() >= 0.79
    assert HeldOutScore(data, criterion, level="none", binary=True)(rows, predicted) >= 0.58
