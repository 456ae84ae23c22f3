"""Flat, wide and nested files in every format."""

from __future__ import annotations

import io
import json

import pandas as pd
import pytest

from judgelab.imports.service import import_files, preview
from judgelab.store.db.engine import Store
from judgelab.store.frames.score_frames import score_frame
from judgelab.store.models import ItemRow, ResponseRow
from judgelab.store.projects.projects import find_project
from tests.imports.conftest import Bring, Refused

ROWS = [
    {
        "item_id": "q1",
        "question": "Who?",
        "category": "people",
        "system": "a",
        "output": "Ann",
        "gold": "Ann",
    },
    {
        "item_id": "q1",
        "question": "Who?",
        "category": "people",
        "system": "b",
        "output": "Bob",
        "gold": "Ann",
    },
    {
        "item_id": "q2",
        "question": "When?",
        "category": "times",
        "system": "a",
        "output": "Now",
        "gold": "Then",
    },
]
SCORES = "item_id,system,rater,criterion,score\nq1,a,r1,quality,3\nq1,b,r1,quality,1\nq2,a,r1,quality,2\n"


def encoded(kind: str) -> bytes:
    frame, out = pd.DataFrame(ROWS), io.BytesIO()
    if kind == "parquet":
        frame.to_parquet(out)
    elif kind == "xlsx":
        frame.to_excel(out, index=False)
    elif kind == "json":
        out.write(json.dumps(ROWS).encode())
    elif kind == "jsonl":
        out.write("\n".join(map(json.dumps, ROWS)).encode())
    else:
        separator = {"csv": ",", "tsv": "\t", "semicolon": ";", "bar": "|"}[kind]
        frame.to_csv(out, index=False, sep=separator)
    return out.getvalue()


def scores(store: Store) -> pd.DataFrame:
    with store.reading() as session:
        return score_frame(session, find_project(session, "p").id)


@pytest.mark.parametrize("kind", ["csv", "tsv", "semicolon", "bar", "json", "jsonl", "parquet", "xlsx"])
def test_every_format_gives_the_same(bring: Bring, kind: str) -> None:
    report = bring(encoded(kind), f"f.{kind}")
    assert (report.items, report.responses, report.references) == (2, 3, 2)
    repeated = bring(encoded(kind), f"f.{kind}")
    assert (repeated.items, repeated.responses, repeated.references) == (0, 0, 0)


def test_a_file_of_systems_without_responses_is_said_to_be_one(bring: Bring) -> None:
    report = bring("item_id,question,system,reply_text\nq1,Who?,a,Ann\n")
    assert (report.items, report.responses) == (1, 0)
    assert "no column is recognised as the systems' responses" in report.notices[0]
    assert not [notice for notice in bring("item_id,question\nq2,Who?\n").notices if "responses" in notice]


def test_the_bytes_decide_and_not_the_name(bring: Bring) -> None:
    report = bring(encoded("tsv"), "f.csv")
    assert report.items == 2
    assert any("read with tabs as separators" in notice for notice in report.notices)
    assert bring(encoded("parquet"), "f.csv").items == 0


def test_long_ratings_join_by_item_and_system(bring: Bring, store: Store) -> None:
    bring(encoded("csv"))
    report = bring(SCORES)
    assert (report.ratings, report.criteria) == (3, ("quality",))
    assert "(ordinal, 1 to 5) was inferred from the scores in the file (1 to 3)" in report.notices[0]
    assert sorted(scores(store).score) == [1, 2, 3]


def test_the_same_ratings_again_change_nothing_and_another_score_changes_one(bring: Bring) -> None:
    bring(encoded("csv"))
    bring(SCORES)
    repeated = bring(SCORES)
    assert (repeated.ratings, repeated.unchanged) == (0, {"ratings": 3})
    assert bring(SCORES.replace("quality,2", "quality,1")).changed == {"ratings": 1}


def test_a_wide_table_with_one_column_per_criterion(bring: Bring, store: Store) -> None:
    bring(encoded("csv"))
    wide = "item_id,system,rater,Fluency,Style\nq1,a,r1,5,1\nq1,b,r1,1,0\n"
    report = bring(wide, mapping=[("score[fluency]", "Fluency"), ("score[style]", "Style")])
    assert report.ratings == 4
    assert set(scores(store).criterion) == {"fluency", "style"}


def test_columns_named_like_criteria_are_their_scores(bring: Bring, store: Store) -> None:
    bring(encoded("csv"))
    bring("item_id,system,rater,criterion,score\nq1,a,r1,fluency,5\nq1,b,r1,fluency,1\n")
    report = bring("item_id,system,rater,Fluency\nq1,a,r2,4\n")
    assert report.ratings == 1


def test_a_wide_table_with_one_column_per_rater(bring: Bring, store: Store) -> None:
    head = "item_id,question,system,response,people,gpt\n"
    wide = head + "q1,Who?,a,Ann,3,\"['3', '2', 'x']\"\nq2,Who?,a,Bo,1,garbage\n"
    report = bring(wide, mapping=[("rater[crowd:human]", "people"), ("rater[gpt:judge]", "gpt")])
    assert (report.items, report.ratings, report.judgments) == (2, 2, 2)
    stored_scores = scores(store)
    assert stored_scores[stored_scores.rater == "gpt"].score.tolist() == [2.5]


