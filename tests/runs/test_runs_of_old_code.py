"""A run begun by older code is finished by this code: names and order of its steps are kept."""

from __future__ import annotations

import base64
import pickle
from collections.abc import Mapping

from dbos import DBOSClient, run_dbos_database_migrations
from sqlalchemy import Connection, Engine, create_engine, func, select, text

from judgelab.config import Settings
from judgelab.runs import service
from judgelab.store.db.engine import Store
from judgelab.store.db.engine_tables import engine_connect_args, engine_database_url
from judgelab.store.judging import runs
from judgelab.store.models import Completion, Judgment, Verdict
from tests.runs.conftest import Workers, rests, start_run, wait_until
from tests.runs.openai_server import Server

UNITS = 40
CHUNKS = [(0, 10), (10, 20), (20, 30), (30, 40)]
# The first round as version 1 of the workflow stored it: step or child workflow, and what came out.
OLD_ROUND = [
    ("begin", True),
    ("remaining", CHUNKS),
    ("wanted", True),
    *(("chunk", f"1/1/0/{low}") for low, _ in CHUNKS),
    ("portions", []),
    ("settle", "again"),
]
NEW_ROUND = ["remaining", "wanted", "chunk", "chunk", "chunk", "chunk", "portions", "settle"]


def test_a_run_begun_by_older_code_is_finished(store: Store, server: Server, workers: Workers) -> None:
    run_id = start_run(store, server, UNITS)
    assert run_id == 1
    with store.writing() as session:
        assert runs.start_attempt(session, run_id, 1)
    url = Settings(database_url=store.url).job_engine_url
    run_dbos_database_migrations(engine_database_url(url))
    client = DBOSClient(system_database_url=engine_database_url(url))
    engine = create_engine(engine_database_url(url), **engine_connect_args(url))
    try:
        client.enqueue(
            {"queue_name": "runs", "workflow_name": "run", "workflow_id": "1/1", "app_version": "1"},
            run_id,
            1,
        )
        with engine.begin() as connection:
            for number, (name, result) in enumerate(OLD_ROUND, start=1):
                _store_step(connection, number, name, result)
        workers.start()
        status = wait_until(store, run_id, rests)
        assert (status.state, status.scored, status.waiting) == ("done", UNITS, 0)
        assert client.retrieve_workflow("1/1").get_result() == "done"
        assert _steps(engine) == [name for name, _ in OLD_ROUND] + NEW_ROUND
    finally:
        engine.dispose()
        client.destroy()
    assert server.answered == UNITS
    with store.reading() as session:
        for table in (Judgment, Verdict, Completion):
            assert session.scalar(select(func.count()).select_from(table)) == UNITS
    assert service.run_status(store, run_id).faults == {}


def _store_step(connection: Connection, number: int, name: str, result: object) -> None:
    row: Mapping[str, object] = {
        "number": number,
        "name": name,
        "output": None if name == "chunk" else base64.b64encode(pickle.dumps(result)).decode(),
        "child": result if name == "chunk" else None,
        "form": None if name == "chunk" else "py_pickle",
    }
    connection.execute(
        text(
            "INSERT INTO operation_outputs (workflow_uuid, function_id, function_name, output, "
            "child_workflow_id, serialization, application_name) "
            "VALUES ('1/1', :number, :name, :output, :child, :form, 'judgelab')"
        ),
        row,
    )


def _steps(engine: Engine) -> list[str]:
    steps = "SELECT function_name FROM operation_outputs WHERE workflow_uuid = '1/1' ORDER BY function_id"
    with engine.connect() as connection:
        return list(connection.execute(text(steps)).scalars())
