"""Conflicts among the raters that count, and decisions that stand beside the ratings."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from judgelab.analysis.agreement.agreement_table import agreement_table
from judgelab.analysis.data import saved_filters
from judgelab.analysis.data.gold_table import gold_table
from judgelab.analysis.data.human_scores import human_scores
from judgelab.analysis.data.provenance import provenance_table
from judgelab.analysis.data.scores import project_scores
from judgelab.analysis.disagreement.conflicts import (
    Conflict,
    conflict_ratings,
    count_filtered,
    decide_conflict,
    default_distance,
    find_conflicts,
    reopen_conflict,
)
from judgelab.analysis.disagreement.disagreements import response_detail
from judgelab.analysis.filters.project_preview import preview_filter
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.domain import Criterion
from judgelab.errors import InvalidInput
from judgelab.imports.service import import_files
from judgelab.scales import scale_from_json
from judgelab.store.db import audit
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.frames.details import HumanRating
from judgelab.store.frames.score_frames import response_frame
from judgelab.store.models import MetricScore
from judgelab.store.people import people
from judgelab.store.projects.projects import create_project, find_project
from tests.databases import new_sqlite

SCALE = {"kind": "ordinal", "low": 0, "high": 3}
# Three honest raters who agree but for q0 and q1, and one who turns the scale round.
HONEST = {
    "q0": (0, 2, 3),
    "q1": (1, 3, 3),
    "q2": (2, 2, 3),
    "q3": (0, 0, 1),
    "q4": (3, 3, 3),
    "q5": (1, 1, 1),
}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    opened = open_store(new_sqlite(tmp_path / "test.db"))
    with opened.writing() as session:
        create_project(session, name="p", criteria=[Criterion("good", "Good", SCALE)])
    rows = [
        {
            "item_id": item,
            "question": "?",
            "responses": [
                {
                    "system": "s",
                    "text": "x",
                    "ratings": [
                        {"rater": name, "criterion": "good", "score": score, "comment": f"{name} says so"}
                        for name, score in zip(
                            "Ann Ben Cleo Rev".split(), (*scores, 3 - scores[1]), strict=True
                        )
                    ],
                }
            ],
        }
        for item, scores in HONEST.items()
    ]
    import_files(opened, "p", [("f.jsonl", "\n".join(map(json.dumps, rows)).encode())], kind="ratings")
    return opened


def of_item(conflicts: list[Conflict], item: str) -> Conflict:
    return next(conflict for conflict in conflicts if conflict.item == item)


def owner(store: Store) -> int:
    with store.writing() as session:
        return people.find_or_create(session, "Olga", role="owner")


def test_raters_whom_the_rule_takes_out_are_not_argued_with(store: Store) -> None:
    unfiltered = find_conflicts(store, "p", criterion="good", policy="none")
    saved_filters.save_filter(
        store, "p", "strict", FilterPolicy(threshold=0.4, min_overlap=5, conflict_scope="off")
    )
    conflicts = find_conflicts(store, "p", criterion="good")
    assert [(conflict.item, conflict.scores) for conflict in conflicts] == [
        ("q0", (0, 2, 3)),
        ("q1", (1, 3, 3)),
    ]
    assert len(unfiltered) > len(conflicts)
    assert {conflict.left_out for conflict in conflicts} == {frozenset({"Rev"})}


def test_the_distance_is_chosen_and_starts_at_half_the_scale(store: Store) -> None:
    assert default_distance(scale_from_json(SCALE)) == 2
    assert default_distance(scale_from_json({"kind": "numeric", "low": 0, "high": 100})) == 50
    wide = find_conflicts(store, "p", criterion="good", distance=3, policy="none")
    assert wide and all(conflict.spread >= 3 for conflict in wide)
    with pytest.raises(InvalidInput, match="above 0"):
        find_conflicts(store, "p", criterion="good", distance=0)


@pytest.mark.parametrize(
    ("options", "counted"),
    # Three raters left: q0 has 0, 2, 3 and q1 1, 3, 3; all others lie a point apart or less.
    [
        ({}, 1),
        ({"conflict": 0.6}, 2),
        ({"conflict_scope": "exactly_two"}, 0),
        ({"min_annotations": 4}, 0),
        ({"conflict_scope": "off"}, 0),
    ],
    ids=str,
)
def test_the_rule_takes_out_as_many_conflicts_as_quality_says(
    store: Store, options: dict[str, Any], counted: int
) -> None:
    rule = FilterPolicy(threshold=0.4, min_overlap=5, **options)
    saved_filters.save_filter(store, "p", "strict", rule)
    scale = scale_from_json(SCALE)
    conflicts = find_conflicts(store, "p", criterion="good", distance=0.5)
    tried = preview_filter(store, "p", rule, criterion="good")
    assert {loss.cause: loss.answers for loss in tried.losses}["conflict"] == counted
    assert count_filtered(conflicts, rule, scale) == counted


def test_a_decision_stands_beside_the_ratings_and_can_be_changed_and_taken_back(store: Store) -> None:
    olga = owner(store)
    before = project_scores(store, "p", policy="none").scores
    conflict = of_item(find_conflicts(store, "p", criterion="good", policy="none"), "q0")
    decide_conflict(
        store, "p", response=conflict.response, criterion="good", score=2, person_id=olga, reason=" seen "
    )
    decision = of_item(find_conflicts(store, "p", criterion="good", policy="none"), "q0").decision
    assert decision is not None and (decision.score, decision.reason, decision.person) == (2, "seen", "Olga")
    decide_conflict(store, "p", response=conflict.response, criterion="good", score=None, person_id=olga)
    decision = of_item(find_conflicts(store, "p", criterion="good", policy="none"), "q0").decision
    assert decision is not None and decision.score is None
    reopen_conflict(store, "p", response=conflict.response, criterion="good", person_id=olga)
    assert of_item(find_conflicts(store, "p", criterion="good", policy="none"), "q0").decision is None
    assert project_scores(store, "p", policy="none").scores.equals(before)
    with store.reading() as session:
        events = audit.recent_events(session, find_project(session, "p").id)
    assert [e.detail["after"] for e in events if e.action == "decided_conflict"] == [
        None,
        {"score": None, "reason": ""},
        {"score": 2, "reason": "seen"},
    ]


def test_a_score_off_the_scale_is_refused(store: Store) -> None:
    conflict = find_conflicts(store, "p", criterion="good", policy="none")[0]
    with pytest.raises(InvalidInput, match="Good: 7 is not one of 0, 1, 2, 3"):
        decide_conflict(
            store, "p", response=conflict.response, criterion="good", score=7, person_id=owner(store)
        )


def test_ratings_of_hidden_raters_are_numbered_and_only_their_place_by_score_is_told(store: Store) -> None:
    conflict = of_item(find_conflicts(store, "p", criterion="good", policy="none"), "q0")
    ratings = response_detail(store, "p", conflict.response).ratings
    hidden, open_ = (conflict_ratings(ratings, conflict, hidden=hide) for hide in (True, False))
    assert [rating.name for rating in hidden] == ["Rating 1", "Rating 2", "Rating 3", "Rating 4"]
    assert [rating.score for rating in hidden] == [0, 1, 2, 3]
    assert {rating.name: rating.score for rating in open_} == {"Ann": 0, "Rev": 1, "Ben": 2, "Cleo": 3}
    assert [rating.comment for rating in hidden] == [rating.comment for rating in open_]


def test_whoever_rates_after_a_conflict_was_found_counts_unless_the_rule_leaves_them_out(
    store: Store,
) -> None:
    saved_filters.save_filter(
        store, "p", "strict", FilterPolicy(threshold=0.4, min_overlap=5, conflict_scope="off")
    )
    conflict = of_item(find_conflicts(store, "p", criterion="good"), "q0")
    scores = {"Ann": 0.0, "New": None, "Rev": 1.0}
    later_ratings = [HumanRating(name, "good", score, "") for name, score in scores.items()]
    counts_by_name = {
        rating.name: rating.counts for rating in conflict_ratings(later_ratings, conflict, hidden=False)
    }
    assert counts_by_name == {"Ann": True, "New": True, "Rev": False}


def row_of_item(scores: pd.DataFrame, store: Store, item: str) -> pd.Series[Any]:
    with store.reading() as session:
        ids = response_frame(session, find_project(session, "p").id).set_index("item")["response"]
    return scores[scores["response"] == ids[item]].iloc[0]


def test_a_decided_score_is_the_human_score_only_where_that_is_asked_for(store: Store) -> None:
    conflicts = find_conflicts(store, "p", criterion="good", policy="none")
    of_q0 = of_item(conflicts, "q0")
    decide_conflict(store, "p", response=of_q0.response, criterion="good", score=1.0, person_id=owner(store))
    with_decisions = project_scores(store, "p", policy="none", decisions=True)
    scores = human_scores(
        with_decisions.scores, with_decisions.aggregation, scales=with_decisions.project.scales
    )
    assert tuple(row_of_item(scores, store, "q0")[["human", "raters", "decided"]]) == (1.0, 4, True)
    assert tuple(row_of_item(scores, store, "q4")[["human", "decided"]]) == (2.25, False)  # 3, 3, 3, 0
    plain = project_scores(store, "p", policy="none")
    assert (
        row_of_item(human_scores(plain.scores, plain.aggregation, scales=plain.project.scales), store, "q0")[
            "human"
        ]
        == 1.5
    )  # 0, 2, 3, 1
    assert with_decisions.humans.equals(plain.humans)  # ratings stay as they are


def test_a_conflict_that_the_rule_removes_comes_back_when_it_is_decided(store: Store) -> None:
    saved_filters.save_filter(
        store, "p", "strict", FilterPolicy(threshold=-1)
    )  # q0 holds 0 and 3: a conflict
    (of_q0,) = [
        conflict for conflict in find_conflicts(store, "p", criterion="good") if conflict.item == "q0"
    ]
    before = gold_table(store, "p")
    decide_conflict(store, "p", response=of_q0.response, criterion="good", score=2.0, person_id=owner(store))
    assert gold_table(store, "p").equals(before) and "q0" not in set(before["item_id"])
    after = gold_table(store, "p", decisions=True).set_index("item_id")
    assert after.loc["q0", "human_score"] == 2.0 and after.loc["q0", "aggregate"] == "decided"
    assert after.loc["q0", "raters"] == 0 and math.isnan(after.loc["q0", "human_mean"])
    assert after.loc["q5", "aggregate"] == "mean" and after.loc["q5", "human_score"] == 1.25
    provenance = provenance_table(store, "p")
    decided = provenance[provenance["item_id"] == "q0"]
    assert set(decided["decided"]) == {2.0} and set(decided["decided_by"]) == {"Olga"}
    assert provenance.loc[provenance["item_id"] == "q5", "decided"].isna().all()


def test_what_cannot_be_decided_leaves_the_score_to_the_ratings(store: Store) -> None:
    of_q0 = of_item(find_conflicts(store, "p", criterion="good", policy="none"), "q0")
    decide_conflict(store, "p", response=of_q0.response, criterion="good", score=None, person_id=owner(store))
    with_decisions = project_scores(store, "p", policy="none", decisions=True)
    assert with_decisions.n_decided == 0
    assert (
        row_of_item(
            human_scores(
                with_decisions.scores, with_decisions.aggregation, scales=with_decisions.project.scales
            ),
            store,
            "q0",
        )["human"]
        == 1.5
    )


def test_judges_meet_the_decided_scores_and_z_scores_refuse_them(store: Store) -> None:
    with store.writing() as session:
        project = find_project(session, "p")
        frame = response_frame(session, project.id)
        session.add_all(
            MetricScore(
                project_id=project.id, response_id=int(row), metric="m", options={}, score=float(n % 4)
            )
            for n, row in enumerate(frame["response"])
        )
    of_q0 = of_item(find_conflicts(store, "p", criterion="good", policy="none"), "q0")
    decide_conflict(store, "p", response=of_q0.response, criterion="good", score=0.0, person_id=owner(store))
    tables = {
        decided: agreement_table(
            store, "p", level="none", coefficients=("mae",), policy="none", decisions=decided, resamples=0
        )
        for decided in (False, True)
    }
    # The metric gives q0 a 0: the distance of 1.5 from the raters' mean goes, over six responses.
    values = {decided: table.rows[0].estimate.value or 0 for decided, table in tables.items()}
    assert values[False] - values[True] == pytest.approx(1.5 / 6)
    # Each rater meets the 0 on q0: they were 2, 2/3, 2 and 2/3 away, and are 0, 2, 3 and 1 away now.
    ceilings = {decided: table.ceiling[0].estimate.value or 0 for decided, table in tables.items()}
    assert ceilings[True] - ceilings[False] == pytest.approx(
        ((0 + 2 + 3 + 1) - (2 + 2 / 3 + 2 + 2 / 3)) / 6 / 4
    )
    assert tables[True].n_decided == 1 and tables[False].n_decided is None
    with pytest.raises(InvalidInput, match="z-scores"):
        agreement_table(store, "p", policy="none", aggregate="z_mean", decisions=True)
