"""Preferences, best and worst votes, and rankings from files."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sqlalchemy import select

from judgelab.errors import ImportProblems
from judgelab.imports.service import preview
from judgelab.store.db.engine import Store
from judgelab.store.frames.fingerprints import project_fingerprints
from judgelab.store.models import (
    Assignment,
    ItemRow,
    Person,
    Preference,
    Project,
    Ranking,
    Rating,
    ResponseRow,
)
from judgelab.store.people import memberships, people
from judgelab.store.projects.projects import create_project, find_project
from tests.imports.conftest import Bring, Refused

TEXTS = (
    "item_id,question,system,response\n"
    "q1,Why?,alpha,because\nq1,Why?,beta,why not\nq1,Why?,gamma,so\n"
    "q2,Who?,beta,you\nq2,Who?,alpha,me\nq2,Who?,gamma,they\n"
)
HEAD = "item_id,response_a,response_b,rater,choice\n"


def preferences(store: Store) -> dict[tuple[str, str, str], dict[str, Any]]:
    """Return what is stored, in the words of the file, by (item, lower response, higher response)."""
    with store.reading() as session:
        names = {row.id: row.external_id for row in session.scalars(select(ResponseRow))}
        items = {row.id: row.external_id for row in session.scalars(select(ItemRow))}
        rows = session.scalars(select(Preference).order_by(Preference.id)).all()
        return {
            (items[r.item_id], names[r.response_a], names[r.response_b]): {
                "choice": r.choice,
                "first": r.first,
                "strength": r.strength,
                "comment": r.comment,
            }
            for r in rows
        }


def rankings(store: Store) -> list[dict[str, int]]:
    with store.reading() as session:
        names = {str(row.id): row.external_id for row in session.scalars(select(ResponseRow))}
        return [
            {names[row_id]: rank for row_id, rank in row.places.items()}
            for row in session.scalars(select(Ranking).order_by(Ranking.id))
        ]


def test_a_confidence_of_raters_is_named(bring: Bring) -> None:
    bring(TEXTS)
    report = bring("item_id,response_a,response_b,rater,choice,confidence\nq1,alpha,beta,ann,a,4\n")
    assert any("1 comparison by a rater has a confidence" in notice for notice in report.notices)


def test_the_lower_row_is_a_and_the_choice_is_turned_with_it(bring: Bring, store: Store) -> None:
    bring(TEXTS)
    report = bring(
        "item_id,response_a,response_b,rater,choice,first,strength,comment\n"
        "q1,beta,alpha,Ann,a,left,2,clearer\nq2,alpha,beta,Ann,alpha,beta,,\nq1,alpha,gamma,Ann,Tie,,,\n"
    )
    assert (report.preferences, report.criteria) == (3, ("score",))
    assert preferences(store) == {
        ("q1", "alpha", "beta"): {"choice": "b", "first": "b", "strength": 2, "comment": "clearer"},
        ("q2", "beta", "alpha"): {"choice": "b", "first": "a", "strength": 1, "comment": ""},
        ("q1", "alpha", "gamma"): {"choice": "tie", "first": "", "strength": 1, "comment": ""},
    }


@pytest.mark.parametrize(
    ("word", "choice"),
    [
        *[(word, "a") for word in ("A", "1", "left", "model_a", "A>B", "alpha", " alpha ")],
        *[(word, "b") for word in ("2", "Right", "response_b", "b > a", "beta")],
        *[(word, "tie") for word in ("tie", "draw", "equal", "tie (bothbad)", "A=B")],
    ],
)
def test_a_choice_is_written_in_many_ways(bring: Bring, store: Store, word: str, choice: str) -> None:
    bring(TEXTS)
    bring(HEAD + f"q1,alpha,beta,Ann,{word}\n")
    assert [row["choice"] for row in preferences(store).values()] == [choice]


def test_a_file_with_texts_and_systems_brings_its_responses(bring: Bring, store: Store) -> None:
    rows = [
        {
            "question": "Why?",
            "model_a": "alpha",
            "model_b": "beta",
            "response_a": "because",
            "response_b": "why not",
            "winner": "model_b",
            "annotator": "Ann",
        }
    ]
    report = bring("\n".join(map(json.dumps, rows)), name="f.jsonl")
    assert (report.items, report.responses, report.preferences) == (1, 2, 1)
    with store.reading() as session:
        texts = {row.system: row.text for row in session.scalars(select(ResponseRow))}
    assert texts == {"alpha": "because", "beta": "why not"}
    repeated = bring("\n".join(map(json.dumps, rows)), name="f.jsonl")
    assert (repeated.preferences, repeated.unchanged["preferences"]) == (0, 1)


def test_a_file_with_texts_and_no_names_gives_them_names(bring: Bring, store: Store) -> None:
    report = bring("question,response_a,response_b,rater,choice\nWhy?,because,why not,Ann,b\n")
    assert (report.responses, report.preferences) == (2, 1)
    with store.reading() as session:
        (stored,) = session.scalars(select(Preference))
        assert session.get_one(ResponseRow, stored.response_b).text == "why not"
        assert stored.choice == "b"


def test_changed_and_equal_comparisons(bring: Bring, store: Store) -> None:
    bring(TEXTS)
    bring(HEAD + "q1,alpha,beta,Ann,a\n")
    repeated = bring(HEAD + "q1,beta,alpha,Ann,b\n")
    assert (repeated.preferences, repeated.unchanged["preferences"]) == (0, 1)
    assert bring(HEAD + "q1,alpha,beta,Ann,tie\n").changed == {"preferences": 1}
    assert [row["choice"] for row in preferences(store).values()] == ["tie"]


def test_what_is_wrong_with_comparisons_is_listed_at_once(bring: Bring, refused: Refused) -> None:
    bring(TEXTS)
    problems = refused(
        HEAD + "q1,alpha,beta,Ann,c\nq1,alpha,alpha,Ann,a\nq9,alpha,beta,Ann,a\n"
        "q1,alpha,delta,Ann,a\nq1,alpha,gamma,Bea,a\nq1,gamma,alpha,Bea,a\nq1,alpha,beta,,a\n"
    )
    messages = {problem.row: problem.message for problem in problems}
    assert "'c' is not a valid choice" in messages[2]
    assert "a comparison needs two" in messages[3]
    assert "there is no item 'q9'" in messages[4]
    assert "has no response 'delta'" in messages[5]
    assert "chose differently in row 6 (here: gamma)" in messages[7]
    assert "does not name a rater" in messages[8]


def test_a_comparison_made_in_the_browser_is_not_overwritten(
    bring: Bring, refused: Refused, store: Store
) -> None:
    bring(TEXTS)
    bring(HEAD + "q1,alpha,beta,Ann,a\n")
    with store.writing() as session:
        session.scalars(select(Preference)).one().origin = "browser"
    (problem,) = refused(HEAD + "q1,alpha,beta,Ann,b\n")
    assert "in the browser" in problem.message


def test_a_file_that_repeats_browser_work_is_welcome_where_it_says_less(bring: Bring, store: Store) -> None:
    bring(TEXTS)
    bring(HEAD + "q1,alpha,beta,Ann,a\n")
    bring("item_id,rater,ranking\nq1,Ann,alpha > beta > gamma\n")
    with store.writing() as session:
        preference, ranking = (session.scalars(select(table)).one() for table in (Preference, Ranking))
        preference.origin, preference.strength, preference.first = "browser", 2, "b"
        ranking.origin, ranking.comment = "browser", "told in the browser"
    assert bring(HEAD + "q1,alpha,beta,Ann,a\n").unchanged["preferences"] == 1
    assert bring("item_id,rater,ranking\nq1,Ann,alpha > beta > gamma\n").unchanged["rankings"] == 1
    with pytest.raises(ImportProblems):
        bring("item_id,response_a,response_b,rater,choice,strength\nq1,alpha,beta,Ann,a,1\n")


def test_who_compares_in_a_file_rates_in_this_project_alone(bring: Bring, store: Store) -> None:
    with store.writing() as session:
        other_project = create_project(session, name="other").id
    bring(TEXTS)
    bring(HEAD + "q1,alpha,beta,Ann,a\n")
    with store.reading() as session:
        (member,) = memberships.memberships(session, find_project(session, "p").id)
        person = people.get(session, member.person_id)
        assert (person.name, person.role, member.role) == ("Ann", "", "annotator")
        assert not memberships.has_role(session, person.id, other_project, "annotator")


@pytest.mark.parametrize("table", [Preference, Ranking, Rating])
def test_an_import_that_changes_a_row_says_when(bring: Bring, store: Store, table: Any) -> None:
    """By that time, and by nothing else where sums stay, a page knows that its scores are old."""
    heads = {
        Preference: (HEAD, "q1,alpha,beta,Ann,a\n", "q1,alpha,beta,Ann,b\n"),
        Ranking: (
            "item_id,rater,ranking\n",
            "q1,Ann,alpha > beta > gamma\n",
            "q1,Ann,beta > alpha > gamma\n",
        ),
        Rating: (
            "item_id,system,rater,score\n",
            "q1,alpha,Ann,1\nq1,beta,Ann,2\nq1,gamma,Ann,5\n",
            "q1,alpha,Ann,2\nq1,beta,Ann,1\nq1,gamma,Ann,5\n",
        ),
    }
    head, before, after = heads[table]
    bring(TEXTS)
    bring(head + before)
    with store.reading() as session:
        project = find_project(session, "p").id
        word = project_fingerprints(session, project)
    bring(head + after)
    with store.reading() as session:
        assert project_fingerprints(session, project) != word


def test_best_and_worst_votes(bring: Bring, store: Store) -> None:
    bring(TEXTS)
    report = bring(
        'item_id,annotator,best,worst\nq1,Ann,alpha,gamma\nq2,Ann,"[""alpha"", ""beta""]",gamma\n'
        "q1,Bea,beta|gamma,beta\n"
    )
    assert report.rankings == 3
    assert any("as both best and worst" in notice for notice in report.notices)
    assert rankings(store) == [
        {"alpha": 1, "beta": 2, "gamma": 3},
        {"beta": 1, "alpha": 1, "gamma": 3},
        {"alpha": 2, "beta": 2, "gamma": 1},
    ]
    with store.reading() as session:
        comments = session.scalars(select(Ranking.comment).order_by(Ranking.id)).all()
    assert comments == ["", "", "named best and worst at once: beta"]


def test_rankings_with_ties(bring: Bring, store: Store) -> None:
    bring(TEXTS)
    rows = [
        {"item_id": "q1", "rater": "Ann", "ranking": ["beta", ["alpha", "gamma"]]},
        {"item_id": "q2", "rater": "Ann", "ranking": "alpha = beta > gamma"},
        {"item_id": "q2", "rater": "Bea", "ranking": {"alpha": 2, "beta": 1, "gamma": 2}},
    ]
    assert bring(json.dumps(rows), name="f.json").rankings == 3
    assert rankings(store) == [
        {"beta": 1, "alpha": 2, "gamma": 2},
        {"alpha": 1, "beta": 1, "gamma": 3},
        {"beta": 1, "alpha": 2, "gamma": 2},
    ]


def test_a_ranking_with_a_place_that_is_no_number_is_refused_by_row(bring: Bring, refused: Refused) -> None:
    bring(TEXTS)
    rows = [
        {"item_id": "q1", "rater": "Ann", "ranking": {"alpha": rank, "beta": 2}} for rank in ("first", [1, 2])
    ]
    problems = refused(json.dumps(rows), name="f.json")
    assert [problem.row for problem in problems] == [1, 2]
    assert "'first' is not a number; write ranks as numbers" in problems[0].message


def test_a_ranking_that_names_a_response_twice_is_refused(bring: Bring, refused: Refused) -> None:
    bring(TEXTS)
    (problem,) = refused('item_id,rater,ranking\nq1,Ann,"alpha > beta > alpha"\n')
    assert "each named once" in problem.message


def test_an_imported_comparison_is_work_that_is_done(bring: Bring, store: Store) -> None:
    bring(TEXTS)
    with store.writing() as session:
        session.scalars(select(Project)).one().settings = {"form": "pairwise"}
    bring(HEAD + "q1,alpha,beta,Ann,a\n")
    with store.reading() as session:
        (row,) = session.execute(
            select(Assignment.state, Person.name).join(Person, Person.id == Assignment.person_id)
        ).all()
    assert row == ("done", "Ann")


def test_the_page_previews_comparisons(bring: Bring, store: Store) -> None:
    bring(TEXTS)
    shown_preview = preview(store, "p", [("f.csv", (HEAD + "q1,alpha,beta,Ann,a\n").encode())])
    assert (shown_preview.files[0].kind, shown_preview.counts["preferences"]) == ("preferences", 1)
