"""What a project rated by labels without an order is told, on every path that leads to figures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from judgelab.analysis.agreement.agreement_table import group_table, paired_scores
from judgelab.analysis.agreement.inter_rater import inter_rater_agreement
from judgelab.analysis.comparison.sample_size import sample_size_for_systems
from judgelab.analysis.comparison.system_means import estimate_means
from judgelab.analysis.data.gold_table import gold_table
from judgelab.analysis.data.juries import make_jury
from judgelab.analysis.data.scores import project_scores
from judgelab.analysis.disagreement.conflicts import find_conflicts
from judgelab.analysis.disagreement.disagreements import disagreement_table
from judgelab.analysis.disagreement.failure_modes import large_disagreements
from judgelab.analysis.disagreement.shared_disagreements import shared_disagreements
from judgelab.analysis.filters.effect_table import compare_filter, load_estimator
from judgelab.analysis.filters.project_preview import preview_filter
from judgelab.analysis.raters.rater_kappas import rater_kappas
from judgelab.analysis.raters.rater_table import rater_table
from judgelab.analysis.raters.self_comparison import compare_person
from judgelab.analysis.trust.answer import trust_statements
from judgelab.analysis.trust.judge_trust import measure_trust
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.errors import InvalidInput
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from tests.databases import new_sqlite
from tests.labelled import claims

NO_ORDER = "the labels of 'verdict' have no order"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    opened = open_store(new_sqlite(tmp_path_factory.mktemp("labels") / "a.db"))
    claims(opened)
    yield opened
    opened.close()


def test_groups_need_no_order_or_say_why(store: Store) -> None:
    rows = group_table(store, "claims", coefficients=["kappa", "spearman"], resamples=20)
    assert {row.estimate.reason for row in rows if row.coefficient == "spearman"} == {NO_ORDER}
    assert any(row.estimate.value is not None for row in rows if row.coefficient == "kappa")


def test_systems_have_no_means(store: Store) -> None:
    means = estimate_means(store, "claims", "strict-judge")
    assert {row.people.reason for row in means.systems} == {"the labels of 'verdict' have no order"}
    assert all(row.mean is None for row in means.systems)
    assert {row.people.value for row in means.differences} == {None}
    with pytest.raises(InvalidInput, match="have no order"):
        sample_size_for_systems(store, "claims", "plain", "sourced")


def test_trust_rests_on_equal_labels_alone(store: Store) -> None:
    trust = measure_trust(store, "claims", "strict-judge", resamples=100)
    verdict = trust.criteria["verdict"]
    assert trust.coefficient == "kappa" and verdict.beside is not None
    assert verdict.beside.estimate.value is not None
    assert verdict.alternative.scoring == "accuracy"
    undefined = (
        verdict.leniency.difference,
        verdict.spread.difference,
        verdict.verbosity.slope,
        verdict.verbosity.partial,
        verdict.corrected,
        verdict.reliability.of_mean,
        verdict.use.mean,
        verdict.human_use.spread,
    )
    assert all(estimate.value is None for estimate in undefined)
    assert verdict.systems is None and verdict.ties is None and not verdict.parts
    told = " ".join(str(statement.text) for statement in trust_statements(trust))
    for word in ("lenient", "points", "mean score", "longer"):
        assert word not in told


def test_raters_are_compared_by_plain_kappa_and_have_no_r_and_no_offset(store: Store) -> None:
    assert rater_kappas(store, "claims")["verdict"].weights == "identity"
    for row in rater_table(store, "claims").rows:
        report: Any = row.report.criteria["verdict"]
        assert report.pairwise.reason == report.leave_one_out.reason == report.offset.reason == NO_ORDER
        assert report.spread is None and report.modal_share.value is not None


def test_a_filter_removes_raters_by_kappa_and_no_disagreement(store: Store) -> None:
    policy = FilterPolicy(threshold=0.9, min_overlap=2, min_annotations=1)
    preview = preview_filter(store, "claims", policy, criterion="verdict")
    assert [rater.rater for rater in preview.removed] == ["Cid"] and preview.coefficient == "kappa"
    assert "mean κ with the other raters" in preview.removed[0].reason and not len(preview.exclusions)
    ada, bo, _ = sorted(preview.raters, key=lambda rater: rater.rater)
    assert ada.after is not None and ada.after.ci is not None and ada.after.value == bo.after.value  # type: ignore[union-attr]  # a kept rater
    stages = {stage: estimate.value for stage, estimate in preview.stages.items()}
    assert stages["before"] < stages["after_raters"] == ada.after.value  # type: ignore[operator]  # both defined
    estimator = load_estimator(store, "claims", policy, criterion="verdict")
    effect = estimator.measure(policy)
    assert "r" not in effect.people and effect.people["kappa"].value == stages["after_items"]
    assert estimator.measure(None).people["kappa"].value == stages["before"]
    assert effect.people["ranking"].reason == NO_ORDER
    assert effect.people["alpha"].value is not None and not effect.swaps
    table = compare_filter(estimator, policy)
    assert table.random_raters.value is not None and table.other_items.value is not None


def test_the_mean_kappa_of_the_filter_is_that_of_inter_rater_agreement(store: Store) -> None:
    preview = preview_filter(store, "claims", FilterPolicy(), criterion="verdict")
    between = inter_rater_agreement(store, "claims", coefficients=["cohen"], policy="none")
    cohen = between.criteria["verdict"]["cohen"]
    assert preview.stages["before"].value == pytest.approx(cohen.value, abs=1e-12)
    assert preview.stages["before"].ci == pytest.approx(cohen.ci, abs=1e-12)


def test_degraded_copies_assess_nobody_by_labels(store: Store) -> None:
    preview = preview_filter(store, "claims", FilterPolicy(control="hit"), criterion="verdict")
    assert not preview.removed and all(NO_ORDER in rater.reason for rater in preview.raters)
    both = preview_filter(
        store, "claims", FilterPolicy(control="both", threshold=0.9, min_overlap=2), criterion="verdict"
    )
    assert [rater.rater for rater in both.removed] == ["Cid"]


def test_different_labels_are_conflicts_and_disagreements(store: Store) -> None:
    conflicts = find_conflicts(store, "claims", criterion="verdict", distance=2.0)
    assert {conflict.spread for conflict in conflicts} == {1.0} and len(conflicts) == 7
    table = disagreement_table(store, "claims", rater="strict-judge", criterion="verdict")
    assert set(table["difference"]) == {0.0, 1.0} and int(table["difference"].sum()) == 3
    assert len(large_disagreements(store, "claims", "strict-judge")) == 3
    pairs = paired_scores(store, "claims", rater="strict-judge", criterion="verdict")
    assert set(pairs["human"]) <= {1.0, 2.0, 3.0} and len(pairs) == 11
    shared = shared_disagreements(store, "claims", criterion="verdict")
    assert set(shared.rows["difference"]) <= {1.0}


def test_the_human_score_to_take_along_is_a_label_and_no_mean(store: Store) -> None:
    gold = gold_table(store, "claims")
    assert gold["human_mean"].isna().all() and set(gold["aggregate"]) == {"majority"}
    assert set(gold["human_score"].dropna()) == {1.0, 2.0, 3.0} and gold["human_score"].isna().sum() == 1


def test_one_person_is_compared_by_equal_labels(store: Store) -> None:
    comparison = compare_person(store, "claims", "Cid", criterion="verdict")
    shares = {row.rater: row.estimate.value for row in comparison.rows}
    assert shares == pytest.approx({"Ada": 1, "Bo": 1, "Cid": 0.5, "strict-judge": 0.7, "mild-judge": 0.7})
    assert comparison.own_row.estimate.n == 10 and comparison.tied == 2 and comparison.rated_alone == 0
    differs = comparison.responses["own"] != comparison.responses["crowd"]
    assert differs.tolist() == [True] * 5 + [False] * 5


def test_a_jury_votes_however_it_combines_scores(tmp_path: Path) -> None:
    opened = open_store(new_sqlite(tmp_path / "jury.db"))
    slug = claims(opened)
    make_jury(opened, slug, "both", members=["strict-judge", "mild-judge"], way="mean")
    scores = project_scores(opened, slug).scores
    jury = scores[scores["rater"] == "both"]["score"]
    assert len(jury) and set(jury) <= {1.0, 2.0, 3.0}
    opened.close()


def test_distributions_call_labels_by_their_names(store: Store) -> None:
    distribution = preview_filter(store, "claims", FilterPolicy(), criterion="verdict").distribution
    shares = dict(zip(distribution.scores, distribution.before, strict=True))
    counts = {"supported": 15, "contradicted": 12, "unclear": 9}
    assert shares == pytest.approx({label: 100 * n / 36 for label, n in counts.items()})