def test_judgments_with_rationales_and_missing_scores(bring: Bring, store: Store) -> None:
    bring(encoded("csv"))
    content = "item_id,system,judge,score,rationale\nq1,a,m,1,good\nq1,b,m,,could not say\nq2,a,m,0,bad\n"
    report = bring(content)
    assert report.judgments == 3
    assert any("1 judgment has no valid score" in notice for notice in report.notices)
    assert len(scores(store)) == 2
    assert bring(content).unchanged == {"judgments": 3}


def test_a_ratings_file_that_carries_texts_creates_them(bring: Bring) -> None:
    report = bring("question,response,rater,score\nWho?,Ann,r1,1\nWho?,Ann,r2,0\nWhen?,Now,r1,1\n")
    assert (report.items, report.responses, report.ratings) == (2, 2, 3)


def test_references_of_known_items(bring: Bring) -> None:
    bring(encoded("csv"))
    report = bring("item_id,reference,reference_grade\nq1,Anna,2\nq1,Ann,\nq2,Later,1\n")
    assert report.references == 2


def test_numbered_and_listed_references(bring: Bring) -> None:
    report = bring("item_id,question,reference_1,reference_2\nq1,Who?,Ann,Anna\n")
    assert report.references == 2
    assert (
        bring("item_id,question,golds\nq2,Who?,\"['x', 'y']\"\n", mapping=[("reference", "golds")]).references
        == 2
    )


def test_nested_json_lines(bring: Bring, store: Store) -> None:
    line = {
        "item_id": "q1",
        "question": "Who?",
        "references": ["Ann", {"text": "Anna", "grade": 1}],
        "responses": [
            {
                "system": "a",
                "text": "Ann",
                "ratings": [{"rater": "r1", "scores": {"fluency": 4, "style": 2}}],
            },
            {"system": "b", "text": "Bo", "ratings": [{"rater": "r1", "criterion": "fluency", "score": 1}]},
        ],
    }
    report = bring(json.dumps(line), "f.jsonl", kind="ratings")
    assert (report.items, report.references, report.responses, report.ratings) == (1, 2, 2, 3)


def test_labels_alone_make_items_only_when_asked(bring: Bring) -> None:
    labels = "item_id,rater,label\nx1,r1,yes\nx2,r1,no\nx3,r1,n/a: gone\n"
    report = bring(labels, create_missing=True, missing=["n/a: gone"])
    assert (report.items, report.responses, report.ratings) == (2, 2, 2)
    assert any("'n/a: gone' 1 time)" in notice for notice in report.notices)


def test_several_files_are_read_texts_first(bring: Bring, store: Store) -> None:
    files = [("b_scores.csv", SCORES.encode()), ("items.csv", encoded("csv"))]
    report = import_files(store, "p", files)
    assert (report.items, report.ratings) == (2, 3)


def test_a_rehearsal_counts_and_stores_nothing(bring: Bring) -> None:
    assert bring(encoded("csv"), dry_run=True).items == 2
    assert bring(encoded("csv")).items == 2


def test_a_preview_shows_the_mapping_and_its_change(bring: Bring, store: Store) -> None:
    files = [("f.csv", b"item_id,question,answer\nq1,Who?,Ann\n")]
    shown_preview = preview(store, "p", files)
    assert "--map response=answer" in shown_preview.problems[0].message
    mapping = shown_preview.files[0].mapping
    assert mapping is not None
    changed = mapping.changed("answer", "response")
    shown_preview = preview(store, "p", files, mappings={"f.csv": changed})
    assert (shown_preview.problems, shown_preview.counts["responses"], shown_preview.complete) == (
        (),
        1,
        True,
    )
    assert import_files(store, "p", files, mappings={"f.csv": changed}).responses == 1


def test_a_preview_of_a_long_file_says_that_it_is_not_complete(bring: Bring, store: Store) -> None:
    rows = "".join(f"q{i},Who {i}?\n" for i in range(5000))
    shown_preview = preview(store, "p", [("f.csv", f"item_id,question\n{rows}".encode())])
    assert (shown_preview.counts["items"], shown_preview.complete, len(shown_preview.files[0].rows)) == (
        1000,
        False,
        20,
    )


def test_one_thing_is_not_counted_as_several(bring: Bring) -> None:
    report = bring("item_id,system,response\nq1,a,x\n")
    assert report.sentence() == "1 item, 1 response new"
    notices = bring("item_id,system,rater,score\nq1,a,Ann,n/a\nq2,a,Ann,1\n", create_missing=True).notices
    assert "1 rating has no score ('n/a' 1 time); left out" in notices
    assert "created without texts: 1 item and 1 response" in notices


BY_ID = "item_id,response_id,system,response\nq1,r1,a,x\nq1,r2,b,y\nq2,r3,a,z\n"


