"""What is read again block by block is what reading everything gives, whatever was changed in between."""

import random

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, insert, select, update

from judgelab.domain import Criterion
from judgelab.store.frames import blocks, score_frames, score_rows, snapshots
from judgelab.store.models import (
    CriterionRow,
    ItemRow,
    JudgeRow,
    Judgment,
    MetricScore,
    Person,
    Rating,
    ResponseRow,
    Run,
    Verdict,
    now,
)
from judgelab.store.projects.projects import create_project
from judgelab.store.rating import gold
from judgelab.store.rating.criteria import criterion_ids

SCALE = {"kind": "numeric", "low": 0, "high": 100}
RESPONSES, PEOPLE = 30, 4


@pytest.fixture
def filled(any_store, monkeypatch):
    """A project with some ratings, verdicts and metric scores, in blocks of seven rows."""
    monkeypatch.setattr(blocks, "SIZE", 7)
    snapshots.clear()
    with any_store.writing() as session:
        project = create_project(session, name="Pans", criteria=[Criterion("good", "Good", SCALE)]).id
        (criterion,) = criterion_ids(session, project).values()
        item = ItemRow(project_id=project, external_id="q1", question="Does it fit?")
        session.add(item)
        session.flush()
        responses = [
            ResponseRow(project_id=project, item_id=item.id, external_id=f"a{n}", text="Yes.")
            for n in range(RESPONSES)
        ]
        people = [Person(name=f"person {n}") for n in range(PEOPLE)]
        judge = JudgeRow(project_id=project, name="judge", protocol="direct")
        session.add_all([*responses, *people, judge])
        session.flush()
        run = Run(project_id=project, judge_id=judge.id, state="done")
        session.add(run)
        session.flush()
        ids = [response.id for response in responses]
        session.execute(
            insert(Rating),
            [
                {
                    **{"project_id": project, "response_id": response, "criterion_id": criterion},
                    **{"person_id": person.id, "score": float(n % 5), "rated_at": now()},
                }
                for n, response in enumerate(ids)
                for person in people[: 1 + n % 3]
            ],
        )
        for response in ids:
            judgment = Judgment(
                run_id=run.id, response_id=response, criteria="good", position=response, state="scored"
            )
            judgment.judged_at = now()
            session.add(judgment)
            session.flush()
            scored = {"judgment_id": judgment.id, "response_id": response, "criterion_id": criterion}
            session.add(Verdict(**scored, score=response / 3))
            session.add(
                MetricScore(project_id=project, response_id=response, metric="rouge", score=response / 7)
            )
    return any_store, project, criterion, ids, [person.id for person in people]


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["add", "change", "swap", "cannot", "delete", "judge", "metric"]), st.integers()
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_whatever_was_changed_is_seen(filled, steps):
    store, project, criterion, responses, people = filled
    snapshots.score_frame(store, project)
    for kind_of_change, seed in steps:
        _change(store, project, criterion, responses, people, kind_of_change, random.Random(seed))
        with store.reading() as session:
            anew = score_frames.score_frame(session, project)
        pd.testing.assert_frame_equal(snapshots.score_frame(store, project), anew)
        for rater_kind in score_frames.KINDS:
            of_kind = anew[anew["rater_kind"] == rater_kind].reset_index(drop=True)
            pd.testing.assert_frame_equal(snapshots.score_frame(store, project, kinds=(rater_kind,)), of_kind)


