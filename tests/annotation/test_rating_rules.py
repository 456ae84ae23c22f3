"""Rules for submitting: required comments, no skipping, and a least time by the server's clock."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import update

from judgelab.annotation import service
from judgelab.annotation.rating.settings import read_settings
from judgelab.annotation.service import OperationResult
from judgelab.domain import Criterion
from judgelab.errors import InvalidInput
from judgelab.store.db.engine import Store
from judgelab.store.models import Assignment, Rating, RatingEvent, now
from tests.annotation.conftest import make_person, make_project

GOOD = {"relevance": 2, "fluency": 4}
BELOW_3 = {"below": 3.0}


def send(store: Store, person: int, project: int, kind: str, item: int, **values: Any) -> OperationResult:
    op = {"uid": str(uuid.uuid4()), "kind": kind, "item": item, **values}
    return service.apply(store, person, project, op)


def first_item(store: Store, **settings: Any) -> tuple[int, int, int]:
    """Store a project with these settings; returns its id, a rater's and their first assignment's."""
    project, ada = make_project(store, **settings), make_person(store, "Ada")
    return project, ada, service.next_items(store, ada, project)[0].id


def given_seconds_ago(store: Store, item: int, seconds: float) -> None:
    with store.writing() as session:
        given_at = now() - timedelta(seconds=seconds)
        session.execute(update(Assignment).where(Assignment.id == item).values(given_at=given_at))


@pytest.mark.parametrize(
    ("rule", "scores", "comments", "refused"),
    [
        (BELOW_3, {"relevance": 2, "fluency": 4}, {}, "Relevance"),
        (BELOW_3, {"relevance": 2, "fluency": 4}, {"relevance": "off topic"}, None),
        (BELOW_3, {"relevance": 2, "fluency": 4}, {"fluency": "good"}, "Relevance"),
        (BELOW_3, {"relevance": 2, "fluency": 4}, {"relevance": "  "}, "Relevance"),
        (BELOW_3, {"relevance": 3, "fluency": 3}, {}, None),  # 3 is not below 3
        ({"above": 4.0}, {"relevance": 3, "fluency": 4}, {}, None),
        ({"above": 4.0}, {"relevance": 3, "fluency": 5}, {}, "Fluency"),
        ({"below": 1.0, "above": 4.0}, {"relevance": 0, "fluency": 4}, {}, "Relevance"),
        ({"below": 0.0}, GOOD, {}, None),
        ({"always": True}, {"relevance": 3, "fluency": 3}, {"relevance": "both"}, "Fluency"),
        ({"always": True}, GOOD, {"relevance": "a", "fluency": "b"}, None),
        ({"always": False, "below": None, "above": None}, GOOD, {}, None),
    ],
)
def test_a_score_without_the_required_comment_is_refused(
    store: Store,
    rule: dict[str, Any],
    scores: dict[str, float],
    comments: dict[str, str],
    refused: str | None,
) -> None:
    project, ada, item = first_item(store, comment_required=rule)
    result = send(store, ada, project, "rate", item, scores=scores, comments=comments)
    if refused is None:
        assert result.state == "stored"
        return
    assert (result.state, result.message) == ("refused", f"{refused}: add a comment that says why.")
    with store.reading() as session:
        assert session.query(Rating).count() == 0


def test_a_draft_needs_no_comment(store: Store) -> None:
    project, ada, item = first_item(store, comment_required={"always": True})
    assert send(store, ada, project, "draft", item, scores=GOOD).state == "stored"


def test_labels_without_an_order_are_neither_below_nor_above(store: Store) -> None:
    scale = {"kind": "categorical", "labels": ["true", "false", "unclear"]}
    criteria = [Criterion("kind", "Kind", scale)]
    project, ada, item = first_item(store, criteria=criteria, comment_required={"below": 100.0})
    assert send(store, ada, project, "rate", item, scores={"kind": 1}).state == "stored"


@pytest.mark.parametrize(("rule", "state"), [(BELOW_3, "stored"), ({"always": True}, "refused")])
def test_cannot_judge_needs_a_comment_only_where_every_score_does(
    store: Store, rule: dict[str, Any], state: str
) -> None:
    scale = {"kind": "ordinal", "low": 1, "high": 5, "cannot_judge": True}
    criteria = [Criterion("right", "Right", scale)]
    project, ada, item = first_item(store, criteria=criteria, comment_required=rule)
    assert send(store, ada, project, "rate", item, scores={"right": None}).state == state


def test_a_choice_needs_a_comment_where_every_choice_does(store: Store) -> None:
    project = make_project(store, systems=2, form="pairwise", comment_required={"always": True, "below": 9.0})
    ada = make_person(store, "Ada")
    item = service.next_items(store, ada, project)[0].id
    choices = {key: {"choice": "first"} for key in ("relevance", "fluency")}
    assert send(store, ada, project, "rate", item, choices=choices).state == "refused"
    comments = {"relevance": "shorter", "fluency": "same"}
    assert send(store, ada, project, "rate", item, choices=choices, comments=comments).state == "stored"


def test_skipping_is_refused_where_nobody_may_skip(store: Store) -> None:
    project, ada, item = first_item(store, skip=False)
    result = send(store, ada, project, "skip", item)
    assert (result.state, result.message) == ("refused", "answers can't be skipped in this project.")
    assert service.next_items(store, ada, project)[0].id == item
    assert send(store, ada, project, "flag", item, reason="odd").state == "stored"


def test_the_least_time_is_measured_by_the_server(store: Store) -> None:
    project, ada, item = first_item(store, least_seconds=20)
    given_seconds_ago(store, item, 10)
    result = send(store, ada, project, "rate", item, scores=GOOD, seconds=500)
    assert (result.state, result.message) == (
        "refused",
        "submitted too soon; spend at least 20 s on each answer.",
    )
    given_seconds_ago(store, item, 21)
    assert send(store, ada, project, "rate", item, scores=GOOD, seconds=0).state == "stored"


def test_a_change_of_a_rating_need_not_wait(store: Store) -> None:
    project, ada, item = first_item(store, least_seconds=20)
    given_seconds_ago(store, item, 21)
    send(store, ada, project, "rate", item, scores=GOOD)
    send(store, ada, project, "undo", item)
    given_seconds_ago(store, item, 1)
    change = send(store, ada, project, "rate", item, scores={**GOOD, "fluency": 1})
    assert change.state == "stored"


def test_units_given_together_take_the_least_time_each(store: Store) -> None:
    """Five units are on a screen at once; the time since then is not counted for each of them."""
    project, ada = make_project(store, least_seconds=20), make_person(store, "Ada")
    first, second, third = [item.id for item in service.next_items(store, ada, project)][:3]
    for item in (first, second, third):
        given_seconds_ago(store, item, 45)
    # 45 s are enough for two units of 20 s, also when a browser says that it took no time for the first.
    states = [
        send(store, ada, project, "rate", item, scores=GOOD, seconds=seconds).state
        for item, seconds in ((first, 0), (second, 20), (third, 20))
    ]
    assert states == ["stored", "stored", "refused"]
    with store.reading() as session:
        assert session.query(RatingEvent).filter(RatingEvent.kind == "rate").count() == 2


def test_the_rules_are_settings_of_a_project() -> None:
    texts = {
        "comment_required.below": "3",
        "comment_required.above": "",
        "skip": "false",
        "least_seconds": "20",
    }
    assert read_settings(texts, {"comment_required": {"always": True}}) == {
        "comment_required": {"always": True, "below": 3.0, "above": None},
        "skip": False,
        "least_seconds": 20.0,
    }
    for name, text in [("least_seconds", "601"), ("skip", "no"), ("comment_required.below", "low")]:
        with pytest.raises(InvalidInput, match=name):
            read_settings({name: text}, {})


@pytest.mark.parametrize("bound", ["below", "above"])
def test_a_score_to_comment_on_is_refused_where_nobody_gives_scores(bound: str) -> None:
    name = f"comment_required.{bound}"
    with pytest.raises(InvalidInput, match="only applies to the form pointwise"):
        read_settings({name: "0"}, {"form": "pairwise"})
    assert read_settings({name: "none"}, {"form": "pairwise"}) == {"comment_required": {bound: None}}
