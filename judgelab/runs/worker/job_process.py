"""A process that works on one job in the background: it reports progress and reads the desired state."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from judgelab import logs
from judgelab.config import settings
from judgelab.errors import UserError
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.scoring import scoring_jobs
from judgelab.store.scoring.scoring_jobs import JobInfo, JobKey

STOPPED = 3  # exit code: it noted itself why it could not go on


class JobReporter:
    """An attempt of a job, as the process sees it that works on it.

    Args:
        store: the database.
        key: the job and its attempt.
    """

    def __init__(self, store: Store, key: JobKey) -> None:
        self._store, self._key, self._parent = store, key, os.getppid()

    def begin(self) -> JobInfo | None:
        """Return the job, marked as running; None where another attempt took its place."""
        with self._store.writing() as session:
            begun = scoring_jobs.start_attempt(session, self._key)
            return scoring_jobs.find_job(session, self._key.job_id) if begun else None

    def report_progress(self, done: int, total: int, doing: str = "") -> None:
        """Note how far it is."""
        with self._store.writing() as session:
            scoring_jobs.report_progress(session, self._key, done=done, total=total, doing=doing)

    def halted(self) -> bool:
        """Return whether something else is wanted than to go on; an orphan ends here."""
        if os.getppid() != self._parent:  # the worker is gone; who takes its work over starts another process
            raise SystemExit(STOPPED)
        with self._store.reading() as session:
            return scoring_jobs.desired_state(session, self._key) != "run"

    def settle(self, *, complete: bool, report: Sequence[Mapping[str, Any]] = ()) -> str:
        """Return the state in which the job ended, or "again" if it was resumed meanwhile."""
        with self._store.writing() as session:
            return scoring_jobs.finish_attempt(session, self._key, complete=complete, report=report)


def main(work: Callable[[Store, JobKey], str]) -> int:
    """Work on the job that the command line names; what cannot go on is noted with its reason."""
    job_id, attempt = map(int, sys.argv[1:3])
    logs.set_up()
    key, store = JobKey(job_id, attempt), open_store(settings().database_url)
    try:
        work(store, key)
    except UserError as error:  # an encoder that cannot be loaded, a full disk
        with store.writing() as session:
            scoring_jobs.stop_attempt(session, key, str(error))
        return STOPPED
    finally:
        store.close()
    return 0
