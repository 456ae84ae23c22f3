"""Comparisons by judges from files, columns of single annotators, and values whose meaning a person gives."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from sqlalchemy import func, select

from judgelab.errors import InvalidInput
from judgelab.imports.exports import export_project
from judgelab.imports.service import collect_files, import_files
from judgelab.store.db.engine import Store
from judgelab.store.frames.fingerprints import project_fingerprints
from judgelab.store.frames.preference_frames import preference_frame
from judgelab.store.models import ItemRow, JudgedPair, JudgeRow, Judgment, ResponseRow, Run, Verdict
from judgelab.store.projects.projects import create_project, find_project
from tests.imports.conftest import Bring, Refused
from tests.imports.test_comparisons import TEXTS

HEAD = "item_id,response_a,response_b,judge,choice\n"


def comparisons(store: Store, slug: str = "p") -> list[tuple[str, ...]]:
    """Return (item, lower response, higher response, rater, kind, choice, order) of every comparison."""
    with store.reading() as session:
        frame = preference_frame(session, find_project(session, slug).id)
        names = {row.id: row.external_id for row in session.scalars(select(ResponseRow))}
    sides = frame[["response_a", "response_b"]].replace(names)
    rows = pd.concat([frame["item"], sides, frame[["rater", "rater_kind", "choice", "order"]]], axis=1)
    return sorted(rows.astype(str).itertuples(index=False, name=None))


def item_ids(store: Store, slug: str = "p") -> list[str]:
    with store.reading() as session:
        query = select(ItemRow.external_id).where(ItemRow.project_id == find_project(session, slug).id)
        return list(session.scalars(query))


def test_a_judges_choices_are_stored_with_reason_order_and_confidence(bring: Bring, store: Store) -> None:
    bring(TEXTS)
    content = (
        "item_id,response_a,response_b,judge,choice,order,rationale,confidence\n"
        "q1,beta,alpha,gpt-4,[[A]],a,clearer,0.9\nq1,alpha,beta,gpt-4,Answer B,a,again,\n"
        "q2,beta,alpha,gpt-4,None,ba,,\nq2,beta,gamma,gpt-4,tie,swapped,,\n"
    )
    report = bring(content, kind="judgments")
    assert (report.judged_pairs, report.preferences, report.judgments) == (4, 0, 0)
    assert any("1 judgment has no valid score" in notice for notice in report.notices)
    assert comparisons(store) == [
        ("q1", "alpha", "beta", "gpt-4", "judge", "b", "a"),
        ("q1", "alpha", "beta", "gpt-4", "judge", "b", "b"),
        ("q2", "beta", "gamma", "gpt-4", "judge", "tie", "b"),
    ]
    with store.reading() as session:
        first, _, unread, _ = session.scalars(select(JudgedPair).order_by(JudgedPair.id))
        run, judge = session.scalars(select(Run)).one(), session.scalars(select(JudgeRow)).one()
        word = project_fingerprints(session, run.project_id)
    assert (first.rationale, first.confidence, first.first) == ("clearer", 0.9, "b")
    assert (unread.choice, unread.reason, unread.first) == ("", "the file has no choice", "b")
    assert (run.units, run.state, judge.name, judge.origin) == (4, "done", "gpt-4", "imported")
    again = bring(content, kind="judgments")
    assert (again.judged_pairs, again.unchanged) == (0, {"judged_pairs": 4})
    changed = bring(content.replace("Answer B", "Answer A"), kind="judgments")
    assert changed.changed == {"judged_pairs": 1}
    with store.reading() as session:
        assert project_fingerprints(session, find_project(session, "p").id) != word


def test_a_column_named_after_judges_makes_their_comparisons_judgments(bring: Bring, store: Store) -> None:
    bring(TEXTS)
    assert bring(HEAD + "q1,alpha,beta,gpt-4,a\n").judged_pairs == 1
    people = bring(HEAD + "q1,alpha,beta,Ann,b\n", mapping=[("rater_kind", "human")])
    assert (people.judged_pairs, people.preferences) == (0, 1)
    assert [row[3:6] for row in comparisons(store)] == [("Ann", "human", "b"), ("gpt-4", "judge", "a")]


def test_both_orders_of_a_pair_are_kept_apart(bring: Bring, store: Store) -> None:
    bring(TEXTS)
    one_order = HEAD + "q1,alpha,beta,j,a\nq2,beta,alpha,j,b\n"
    bring(one_order)
    assert {row[-1] for row in comparisons(store)} == {""}, "one order each: which came first is not known"
    bring(HEAD.replace("judge", "autorater") + "q1,alpha,beta,k,a\nq1,beta,alpha,k,a\nq2,beta,alpha,k,b\n")
    assert [row for row in comparisons(store) if row[3] == "k"] == [
        ("q1", "alpha", "beta", "k", "judge", "a", "a"),
        ("q1", "alpha", "beta", "k", "judge", "b", "b"),
        ("q2", "beta", "alpha", "k", "judge", "b", "a"),
    ]


def test_a_row_with_the_verdicts_in_both_orders_is_two_choices(bring: Bring, store: Store) -> None:
    rows = [
        {"question_id": 81, "question": "Why?", "model_1": "m1", "model_2": "m2", "response_1": "So",
         "response_2": "No", "g1_winner": "model_1", "g2_winner": "tie", "judge": "gpt-4"},
    ]  # fmt: skip
    assert bring("\n".join(map(json.dumps, rows)), name="f.jsonl").judged_pairs == 2
    assert comparisons(store) == [
        ("81", "m1", "m2", "gpt-4", "judge", "a", "a"),
        ("81", "m1", "m2", "gpt-4", "judge", "tie", "b"),
    ]


def test_of_two_choices_in_the_same_order_the_last_one_counts(bring: Bring, store: Store) -> None:
    bring(TEXTS)
    report = bring(HEAD + "q1,alpha,beta,j,a\nq1,alpha,beta,j,b\n")
    assert any("1 judgment is repeated with different content" in notice for notice in report.notices)
    assert [row[5] for row in comparisons(store)] == ["b"]


def test_a_judges_ranking_and_votes_become_choices(bring: Bring, store: Store) -> None:
    bring(TEXTS)
    bring("item_id,judge,ranking\nq1,j,beta > alpha = gamma\n")
    bring("item_id,judge,best,worst\nq2,j,me too,gamma\n".replace("me too", "alpha"))
    assert [row[:3] + row[5:6] for row in comparisons(store)] == [
        ("q1", "alpha", "beta", "b"),
        ("q1", "alpha", "gamma", "tie"),
        ("q1", "beta", "gamma", "a"),
        ("q2", "alpha", "gamma", "a"),
        ("q2", "beta", "alpha", "b"),
        ("q2", "beta", "gamma", "a"),
    ]


def test_columns_of_choices_beside_two_responses_are_raters_whatever_their_names(
    bring: Bring, store: Store
) -> None:
    bring(TEXTS)
    content = (
        "item_id,response_a,response_b,first,Nele,Oskar,turn,topic\n"
        "q1,alpha,beta,b,a,b,1,a\nq1,alpha,gamma,a,b,tie,2,trains\nq1,beta,gamma,a,,a,1,b\n"
    )
    report = bring(content, name="choices.csv")
    assert report.preferences == 5
    assert {row[3:5] for row in comparisons(store)} == {("Nele", "human"), ("Oskar", "human")}


def test_the_kind_of_those_in_a_column_called_judge_can_be_given(bring: Bring, store: Store) -> None:
    bring(TEXTS)
    content = HEAD + "q1,alpha,beta,gpt-4,a\n"
    bring(content, name="judged.csv", mapping=[("rater_kind", "judge")])
    wide = "item_id,response_a,response_b,Nele,Oskar\nq1,alpha,beta,b,a\nq1,alpha,gamma,a,b\n"
    bring(wide, name="choices.csv", mapping=[("rater_kind", "judge")])
    assert {row[3:5] for row in comparisons(store)} == {
        *(("gpt-4", "judge"), ("Nele", "human"), ("Oskar", "human"))
    }


PANEL = [
    {"idx": n, "cmp_key": "one_two", "instruction": f"Do {n}.", "response1": f"So {n}",
     "response2": f"No {n}", "annotator1": a, "annotator2": b, "annotator3": c}
    for n, (a, b, c) in enumerate([(1, 1, 2), (0, 2, 2), (2, 1, 0)])
]  # fmt: skip


def test_one_column_per_annotator_with_numbers_that_a_person_explains(
    bring: Bring, refused: Refused, store: Store
) -> None:
    problems = refused(json.dumps(PANEL), name="f.json")
    assert {problem.column for problem in problems} == {"annotator1", "annotator3"}
    assert all("'0' is not a valid choice; give the meaning of each number" in p.message for p in problems)
    report = bring(json.dumps(PANEL), name="f.json", values=["choice:0=tie"])
    assert (report.items, report.responses, report.preferences) == (3, 6, 9)
    with store.reading() as session:
        frame = preference_frame(session, find_project(session, "p").id)
        text = {row.id: row.text for row in session.scalars(select(ResponseRow))}
    said = {
        (rater, text[first if choice == "a" else second])
        for rater, first, second, choice in frame[["rater", "response_a", "response_b", "choice"]].to_numpy()
        if choice != "tie"
    }
    assert said == {
        *(("annotator1", t) for t in ("So 0", "No 2")),
        *(("annotator2", t) for t in ("So 0", "No 1", "So 2")),
        *(("annotator3", t) for t in ("No 0", "No 1")),
    }
    assert (frame["choice"] == "tie").sum() == 2


def test_rows_by_id_are_read_like_a_list_of_rows(bring: Bring, store: Store) -> None:
    by_id = {f"one_two/{row['idx']}": row for row in PANEL}
    report = bring(json.dumps(by_id), name="f.json", values=["choice:0=tie"])
    assert (report.items, report.responses, report.preferences) == (3, 6, 9)
    texts = {"s1": {"question": "Why?", "response": "So"}, "s2": {"question": "Who?", "response": "Me"}}
    assert bring(json.dumps(texts), name="texts.json").items == 2
    assert {"s1", "s2"} <= set(item_ids(store))


@pytest.mark.parametrize(
    ("codes", "given", "all_given"),
    [
        (("-1", "1", "0"), ["choice:-1=a"], ["choice:-1=a", "choice:0=tie", "choice:1=b"]),
        (("0", "1", "2"), ["choice:0=a", "choice:1=b"], ["choice:0=a", "choice:1=b", "choice:2=tie"]),
    ],
)
def test_once_a_number_is_explained_no_other_one_has_its_usual_meaning(
    bring: Bring,
    refused: Refused,
    store: Store,
    codes: tuple[str, ...],
    given: list[str],
    all_given: list[str],
) -> None:
    bring(TEXTS)
    rows = zip(("alpha,beta", "alpha,gamma", "beta,gamma"), codes, strict=True)
    content = "item_id,response_a,response_b,rater,choice\n" + "".join(f"q2,{p},Ann,{c}\n" for p, c in rows)
    unexplained = {code for code in codes if f"choice:{code}=" not in "".join(given)}
    problems = refused(content, values=given)
    assert {code for code in codes if any(f"'{code}' is not" in p.message for p in problems)} == unexplained
    bring(content, values=all_given)
    won = [row[2] if row[5] == "b" else row[1] if row[5] == "a" else "tie" for row in comparisons(store)]
    assert sorted(won) == ["alpha", "gamma", "tie"]


def test_meanings_of_choices_hold_for_those_in_the_swapped_order(bring: Bring, store: Store) -> None:
    bring(TEXTS)
    content = "item_id,response_a,response_b,judge,choice,swapped_choice\nq1,alpha,beta,gpt-4,x,y\n"
    bring(content, kind="judgments", values=["choice:x=a", "choice:y=b"])
    assert [row[5:] for row in comparisons(store)] == [("a", "a"), ("b", "b")]


NESTED = [
    {"input": f"Do {n}.", "output_1": f"So {n}", "output_2": f"No {n}", "label": 1,
     "swap = False": {"completion": "long", "winner": one}, "swap = True": {"winner": two},
     "swap_equal": one == two}
    for n, (one, two) in enumerate([("1", "1"), ("2", "1"), ("None", "2")])
]  # fmt: skip


def test_verdicts_inside_objects_in_both_orders_of_a_judge_named_by_the_file(
    bring: Bring, store: Store
) -> None:
    report = bring(json.dumps(NESTED), name="gpt-4-metrics.json", kind="judgments")
    assert (report.items, report.responses, report.judged_pairs) == (3, 6, 6)
    assert any("it is called 'gpt-4-metrics' after the file" in notice for notice in report.notices)
    with store.reading() as session:
        text = {row.id: row.text for row in session.scalars(select(ResponseRow))}
        frame = preference_frame(session, find_project(session, "p").id)
    chosen = {
        (text[a if shown == "a" else b], text[a if choice == "a" else b])
        for a, b, choice, shown in frame[["response_a", "response_b", "choice", "order"]].to_numpy()
    }
    assert chosen == {
        *(("So 0", "So 0"), ("No 0", "So 0"), ("So 1", "No 1"), ("No 1", "So 1")),
        ("No 2", "No 2"),  # None in the other order
    }
    assert set(frame["rater"]) == {"gpt-4-metrics"}
    again = bring(json.dumps(NESTED), name="other.json", kind="judgments")
    assert (again.items, again.judged_pairs) == (0, 6), "another judge by the name of its file"


def test_gold_labels_in_a_column_are_one_raters_choices(bring: Bring) -> None:
    report = bring(json.dumps(NESTED), name="gold.json", mapping=[("rater[gold]", "label")])
    assert report.preferences == 3


def test_people_without_names_are_not_named_after_a_file(refused: Refused) -> None:
    problems = refused(json.dumps(NESTED), name="people.json", kind="ratings")
    assert any("no column contains the rater's name" in problem.message for problem in problems)


def test_meanings_hold_for_numbers_words_and_scores(bring: Bring, store: Store) -> None:
    bring(TEXTS)
    values = [
        "choice:-1=b",
        "choice:0=tie",
        "choice:1=a",
        "choice:error=none",
        "score:great=5",
        "score:meh=2",
    ]
    bring(HEAD + "q1,alpha,beta,j,-1.0\nq1,alpha,gamma,j,0\nq2,alpha,beta,j,ERROR\n", values=values)
    assert [row[5] for row in comparisons(store)] == ["b", "tie"]
    report = bring("item_id,system,rater,score\nq1,alpha,Ann,Great\nq1,beta,Ann,meh\n", values=values)
    assert report.ratings == 2


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["choice:1"], "write FIELD:CELL=MEANING"),
        (["rater:1=a"], "write FIELD:CELL=MEANING"),
        (["choice:1=left one"], "a choice can mean a, b, tie, none"),
        (["choice:1=a", "choice:1.0=b"], "two meanings"),
    ],
)
def test_a_meaning_that_cannot_hold_is_refused(bring: Bring, values: list[str], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        bring(TEXTS, values=values)


def test_judges_choices_survive_an_export(bring: Bring, store: Store, tmp_path: Path) -> None:
    bring(TEXTS)
    bring(
        "item_id,response_a,response_b,judge,choice,order,rationale,confidence\n"
        "q1,alpha,beta,j,a,a,why,0.5\nq1,alpha,beta,j,,b,,\n"
    )
    export_project(store, "p", tmp_path / "out")
    with store.writing() as session:
        create_project(session, name="q")
    report = import_files(store, "q", collect_files([tmp_path / "out"]))
    assert report.judged_pairs == 2
    assert comparisons(store, "q") == comparisons(store, "p")
    with store.reading() as session:
        columns = [JudgedPair.choice, JudgedPair.reason, JudgedPair.rationale, JudgedPair.confidence]
        rows = session.execute(select(*columns, func.count()).group_by(*columns)).all()
    assert [count for *_, count in rows] == [2, 2], "each choice once in either project"


def fastchat_row(turn: int, one: str, two: str) -> dict[str, object]:
    """Return a row of `gpt-4_pair.jsonl`, as FastChat's gen_judgment.py writes it."""
    return {
        **{"question_id": 81, "model_1": "alpha", "model_2": "beta", "g1_winner": one, "g2_winner": two},
        **{"judge": ["gpt-4", "pair-v2"], "g1_user_prompt": "1", "g1_judgment": f"One: {one}"},
        **{"g2_user_prompt": "2", "g2_judgment": f"Two: {two}", "turn": turn, "tstamp": 1687222123.5},
    }


