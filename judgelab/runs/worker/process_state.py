"""What the engine's workflows work with in this process, since a stored workflow can carry no store."""

from __future__ import annotations

import time

from judgelab.runs.calls import worker_deaths
from judgelab.runs.calls.worker_context import WorkerContext
from judgelab.runs.plan.worker_kinds import Kind
from judgelab.store.db.engine import Session, Store

HANDED_OVER_SECONDS = 10.0


class ProcessState:
    """The store and the worker context of this process; the latter is made inside the engine's event loop."""

    def __init__(self) -> None:
        self.store: Store | None = None
        self.engine_url = ""
        self.executor_id = ""
        self.kind: Kind = "api"
        self.worker_context: WorkerContext | None = None
        self._left_at: dict[int, float] = {}

    def open_store(self) -> Store:
        """Return the store; the engine was started with it."""
        assert self.store is not None, "the engine was not started"
        return self.store

    def open_worker_context(self) -> WorkerContext:
        """Return the worker context; call it inside the event loop."""
        if self.worker_context is None:
            self.worker_context = WorkerContext(self.open_store(), executor_id=self.executor_id)
        return self.worker_context

    def say_left(self, session: Session) -> None:
        """Note that this process ends in order, whatever it has in hand."""
        if self.worker_context is not None:
            worker_deaths.record_orderly_exit(
                session, list(self.worker_context.held.values()), list(self.worker_context.steps)
            )

    def leave_to_others(self, run_id: int) -> None:
        """Leave a run that this worker cannot judge to other workers first."""
        self._left_at[run_id] = time.monotonic()

    def left_lately(self, run_id: int) -> bool:
        """Return whether a run was left to others so short a time ago that they may not have taken it up."""
        return time.monotonic() - self._left_at.get(run_id, -HANDED_OVER_SECONDS) < HANDED_OVER_SECONDS


this_process = ProcessState()
