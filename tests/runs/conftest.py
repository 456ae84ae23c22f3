"""A server to judge with, and worker processes to be killed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal

import pytest
from sqlalchemy import update

from judgelab.config import Settings
from judgelab.runs import service
from judgelab.runs.endpoints import service as endpoints
from judgelab.runs.plan.spec import JudgeSpec
from judgelab.runs.service import RunStatus
from judgelab.runs.worker.child_processes import SHUT_DOWN_SECONDS
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.db.workers import SILENT_SECONDS
from judgelab.store.models import Worker as WorkerRow
from judgelab.store.models import now
from tests.runs.openai_server import Server
from tests.runs.processes import Worker
from tests.runs.projects import flasks

DEADLINE = 60.0  # far more than any of it takes, so that a busy machine fails nothing


@dataclass
class Workers:
    """Worker processes on one database; all are ended with the test."""

    url: str
    processes: list[Worker] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)

    def start(self, *arguments: str) -> Worker:
        engine = Settings(database_url=self.url).job_engine_url
        variables = {
            "JUDGELAB_DATABASE_URL": self.url,
            "JUDGELAB_ENGINE_URL": engine,
            "JUDGELAB_LOG_LEVEL": "ERROR",
        }
        process = Worker({**os.environ, **variables, **self.environment}, *arguments)
        self.processes.append(process)
        return process

    def kill(self, process: Worker) -> None:
        """Kill a worker with -9, ten seconds ago as far as the others can see: no test waits for them."""
        process.kill()
        process.wait(DEADLINE)
        with closing(open_store(self.url)) as store, store.writing() as session:
            of_process = update(WorkerRow).where(WorkerRow.pid == process.pid)
            session.execute(of_process.values(beat_at=now() - timedelta(seconds=2 * SILENT_SECONDS)))

    def stop(self) -> None:
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait(SHUT_DOWN_SECONDS)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


@pytest.fixture
def workers(store: Store) -> Iterator[Workers]:
    yield from _workers_on(store)


@pytest.fixture
def workers_on_any(any_store: Store) -> Iterator[Workers]:
    """Worker processes on the database of `any_store`."""
    yield from _workers_on(any_store)


def _workers_on(store: Store) -> Iterator[Workers]:
    group = Workers(store.url)
    yield group
    group.stop()


def spec(**changes: object) -> JudgeSpec:
    """A judge at the test server: one sample, no retries' worth of patience needed."""
    return JudgeSpec(**{"protocol": "direct", "model": "tiny", "endpoint": "local", "samples": 1, **changes})  # type: ignore[arg-type]


def start_run(
    store: Store,
    server: Server,
    units: int,
    *,
    concurrency: int = 16,
    mode: Literal["live", "batch"] = "live",
    **changes: object,
) -> int:
    """Store a project, an endpoint at the server, and a run; return the run's id."""
    endpoints.add_endpoint(store, "local", base_url=server.url, concurrency=concurrency, timeout=60)
    return service.create_run(store, flasks(store, units), spec(**changes), mode=mode)


def wait_until(store: Store, run_id: int, condition: Callable[[RunStatus], bool]) -> RunStatus:
    """Return the run's status once the condition holds."""
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        status = service.run_status(store, run_id)
        if condition(status):
            return status
        time.sleep(0.03)
    raise AssertionError(f"it never came to that: {status}")


def rests(status: RunStatus) -> bool:
    return status.resting
