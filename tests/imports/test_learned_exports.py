"""The learned judge and what it proposes, through an export, into a copy and without the people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from judgelab.annotation import service
from judgelab.imports.exports import export_project
from judgelab.imports.service import collect_files, import_files
from judgelab.learned_training.active_learning import propose
from judgelab.learned_training.training import learn
from judgelab.reporting.anonymous import export_anonymised
from judgelab.store.db.engine import Store
from judgelab.store.frames.score_frames import score_frame
from judgelab.store.models import Assignment, Judgment, Unit
from judgelab.store.people import people
from judgelab.store.projects.projects import find_project, update_project
from judgelab.store.scoring.learned import stored_learned
from judgelab.store.transfer.export_tables import TABLES
from judgelab.store.transfer.exporting import project_record, table_rows
from judgelab.store.transfer.imported_work import count_as_done
from tests.learned_training.conftest import lamps

QUICK: dict[str, Any] = {"policy": "none", "encoder": "tfidf", "shuffles": 2}


@pytest.fixture
def taught(any_store: Store) -> Store:
    """A project with a learned judge, proposals, and a rater who works in their order."""
    learn(any_store, lamps(any_store), **QUICK, later=True)
    propose(any_store, "lamps", policy="none", encoder="tfidf")
    with any_store.writing() as session:
        bo = people.find_or_create(session, "Bo", role="annotator")
        project = find_project(session, "lamps").id
        count_as_done(session, project)
        # What Ada began would come before what is proposed.
        update_project(session, project, settings={"raters_per_response": 1})
    assert service.next_items(any_store, bo, project)
    return any_store


def tables(store: Store, slug: str) -> dict[str, Any]:
    with store.reading() as session:
        project = find_project(session, slug).id
        rows = {table.name: list(table_rows(session, project, table)) for table in TABLES}
        head = project_record(session, project)
    return {**rows, "judges": head["judges"], "runs": head["runs"]}


def turns(store: Store, slug: str, table: Any) -> list[int | None]:
    with store.reading() as session:
        project = find_project(session, slug).id
        return list(session.scalars(select(table.turn).where(table.project_id == project).order_by(table.id)))


def verdicts(store: Store, slug: str) -> int:
    with store.reading() as session:
        return len(score_frame(session, find_project(session, slug).id, kinds=("judge",)))


@pytest.mark.parametrize("file_format", ["csv", "jsonl", "parquet"])
def test_a_copy_has_the_judge_its_verdicts_and_its_proposals(
    taught: Store, tmp_path: Path, file_format: str
) -> None:
    export_project(taught, "lamps", tmp_path / "out", file_format=file_format)
    for _ in range(2):  # the second time there is nothing to add
        import_files(taught, "copy", collect_files([tmp_path / "out"]))
        assert tables(taught, "copy") == tables(taught, "lamps")
    assert turns(taught, "copy", Unit) == turns(taught, "lamps", Unit)
    assigned_turns = turns(taught, "lamps", Assignment)
    assert turns(taught, "copy", Assignment) == assigned_turns and any(assigned_turns)
    with taught.reading() as session:
        first, copy = (stored_learned(session, find_project(session, s).id)[0] for s in ("lamps", "copy"))
    assert copy == first and [model.criterion for model in copy.models] == ["length", "right"]
    # Nothing of the judge depends on where it lies: learned again in the copy it is the same.
    learn(taught, "copy", **QUICK, later=True)
    with taught.reading() as session:
        (retrained,) = stored_learned(session, find_project(session, "copy").id)
    assert retrained.models == first.models


def test_an_older_export_leaves_alone_what_was_learned_since(taught: Store, tmp_path: Path) -> None:
    export_project(taught, "lamps", tmp_path / "out")
    learn(taught, "lamps", **{**QUICK, "kind": "ridge"}, criteria=["length"])
    propose(taught, "lamps", policy="none", encoder="tfidf", seed=7)
    before, proposed = tables(taught, "lamps"), turns(taught, "lamps", Unit)
    import_files(taught, "lamps", collect_files([tmp_path / "out"]))
    after = tables(taught, "lamps")
    assert {name for name in after if after[name] != before[name]} <= {"log"}
    assert turns(taught, "lamps", Unit) == proposed


def test_an_export_from_before_knows_no_turns(taught: Store, tmp_path: Path) -> None:
    export_project(taught, "lamps", tmp_path / "out", file_format="jsonl")
    head = tmp_path / "out" / "project.json"
    head.write_text(json.dumps({**json.loads(head.read_text()), "version": 4}))
    for name in ("learned_models", "proposals"):
        (tmp_path / "out" / f"{name}.jsonl").unlink()
    assignments = tmp_path / "out" / "assignments.jsonl"
    rows = [json.loads(line) for line in assignments.read_text().splitlines()]
    assignments.write_text(
        "".join(json.dumps({k: v for k, v in r.items() if k != "turn"}) + "\n" for r in rows)
    )
    import_files(taught, "copy", collect_files([tmp_path / "out"]))
    assert not any(turns(taught, "copy", Assignment)) and not any(turns(taught, "copy", Unit))
    assert verdicts(taught, "copy") == verdicts(taught, "lamps")


def test_without_the_people_the_judge_stays_and_nobody_is_named(taught: Store, tmp_path: Path) -> None:
    counts = export_anonymised(taught, "lamps", tmp_path / "out", file_format="jsonl")
    with taught.reading() as session:
        assert counts["judgments"] == session.query(Judgment).count()
    assert (counts["learned_models"], counts["proposals"]) == (
        2,
        sum(map(bool, turns(taught, "lamps", Unit))),
    )
    exported = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "out").iterdir())
    assert '"Ada"' not in exported and '"Bo"' not in exported
    assert "was not trained on this item's ratings" in exported
