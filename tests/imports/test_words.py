"""Scores as words and within lists, as forms and annotation tools write them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from judgelab.imports.core.cells import score_of
from judgelab.store.db.engine import Store
from judgelab.store.frames.score_frames import score_frame
from judgelab.store.projects.projects import find_project
from tests.imports.conftest import Bring, Refused

TEXTS = "item_id,question,system,response\nq1,Who?,a,Ann\nq2,When?,a,Now\nq3,Why?,a,So\n"


def scores(store: Store) -> list[float]:
    with store.reading() as session:
        frame = score_frame(session, find_project(session, "p").id)
    return [float(score) for score in frame.sort_values("item")["score"]]


@pytest.mark.parametrize(
    ("cell", "score"),
    [
        ([{"rating": 4}], 4),
        ('[{"rating":4}]', 4),
        ('[{"rating": 4, "type": "stars", "max": 5}]', 4),
        (["4"], 4),
        ("['5']", 5),
        ({"value": 2.5}, 2.5),
        (["yes"], 1),
        ("4 - good", 4),
        ("3 (fair)", 3),
        ("5 stars", 5),
    ],
)
def test_one_score_within_a_cell(cell: Any, score: float) -> None:
    assert score_of(cell) == score


@pytest.mark.parametrize(
    "cell", [[4, 5], {"a": 1, "b": 2}, "1-2", "2024-01-05", "3/5", {"why": "so", "sure": 1}]
)
def test_what_may_be_several_scores_is_none(bring: Bring, refused: Refused, cell: Any) -> None:
    bring(TEXTS)
    row = {"item_id": "q1", "system": "a", "rater": "ann", "criterion": "c", "score": cell}
    (problem,) = refused(json.dumps(row), name="f.jsonl")
    assert "is not a number" in problem.message


def test_an_empty_list_is_no_score(bring: Bring) -> None:
    bring(TEXTS)
    report = bring("item_id,system,rater,score\nq1,a,ann,[]\nq2,a,ann,3\n")
    assert report.ratings == 1


@pytest.mark.parametrize(
    "ratings",
    [
        "item_id,system,rater,criterion,score\nq1,a,ann,Clarity,{}\nq2,a,ann,Clarity,{}\nq3,a,ann,Clarity,{}\n",
        "item_id,system,rater,score\nq1,a,ann,{}\nq2,a,ann,{}\nq3,a,ann,{}\n",
    ],
)
@pytest.mark.parametrize(
    ("words", "points"),
    [
        (("Strongly agree", "Disagree", "agree"), [5, 2, 4]),
        (("Good", "Very bad", "fair"), [3, 1, 2]),
        (("Agree", "Disagree", "Agree"), [2, 1, 2]),
    ],
)
def test_words_in_a_known_order_become_points(
    bring: Bring, store: Store, ratings: str, words: tuple[str, ...], points: list[float]
) -> None:
    bring(TEXTS)
    report = bring(ratings.format(*words))
    assert scores(store) == points
    assert any("are read as points" in notice for notice in report.notices)


def test_a_column_for_each_criterion_may_hold_words(bring: Bring, store: Store) -> None:
    bring(TEXTS)
    report = bring(
        "item_id,system,rater,CLR\nq1,a,ann,Strongly agree\nq2,a,ann,Neutral\n",
        mapping=[("score[clarity]", "CLR")],
    )
    assert report.criteria == ("clarity",)
    assert scores(store) == [5, 3]


def test_words_in_no_known_order_are_labels(bring: Bring, store: Store) -> None:
    bring(TEXTS)
    report = bring("item_id,system,rater,score\nq1,a,ann,red\nq2,a,ann,blue\n")
    assert any("read as labels without order: red, blue" in notice for notice in report.notices)
    assert scores(store) == [1, 2]


def test_a_word_that_the_scale_lacks_is_refused_with_the_words_it_has(
    bring: Bring, refused: Refused, store: Store
) -> None:
    bring(TEXTS)
    head = "item_id,system,rater,score\n"
    bring(f"{head}q1,a,ann,fair\nq2,a,ann,good\n")
    (problem,) = refused(f"{head}q1,a,bob,excellent\n")
    assert problem.message == (
        "'excellent' is not one of the words of 'score' (fair 1, good 2); if it means one of these points, "
        "add --value 'score:excellent=NUMBER'; if it means “no score”, add --missing 'excellent'"
    )
    bring(f"{head}q1,a,bob,excellent\n", values=["score:excellent=2"])
    assert scores(store)[-1] == 2


def test_none_among_labels_is_asked_about(bring: Bring, refused: Refused, store: Store) -> None:
    """A third of the ratings would be lost, or counted, without a word."""
    bring(TEXTS)
    rated = "item_id,system,rater,bias\nq1,a,ann,none\nq2,a,ann,race\nq1,a,bob,none\nq2,a,bob,gender\n"
    named: dict[str, Any] = {"mapping": [("score[bias]", "bias")]}
    (problem,) = refused(rated, **named)
    assert problem.message == (
        "'none' occurs 2 times under 'bias'; if it means “no score”, add --missing 'none'; if it is a label, "
        "add --scale 'bias=categorical:race,gender,none'"
    )
    labels = {"kind": "categorical", "labels": ["race", "gender", "none"]}
    assert bring(rated, scales={"bias": labels}, **named).ratings == 4
    assert sorted(scores(store)) == [1, 2, 3, 3]
    # A label that the project has stays one.
    assert bring(rated.replace("bob", "cem"), **named).ratings == 2


def test_none_is_asked_about_in_the_only_column_of_scores_too(bring: Bring, refused: Refused) -> None:
    bring(TEXTS)
    (problem,) = refused("item_id,system,rater,score\nq1,a,ann,none\nq2,a,ann,race\nq1,a,bob,gender\n")
    assert "add --scale 'score=categorical:race,gender,none'" in problem.message


def test_none_may_be_no_score_or_the_best_point(bring: Bring, refused: Refused, store: Store) -> None:
    bring(TEXTS)
    rated = "item_id,system,rater,severity\nq1,a,ann,none\nq2,a,ann,minor\nq1,a,bob,critical\n"
    named: dict[str, Any] = {"mapping": [("score[severity]", "severity")]}
    (problem,) = refused(rated, **named)
    assert problem.message.endswith(
        "if it is a point of the scale, first create the criterion 'severity' with these labels: "
        "critical,minor,none"
    )
    assert bring(rated, missing=["none"], **named).ratings == 2
    assert sorted(scores(store)) == [1, 2]


@pytest.mark.parametrize("cells", [("4/5", "3/5"), ("80 %", "95%"), ("★★★★", "★★"), ("Good (4)", "Bad (2)")])
def test_numbers_in_other_clothes_are_no_labels(
    bring: Bring, refused: Refused, cells: tuple[str, str]
) -> None:
    bring(TEXTS)
    (problem, *_) = refused("item_id,system,rater,score\nq1,a,ann,{}\nq2,a,ann,{}\n".format(*cells))
    assert f"'{cells[0]}' is not a number" in problem.message


def test_one_word_alone_or_more_than_nine_are_refused(bring: Bring, refused: Refused) -> None:
    bring(TEXTS)
    (problem, *_) = refused("item_id,system,rater,score\nq1,a,ann,red\nq2,a,ann,red\n")
    assert "'red' is not a number" in problem.message


def test_words_beside_numbers_are_refused(bring: Bring, refused: Refused) -> None:
    bring(TEXTS)
    (problem,) = refused("item_id,system,rater,score\nq1,a,ann,4\nq2,a,ann,Strongly agree\n")
    assert (problem.row, "'Strongly agree' is not a number" in problem.message) == (3, True)