@pytest.mark.parametrize(
    ("content", "options"),
    [
        ("response_id,rater,criterion,score\nr1,Ann,quality,1\nr2,Ann,quality,2\nr3,Ann,quality,3\n", {}),
        (
            "answer_id,rater,Quality\nr1,Ann,1\nr2,Ann,2\nr3,Ann,3\n",
            {"mapping": [("score[quality]", "Quality")]},
        ),
        (
            "response_id,ann\nr1,1\nr2,2\nr3,3\n",
            {"mapping": [("rater[Ann:human]", "ann")], "create_missing": True},
        ),
        ("item_id,response_id,rater,score\n,r1,Ann,1\nq1,r2,Ann,2\n,r3,Ann,3\n", {}),
    ],
    ids=["long", "a column per criterion", "a column per rater", "items named here and there"],
)
def test_ratings_that_name_the_response_alone_are_joined_by_it(
    bring: Bring, store: Store, content: str, options: dict
) -> None:
    bring(BY_ID)
    report = bring(content, **options)
    assert (report.items, report.responses, report.ratings) == (0, 0, 3)
    stored_scores = scores(store).sort_values("score")
    assert list(zip(stored_scores.item, stored_scores.system, stored_scores.score, strict=True)) == [
        ("q1", "a", 1),
        ("q1", "b", 2),
        ("q2", "a", 3),
    ]


def test_judgments_that_name_the_response_alone_are_joined_by_it(bring: Bring, store: Store) -> None:
    bring(BY_ID)
    report = bring("response_id,judge,score,reply\nr1,m,1,It is 1.\nr3,m,0,No.\n")
    assert report.judgments == 2
    assert any("matched by response_id alone" in notice for notice in report.notices)
    rows = '{"response_id": "r2", "ratings": [{"rater": "Bo", "score": 1}]}\n'
    assert bring(rows, "f.jsonl").ratings == 1
    assert set(scores(store).item) == {"q1", "q2"}


def test_a_response_that_came_in_the_same_import_is_found_by_its_id(bring: Bring, store: Store) -> None:
    files = [("items.csv", BY_ID.encode()), ("scores.csv", b"response_id,rater,score\nr3,Ann,1\n")]
    assert import_files(store, "p", files).ratings == 1


def test_a_response_id_of_several_items_is_one_sentence_for_the_whole_file(
    bring: Bring, refused: Refused
) -> None:
    bring("item_id,system,response\nq1,a,x\nq1,b,y\nq2,a,z\nq2,b,w\n")
    for content in (
        "response_id,rater,score\na,Ann,1\nb,Ann,2\na,Bo,1\n",
        "response_id,ann\na,1\nb,2\n",
    ):
        mapping = [("rater[Ann:human]", "ann")] if "ann\n" in content else []
        (problem,) = refused(content, mapping=mapping)
        assert problem.sentence() == (
            "row 2, column 'response_id': 2 items have a response 'a' (for example 'q1', 'q2'), so "
            "response_id alone is ambiguous; add an item_id column"
        )


def test_a_response_nobody_knows_and_a_row_without_one_are_told_by_row(
    bring: Bring, refused: Refused
) -> None:
    bring(BY_ID)
    unknown, empty = refused("response_id,rater,score\nr9,Ann,1\n,Ann,2\nr1,Ann,1\n", create_missing=True)
    assert {unknown.sentence(), empty.sentence()} == {
        "row 2, column 'response_id': there is no response 'r9'; import the texts first",
        "row 3, column 'response_id': the row does not name a response; fill in response_id",
    }


WIDE = "Nr,Frage,Antwort A,Antwort B\n1,Wie lang?,Zwei Jahre.,Ein Jahr.\n2,Wie breit?,Zehn cm.,\n"


def test_a_column_for_each_system_is_read_as_its_responses(bring: Bring, store: Store) -> None:
    mapping_pairs = [("item_id", "Nr"), ("question", "Frage")]
    mapping_pairs += [("response[A]", "Antwort A"), ("response[Antwort B]", "Antwort B")]
    report = bring(WIDE, mapping=mapping_pairs)
    assert (report.items, report.responses) == (2, 3)
    assert _answers(store) == {
        ("1", "A", "Zwei Jahre."),
        ("1", "Antwort B", "Ein Jahr."),
        ("2", "A", "Zehn cm."),
    }
    repeated = bring(WIDE, mapping=mapping_pairs)
    assert (repeated.items, repeated.responses) == (0, 0)


def test_two_answers_beside_each_other_that_nobody_compares_are_two_systems(
    bring: Bring, store: Store
) -> None:
    bring("question,response_a,response_b\nWho?,Ann,Bob\n")
    assert {answer[1:] for answer in _answers(store)} == {("response_a", "Ann"), ("response_b", "Bob")}


def _answers(store: Store) -> set[tuple[str, str, str]]:
    with store.reading() as session:
        rows = session.query(ItemRow.external_id, ResponseRow.system, ResponseRow.text)
        return set(map(tuple, rows.join(ResponseRow, ResponseRow.item_id == ItemRow.id)))
