"""Learning in the background: by a worker, paused, resumed, cancelled, and after a kill."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select, text

from judgelab.errors import InvalidInput
from judgelab.learned_training import jobs
from judgelab.learned_training.training import learn
from judgelab.runs.worker import metric_jobs
from judgelab.store.db.engine import Store
from judgelab.store.models import LearnedModelRow, LearnedPart, Rating, Verdict
from judgelab.store.projects.projects import find_project
from judgelab.store.scoring import scoring_jobs
from judgelab.store.scoring.learned import stored_learned
from judgelab.store.scoring.scoring_jobs import JobInfo, JobKey
from tests.learned_training.conftest import ITEMS, RATED, SYSTEMS, lamps
from tests.runs.conftest import DEADLINE, Workers

QUICK: dict[str, Any] = {"policy": "none", "encoder": "tfidf", "shuffles": 2}
VERDICTS = 2 * RATED * SYSTEMS
PAUSE = "UPDATE scoring_job SET wanted = 'pause' WHERE id = NEW.id"


@pytest.fixture
def workers(store: Store) -> Any:
    group = Workers(store.url)
    yield group
    group.stop()


def job_of(store: Store, job_id: int) -> JobInfo:
    with store.reading() as session:
        return scoring_jobs.find_job(session, job_id)


def kept(store: Store, table: Any) -> int:
    with store.reading() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def wait(store: Store, job_id: int, condition: Callable[[JobInfo], bool]) -> JobInfo:
    end = time.monotonic() + DEADLINE
    while not condition(job := job_of(store, job_id)) and time.monotonic() < end:
        time.sleep(0.05)
    return job


def reports(store: Store) -> list[Any]:
    with store.reading() as session:
        (judge,) = stored_learned(session, find_project(session, "lamps").id)
    return [(model.criterion, model.data_hash, model.model, model.report) for model in judge.models]


@pytest.fixture
def looks_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "SAY_SECONDS", 0.0)


def at_the_second_criterion(store: Store, statement: str) -> None:
    """Run a statement of SQL whenever a first attempt reports that it learns the second criterion."""
    with store.writing() as session:
        session.execute(
            text(
                "CREATE TRIGGER second_criterion AFTER UPDATE ON scoring_job "
                f"WHEN NEW.doing = 'right' AND NEW.attempt = 1 BEGIN {statement}; END"
            )
        )


def log_progress(store: Store) -> None:
    """From now on, note the fits of each criterion that attempts report."""
    with store.writing() as session:
        session.execute(text("CREATE TABLE progress (criterion TEXT, done INTEGER)"))
        session.execute(
            text(
                "CREATE TRIGGER progress AFTER UPDATE ON scoring_job "
                "BEGIN INSERT INTO progress VALUES (NEW.doing, NEW.done); END"
            )
        )


def logged_progress(store: Store) -> set[tuple[str, int]]:
    with store.reading() as session:
        return {(criterion, fits) for criterion, fits in session.execute(text("SELECT * FROM progress"))}


def test_a_worker_learns_in_a_process_of_its_own(store: Store, workers: Workers) -> None:
    job_id = jobs.start(store, lamps(store), **QUICK)
    with pytest.raises(InvalidInput, match="is already being trained"):
        jobs.start(store, "lamps", **QUICK)
    workers.start()
    job = wait(store, job_id, lambda job: job.resting)
    assert (job.state, job.reason) == ("done", "")
    assert job.report == [{"verdicts": VERDICTS, "left_out": {}}]
    assert (kept(store, Verdict), kept(store, LearnedModelRow), kept(store, LearnedPart)) == (VERDICTS, 2, 0)


def test_after_kill_9_another_worker_goes_on(store: Store, workers: Workers) -> None:
    job_id = jobs.start(store, lamps(store), **{**QUICK, "kind": "ridge", "shuffles": 3000})
    first = workers.start()
    wait(store, job_id, lambda job: job.state == "running" and job.doing == "length")
    children = Path(f"/proc/{first.pid}/task").glob("*/children")
    mine = [int(pid) for tasks in children for pid in tasks.read_text().split()]
    workers.kill(first)
    for pid in mine:
        os.kill(pid, signal.SIGKILL)
    with store.writing() as session:  # what is left to do need not be long
        row = session.get_one(scoring_jobs.ScoringJob, job_id)
        row.options = {**row.options, "shuffles": 2}
    assert kept(store, Verdict) == 0
    workers.start()
    job = wait(store, job_id, lambda job: job.resting)
    assert (job.state, kept(store, Verdict)) == ("done", VERDICTS)


def test_what_was_paused_goes_on_with_the_criterion_it_was_at(store: Store, looks_at_once: None) -> None:
    job_id = jobs.start(store, lamps(store), **QUICK)
    at_the_second_criterion(store, PAUSE)
    assert jobs.work(store, JobKey(job_id, 1)) == "paused"
    assert (kept(store, LearnedPart), kept(store, Verdict)) == (1, 0)
    job = job_of(store, job_id)
    assert job.total == 100 and 50 < job.done < 100 and metric_jobs.jobs_to_start(store) == []
    log_progress(store)
    metric_jobs.resume(store, job_id)
    assert jobs.work(store, JobKey(job_id, 1)) == "superseded"
    assert jobs.work(store, JobKey(job_id, 2)) == "done"
    fits = Counter(criterion for criterion, _ in logged_progress(store))
    assert fits["length"] == 1 < fits["right"]  # the first criterion is read, the second is learned
    in_parts = reports(store)
    learn(store, "lamps", **QUICK)
    assert reports(store) == in_parts  # the same as in one go


def test_a_part_is_learned_anew_when_ratings_changed_meanwhile(store: Store, looks_at_once: None) -> None:
    job_id = jobs.start(store, lamps(store), **QUICK)
    at_the_second_criterion(store, PAUSE)
    assert jobs.work(store, JobKey(job_id, 1)) == "paused"
    with store.writing() as session:
        rating = session.scalars(select(Rating).order_by(Rating.id)).first()
        assert rating is not None and rating.score is not None
        rating.score = 1.0 if rating.score > 2 else 5.0
    metric_jobs.resume(store, job_id)
    assert jobs.work(store, JobKey(job_id, 2)) == "done"
    after = reports(store)
    learn(store, "lamps", **QUICK)
    assert reports(store) == after


def test_a_cancelled_one_keeps_nothing_and_another_may_begin(store: Store, looks_at_once: None) -> None:
    job_id = jobs.start(store, lamps(store), **QUICK)
    at_the_second_criterion(store, PAUSE)
    assert jobs.work(store, JobKey(job_id, 1)) == "paused"
    metric_jobs.cancel(store, job_id)
    metric_jobs.resume(store, job_id)
    assert (job_of(store, job_id).state, kept(store, LearnedPart), kept(store, Verdict)) == (
        "cancelled",
        0,
        0,
    )
    paused = jobs.start(store, "lamps", **QUICK)
    metric_jobs.pause(store, paused)
    next_job = jobs.start(store, "lamps", **QUICK)
    assert job_of(store, paused).state == "cancelled"
    newest = jobs.latest(store, "lamps")
    assert newest is not None and newest.id == next_job and metric_jobs.latest_job(store, "lamps") is None


def test_too_little_stops_it_with_the_reason(store: Store, workers: Workers) -> None:
    job_id = jobs.start(store, lamps(store, rated=3), **QUICK)
    workers.start()
    job = wait(store, job_id, lambda job: job.resting)
    assert job.state == "stopped" and "ratings of 9 responses to 3 items" in job.reason


def test_a_project_that_is_deleted_meanwhile_ends_it_quietly(store: Store, looks_at_once: None) -> None:
    job_id = jobs.start(store, lamps(store), **QUICK)
    at_the_second_criterion(store, "DELETE FROM project WHERE slug = 'lamps'")
    assert jobs.work(store, JobKey(job_id, 1)) == "superseded"
    assert kept(store, Verdict) == kept(store, LearnedPart) == 0


def test_unrated_responses_are_scored_too_when_that_is_asked(store: Store) -> None:
    job_id = jobs.start(store, lamps(store), **QUICK, later=True)
    assert jobs.work(store, JobKey(job_id, 1)) == "done"
    assert kept(store, Verdict) == 2 * ITEMS * SYSTEMS
