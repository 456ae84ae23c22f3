"""Scoring in the background: by a worker, paused, resumed, cancelled, and after a kill."""

from __future__ import annotations

import time

import pytest
from sqlalchemy import func, select

from judgelab.metrics import batches
from judgelab.runs.metrics import scoring
from judgelab.runs.worker import metric_jobs
from judgelab.store.db.engine import Store
from judgelab.store.models import MetricScore
from judgelab.store.scoring import scoring_jobs
from judgelab.store.scoring.scoring_jobs import JobInfo, JobKey
from tests.runs.conftest import DEADLINE, Workers
from tests.runs.projects import flasks


def job_of(store: Store, job_id: int) -> JobInfo:
    with store.reading() as session:
        return scoring_jobs.find_job(session, job_id)


def numbers(store: Store) -> int:
    with store.reading() as session:
        return session.scalar(select(func.count()).select_from(MetricScore)) or 0


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "FIRST_BATCH", 2)
    monkeypatch.setattr(batches, "BATCH", 2)


def test_a_worker_scores_in_a_process_of_its_own(store: Store, workers: Workers) -> None:
    job_id = metric_jobs.start(store, flasks(store, 30), ["length", "repscore"])
    workers.start()
    end = time.monotonic() + DEADLINE
    while not (job := job_of(store, job_id)).resting and time.monotonic() < end:
        time.sleep(0.05)
    assert (job.state, job.reason, job.done, job.total) == ("done", "", 60, 60)
    assert [metric["scored"] for metric in job.report] == [30, 30] and numbers(store) == 60


def test_what_was_paused_goes_on_where_it_was(store: Store, small_batches: None) -> None:
    job_id = metric_jobs.start(store, flasks(store, 6), ["length"])
    key = JobKey(job_id, 1)
    tell = scoring_jobs.report_progress

    def tell_and_pause(*given: object, **far: int) -> None:
        tell(*given, **far)  # type: ignore[arg-type]
        if far["done"] == 4:
            scoring_jobs.request(given[0], job_id, "pause")  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scoring_jobs, "report_progress", tell_and_pause)
        assert metric_jobs.run_job(store, key) == "paused"
    assert numbers(store) == 4 and metric_jobs.jobs_to_start(store) == []
    metric_jobs.resume(store, job_id)
    assert metric_jobs.jobs_to_start(store) == [JobKey(job_id, 2)]
    assert metric_jobs.run_job(store, key) == "superseded"
    assert metric_jobs.run_job(store, JobKey(job_id, 2)) == "done"
    job = job_of(store, job_id)
    assert (job.done, job.total, numbers(store)) == (6, 6, 6)


def test_after_a_kill_only_the_rest_is_made(store: Store, small_batches: None) -> None:
    job_id = metric_jobs.start(store, flasks(store, 6), ["length"])
    key = JobKey(job_id, 1)
    keep = scoring.save_scores
    counts: list[int] = []

    def keep_or_die(*given: object, **rest: object) -> None:
        if counts:
            raise KeyboardInterrupt
        counts.append(1)
        keep(*given, **rest)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scoring, "save_scores", keep_or_die)
        with pytest.raises(KeyboardInterrupt):
            metric_jobs.run_job(store, key)
    assert job_of(store, job_id).state == "running" and numbers(store) == 2
    assert metric_jobs.run_job(store, key) == "done"  # the engine takes the same attempt up again
    job = job_of(store, job_id)
    assert (numbers(store), job.done, job.total) == (6, 6, 6)


def test_a_cancelled_one_stays_so_and_a_waiting_one_can_be_paused(store: Store) -> None:
    slug = flasks(store, 3)
    first, second = (metric_jobs.start(store, slug, ["length"]) for _ in range(2))
    metric_jobs.cancel(store, first)
    metric_jobs.resume(store, first)
    metric_jobs.pause(store, second)
    assert [job_of(store, job_id).state for job_id in (first, second)] == ["cancelled", "paused"]
    assert metric_jobs.run_job(store, JobKey(first, 1)) == "superseded"
    metric_jobs.resume(store, second)
    metric_jobs.restart(store, JobKey(second, 2))
    assert metric_jobs.jobs_to_start(store) == [JobKey(second, 3)]
    newest = metric_jobs.latest_job(store, slug)
    assert newest is not None and newest.id == second