def test_rows_of_fastchats_judges_keep_both_orders_with_their_own_reasons(bring: Bring, store: Store) -> None:
    texts = [
        {"item_id": f"81-{turn}", "question": "Why?", "system": system, "response": f"{system} {turn}"}
        for turn in (1, 2)
        for system in ("alpha", "beta")
    ]
    bring("\n".join(map(json.dumps, texts)), name="texts.jsonl")
    rows = [fastchat_row(1, "model_2", "tie"), fastchat_row(2, "model_1", "error")]
    report = bring("\n".join(map(json.dumps, rows)), name="gpt-4_pair.jsonl", kind="judgments")
    assert (report.judged_pairs, report.items, report.responses) == (4, 0, 0)
    assert any("1 judgment has no valid score" in notice for notice in report.notices)
    assert comparisons(store) == [
        ("81-1", "alpha", "beta", "gpt-4", "judge", "b", "a"),
        ("81-1", "alpha", "beta", "gpt-4", "judge", "tie", "b"),
        ("81-2", "alpha", "beta", "gpt-4", "judge", "a", "a"),
    ]
    with store.reading() as session:
        stored = list(session.scalars(select(JudgedPair).order_by(JudgedPair.id)))
    assert [(pair.rationale, pair.first) for pair in stored] == [
        *(("One: model_2", "a"), ("Two: tie", "b"), ("One: model_1", "a"), ("Two: error", "b"))
    ]
    assert stored[3].choice == ""


