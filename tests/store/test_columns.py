"""Frames made past the ORM hold what the ORM would have said, on both databases."""

from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest

from judgelab.domain import Criterion
from judgelab.store.db import columns
from judgelab.store.frames import rater_work, score_frames
from judgelab.store.models import ItemRow, Rating, ResponseRow
from judgelab.store.people import people
from judgelab.store.projects.projects import create_project
from judgelab.store.rating.criteria import criterion_ids

SCALE = {"kind": "ordinal", "low": 0, "high": 3}
AT = datetime(2025, 5, 5, 9, 30, 1, 250_000, tzinfo=UTC)


@pytest.fixture
def project(any_store):
    """One item, two responses, rated by two; the second cannot judge one of them."""
    with any_store.writing() as session:
        created = create_project(session, name="Pans", criteria=[Criterion("good", "Good", SCALE)])
        (criterion,) = criterion_ids(session, created.id).values()
        item = ItemRow(project_id=created.id, external_id="q1", question="Does it fit?", group="kitchen")
        session.add(item)
        session.flush()
        for n, text in enumerate(("Yes.", "It does.")):
            response = ResponseRow(
                project_id=created.id, item_id=item.id, external_id=str(n), system=f"s{n}", text=text
            )
            session.add(response)
            session.flush()
            for name in ("Ada", "Bo"):
                score = None if (name, n) == ("Bo", 1) else float(n)
                session.add(
                    Rating(
                        project_id=created.id,
                        response_id=response.id,
                        criterion_id=criterion,
                        person_id=people.find_or_create(session, name),
                        score=score,
                        seconds=4.5 if n else None,
                        rated_at=AT.replace(second=n, microsecond=250_000 * n),
                        comment="ü",
                    )
                )
    return created.id


def test_work_is_read_with_its_names_times_and_gaps(any_store, project):
    with any_store.reading() as session:
        work = rater_work.work_frame(session, project)
    assert list(work.columns) == list(rater_work.WORK_COLUMNS)
    assert work["rater"].tolist() == ["Ada", "Bo", "Ada", "Bo"]
    assert work["rated_at"].tolist() == [
        pd.Timestamp(AT.replace(second=n, microsecond=250_000 * n)) for n in (0, 0, 1, 1)
    ]
    assert work["score"].tolist()[:3] == [0, 0, 1] and np.isnan(work["score"].iloc[3])
    assert np.isnan(work["seconds"].iloc[0]) and work["seconds"].iloc[3] == 4.5
    assert work["system"].tolist() == ["s0", "s0", "s1", "s1"]
    assert work["length"].tolist() == [4, 4, 8, 8]
    assert work["screen"].tolist() == [str(response) for response in work["response"]]
    assert work["item"].unique().tolist() == ["q1"] and work["comment"].unique().tolist() == ["ü"]
    assert work["surplus"].dtype == bool and not work["surplus"].any()


def test_scores_are_read_with_what_cannot_be_judged_left_out(any_store, project):
    with any_store.reading() as session:
        scores = score_frames.score_frame(session, project)
    assert scores[["rater", "system", "group", "score"]].values.tolist() == [
        ["Ada", "s0", "kitchen", 0.0],
        ["Bo", "s0", "kitchen", 0.0],
        ["Ada", "s1", "kitchen", 1.0],
    ]
    assert scores["rated_at"].dtype == columns.TIME and scores["run"].isna().all()


def test_a_project_without_ratings_has_empty_columns_of_the_same_types(any_store, project):
    with any_store.reading() as session:
        work, scores = rater_work.work_frame(session, -1), score_frames.score_frame(session, -1)
        full = rater_work.work_frame(session, project)
    assert work.empty and scores.empty
    assert work.dtypes["rated_at"] == full.dtypes["rated_at"] == columns.TIME
    assert work.dtypes["score"] == full.dtypes["score"] and work.dtypes["rater"] == full.dtypes["rater"]


def test_all_rows_in_their_order_and_rows_by_an_index_are_the_same(any_store, project):
    with any_store.reading() as session:
        frame = score_frames.score_frame(session, project)
        texts = score_frames.response_frame(session, project)
        own = columns.without_index(session, Rating.project_id, 3)
        few = columns.without_index(session, Rating.project_id, 1)
    assert (own is Rating.project_id, few is Rating.project_id) == (False, True)
    assert list(texts["text"]) == ["Yes.", "It does."]
    assert list(texts["system"]) == ["s0", "s1"]
    with any_store.writing() as session:
        other_project = create_project(session, name="Pots", criteria=[Criterion("good", "Good", SCALE)])
        item = ItemRow(project_id=other_project.id, external_id="q1", question="Does it boil?")
        session.add(item)
        session.flush()
        response = ResponseRow(project_id=other_project.id, item_id=item.id, external_id="0", text="No.")
        session.add(response)
        session.flush()
        (criterion,) = criterion_ids(session, other_project.id).values()
        for n in range(5):
            who = people.find_or_create(session, f"Cy {n}")
            keys = {"project_id": other_project.id, "response_id": response.id, "person_id": who}
            session.add(Rating(**keys, criterion_id=criterion, score=float(n % 4), rated_at=AT))
    with any_store.reading() as session:
        pd.testing.assert_frame_equal(score_frames.score_frame(session, project), frame)
