"""Best–worst votes and extremes of ratings as human values."""

from __future__ import annotations

import pandas as pd
import pytest

from judgelab.analysis.data.scores import project_scores
from judgelab.errors import InvalidInput
from judgelab.metaeval.judges.best_worst import extremes, voted
from judgelab.preparation.labels import label_votes
from judgelab.preparation.step import prepare
from judgelab.store.db.engine import Store
from judgelab.store.models import CriterionRow
from judgelab.store.people import memberships, people
from tests.runs.projects import flasks, rate


def votes(*ballots: tuple[str, str]) -> pd.DataFrame:
    """Return votes on three responses of one item: one letter a voter for the best and the worst."""
    rows = [
        ("i", number, name, "", "overall", f"voter {voter}", name in best, name in worst)
        for voter, (best, worst) in enumerate(ballots)
        for number, name in enumerate("abc")
    ]
    return pd.DataFrame(
        rows, columns=["item", "response", "system", "group", "criterion", "rater", "best", "worst"]
    )


def test_two_of_three_votes_are_enough_and_both_at_once_is_nothing() -> None:
    majority = voted(votes(("a", "b"), ("a", "c"), ("b", "c")))
    assert list(zip(majority.labels["system"], majority.labels["score"], strict=True)) == [
        ("a", 1.0),
        ("c", 0.0),
    ]
    majority = voted(votes(("ab", "a"), ("ab", "a"), ("a", "c")))
    assert list(majority.labels["system"]) == ["b"] and list(majority.best_and_worst["system"]) == ["a"]
    assert voted(votes(("a", "b"), ("b", "c"), ("c", "a"))).labels.empty


def test_extremes_take_two_and_two_and_name_ties_at_the_cut() -> None:
    values = [5, 4, 4, 2, 1, 3]
    frame = pd.DataFrame({"item": "i", "response": range(6), "system": "", "group": "", "value": values})
    best_and_worst = extremes(frame)
    assert list(zip(best_and_worst.labels["response"], best_and_worst.labels["score"], strict=True)) == [
        (0, 1.0),
        (1, 1.0),
        (3, 0.0),
        (4, 0.0),
    ]
    assert best_and_worst.tied == ["i"] and extremes(frame.assign(value=[5, 4, 3.5, 2, 1, 3])).tied == []
    assert extremes(frame.head(3)).short == ["i"]


def test_extremes_are_stored_as_a_rater_under_a_criterion_of_their_own(store: Store) -> None:
    slug = flasks(store, 4, criteria=("clear", "helpful"))
    with store.writing() as session:
        from judgelab.store.models import ResponseRow

        session.query(ResponseRow).update({ResponseRow.item_id: 1})
    for criterion in ("clear", "helpful"):
        rate(store, slug, {1: 3, 2: 0, 3: 2, 4: 1}, criterion=criterion)
    outcome = prepare(store, slug, "labels", {"kind": "extremes", "number": "1"})
    with store.reading() as session:
        members = {member.name: member.person_id for member in memberships.memberships(session, 1)}
        assert {people.get(session, person).role for person in members.values()} == {""}
        assert "extremes" in members
    assert outcome.data["values"] == 2 and "1 best, 1 worst" in outcome.lines[0]
    outcome = prepare(store, slug, "labels", {"kind": "extremes"})
    humans = project_scores(store, slug).humans
    label_scores = humans[humans["criterion"] == "overall"].set_index("response")["score"].to_dict()
    assert label_scores == {1: 3.0, 2: 0.0, 3: 2.0, 4: 1.0}
    with pytest.raises(InvalidInput, match="no best–worst votes"):
        label_votes(store, slug)


def test_a_criterion_under_which_a_lower_score_is_better_makes_no_labels(store: Store) -> None:
    slug = flasks(store, 4, criteria=("clear",))
    rate(store, slug, {1: 3, 2: 0, 3: 2, 4: 1}, criterion="clear")
    with store.writing() as session:
        session.query(CriterionRow).update({CriterionRow.higher_is_better: False})
    with pytest.raises(InvalidInput, match="under 'clear', lower scores are better"):
        prepare(store, slug, "labels", {"kind": "extremes"})
