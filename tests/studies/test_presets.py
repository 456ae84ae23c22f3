"""Every study sets up criteria whose scales can be read, and says what it is in plain words."""

from __future__ import annotations

import pytest

from judgelab.scales import scale_from_json
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import create_project, find_project, list_projects
from judgelab.studies import studies


def test_the_pinned_studies_are_there() -> None:
    assert set(studies.names()) >= {"elect", "bioasq", "drpe", "linkage", "qa_eval", "summeval", "custom"}


@pytest.mark.parametrize("name", studies.names())
def test_a_project_can_be_made_of_each_study(store: Store, name: str) -> None:
    study = studies.get(name)
    with store.writing() as session:
        create_project(session, name=study.title, study=name, task=study.task, criteria=study.criteria)
    with store.reading() as session:
        project = find_project(session, list_projects(session)[0].slug)
    assert [c.key for c in project.criteria] == [c.key for c in study.criteria]
    for criterion in project.criteria:
        scale = scale_from_json(criterion.scale)
        assert scale.to_json() == dict(criterion.scale)


@pytest.mark.parametrize(
    ("name", "low", "high", "count"),
    [
        ("elect", 0, 3, 1),
        ("bioasq", 1, 5, 4),
        ("summeval", 1, 5, 4),
        ("linkage", 0, 3, 1),
        ("qa_eval", 0, 1, 1),
    ],
)
def test_scales_are_those_of_the_papers(name: str, low: int, high: int, count: int) -> None:
    criteria = studies.get(name).criteria
    assert len(criteria) == count
    for criterion in criteria:
        scale = scale_from_json(criterion.scale)
        assert (scale.low, scale.high) == (low, high)


def test_every_judge_of_bioasq_is_asked_three_times_and_averaged() -> None:
    judges = studies.get("bioasq").judges
    assert {(judge.samples, judge.aggregation) for judge in judges} == {(3, "mean")}
