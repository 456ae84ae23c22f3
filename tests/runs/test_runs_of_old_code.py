"""Work begun by older code is finished by this code: names and order of the engine's steps are kept."""

from __future__ import annotations

import base64
import pickle
import time
from collections.abc import Iterator, Sequence

import pytest
from dbos import DBOSClient, run_dbos_database_migrations
from sqlalchemy import create_engine, func, select, text

from judgelab.config import Settings
from judgelab.runs import service
from judgelab.runs.batch.mode import Mode
from judgelab.runs.plan.spec import JudgeSpec
from judgelab.runs.worker import metric_jobs
from judgelab.store.db.engine import Store
from judgelab.store.db.engine_tables import ENGINE_SCHEMA, engine_connect_args, engine_database_url
from judgelab.store.judging import runs
from judgelab.store.models import Completion, Judgment, Verdict
from judgelab.store.scoring import scoring_jobs
from judgelab.store.scoring.scoring_jobs import JobInfo, JobKey
from tests.runs.conftest import DEADLINE, Workers, rests, spec, start_run, wait_until
from tests.runs.openai_server import Server
from tests.runs.projects import flasks

UNITS = 40
CHUNKS = [(0, 10), (10, 20), (20, 30), (30, 40)]
# The queue of each workflow and its steps, as work without faults stores them. After an update, a worker
# looks for its unfinished work under these names: none may change.
NAMES = {
    "run": ("runs", ["begin", "remaining", "wanted", "chunk", "portions", "settle"]),
    "chunk": ("chunks", ["judge"]),
    "batch": ("runs", ["begin", "remaining", "follow", "settle"]),
    "metrics": ("metrics", ["metrics"]),
}
LOCAL_QUEUES = {"run": "local-runs", "chunk": "local-chunks"}
ENGINE_VERSION = "1"

Step = tuple[str, object]
QUEUED: list[Step] = [("chunk", f"1/1/0/{low}") for low, _ in CHUNKS]
# A run's first round as older code stored it: each step or child workflow, and its result.
ROUND: list[Step] = [
    ("begin", True),
    ("remaining", CHUNKS),
    ("wanted", True),
    *QUEUED,
    ("portions", []),
    ("settle", "again"),
]
# The first version of the workflow neither asked whether to go on nor waited for all chunks in one step.
FIRST_VERSION: list[Step] = [("begin", True), ("remaining", CHUNKS), *QUEUED]
BATCH: list[Step] = [("begin", True), ("remaining", CHUNKS)]


class EngineTables:
    """The tables of the job engine beside a database, as older code left them and as this code fills them."""

    def __init__(self, store: Store) -> None:
        url = Settings(database_url=store.url).job_engine_url
        database_url = engine_database_url(url)
        run_dbos_database_migrations(database_url)
        self.client = DBOSClient(system_database_url=database_url)
        self._engine = create_engine(database_url, **engine_connect_args(url))
        self._schema = "" if url.startswith("sqlite") else f"{ENGINE_SCHEMA}."

    def begin(self, name: str, workflow_id: str, *arguments: int, steps: Sequence[Step] = ()) -> None:
        """Store a workflow that was begun with these arguments and ended after these steps."""
        queue, _ = NAMES[name]
        self.client.enqueue(
            {
                "queue_name": queue,
                "workflow_name": name,
                "workflow_id": workflow_id,
                "app_version": ENGINE_VERSION,
            },
            *arguments,
        )
        insert = text(
            f"INSERT INTO {self._schema}operation_outputs (workflow_uuid, function_id, function_name, "
            "output, child_workflow_id, serialization, application_name) "
            "VALUES (:workflow_id, :number, :name, :output, :child, :form, 'judgelab')"
        )
        with self._engine.begin() as connection:
            for number, (step, result) in enumerate(steps, start=1):
                is_child = step == "chunk"
                row = {
                    "output": None if is_child else base64.b64encode(pickle.dumps(result)).decode(),
                    "child": result if is_child else None,
                    "form": None if is_child else "py_pickle",
                }
                connection.execute(
                    insert, {"workflow_id": workflow_id, "number": number, "name": step, **row}
                )

    def steps(self, workflow_id: str) -> list[str]:
        """Return the names of a workflow's steps in their order."""
        query = (
            f"SELECT function_name FROM {self._schema}operation_outputs "
            "WHERE workflow_uuid = :workflow_id ORDER BY function_id"
        )
        with self._engine.connect() as connection:
            return list(connection.execute(text(query), {"workflow_id": workflow_id}).scalars())

    def names(self) -> dict[str, tuple[str, list[str]]]:
        """Return each workflow's queue and steps, by its name."""
        workflows = self.client.list_workflows()
        assert {workflow.app_version for workflow in workflows} <= {ENGINE_VERSION}
        return {
            workflow.name: (str(workflow.queue_name), self.steps(workflow.workflow_id))
            for workflow in workflows
        }

    def close(self) -> None:
        self._engine.dispose()
        self.client.destroy()


@pytest.fixture
def engine_tables(any_store: Store) -> Iterator[EngineTables]:
    tables = EngineTables(any_store)
    yield tables
    tables.close()


