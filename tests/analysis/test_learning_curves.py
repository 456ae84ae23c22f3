"""Learning curves of compared judges: replies of one judge, examples of judges alike but for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from judgelab.analysis.comparison.judge_comparison import compare_judges
from judgelab.analysis.comparison.learning_curves import project_judges, reply_curves, shot_curves
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.judging.judges import add_judge
from judgelab.store.models import JudgeRow
from judgelab.store.projects.projects import find_project
from tests.databases import load_demo, new_sqlite

SLUG = "demo-kitchen"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = open_store(new_sqlite(tmp_path / "test.db"))
    load_demo(store, "kitchen")
    return store


def options(store: Store, **by_judge: dict[str, Any]) -> None:
    with store.writing() as session:
        for row in session.query(JudgeRow):
            judge_options = by_judge.get(row.name.replace(" ", "_"))
            row.protocol, row.model, row.samples, row.options = "elect", "m", 1, judge_options or {}
            row.aggregation, row.origin = "mean", "run"


def test_the_last_point_of_replies_is_the_judge_as_it_is(store: Store) -> None:
    comparison = compare_judges(
        store, SLUG, level="none", coefficient="spearman", raters=["Demo judge B", "rouge1"]
    )
    (criterion,) = comparison.criteria
    (curve,) = reply_curves(store, comparison, criterion)
    assert curve.name == "Demo judge B" and [point.size for point in curve.points] == [1, 2, 3]
    assert all(point.estimate.ci is not None and point.estimate.n == 78 for point in curve.points)


def test_judges_that_differ_in_nothing_but_examples_make_one_curve(store: Store) -> None:
    options(
        store, Demo_judge_A={"shots": 4, "grammar": "digit"}, Demo_judge_B={"shots": 1, "grammar": "digit"}
    )
    comparison = compare_judges(store, SLUG, level="none", coefficient="spearman")
    (contrasts,) = comparison.criteria.values()
    (curve,) = shot_curves(contrasts, project_judges(store, SLUG))
    assert [point.size for point in curve.points] == [1, 4]
    assert curve.members == ("Demo judge B", "Demo judge A")
    placed = {row.rater: row.estimate for row in contrasts.placed}
    assert [point.estimate for point in curve.points] == [placed[name] for name in curve.members]
    options(
        store, Demo_judge_A={"shots": 4, "grammar": "json"}, Demo_judge_B={"shots": 1, "grammar": "digit"}
    )
    assert shot_curves(contrasts, project_judges(store, SLUG)) == []


def test_a_judge_that_is_not_compared_is_on_no_curve(store: Store) -> None:
    options(store, Demo_judge_A={"shots": 4}, Demo_judge_B={"shots": 1})
    with store.writing() as session:
        add_judge(
            session, find_project(session, SLUG).id, "silent", {"protocol": "elect", "options": {"shots": 2}}
        )
    comparison = compare_judges(store, SLUG, level="none", raters=["Demo judge A", "rouge1"])
    (contrasts,) = comparison.criteria.values()
    assert shot_curves(contrasts, project_judges(store, SLUG)) == []