def test_single_scores_of_fastchats_judges_are_judgments_of_turns(bring: Bring, store: Store) -> None:
    judged = {"question_id": 81, "model": "alpha", "judge": ["gpt-4", "single-v1"], "user_prompt": "1"}
    rows = [
        {**judged, "judgment": "Good. Rating: [[7]]", "score": 7, "turn": 1, "tstamp": 1686286939.9},
        {**judged, "judgment": "$ERROR$", "score": -1, "turn": 2, "tstamp": 1686286939.9},
        {
            **judged,
            "question_id": 82,
            "judgment": "Rating: [[3]]",
            "score": 3,
            "turn": 1,
            "tstamp": 1686286940.9,
        },
    ]
    lines = "\n".join(map(json.dumps, rows))
    report = bring(lines, name="gpt-4_single.jsonl", kind="judgments", create_missing=True)
    assert (report.judgments, report.items) == (3, 3)
    with store.reading() as session:
        stored = session.execute(
            select(ItemRow.external_id, Verdict.score, Verdict.rationale)
            .select_from(Judgment)
            .outerjoin(Verdict, Verdict.judgment_id == Judgment.id)
            .join(ResponseRow, ResponseRow.id == Judgment.response_id)
            .join(ItemRow, ItemRow.id == ResponseRow.item_id)
            .order_by(ItemRow.external_id)
        )
        assert list(map(tuple, stored)) == [
            ("81-1", 7, "Good. Rating: [[7]]"),
            ("81-2", None, None),
            ("82-1", 3, "Rating: [[3]]"),
        ]


def test_a_turn_of_fastchats_rows_that_is_none_is_a_problem(refused: Refused) -> None:
    problems = refused(json.dumps(fastchat_row(1, "tie", "tie") | {"turn": "x"}), name="gpt-4_pair.jsonl")
    assert {(problem.row, problem.column) for problem in problems} == {(1, "turn")}