def _begin_run(store: Store, server: Server, *, mode: Mode = "live") -> int:
    run_id = start_run(store, server, UNITS, mode=mode)
    assert run_id == 1
    with store.writing() as session:
        assert runs.start_attempt(session, run_id, 1)
    return run_id


def _check_complete(store: Store, run_id: int) -> None:
    status = service.run_status(store, run_id)
    assert (status.state, status.scored, status.waiting, status.faults) == ("done", UNITS, 0, {})
    with store.reading() as session:
        for table in (Judgment, Verdict, Completion):
            assert session.scalar(select(func.count()).select_from(table)) == UNITS


def _continue(
    store: Store, server: Server, workers: Workers, tables: EngineTables, steps: list[Step]
) -> None:
    """Begin a run as older code did up to these steps, and let a worker of today finish it."""
    run_id = _begin_run(store, server)
    tables.begin("run", "1/1", run_id, 1, steps=steps)
    workers.start()
    wait_until(store, run_id, rests)
    assert server.answered == UNITS
    _check_complete(store, run_id)


def test_a_run_begun_by_older_code_is_finished(
    any_store: Store, server: Server, workers_on_any: Workers, engine_tables: EngineTables
) -> None:
    _continue(any_store, server, workers_on_any, engine_tables, ROUND)
    assert engine_tables.client.retrieve_workflow("1/1").get_result() == "done"
    second_round = ["remaining", "wanted", "chunk", "chunk", "chunk", "chunk", "portions", "settle"]
    assert engine_tables.steps("1/1") == [name for name, _ in ROUND] + second_round


def test_a_run_begun_by_the_first_version_of_the_workflow_is_restarted_and_finished(
    any_store: Store, server: Server, workers_on_any: Workers, engine_tables: EngineTables
) -> None:
    _continue(any_store, server, workers_on_any, engine_tables, FIRST_VERSION)
    assert engine_tables.client.retrieve_workflow("1/1").get_status().status == "ERROR"
    assert engine_tables.client.retrieve_workflow("1/2").get_result() == "done"


def test_a_batch_run_begun_by_older_code_is_finished(
    any_store: Store, server: Server, workers_on_any: Workers, engine_tables: EngineTables
) -> None:
    run_id = _begin_run(any_store, server, mode="batch")
    engine_tables.begin("batch", "1/1", run_id, 1, steps=BATCH)
    workers_on_any.environment["JUDGELAB_BATCH_POLL_SECONDS"] = "0.2"
    workers_on_any.start()
    wait_until(any_store, run_id, rests)
    assert engine_tables.client.retrieve_workflow("1/1").get_result() == "done"
    assert engine_tables.steps("1/1") == NAMES["batch"][1]
    _check_complete(any_store, run_id)


def test_a_scoring_job_begun_by_older_code_is_finished(
    any_store: Store, workers_on_any: Workers, engine_tables: EngineTables
) -> None:
    job_id = metric_jobs.start(any_store, flasks(any_store, 6), ["length"])
    key = JobKey(job_id, 1)
    with any_store.writing() as session:
        assert scoring_jobs.start_attempt(session, key)
    engine_tables.begin("metrics", f"metrics/{job_id}/1", job_id, 1)
    workers_on_any.start()
    job = _finished_job(any_store, job_id)
    assert (job.state, job.attempt, job.done, job.total) == ("done", 1, 6, 6)


def test_the_engine_stores_work_under_the_same_names_as_ever(
    store: Store, server: Server, workers: Workers
) -> None:
    live = start_run(store, server, 3)
    batch = service.create_run(store, "flasks", spec(), mode="batch", cache=False)
    job_id = metric_jobs.start(store, "flasks", ["length"])
    workers.environment["JUDGELAB_BATCH_POLL_SECONDS"] = "0.2"
    workers.start()
    for run_id in (live, batch):
        assert wait_until(store, run_id, rests).state == "done"
    assert _finished_job(store, job_id).state == "done"
    tables = EngineTables(store)
    try:
        for workflow_id in (f"{live}/1", f"{batch}/1", f"metrics/{job_id}/1"):
            tables.client.retrieve_workflow(workflow_id).get_result()
        assert tables.names() == NAMES
    finally:
        tables.close()


def test_the_engine_stores_work_of_local_models_under_the_same_names_as_ever(
    store: Store, workers: Workers
) -> None:
    judge = JudgeSpec(protocol="direct", model="nobody/nothing", backend="transformers", samples=1)
    run_id = service.create_run(store, flasks(store, 3), judge)
    workers.environment["HF_HUB_OFFLINE"] = "1"
    workers.start("--local")
    assert "nobody/nothing is not on the worker's machine" in wait_until(store, run_id, rests).reason
    tables = EngineTables(store)
    try:
        assert tables.client.retrieve_workflow(f"{run_id}/1").get_result() == "stopped"
        assert tables.names() == {name: (queue, NAMES[name][1]) for name, queue in LOCAL_QUEUES.items()}
    finally:
        tables.close()


def _finished_job(store: Store, job_id: int) -> JobInfo:
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        with store.reading() as session:
            job = scoring_jobs.find_job(session, job_id)
        if job.resting:
            return job
        time.sleep(0.05)
    raise AssertionError(f"the job did not end: {job}")