def _change(store, project, criterion, responses, people, kind_of_change, chance):
    with store.writing() as session:
        own = list(session.scalars(select(Rating.id).where(Rating.project_id == project)))
        two = chance.sample(own, 2) if len(own) > 1 else []
        if kind_of_change == "add":
            rated_pairs = {
                tuple(row) for row in session.execute(select(Rating.response_id, Rating.person_id))
            }
            free = [(r, p) for r in responses for p in people if (r, p) not in rated_pairs]
            for response, person in chance.sample(free, min(3, len(free))):
                keys = {"project_id": project, "response_id": response, "person_id": person}
                session.add(Rating(**keys, criterion_id=criterion, score=chance.uniform(0, 100)))
        elif kind_of_change in ("change", "cannot") and two:
            score = chance.uniform(0, 100) if kind_of_change == "change" else None
            session.execute(update(Rating).where(Rating.id == two[0]).values(score=score, rated_at=now()))
        elif kind_of_change == "swap" and two:
            old_scores = session.execute(select(Rating.id, Rating.score).where(Rating.id.in_(two)))
            scores = {row_id: score for row_id, score in old_scores}
            for rating_id, other_id in (two, two[::-1]):
                values = {"score": scores[other_id], "rated_at": now()}
                session.execute(update(Rating).where(Rating.id == rating_id).values(values))
        elif kind_of_change == "delete":
            session.execute(delete(Rating).where(Rating.id.in_(two)))
        elif kind_of_change == "judge":
            verdict = session.scalars(select(Verdict)).all()[chance.randrange(len(responses))]
            verdict.score = chance.uniform(0, 100)
            session.execute(
                update(Judgment).where(Judgment.id == verdict.judgment_id).values(judged_at=now())
            )
        elif kind_of_change == "metric":
            score = session.scalars(select(MetricScore)).all()[chance.randrange(len(responses))]
            score.score, score.scored_at = chance.uniform(0, 100), now()


def test_only_blocks_that_changed_are_read(filled):
    store, project, *_rest = filled
    with store.reading() as session:
        before = score_rows.read_scores(session, project, "human")
    changed = int(before["id"].iloc[10])
    with store.writing() as session:
        session.execute(update(Rating).where(Rating.id == changed).values(score=99.0))
    marked = before.assign(person=-1)  # in no sum: who is named again was read again
    with store.reading() as session:
        after = score_rows.read_scores(session, project, "human", marked)
    read_again = after["person"] >= 0
    assert set(after.loc[read_again, "id"] // 7) == {changed // 7}
    assert after["score"].tolist() == before["score"].mask(before["id"] == changed, 99.0).tolist()


def test_sums_in_another_order_are_the_same_sums(filled):
    store, project, criterion, responses, people = filled
    chance = np.random.default_rng(3)
    with store.writing() as session:
        for rating in session.scalars(select(Rating)):
            rating.score = float(chance.uniform(0, 1))
    with store.reading() as session:
        before = score_rows.read_scores(session, project, "human")
        assert score_rows.read_scores(session, project, "human", before) is before


def test_a_judge_is_even_that_gave_one_score_throughout(filled):
    store, project, _criterion, _responses, _people = filled
    with store.reading() as session:
        assert score_frames.constant_judges(session, project) == frozenset()
    with store.writing() as session:
        session.execute(update(Verdict).values(score=3))
    with store.reading() as session:
        assert score_frames.constant_judges(session, project) == {"judge"}


def test_who_scored_what_is_asked_of_the_database(filled):
    store, project, _criterion, responses, _people = filled
    with store.writing() as session:
        session.execute(update(MetricScore).values(score=None))
        item = session.query(ItemRow).one()
        session.add(CriterionRow(project_id=project, key="fair", label="Fair", scale=SCALE, position=1))
    with store.reading() as session:
        frame = score_frames.score_frame(session, project)
        assert set(frame["rater_kind"]) == {"human", "judge"}
        assert score_frames.judged_criteria(session, project) == {"judge": ("good",)}
        assert score_frames.fully_judged_responses(session, project, "judge") == set(responses)
        assert score_frames.rated_criteria(session, project, rater="person 0") == ("good",)
        assert score_frames.rated_criteria(session, project, rater="nobody") == ()
        assert score_frames.rated_criteria(session, project) == ("good",)
        assert score_frames.metric_names(session, project) == []
    with store.writing() as session:
        gold.set_purpose(session, item.id, "attention")
    with store.reading() as session:
        assert score_frames.judged_criteria(session, project) == {}
        assert score_frames.rated_criteria(session, project) == ()
