"""Where the job engine keeps its rows."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path

from dbos import DBOSClient, run_dbos_database_migrations
from sqlalchemy import create_engine, text

from judgelab.store.db.engine import Store
from judgelab.store.db.engine_tables import cancel_queued, engine_connect_args, engine_database_url


def test_rows_that_newer_pythons_made_tell_their_time_in_every_sqlite(tmp_path: Path) -> None:
    # The engine's own table, as it makes it under Python 3.12 and 3.13; SQLite knows 'subsec' since 3.42.
    url = f"sqlite:///{tmp_path / 'engine.db'}"
    engine = create_engine(url, **engine_connect_args(url))
    before = int(1000 * time.time())
    with engine.begin() as connection:
        column_definition = "made INTEGER NOT NULL DEFAULT (unixepoch('subsec') * 1000)"
        connection.execute(text(f"CREATE TABLE versions (name TEXT, {column_definition})"))
        connection.execute(text("INSERT INTO versions (name) VALUES ('1')"))
        stored_time = connection.execute(text("SELECT made FROM versions")).scalar_one()
    engine.dispose()
    assert before <= stored_time <= 1000 * time.time()
    assert engine_connect_args("postgresql://localhost/judgelab") == {}


@contextmanager
def locked_for(seconds: float, url: str) -> Iterator[None]:
    """Hold the write lock of a SQLite file from now on, in a thread, for so many seconds."""
    locked = threading.Event()

    def hold() -> None:
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            locked.set()
            time.sleep(seconds)
            connection.execute("ROLLBACK")

    holding = threading.Thread(target=hold)
    holding.start()
    locked.wait()
    yield
    holding.join()


def test_only_portions_of_the_workflow_that_nobody_took_up_are_cancelled(
    any_store: Store, tmp_path: Path
) -> None:
    sqlite = any_store.url.startswith("sqlite")
    url = f"sqlite:///{tmp_path / 'engine.db'}" if sqlite else any_store.url
    run_dbos_database_migrations(engine_database_url(url))
    client = DBOSClient(system_database_url=engine_database_url(url))
    parents = {"1/1/0/0": "1/1", "1/1/0/64": "1/1", "2/1/0/0": "2/1"}
    for name in parents:
        client.enqueue({"queue_name": "chunks", "workflow_name": "chunk", "workflow_id": name}, 1, 1, 0, 64)
    engine = create_engine(engine_database_url(url), **engine_connect_args(url))
    table = "workflow_status" if sqlite else "dbos.workflow_status"
    with engine.begin() as connection:
        for name, parent in parents.items():
            of = {"parent": parent, "name": name}
            connection.execute(
                text(f"UPDATE {table} SET parent_workflow_id = :parent WHERE workflow_uuid = :name"), of
            )
        set_pending = f"UPDATE {table} SET status = 'PENDING' WHERE workflow_uuid = '1/1/0/64'"
        connection.execute(text(set_pending))
    engine.dispose()
    with locked_for(6.0, url) if sqlite else nullcontext():  # sqlite3 itself gives up after five seconds
        assert cancel_queued(url, "1/1") == {"1/1/0/0"}
    states = {name: client.retrieve_workflow(name).get_status().status for name in parents}
    assert states == {"1/1/0/0": "CANCELLED", "1/1/0/64": "PENDING", "2/1/0/0": "ENQUEUED"}
    client.destroy()
