"""Scoring with metrics in the background: asked for by a page, done by a process that a worker starts.

`python -m judgelab.runs.metric_jobs JOB ATTEMPT` is that process. It stores each batch and asks between two
what is wanted; killed, it repeats one batch at most. Only it imports what scoring needs: workers stay small.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from judgelab.config import settings
from judgelab.errors import UserError
from judgelab.runs.children import child_environment, die_with_parent
from judgelab.store import scoring_jobs
from judgelab.store.engine import Store
from judgelab.store.projects import find_project
from judgelab.store.schema import open_store
from judgelab.store.scoring_jobs import JobInfo, JobKey

log = logging.getLogger("judgelab.runs")
STOPPED = 3  # exit code: it noted itself why it could not go on


def start(store: Store, slug: str, metrics: Sequence[str], options: Mapping[str, Any] | None = None) -> int:
    """Return the id of a job that waits for a worker; raises what `scoring.check` does."""
    from judgelab.runs import scoring

    project_id, settled = scoring.check(store, slug, metrics, options)
    with store.writing() as session:
        return scoring_jobs.add_job(session, project_id, settled)


def latest(store: Store, slug: str) -> JobInfo | None:
    """Return a project's newest job."""
    with store.reading() as session:
        return scoring_jobs.latest_job(session, find_project(session, slug).id)


def pause(store: Store, job_id: int) -> None:
    """Let no further batch begin; numbers that are made stay."""
    with store.writing() as session:
        scoring_jobs.ask(session, job_id, "pause")


def resume(store: Store, job_id: int) -> None:
    """Go on with what is missing."""
    with store.writing() as session:
        scoring_jobs.ask(session, job_id, "run")


def cancel(store: Store, job_id: int) -> None:
    """End a job for good; numbers that are made stay."""
    with store.writing() as session:
        scoring_jobs.ask(session, job_id, "cancel")


def to_start(store: Store) -> list[JobKey]:
    """Return the jobs that wait for a worker to take them up."""
    with store.reading() as session:
        return scoring_jobs.jobs_in(session, "waiting")


def under_way(store: Store) -> list[JobKey]:
    """Return the jobs that are marked as running."""
    with store.reading() as session:
        return scoring_jobs.jobs_in(session, "running")


def start_over(store: Store, key: JobKey) -> None:
    """Give a job whose workflow was lost its next attempt."""
    with store.writing() as session:
        scoring_jobs.start_over(session, key)


async def in_a_process(store: Store, key: JobKey) -> str:
    """Work on a job in a child process that ends with this one; return "done" once nothing more happens."""
    command = (sys.executable, "-m", "judgelab.runs.metric_jobs", str(key.job_id), str(key.attempt))
    child = await asyncio.create_subprocess_exec(
        *command,
        env=child_environment(store, settings().job_engine_url),
        start_new_session=True,
        preexec_fn=die_with_parent,
    )
    code = await child.wait()
    if code not in (0, STOPPED):
        with store.writing() as session:
            scoring_jobs.stop(session, key, f"the process that scored ended with code {code}")
    return "done"


def work(store: Store, key: JobKey) -> str:
    """Make what is missing until it is there or something else is wanted; return the state."""
    from judgelab.runs import scoring

    parent = os.getppid()

    def tell(done: int, total: int) -> None:
        with store.writing() as session:
            scoring_jobs.tell(session, key, done=before + done, total=before + total)

    def halted() -> bool:
        if os.getppid() != parent:  # the worker is gone; who takes its work over starts another process
            raise SystemExit(STOPPED)
        with store.reading() as session:
            return scoring_jobs.wanted(session, key) != "run"

    with store.writing() as session:
        if not scoring_jobs.begin(session, key):
            return "superseded"
        job = scoring_jobs.find_job(session, key.job_id)
    state: str = "again"
    while state == "again":
        with store.reading() as session:
            before = scoring_jobs.find_job(session, key.job_id).done
        report = scoring.score(store, job.project_id, job.options, tell=tell, halted=halted)
        with store.writing() as session:
            state = scoring_jobs.settle(
                session, key, complete=not report.halted, report=report.to_json()["metrics"]
            )
    return state


def main() -> int:
    """Work on the job that the command line names."""
    job_id, attempt = map(int, sys.argv[1:3])
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    key, store = JobKey(job_id, attempt), open_store(settings().database_url)
    try:
        work(store, key)
    except UserError as error:  # an encoder that cannot be loaded, a full disk
        with store.writing() as session:
            scoring_jobs.stop(session, key, str(error))
        return STOPPED
    finally:
        store.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
