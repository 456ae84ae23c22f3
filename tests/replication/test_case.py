"""LINKAGE's case (figures 3 and 10): three judges' scores from 0 to 10, by the range their scales allow."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select

from judgelab.replication.case_study import case_scores
from judgelab.replication.figures import PEOPLE
from judgelab.replication.material import load
from judgelab.store.db.engine import Store
from judgelab.store.models import JudgeRow, Judgment, ResponseRow, Run, Verdict
from judgelab.store.projects.projects import find_project
from judgelab.store.scoring.metric_scores import NewMetricScore, all_responses, save_scores
from tests.replication.conftest import Make

OWN = {"noise": 0.0, "model": "m", "origin": "run", "own_scale": True}
LOST, WON = {"weight": 1.0, "outcome": "reference"}, {"weight": 1.0, "outcome": "candidate"}
# Of both candidates the pairs are the same: they win over the worst of four references and lose to the rest.
PAIRS = {"comparisons": [LOST, LOST, LOST, WON]}
SAID: dict[str, dict[str, tuple[float, dict[str, Any]]]] = {
    "pointwise": {"one": (5, {}), "two": (6, {})},
    "pairwise_refs": {"one": (-2, PAIRS), "two": (-2, PAIRS)},
    "linkage": {"one": (0, {"places": 5, "ranks": [5]}), "two": (4, {"places": 5, "ranks": [1]})},
}


@pytest.fixture
def wifi(make: Make, store: Store) -> Store:
    judges = {name: {**OWN, "protocol": name} for name in SAID}
    make("wifi", study="linkage", groups={"": 2}, systems=("one", "two"), judges=judges)
    with store.writing() as session:
        for verdict, judge, system in session.execute(
            select(Verdict, JudgeRow.name, ResponseRow.system)
            .join(Judgment, Judgment.id == Verdict.judgment_id)
            .join(Run, Run.id == Judgment.run_id)
            .join(JudgeRow, JudgeRow.id == Run.judge_id)
            .join(ResponseRow, ResponseRow.id == Verdict.response_id)
        ):
            verdict.score, verdict.detail = SAID[judge][system]
    return store


def test_the_papers_case_has_the_papers_scores(wifi: Store) -> None:
    case = case_scores(load(wifi, "wifi", resamples=0), "-0")
    rows = {row["system"]: row for _place, row in case.scores.iterrows()}
    printed = {"pointwise": (5, 6), "pairwise_refs": (2.5, 2.5), "linkage": (0, 10)}
    for judge, (first_score, second_score) in printed.items():
        assert (rows["one"][judge], rows["two"][judge]) == pytest.approx((first_score, second_score)), judge
    assert case.ranges == {
        str(PEOPLE): "0 to 3", "pointwise": "0 to 10", "pairwise_refs": "-4 to 4", "linkage": "0 to 4"
    }  # fmt: skip


def test_a_metric_without_ends_is_named_and_not_stretched(wifi: Store) -> None:
    with wifi.writing() as session:
        project = find_project(session, "wifi").id
        responses = all_responses(session, project)
        for metric, number in (("length", 40.0), ("bleu", 25.0), ("bertscore_f1", 0.5)):
            scores = [NewMetricScore(response, number, None) for response in responses]
            save_scores(session, project, metric, options={}, scores=scores)
    case = case_scores(load(wifi, "wifi", resamples=0), "-0")
    assert case.without == ("length",) and "length" not in case.scores
    assert list(case.scores["bleu"]) == pytest.approx([2.5, 2.5])
    assert list(case.scores["bertscore_f1"]) == pytest.approx([7.5, 7.5])
