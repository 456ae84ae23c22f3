"""Known places of a list and known choices between two: training, checks, files, on both databases."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest

from judgelab.analysis.raters.check_table import check_table
from judgelab.annotation import service
from judgelab.annotation.service import QueueItem
from judgelab.domain import Criterion
from judgelab.errors import ImportProblems, InvalidInput
from judgelab.imports.files.sources import Source
from judgelab.imports.known_scores import import_known_scores
from judgelab.store.db.engine import Store
from judgelab.store.rating import gold
from tests.annotation.conftest import make_person, make_project

ONE = (Criterion("overall", "Overall", {"kind": "ordinal", "low": 1, "high": 5}),)
SLUG = "soup-flasks"
KNOWN = {"a0": 2, "a0.1": 1, "a0.2": 3}  # of the first question, by text


@pytest.fixture
def store(any_store: Store) -> Store:
    return any_store


def project_of(store: Store, form: str, *, answers: int = 1, **settings: Any) -> int:
    systems = 2 if form == "pairwise" else 3
    return make_project(store, answers=answers, systems=systems, criteria=ONE, form=form, **settings)


def mark(store: Store, *rows: str, columns: str = "item_id,response_id,score,purpose,tolerance") -> None:
    source = Source("known.csv", "\n".join([columns, *rows]).encode())
    import_known_scores(store, SLUG, source)


def mark_order(store: Store, purpose: str, tolerance: float = 0.0) -> None:
    ids = {"a0": "secret-0", "a0.1": "secret-0.1", "a0.2": "secret-0.2"}
    mark(store, *(f"q0,{ids[text]},{rank},{purpose},{tolerance}" for text, rank in KNOWN.items()))


def rank(store: Store, person: int, project: int, item: QueueItem, places: dict[str, int]) -> Any:
    op = {"uid": str(uuid.uuid4()), "kind": "rate", "item": item.id}
    values = {"places": {"overall": [places[text] for text in item.answers]}}
    return service.apply(store, person, project, {**op, **values})


@pytest.mark.parametrize(
    ("tolerance", "places", "right"),
    [
        (0.0, {"a0": 2, "a0.1": 1, "a0.2": 3}, True),
        (0.0, {"a0": 1, "a0.1": 2, "a0.2": 3}, False),  # tau-b 0.33
        (0.7, {"a0": 1, "a0.1": 2, "a0.2": 3}, True),
        (0.7, {"a0": 2, "a0.1": 3, "a0.2": 1}, False),  # tau-b -1
    ],
)
def test_practice_with_a_ranking_uses_its_similarity_and_shows_both_orders(
    store: Store, tolerance: float, places: dict[str, int], right: bool
) -> None:
    project, ada = project_of(store, "ranking"), make_person(store, "Ada")
    mark_order(store, "training", tolerance)
    item = service.next_items(store, ada, project)[0]
    feedback = rank(store, ada, project, item, places).feedback
    (result,) = feedback.results
    assert result.right is right and feedback.outcome == ("passed" if right else "again")
    letters = {text: letter for text, letter in zip(item.answers, "ABC", strict=True)}
    assert result.orders[1] == f"{letters['a0.1']} > {letters['a0']} > {letters['a0.2']}"


def test_best_and_worst_must_be_right_and_the_middle_does_not_matter(store: Store) -> None:
    project, ada, ben = (
        project_of(store, "best_worst", raters_per_response=2),
        make_person(store, "Ada"),
        make_person(store, "Ben"),
    )
    mark_order(store, "training")  # places 1, 2, 3 name the best and the worst
    item = service.next_items(store, ada, project)[0]
    feedback = rank(store, ada, project, item, KNOWN).feedback
    assert feedback.outcome == "passed" and feedback.results[0].orders[0] == feedback.results[0].orders[1]
    item = service.next_items(store, ben, project)[0]
    feedback = rank(store, ben, project, item, {"a0": 3, "a0.1": 1, "a0.2": 2}).feedback
    assert (feedback.outcome, feedback.results[0].rater_score) == ("again", 0.5)


def test_the_report_counts_checked_pairs_and_lists(store: Store) -> None:
    project = project_of(store, "ranking", answers=2, raters_per_response=2)
    mark_order(store, "gold", 0.5)
    for name, places in (("Ada", KNOWN), ("Ben", {"a0": 2, "a0.1": 3, "a0.2": 1})):
        person = make_person(store, name)
        for item in service.next_items(store, person, project):
            if "a0" in item.answers:
                rank(store, person, project, item, places)
    with store.reading() as session:
        checks = check_table(session, project).set_index("rater")
    assert checks["passed"].to_dict() == {"Ada": True, "Ben": False}
    assert checks["score"].to_dict() == {"Ada": 1.0, "Ben": -1.0}


def test_a_known_choice_means_the_same_whichever_response_the_file_names_first(store: Store) -> None:
    project = project_of(store, "pairwise", answers=2, raters_per_response=2)
    columns = "item_id,response_id,other_id,score"
    mark(store, "q0,secret-0.1,secret-0,1", "q1,secret-1,secret-1.1,0", columns=columns)
    with store.reading() as session:
        (first,), (second,) = (gold.units_of_item(session, project, item)[1] for item in ("q0", "q1"))
    assert first.known[0].score == -1 and second.known[0].score == 0  # of the response stored first
    ada = make_person(store, "Ada")
    for item in service.next_items(store, ada, project):
        better = "second" if item.answers[0] in ("a0", "a1") else "first"  # the response stored second
        op = {"uid": str(uuid.uuid4()), "kind": "rate", "item": item.id}
        service.apply(store, ada, project, {**op, "choices": {"overall": {"choice": better}}})
    with store.reading() as session:
        checks = check_table(session, project).set_index("item")
    assert checks["passed"].to_dict() == {"q0": True, "q1": False}


def test_a_known_tie_may_be_the_number_0(store: Store) -> None:
    project = project_of(store, "pairwise")
    row = {"item_id": "q0", "response_id": "secret-0", "other_id": "secret-0.1", "score": 0, "loud": False}
    import_known_scores(store, SLUG, Source("known.jsonl", json.dumps(row).encode()))
    with store.reading() as session:
        (unit,) = gold.units_of_item(session, project, "q0")[1]
    assert [known_score.score for known_score in unit.known] == [0]


@pytest.mark.parametrize(
    ("form", "rows", "message"),
    [
        ("pairwise", ["q0,secret-0,,1"], "row 2, column 'other_id': raters compare two responses"),
        ("pairwise", ["q0,secret-0,secret-0,1"], "both responses are the same"),
        ("pairwise", ["q0,secret-0,secret-0.1,2"], "use 1 (the first), -1 (the second) or 0"),
        ("ranking", ["q0,secret-0,,1.5"], "row 2, column 'score': '1.5' is not a rank"),
        ("ranking", ["q0,secret-0,,1", "q0,secret-0.1,,2"], "give a rank to every response of the item"),
        ("ranking", [f"q0,secret-0{n},,1" for n in ("", ".1", ".2")], "all responses have the same rank"),
    ],
)
def test_a_wrong_order_or_choice_is_reported_by_row_and_nothing_is_stored(
    store: Store, form: str, rows: list[str], message: str
) -> None:
    project = project_of(store, form)
    with pytest.raises(ImportProblems) as error:
        mark(store, *rows, columns="item_id,response_id,other_id,score")
    assert message in str(error.value)
    with store.reading() as session:
        assert gold.count_gold(session, project) == gold.GoldCounts(0, 0, 0, 0)


def test_a_list_takes_places_and_a_pair_takes_a_score(store: Store) -> None:
    project = project_of(store, "pairwise")
    with store.writing() as session:
        ((unit,),) = [gold.units_of_item(session, project, "q0")[1]]
        places = {"overall": dict(zip(unit.responses, (1, 2), strict=True))}
        with pytest.raises(InvalidInput, match="only a list of responses can have a known order"):
            gold.set_known_scores(session, project, unit.unit_id, purpose="gold", scores={}, places=places)
