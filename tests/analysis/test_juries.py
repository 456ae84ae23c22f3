"""Juries: what they score, what they learn, when they are made anew."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sqlalchemy import select, update

from judgelab.analysis.agreement.agreement_table import agreement_table
from judgelab.analysis.data.juries import jury_candidates, make_jury
from judgelab.analysis.data.scores import fingerprint, project_scores
from judgelab.errors import InvalidInput, NotFound
from judgelab.metaeval.judges.juries import combine, learned, standardised
from judgelab.scales import scale_from_json
from judgelab.store.db.engine import Store
from judgelab.store.frames.details import response_detail
from judgelab.store.judging.judges import add_judge, list_judges
from judgelab.store.judging.runs import add_run, end_run, locked_run
from judgelab.store.judging.unscored_counts import UnscoredCounts
from judgelab.store.judging.verdicts import NewVerdict, save_verdicts
from judgelab.store.models import Judgment, MetricScore, Run, Verdict
from judgelab.store.projects.projects import find_project
from judgelab.store.rating.criteria import criterion_ids
from judgelab.store.scoring import juries
from judgelab.store.scoring.metric_scores import NewMetricScore, save_scores
from tests.command import judgelab
from tests.runs.projects import SCALE, flasks, rate

RESPONSES = 40


def definition(own_scale: bool = False) -> dict[str, object]:
    return {
        **{
            "origin": "run",
            "protocol": "direct",
            "options": {},
            "backend": "openai_api",
            "endpoint_id": None,
        },
        **{"model": "tiny", "parameters": {}, "samples": 1, "aggregation": "mean", "template_version": "1"},
        "own_scale": own_scale,
    }


def store_judge(store: Store, name: str, scores: dict[int, float], *, own_scale: bool = False) -> None:
    """Store a finished run of a judge with these scores."""
    with store.writing() as session:
        project = find_project(session, "flasks")
        judge = add_judge(session, project.id, name, definition(own_scale))
        units = [(response, "helpfulness", ()) for response in scores]
        run_id = add_run(session, project.id, judge.id, selection={}, units=units)
        key = criterion_ids(session, project.id)["helpfulness"]
        rows = session.scalars(select(Judgment).where(Judgment.run_id == run_id)).all()
        verdicts = [
            NewVerdict(
                judgment.id, judgment.response_id, "scored", scores={key: scores[judgment.response_id]}
            )
            for judgment in rows
        ]
        save_verdicts(session, verdicts)
        end_run(locked_run(session, run_id), "done")


def scores_of(store: Store, name: str) -> dict[int, float]:
    scores = project_scores(store, "flasks").scores
    rows = scores[scores["rater"] == name]
    return dict(zip(rows["response"], rows["score"], strict=True))


@pytest.fixture
def project(store: Store) -> Store:
    flasks(store, RESPONSES)
    rng = np.random.default_rng(5)
    truth = {n: float(rng.integers(0, 4)) for n in range(1, RESPONSES + 1)}
    rate(store, "flasks", truth)
    store_judge(
        store, "sharp", {n: float(np.clip(round(q + rng.normal(0, 0.4)), 0, 3)) for n, q in truth.items()}
    )
    store_judge(store, "dull", {n: float(rng.integers(0, 4)) for n in truth})
    store_judge(store, "turned", {n: 3.0 - q for n, q in truth.items() if n != 7})
    store_judge(store, "wins", {n: 10 * q for n, q in truth.items()}, own_scale=True)
    with store.writing() as session:
        numbers = [NewMetricScore(n, q / 3 + rng.normal(0, 0.1), "") for n, q in truth.items()]
        save_scores(session, find_project(session, "flasks").id, "rouge1", options={}, scores=numbers)
    return store


def test_ways_of_combining() -> None:
    members = np.array([[1.0, 2, 3], [0, 0, 3], [1, 2, np.nan], [0, 1, 3]])
    nan = pytest.approx([2, 1, np.nan, 4 / 3], nan_ok=True)
    assert combine(members, "mean", on_scale=True).scores.tolist() == nan
    assert combine(members, "median", on_scale=True).scores[:2].tolist() == [2, 0]
    voted = combine(members, "majority", on_scale=True).scores
    assert voted[1] == 0 and np.isnan(voted[[0, 3]]).all()
    far = combine(np.array([[0.0, 0], [1, 100], [2, 50]]), "mean", on_scale=False).scores
    assert far[1] > far[0] and abs(far.mean()) < 1e-12


def test_weights_are_learned_on_other_items_only() -> None:
    """An item whose human scores are changed at will must not move its own predictions."""
    rng, scale = np.random.default_rng(0), scale_from_json(SCALE)
    human = rng.integers(0, 4, 60).astype(float)
    members = np.column_stack([human + rng.normal(0, 0.3, 60), rng.normal(0, 1, 60)])
    item = np.repeat(np.arange(20), 3)
    scores = learned(members, human, item, scale)
    assert scores.folds == 10 and scores.weights[0] > 0.7 > abs(scores.weights[1]) * 4
    twisted = np.where(item == 4, 3 - human, human)
    relearned = learned(members, twisted, item, scale)
    assert relearned.scores[item == 4] == pytest.approx(scores.scores[item == 4])
    assert np.corrcoef(scores.scores, human)[0, 1] > 0.9
    assert learned(members[:9], human[:9], item[:9], scale).reason == "few"


def test_a_jury_is_a_rater_like_any_other(project: Store) -> None:
    jury = make_jury(project, "flasks", " panel ", members=["sharp", "dull", "turned"], way="median")
    assert (jury.name, jury.own_scale) == ("panel", False)
    assert {seat.name for seat in jury_candidates(project, "flasks")} == {
        "sharp",
        "dull",
        "turned",
        "wins",
        "rouge1",
    }
    scores = scores_of(project, "panel")
    parts = [scores_of(project, name) for name in ("sharp", "dull", "turned")]
    assert len(scores) == RESPONSES - 1
    assert all(
        score == sorted(scores_of_member[n] for scores_of_member in parts)[1] for n, score in scores.items()
    )
    data = project_scores(project, "flasks")
    assert data.unscored["panel"] == UnscoredCounts(unscored=1)
    with project.reading() as session:
        info = find_project(session, "flasks")
        judgments = response_detail(session, info.id, 1).judgments
        (jury_judgment,) = [judgment for judgment in judgments if judgment.judge == "panel"]
        assert (
            jury_judgment.origin == "jury"
            and jury_judgment.rationale.splitlines()[0] == f"sharp: {parts[0][1]:g}"
        )
        assert jury_judgment.detail["members"]["dull"] == parts[1][1]
        (unscored,) = [
            judgment
            for judgment in response_detail(session, info.id, 7).judgments
            if judgment.judge == "panel"
        ]
        assert unscored.reason == "turned gave no score"


def test_weights_find_the_sharp_judge_and_turn_the_turned_one(project: Store) -> None:
    make_jury(project, "flasks", "learnt", members=["dull", "turned", "rouge1"], way="weights")
    table = agreement_table(project, "flasks", coefficients=("pearson", "mae"), level="none", resamples=0)
    estimates = {(row.rater, row.coefficient): row.estimate for row in table.rows}
    assert estimates["learnt", "pearson"].value > 0.95 > estimates["dull", "pearson"].value
    assert estimates["turned", "pearson"].value < -0.9
    assert estimates["learnt", "mae"].value < 0.4
    with project.reading() as session:
        weights = session.scalars(
            select(Verdict.detail).join(Judgment).join(Run).where(Run.selection["jury"].as_boolean())
        ).first()["member_weights"]
    assert weights["turned"] < -0.3 and abs(weights["dull"]) < 0.3


def test_it_follows_its_members(project: Store) -> None:
    make_jury(project, "flasks", "two", members=["sharp", "wins"], way="mean")
    before, version = scores_of(project, "two"), fingerprint(project, "flasks")
    assert fingerprint(project, "flasks") == version
    with project.reading() as session:
        (jury,) = juries.juries(session, find_project(session, "flasks").id)
        assert jury.own_scale
    store_judge(project, "other", {1: 3.0})
    with project.writing() as session:
        wins_runs = select(Run.id).where(Run.judge_id == 4)
        judgments = select(Judgment.id).where(Judgment.run_id.in_(wins_runs), Judgment.response_id == 1)
        session.execute(update(Verdict).where(Verdict.judgment_id.in_(judgments)).values(score=99.0))
        session.execute(update(MetricScore).values(score=0.5))
    after = scores_of(project, "two")
    assert after[1] > max(before.values()) and len(after) == len(before)
    assert fingerprint(project, "flasks") != version


def test_what_cannot_sit_or_be_combined_is_said(project: Store) -> None:
    with pytest.raises(NotFound, match="nobody"):
        make_jury(project, "flasks", "x", members=["sharp", "nobody"], way="mean")
    with pytest.raises(InvalidInput, match="rouge1 has its own"):
        make_jury(project, "flasks", "x", members=["sharp", "rouge1"], way="majority")
    with pytest.raises(InvalidInput, match="2 to 20 members"):
        make_jury(project, "flasks", "x", members=["sharp", "sharp"], way="mean")
    with pytest.raises(InvalidInput, match="a judge that is not a jury"):
        make_jury(project, "flasks", "dull", members=["sharp", "turned"], way="mean")


@pytest.mark.parametrize(
    ("name", "whose"),
    [
        ("meteor", "a metric"),
        ("Rouge1", "a metric"),
        ("learned", "the learned judge"),
        ("ANN", "a rater of this project"),
    ],
)
def test_a_jury_has_no_name_of_another_rater(project: Store, name: str, whose: str) -> None:
    with pytest.raises(InvalidInput, match=f"'{name}' is already the name of .*{whose}"):
        make_jury(project, "flasks", name, members=["sharp", "dull"], way="mean", metrics=["meteor"])
    with project.reading() as session:
        assert name not in {judge.name for judge in list_judges(session, find_project(session, "flasks").id)}


def test_the_command_makes_one(project: Store) -> None:
    arguments = ("jury", "flasks", "both", "--members", "sharp,run 2", "--way", "mean", "--json")
    printed = json.loads(judgelab(project.url, *arguments).stdout)
    assert (printed["jury"], printed["scored"], printed["unscored"]) == ("both", RESPONSES, 0)


def test_a_member_that_says_one_thing_only_weighs_nothing_in_a_jury():
    members = np.array([[0.1, 1.0], [0.1, 2.0], [0.1, np.nan]])  # 0.1 is no number of the machine
    assert standardised(members)[:, 0].tolist() == [0.0, 0.0, 0.0]
    assert standardised(members)[:2, 1].tolist() == [-1.0, 1.0] and np.isnan(standardised(members)[2, 1])
