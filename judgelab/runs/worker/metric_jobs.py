"""Scoring with metrics in the background: requested by a page, run in a process that a worker starts.

`python -m judgelab.runs.worker.metric_jobs JOB ATTEMPT` is that process. It stores each batch and asks
between two what is wanted; killed, it repeats one batch at most. Only it imports what scoring needs: workers
stay small. Judges are learned in the same way, in processes of `judgelab.learned_training.jobs`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from judgelab.config import settings
from judgelab.runs.worker.child_processes import PYTHON, child_environment, die_with_parent
from judgelab.runs.worker.job_process import STOPPED, JobReporter, main
from judgelab.store.db import audit
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import find_project
from judgelab.store.scoring import scoring_jobs
from judgelab.store.scoring.scoring_jobs import JobInfo, JobKey, JobKind
from judgelab.wording import sentence

# What the process of a job runs, by the job's kind; named, not imported: teaching stands on top of this room.
MODULES: Mapping[JobKind, str] = {
    "metrics": "judgelab.runs.worker.metric_jobs",
    "learn": "judgelab.learned_training.jobs",
}


def start(
    store: Store,
    slug: str,
    metrics: Sequence[str],
    options: Mapping[str, Any] | None = None,
    *,
    person_id: int | None = None,
) -> int:
    """Return the id of a job that waits for a worker; raises what `scoring.check_metrics` does."""
    from judgelab.runs.metrics import scoring

    project_id, settled = scoring.check_metrics(store, slug, metrics, options)
    with store.writing() as session:
        job_id = scoring_jobs.add_job(session, project_id, settled)
        if person_id is not None:
            detail = scoring.scoring_detail(metrics, options)
            audit.record(session, scoring.SCORED, project_id=project_id, person_id=person_id, detail=detail)
        return job_id


def latest_job(store: Store, slug: str) -> JobInfo | None:
    """Return a project's newest job."""
    with store.reading() as session:
        return scoring_jobs.latest_job(session, find_project(session, slug).id)


def pause(store: Store, job_id: int) -> None:
    """Pause the job: start no further batch and keep the scores computed so far."""
    with store.writing() as session:
        scoring_jobs.request(session, job_id, "pause")


def resume(store: Store, job_id: int) -> None:
    """Go on with what is missing."""
    with store.writing() as session:
        scoring_jobs.request(session, job_id, "run")


def cancel(store: Store, job_id: int) -> None:
    """End a job for good; numbers that are made stay."""
    with store.writing() as session:
        scoring_jobs.request(session, job_id, "cancel")


def jobs_to_start(store: Store) -> list[JobKey]:
    """Return the jobs that wait for a worker to take them up."""
    with store.reading() as session:
        return scoring_jobs.jobs_in(session, "waiting")


def running_jobs(store: Store) -> list[JobKey]:
    """Return the jobs that are marked as running."""
    with store.reading() as session:
        return scoring_jobs.jobs_in(session, "running")


def restart(store: Store, key: JobKey) -> None:
    """Give a job whose workflow was lost its next attempt."""
    with store.writing() as session:
        scoring_jobs.restart(session, key)


async def run_in_process(store: Store, key: JobKey) -> str:
    """Work on a job in a child process that ends with this one; return "done" once nothing more happens."""
    with store.reading() as session:
        kind = scoring_jobs.kind_of(session, key)
    if kind is None:
        return "superseded"
    child = await asyncio.create_subprocess_exec(
        *(*PYTHON, MODULES[kind], str(key.job_id), str(key.attempt)),
        env=child_environment(store, settings().job_engine_url),
        start_new_session=True,
        preexec_fn=die_with_parent,
    )
    code = await child.wait()
    if code not in (0, STOPPED):
        reason = sentence(
            "the process that computed the scores ended with code {code}; resume it.", code=code
        )
        with store.writing() as session:
            scoring_jobs.stop_attempt(session, key, str(reason))
    return "done"


def run_job(store: Store, key: JobKey) -> str:
    """Make what is missing until it is there or something else is wanted; return the state."""
    from judgelab.runs.metrics import scoring

    at_work = JobReporter(store, key)
    job = at_work.begin()
    if job is None:
        return "superseded"
    state = "again"
    while state == "again":
        with store.reading() as session:
            before = scoring_jobs.find_job(session, key.job_id).done

        def tell(done: int, total: int, before: int = before) -> None:
            at_work.report_progress(before + done, before + total)

        report = scoring.score_missing(store, job.project_id, job.options, tell=tell, halted=at_work.halted)
        state = at_work.settle(complete=not report.halted, report=report.to_json()["metrics"])
    return state


if __name__ == "__main__":
    raise SystemExit(main(run_job))
