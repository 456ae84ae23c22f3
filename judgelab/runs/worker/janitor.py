"""What a worker does beside judging: shows that it lives, takes up new runs, adopts the work of the dead."""

from __future__ import annotations

import logging
import os
import time
from datetime import timedelta

from judgelab.errors import JudgeLabError
from judgelab.runs.plan.worker_kinds import Kind
from judgelab.runs.worker import engine, metric_jobs, run_lifecycle
from judgelab.runs.worker.process_state import this_process
from judgelab.store.db import workers
from judgelab.store.db.engine import Store
from judgelab.store.models.base import now

log = logging.getLogger("judgelab.runs")
POLL_SECONDS = 0.5
BEAT_SECONDS = 2.0
CHECK_SECONDS = 10.0
CLEAN_SECONDS = 3600.0
KEPT_FOR = timedelta(days=7)  # what the engine knows of a run at its end, for whoever looks for a fault


class Janitor:
    """The rounds of one worker process.

    Args:
        store: the database.
        executor_id: this worker's name in engine and heartbeat table.
        slots: chunks it works on at the same time.
        kind: which runs it takes up.
    """

    def __init__(self, store: Store, executor_id: str, *, slots: int, kind: Kind = "api") -> None:
        self._store = store
        self._executor_id = executor_id
        self._slots = slots
        self._kind: Kind = kind
        self._doing = ""
        self._beaten = 0.0
        self._checked = 0.0
        self._clean_at = 0.0

    def run_due_tasks(self) -> None:
        """Do what is due now; a database that is away for a moment is no reason to end."""
        try:
            self._take_up()
            # What a worker does before it can judge is watched by somebody: said at once.
            before, self._doing = self._doing, engine.current_activity()
            if self._doing != before or time.monotonic() - self._beaten >= BEAT_SECONDS:
                self._beat()
            if time.monotonic() - self._checked >= CHECK_SECONDS:
                self._restart_lost()
            if time.monotonic() >= self._clean_at:
                self._clean()
        except JudgeLabError as error:
            log.warning("%s", error)
        except Exception:
            # Without a heartbeat the others would take a live worker's runs over.
            log.exception("the cleanup failed")

    def beat(self) -> None:
        """Give a sign of life."""
        with self._store.writing() as session:
            workers.record_heartbeat(
                session,
                self._executor_id,
                pid=os.getpid(),
                slots=self._slots,
                kind=self._kind,
                doing=self._doing,
            )

    def _take_up(self) -> None:
        for key in run_lifecycle.runs_to_start(self._store, self._kind):
            progress = engine.workflow_state(key)
            if progress == "unknown":
                if not this_process.left_lately(key.run_id):
                    engine.start_run(key)
            elif progress == "ended":
                # The engine's tables are older than ours (a database was replaced): the name is used up.
                run_lifecycle.restart(self._store, key)
        if self._kind == "api":
            self._take_up_metrics()

    def _take_up_metrics(self) -> None:
        for key in metric_jobs.jobs_to_start(self._store):
            progress = engine.workflow_state(key)
            if progress == "unknown":
                engine.start_metrics_job(key)
            elif progress == "ended":
                metric_jobs.restart(self._store, key)

    def _beat(self) -> None:
        late = self._beaten and time.monotonic() - self._beaten > workers.SILENT_SECONDS / 2
        self.beat()
        self._beaten = time.monotonic()
        # After a sleep of the whole machine everybody looks dead: let them beat first.
        if not late:
            self._take_over_dead_workers()

    def _take_over_dead_workers(self) -> None:
        with self._store.reading() as session:
            silent = workers.silent_workers(session)
        if not silent:
            return
        count = engine.recover(silent)
        if count:
            log.warning(
                "workers %s stopped reporting; %s workflows were taken over", ", ".join(silent), count
            )
        with self._store.writing() as session:
            workers.remove_workers(session, silent)

    def _restart_lost(self) -> None:
        """Start runs over that are marked as running while the engine knows nothing of them."""
        self._checked = time.monotonic()
        for key in run_lifecycle.running_runs(self._store):
            if engine.workflow_state(key) != "alive":
                log.warning("run %s was lost by the engine; it restarts", key.run_id)
                run_lifecycle.restart(self._store, key)
        for job in metric_jobs.running_jobs(self._store):
            if engine.workflow_state(job) != "alive":
                log.warning("scoring job %s was lost by the engine; it restarts", job.job_id)
                metric_jobs.restart(self._store, job)

    def _clean(self) -> None:
        """Delete runs that ended long ago from the engine's tables, which grow with every chunk."""
        self._clean_at = time.monotonic() + CLEAN_SECONDS
        count = engine.delete_ended(ended_before=now() - KEPT_FOR)
        if count:
            log.info("deleted %s old workflows from the engine", count)
