"""Scores kept in memory are never older than the database."""

import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from judgelab.domain import Criterion
from judgelab.errors import StoreUnavailable
from judgelab.imports.service import import_files
from judgelab.store.frames import fingerprints, rater_work, snapshots
from judgelab.store.models import ItemRow, Rating, ResponseRow
from judgelab.store.people import erasure, people
from judgelab.store.projects.projects import create_project, find_project
from judgelab.store.rating import gold
from judgelab.store.rating.criteria import criterion_ids

SCALE = {"kind": "ordinal", "low": 1, "high": 5}


@pytest.fixture
def project(any_store):
    return with_a_rating(any_store)


def with_a_rating(store):
    """One response that Ada gave 2 points."""
    with store.writing() as session:
        created = create_project(session, name="Pans", criteria=[Criterion("good", "Good", SCALE)])
        item = ItemRow(project_id=created.id, external_id="q1", question="Does it fit?")
        session.add(item)
        session.flush()
        session.add(ResponseRow(project_id=created.id, item_id=item.id, external_id="a", text="Yes."))
        session.flush()
    rate(store, created.id, "Ada", 2)
    return created.id


def rate(store, project_id, name, score):
    with store.writing() as session:
        (criterion,) = criterion_ids(session, project_id).values()
        person = people.find_or_create(session, name)
        response = session.query(ResponseRow).filter_by(project_id=project_id).one().id
        row = session.query(Rating).filter_by(person_id=person, response_id=response).one_or_none()
        if row is None:
            keys = {"project_id": project_id, "response_id": response, "person_id": person}
            session.add(Rating(**keys, criterion_id=criterion, score=score))
        else:
            row.score = score


def scores(store, project_id):
    return dict(snapshots.score_frame(store, project_id)[["rater", "score"]].itertuples(index=False))


def test_each_change_is_seen_at_once(any_store, project):
    assert scores(any_store, project) == {"Ada": 2}
    rate(any_store, project, "Bo", 4)
    assert scores(any_store, project) == {"Ada": 2, "Bo": 4}
    rate(any_store, project, "Ada", 5)
    assert scores(any_store, project) == {"Ada": 5, "Bo": 4}


def test_what_another_process_wrote_is_seen_too(store):
    project = with_a_rating(store)
    assert scores(store, project) == {"Ada": 2}
    connection = sqlite3.connect(store.engine.url.database)
    connection.execute("UPDATE rating SET score = 3")
    connection.commit()
    connection.close()
    assert scores(store, project) == {"Ada": 3}


def test_a_database_put_in_its_place_is_another_one(store, tmp_path):
    project = with_a_rating(store)
    path = store.engine.url.database
    saved = tmp_path / "saved.db"
    with sqlite3.connect(path) as source:
        source.execute(f"VACUUM INTO '{saved}'")
    rate(store, project, "Ada", 5)
    assert scores(store, project) == {"Ada": 5}
    store.engine.dispose()
    for beside in ("-wal", "-shm"):
        if os.path.exists(path + beside):
            os.remove(path + beside)
    shutil.move(saved, path)
    assert scores(store, project) == {"Ada": 2}


def test_a_database_that_is_taken_away_is_missed_and_no_empty_one_made(store, tmp_path):
    project = with_a_rating(store)
    path = Path(store.engine.url.database)
    store.engine.dispose()  # so that all of it is in the one file
    moved = path.rename(tmp_path / "kept.db")
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match=f"{path.name} was removed while JudgeLab was running"):
            rate(store, project, "Ada", 5)
    assert not path.exists()
    moved.rename(path)
    rate(store, project, "Ada", 4)
    assert scores(store, project) == {"Ada": 4}


def test_a_change_to_what_was_got_stays_with_its_caller(any_store, project):
    first = snapshots.score_frame(any_store, project)
    first["score"] = 0.0
    first.loc[0, "rater"] = "nobody"
    assert scores(any_store, project) == {"Ada": 2}


def test_nothing_is_asked_again_while_nothing_was_written(any_store, project):
    word = snapshots.fingerprint(any_store, project)
    assert any_store.stamp() == any_store.stamp() != ""
    with any_store.reading() as session:
        assert find_project(session, "pans").id == project
        assert (
            fingerprints.project_fingerprints(session, project).combined
            == word
            == snapshots.fingerprint(any_store, project)
        )


def test_words_are_counted_in_any_script(store):
    """As the metric `length` counts them, so that the baseline and the metric of that name are one figure."""
    project_id = with_a_rating(store)
    with store.writing() as session:
        item = session.query(ItemRow).one()
        session.add(
            ResponseRow(project_id=project_id, item_id=item.id, external_id="b", text="東京は大きい。")
        )
    assert sorted(snapshots.word_counts(store, project_id)) == [1.0, 6.0]


def test_only_the_kinds_asked_for(any_store, project):
    assert list(snapshots.score_frame(any_store, project, kinds=("human",))["rater"]) == ["Ada"]
    assert snapshots.score_frame(any_store, project, kinds=("judge", "metric")).empty


def test_an_item_that_is_no_data_any_more_is_left_out_at_once(store):
    project = with_a_rating(store)
    assert scores(store, project) == {"Ada": 2}
    with store.writing() as session:
        gold.set_purpose(session, session.query(ItemRow).one().id, "attention")
    assert scores(store, project) == {}


def test_a_system_and_a_group_that_a_file_tells_later_are_seen_at_once(store):
    project = with_a_rating(store)
    assert list(snapshots.score_frame(store, project)["system"]) == [""]
    items_file = b"item_id,question,group,response_id,system,response\nq1,Does it fit?,lids,a,alpha,Yes.\n"
    import_files(store, "pans", [("told.csv", items_file)])
    frame = snapshots.score_frame(store, project)
    assert frame[["system", "group"]].values.tolist() == [["alpha", "lids"]]


def test_the_name_of_who_was_erased_goes_from_what_is_kept(store):
    project = with_a_rating(store)
    assert scores(store, project) == {"Ada": 2}
    with store.writing() as session:
        stamp = rater_work.work_fingerprints(session, project)
        ada = people.find(session, "Ada").id
        erasure.erase_person(session, ada, keep_ratings=True, keep_comments=True)
        assert rater_work.work_fingerprints(session, project) != stamp
    assert scores(store, project) == {"Erased person 1": 2}
