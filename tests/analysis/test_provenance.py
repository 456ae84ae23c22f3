"""Who said what, when, under which guidelines, and which rule removed it."""

from __future__ import annotations

import csv
import uuid
from pathlib import Path

import pytest
from sqlalchemy import select

from judgelab.analysis.data import saved_filters
from judgelab.analysis.data.provenance import provenance_table
from judgelab.annotation import service
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.imports.exports import export_project, write_provenance
from judgelab.imports.service import collect_files, import_files
from judgelab.store.db.engine import Store
from judgelab.store.models import ItemRow, Project, Rating
from judgelab.store.people import people
from judgelab.store.projects.projects import create_project, find_project


@pytest.fixture
def rated(store: Store) -> Store:
    """Ten responses: Ann and Bea agree, Cid says the opposite."""
    with store.writing() as session:
        create_project(session, name="p")
    rows = ["item_id,response,rater,score"]
    for i in range(10):
        points = 1 + i % 5
        rows += [
            f"q{i},text {i},Ann,{points}",
            f"q{i},text {i},Bea,{points}",
            f"q{i},text {i},Cid,{6 - points}",
        ]
    import_files(store, "p", [("f.csv", "\n".join(rows).encode())], kind="ratings")
    return store


def test_the_rule_that_removed_a_rating_is_named_with_its_reason(rated: Store) -> None:
    saved_filters.save_filter(rated, "p", "strict", FilterPolicy(threshold=0.4))
    table = provenance_table(rated, "p")
    assert len(table) == 30
    removed = table[~table.kept]
    assert set(removed.rater) == {"Cid"}
    assert set(removed.removed_by) == {"strict, version 1"}
    assert all(removed.reason)
    assert set(table[table.kept].removed_by) == {""}
    assert provenance_table(rated, "p", policy="none").kept.all()


def test_what_is_no_data_says_so_under_any_rule(rated: Store) -> None:
    with rated.writing() as session:
        ratings = session.scalars(select(Rating).order_by(Rating.id)).all()
        ratings[0].score = None
        ratings[1].occasion = 1
        session.scalars(select(ItemRow).where(ItemRow.external_id == "q9")).one().purpose = "attention"
    reasons = provenance_table(rated, "p").reason.value_counts()
    assert dict(reasons) == {"": 25, "not data: attention": 3, "cannot be judged": 1, "a planned repeat": 1}


def test_a_rating_carries_the_guidelines_of_its_own_screen(rated: Store) -> None:
    with rated.writing() as session:
        project = find_project(session, "p")
        dan = people.find_or_create(session, "Dan")
        row = session.get_one(Project, project.id)
        row.settings = {**row.settings, "raters_per_response": 9}
        row.guidelines_version = 2

    def rate(scores: dict[str, float], item: int) -> None:
        op = {"uid": str(uuid.uuid4()), "kind": "rate", "item": item, "scores": scores}
        assert service.apply(rated, dan, project.id, op).state == "stored"

    first, second = service.next_items(rated, dan, project.id)[:2]
    rate({"score": 3}, first.id)
    with rated.writing() as session:
        session.get_one(Project, project.id).guidelines_version = 3
    rate({"score": 4}, second.id)
    table = provenance_table(rated, "p")
    dans_ratings = table[table.rater == "Dan"].sort_values("rated_at")
    assert list(dans_ratings.guidelines_version) == [2, 3]
    assert all(dans_ratings.texts_shown)
    assert table[table.rater == "Ann"].guidelines_version.isna().all()


@pytest.mark.parametrize("file_format", ["csv", "jsonl", "parquet"])
def test_it_lies_beside_the_export_and_is_not_read_back(
    rated: Store, tmp_path: Path, file_format: str
) -> None:
    export_project(rated, "p", tmp_path / "out", file_format=file_format)
    assert write_provenance(tmp_path / "out", provenance_table(rated, "p"), file_format=file_format) == 30
    if file_format == "csv":
        with (tmp_path / "out" / "provenance.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        assert (rows[0]["rater"], rows[0]["kept"], rows[0]["guidelines_version"]) == ("Ann", "true", "")
    assert import_files(rated, "copy", collect_files([tmp_path / "out"])).ratings == 30
    export_project(rated, "p", tmp_path / "out", file_format=file_format)
    assert not (tmp_path / "out" / f"provenance.{file_format}").exists()


@pytest.mark.parametrize("file_format", ["csv", "jsonl", "parquet"])
def test_a_file_does_not_say_whether_raters_were_blind(
    rated: Store, tmp_path: Path, file_format: str
) -> None:
    with rated.writing() as session:
        first, second = session.scalars(select(Rating).order_by(Rating.id)).all()[:2]
        first.origin, first.blind = "web", True
        second.origin, second.blind = "web", False
    table = provenance_table(rated, "p")
    assert table.blind.tolist() == [True, False, *[None] * 28]
    for slug, folder in (("p", "first"), ("copy", "second")):
        export_project(rated, slug, tmp_path / folder, file_format=file_format)
        write_provenance(tmp_path / folder, table, file_format=file_format)
        for name in ("ratings", "provenance"):
            path = tmp_path / folder / f"{name}.{file_format}"
            if file_format == "csv":
                cells = [row["blind"] for row in csv.DictReader(path.read_text("utf-8").splitlines())]
                assert cells == ["true", "false", *[""] * 28]
        if slug == "p":
            import_files(rated, "copy", collect_files([tmp_path / folder]))
    ratings = f"ratings.{file_format}"
    assert (tmp_path / "first" / ratings).read_bytes() == (tmp_path / "second" / ratings).read_bytes()


def test_imported_comparisons_do_not_say_whether_raters_were_blind(store: Store, tmp_path: Path) -> None:
    with store.writing() as session:
        create_project(session, name="c")
    responses = "item_id,system,response\nq,a,x\nq,b,y\n"
    import_files(store, "c", [("r.csv", responses.encode())])
    chosen = "item_id,system_a,system_b,rater,choice\nq,a,b,Ann,a\n"
    import_files(store, "c", [("p.csv", chosen.encode())])
    for slug, folder in (("c", "first"), ("copy", "second")):
        export_project(store, slug, tmp_path / folder)
        (row,) = csv.DictReader((tmp_path / folder / "preferences.csv").read_text("utf-8").splitlines())
        assert (row["origin"], row["blind"]) == ("import", "")
        if slug == "c":
            import_files(store, "copy", collect_files([tmp_path / folder]))
