"""What items are for, whom they are kept for, and known scores, as columns of a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from judgelab.domain import Criterion
from judgelab.imports.columns.guessing import guess_mapping
from judgelab.imports.columns.mapping import guess_kind
from judgelab.imports.exports import export_project
from judgelab.imports.files.sources import files_at
from judgelab.imports.service import import_files, preview
from judgelab.store.db.engine import Store
from judgelab.store.frames.score_frames import response_frame
from judgelab.store.models import CriterionRow, GoldScore, ItemRow, ResponseRow, Unit
from judgelab.store.projects.projects import create_project, find_project, update_project
from judgelab.store.rating.criteria import add_criteria
from tests.imports.conftest import Bring, Refused

QUALITY = Criterion("quality", "Quality", {"kind": "ordinal", "low": 0, "high": 3, "labels": {"3": "good"}})
HEAD = "item_id,question,system,output,purpose,cohort,gold[quality],tolerance\n"
ROWS = (
    "q1,Who?,a,Ann,,,2,\n"
    "q1,Who?,b,Bob,,,,\n"
    "q2,When?,a,Now,attention,,good,0\n"
    "q3,Why?,a,So,Training,,1,1\n"
    "q4,How?,a,Thus,data,person:Ben,,\n"
)


@pytest.fixture
def quality(bring: Bring, store: Store) -> None:
    """Give the project its criterion."""
    with store.writing() as session:
        add_criteria(session, find_project(session, "p").id, [QUALITY])


def held(store: Store, slug: str = "p") -> tuple[dict[str, tuple[str, str]], set[tuple[object, ...]]]:
    """Return purpose and cohort of each item, and the known scores."""
    with store.reading() as session:
        project = find_project(session, slug).id
        items = session.query(ItemRow).filter_by(project_id=project)
        uses = {item.external_id: (item.purpose, item.cohort) for item in items}
        known_scores = (
            session.query(ItemRow.external_id, ResponseRow.system, CriterionRow.key, GoldScore)
            .join(Unit, Unit.id == GoldScore.unit_id)
            .join(ItemRow, ItemRow.id == Unit.item_id)
            .join(ResponseRow, ResponseRow.id == Unit.response_id)
            .join(CriterionRow, CriterionRow.id == GoldScore.criterion_id)
            .filter(Unit.project_id == project)
        )
        return uses, {(i, s, c, g.purpose, g.score, g.tolerance) for i, s, c, g in known_scores}


USES = {"q1": ("data", ""), "q2": ("attention", ""), "q3": ("training", ""), "q4": ("data", "person:Ben")}
KNOWN = {
    ("q1", "a", "quality", "gold", 2.0, 0.0),
    ("q2", "a", "quality", "attention", 3.0, 0.0),
    ("q3", "a", "quality", "training", 1.0, 1.0),
}


def test_purpose_cohort_and_known_scores_are_read_and_come_back_from_an_export(
    bring: Bring, quality: None, store: Store, tmp_path: Path
) -> None:
    report = bring(HEAD + ROWS)
    assert (report.items, report.known_scores) == (4, 3) and "3 known scores" in report.sentence()
    assert held(store) == (USES, KNOWN)
    with store.reading() as session:  # checks and training are no data
        assert set(response_frame(session, find_project(session, "p").id)["item"]) == {"q1", "q4"}
    repeated = bring(HEAD + ROWS)
    assert (repeated.known_scores, repeated.unchanged["known_scores"]) == (0, 3) and held(store) == (
        USES,
        KNOWN,
    )
    export_project(store, "p", tmp_path / "out")
    files = [(path.name, path) for path in files_at(tmp_path / "out")]
    import_files(store, "copy", files)
    assert held(store, "copy") == (USES, KNOWN)


def test_a_ratings_file_may_bring_them_for_items_that_are_there(
    bring: Bring, quality: None, store: Store
) -> None:
    bring("item_id,question,system,output\nq1,Who?,a,Ann\nq1,Who?,b,Bob\n")
    bring(
        "item_id,system,rater,criterion,score,cohort,gold[Quality]\n"
        "q1,a,Ann,quality,3,experts,3\nq1,a,Ben,quality,1,experts,3\nq1,b,Ben,quality,1,,0\n"
    )
    uses, known_scores = held(store)
    assert uses == {"q1": ("data", "experts")}
    assert known_scores == {
        ("q1", "a", "quality", "gold", 3.0, 0.0),
        ("q1", "b", "quality", "gold", 0.0, 0.0),
    }


@pytest.mark.parametrize(
    ("rows", "column", "message"),
    [
        ("q1,Who?,a,Ann,practice,,,\n", "purpose", "'practice' is not a purpose; write data, attention"),
        ("q1,Who?,a,Ann,,,9,\n", "gold[quality]", "9 is not one of 0, 1, 2, 3"),
        ("q1,Who?,a,Ann,,,fine,\n", "gold[quality]", "fine"),
        ("q1,Who?,a,Ann,,,2,-1\n", "gold[quality]", "'-1' is not a valid tolerance"),
        ("q1,Who?,a,Ann,,,2,\nq1,Who?,a,Ann,,,3,\n", "gold[quality]", "is 2 in row 2 and 3 here"),
        ("q1,Who?,a,Ann,data,,,\nq1,Who?,b,Bob,training,,,\n", "purpose", "'data' in row 2"),
        ("q1,Who?,a,Ann,,north,,\nq1,Who?,b,Bob,,south,,\n", "cohort", "'north' in row 2"),
    ],
)
def test_each_wrong_cell_is_told_by_row_and_column(
    refused: Refused, quality: None, store: Store, rows: str, column: str, message: str
) -> None:
    (problem,) = refused(HEAD + rows)
    assert (problem.row, problem.column) == (rows.count("\n") + 1, column)
    assert message in problem.message
    assert held(store) == ({}, set())


def test_a_known_score_needs_a_criterion_that_is_there(refused: Refused, quality: None) -> None:
    (problem,) = refused("item_id,question,output,gold[tone]\nq1,Who?,Ann,2\n")
    assert problem.column == "gold[tone]" and "no criterion 'tone'" in problem.message


@pytest.mark.parametrize(
    ("row", "column", "message"),
    [
        ("q2,When?,a,Now,training,,,\n", "purpose", "stored with the purpose 'attention'"),
        ("q4,How?,a,Thus,,north,,\n", "cohort", "stored with the cohort 'person:Ben'"),
        ("q1,Who?,a,Ann,,,1,\n", "gold[quality]", "stored as 2 with tolerance 0"),
    ],
)
def test_what_is_stored_is_not_overwritten(
    bring: Bring, refused: Refused, quality: None, store: Store, row: str, column: str, message: str
) -> None:
    bring(HEAD + ROWS)
    (problem,) = refused(HEAD + row)
    assert (problem.row, problem.column) == (2, column) and message in problem.message
    assert held(store) == (USES, KNOWN)


def test_where_raters_compare_a_known_score_of_one_response_is_refused(
    bring: Bring, refused: Refused, quality: None, store: Store
) -> None:
    with store.writing() as session:
        update_project(session, find_project(session, "p").id, settings={"form": "pairwise"})
    (problem,) = refused(HEAD + "q1,Who?,a,Ann,,,2,\nq1,Who?,b,Bob,,,,\n")
    assert problem.column == "gold[quality]" and "project mark" in problem.message


def test_the_columns_are_recognised_and_shown_before_anything_is_stored(
    bring: Bring, quality: None, store: Store
) -> None:
    mapping = guess_mapping(["item_id", "question", "output", "purpose", "gold[quality]", "gold"])
    assert [use.field for use in mapping.uses][3:] == ["purpose", "gold[quality]", "reference"]
    assert guess_kind(mapping) == "items"
    assert preview(store, "p", [("f.csv", (HEAD + ROWS).encode())]).counts["known_scores"] == 3


def test_a_new_project_may_get_its_criterion_and_its_known_scores_from_one_file(store: Store) -> None:
    with store.writing() as session:
        create_project(session, name="fresh")
    rows = "item_id,question,output,rater,score[tone],gold[tone]\nq1,Who?,Ann,Zoe,3,2\nq2,Why?,So,Zoe,1,\n"
    import_files(store, "fresh", [("f.csv", rows.encode())])
    assert held(store, "fresh")[1] == {("q1", "", "tone", "gold", 2.0, 0.0)}
