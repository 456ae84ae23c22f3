"""The rater filter of ELECT on raters whose habits are known."""

from __future__ import annotations

import pytest

from judgelab.analysis.data.saved_filters import evaluate_filter
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.store.db.engine import Store
from tests.verification.conftest import Bring

pytestmark = pytest.mark.datasets


@pytest.fixture(scope="module")
def cebab(bring: Bring) -> Store:
    path = "alttest-labels/cebab_stars_human_annotations.json"
    return bring(path, preset="alttest-labels", create_missing=True)


@pytest.fixture(scope="module")
def squality(bring: Bring) -> Store:
    return bring("squality-human-eval", preset="squality-human-eval")


@pytest.mark.parametrize("passes", ["one_pass", "worst_first"])
@pytest.mark.parametrize(("method", "score"), [("pairwise", -0.0662), ("loo", -0.0777)])
def test_cebab_loses_exactly_the_rater_who_answers_at_random(
    cebab: Store, method: str, score: float, passes: str
) -> None:
    outcome = evaluate_filter(cebab, "p", FilterPolicy(method=method, passes=passes))
    removed = [verdict for verdict in outcome.raters if not verdict.kept]
    assert [verdict.rater for verdict in removed] == ["w40"]
    assert removed[0].agreement == pytest.approx(score, abs=5e-5)
    assert outcome.kept_items == 711
    assert outcome.agreement["after_items"].value == pytest.approx(0.862622, abs=5e-7)


def test_squality_correctness_loses_w6_against_each_other_rater(squality: Store) -> None:
    outcome = evaluate_filter(squality, "p", FilterPolicy(criterion="correctness"))
    removed = [verdict for verdict in outcome.raters if not verdict.kept]
    assert [(verdict.rater, verdict.criterion) for verdict in removed] == [("w6", "correctness")]
    assert removed[0].agreement == pytest.approx(0.3934, abs=5e-5)


def test_squality_correctness_loses_nobody_against_the_mean_of_the_others(squality: Store) -> None:
    outcome = evaluate_filter(squality, "p", FilterPolicy(criterion="correctness", method="loo"))
    assert all(verdict.kept for verdict in outcome.raters)
    w6 = next(v for v in outcome.raters if v.rater == "w6" and v.criterion == "correctness")
    assert w6.agreement == pytest.approx(0.4089, abs=5e-5)
