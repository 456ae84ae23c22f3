"""`judgelab learn` and `propose` as a script calls them, and the order that raters get from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judgelab.analysis.data.scores import IN_USE
from judgelab.annotation import service
from judgelab.learned_training.training_data import training_data
from judgelab.preparation.step import prepare
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.frames.score_frames import score_frame
from judgelab.store.models import Assignment, Completion, ItemRow, Rating, Unit, Verdict
from judgelab.store.people import people
from judgelab.store.projects.projects import find_project
from judgelab.store.scoring.judge_costs import judge_costs
from judgelab.store.scoring.learned import stored_learned
from tests.command import judgelab
from tests.databases import new_sqlite
from tests.learned_training.conftest import ITEMS, RATED, SYSTEMS, lamps


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return where the project to learn from lies."""
    monkeypatch.setenv("JUDGELAB_ENCODER", "tfidf")
    url = new_sqlite(tmp_path / "learn.db")
    store = open_store(url)
    lamps(store)
    store.close()
    return url


def learned(address: str, *words: str) -> dict[str, Any]:
    process = judgelab(address, "learn", "lamps", "--shuffles", "4", "--json", *words)
    assert process.returncode == 0, process.stderr
    report: dict[str, Any] = json.loads(process.stdout)
    return report


def test_a_judge_is_learned_scored_out_of_fold_and_explained(address: str) -> None:
    report = learned(address)
    assert (report["rated"], report["later"], report["left_out"]) == (2 * RATED * SYSTEMS, 0, {})
    length, right = report["criteria"]
    estimates = {row["rater"]: row for row in length["rows"] if row["coefficient"] == "spearman"}
    assert estimates["learned, unseen items"]["value"] > 0.8 and estimates["learned, unseen items"]["ci"]
    assert estimates["learned, unseen items and systems"]["value"] is not None
    assert estimates["length"]["value"] > 0.9
    assert right["coefficient"] == "kappa" and right["level"] == "none"
    assert [point["items"] for point in length["curve"]] == [5] and len(length["null"]) == 4
    store = open_store(address)
    with store.reading() as session:
        project = find_project(session, "lamps")
        frame = score_frame(session, project.id, kinds=("judge",))
        verdicts = session.query(Verdict).all()
        (judge,) = stored_learned(session, project.id)
        assert session.query(Completion).count() == 0  # nobody was asked
        assert judge_costs(session, project.id)["learned"].per_thousand == 0.0
    store.close()
    assert set(frame["rater"]) == {"learned"} and len(frame) == 2 * RATED * SYSTEMS
    assert set(frame.loc[frame["criterion"] == "right", "score"]) == {0.0, 1.0}
    assert all("was not trained on this item's ratings" in verdict.rationale for verdict in verdicts)
    assert any("length" in verdict.rationale for verdict in verdicts)
    lowered = [verdict.rationale.partition("Lowered by: ")[2].partition(". ")[0] for verdict in verdicts]
    assert any("(−" in lowered_by for lowered_by in lowered) and not any(
        "(-" in lowered_by for lowered_by in lowered
    )
    of_right = [verdict for verdict in verdicts if verdict.confidence is not None]
    assert {verdict.score for verdict in of_right} == {0.0, 1.0}, "probabilities are of the score given"
    for verdict in of_right:
        assert verdict.rationale.startswith(
            f"Predicted score {verdict.score:g}, with probability {verdict.confidence:.2f}."
        )
    assert all(verdict.detail["held_out"] and verdict.detail["reasons"] for verdict in verdicts)
    assert [model.criterion for model in judge.models] == ["length", "right"]


def test_the_same_data_and_seed_give_the_same_judge_and_learning_again_replaces_it(address: str) -> None:
    first, repeated, with_other_seed = (
        learned(address),
        learned(address),
        learned(address, "--seed", "1", "--later"),
    )
    assert [criterion["data_hash"] for criterion in first["criteria"]] == [
        criterion["data_hash"] for criterion in repeated["criteria"]
    ]
    assert first["criteria"] == repeated["criteria"] and first["criteria"] != with_other_seed["criteria"]
    assert with_other_seed["later"] == 2 * (ITEMS - RATED) * SYSTEMS
    store = open_store(address)
    with store.reading() as session:
        rationales = [
            verdict.rationale for verdict in session.query(Verdict).all() if not verdict.detail["held_out"]
        ]
        assert session.query(Verdict).count() == 2 * ITEMS * SYSTEMS
    store.close()
    assert len(rationales) == with_other_seed["later"] and all(
        "This response has no ratings" in rationale for rationale in rationales
    )


def test_too_little_is_refused_and_nothing_is_stored(address: str) -> None:
    store = open_store(address)
    with store.writing() as session:
        session.query(Rating).filter(Rating.response_id > 4 * SYSTEMS).delete()
    process = judgelab(address, "learn", "lamps")
    assert process.returncode == 1 and "ratings of 12 responses to 4 items" in process.stderr
    with store.reading() as session:
        assert stored_learned(session, find_project(session, "lamps").id) == []
    store.close()


def test_what_is_proposed_comes_first_to_raters_who_see_nothing_of_it(address: str) -> None:
    process = judgelab(address, "propose", "lamps", "--json")
    assert process.returncode == 0, process.stderr
    proposal = json.loads(process.stdout)
    assert sorted(item["item"] for item in proposal["items"]) == ["i08", "i09", "i10", "i11"]
    assert proposal["units"] == (ITEMS - RATED) * SYSTEMS
    store = open_store(address)
    with store.writing() as session:
        project = find_project(session, "lamps").id
        rater = people.find_or_create(session, "Bo", role="annotator")
    screen = service.next_items(store, rater, project)
    with store.reading() as session:
        assignments = (
            session.query(Assignment).filter(Assignment.person_id == rater).order_by(Assignment.order).all()
        )
        items = [
            session.get_one(ItemRow, session.get_one(Unit, assignment.unit_id).item_id).external_id
            for assignment in assignments
        ]
    store.close()
    assert len(screen) == len(assignments) > 0
    assert items[0] == proposal["items"][0]["item"]
    assert [assignment.turn for assignment in assignments] == sorted(
        assignment.turn for assignment in assignments if assignment.turn is not None
    )
    assert "turn" not in json.dumps(
        [vars(task) if hasattr(task, "__dict__") else str(task) for task in screen], default=str
    )


def test_the_response_people_rated_best_is_no_reference_to_learn_from(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGELAB_ENCODER", "tfidf")
    slug = lamps(store)
    before = training_data(store, slug, policy=IN_USE).table
    prepare(store, slug, "references", {"kind": "best"})
    after = training_data(store, slug, policy=IN_USE).table
    assert after.names == before.names
    assert np.array_equal(after.values, before.values, equal_nan=True)


def test_a_learned_judge_has_no_name_of_another_rater(address: str) -> None:
    process = judgelab(address, "learn", "lamps", "--name", "rouge1")
    assert (
        process.returncode == 1
        and "'rouge1' is already the name of a metric; choose another name." in process.stderr
    )
    store = open_store(address)
    with store.reading() as session:
        assert stored_learned(session, find_project(session, "lamps").id) == []
    store.close()
