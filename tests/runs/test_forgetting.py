"""What the engine keeps of runs goes away some days after their end; what they came to stays."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

from judgelab.runs import service
from judgelab.store.db.engine import Store
from tests.runs.conftest import Workers, rests, start_run, wait_until
from tests.runs.openai_server import Server

EIGHT_DAYS = 8 * 24 * 3600 * 1000  # the engine counts milliseconds


def _known(path: Path) -> list[str]:
    with sqlite3.connect(path, timeout=60) as connection:
        return [row[0] for row in connection.execute("SELECT workflow_uuid FROM workflow_status")]


def test_the_engine_forgets_runs_that_ended_a_week_ago(
    store: Store, server: Server, workers: Workers, tmp_path: Path
) -> None:
    old = start_run(store, server, 30)
    worker = workers.start()
    wait_until(store, old, rests)
    worker.terminate()
    worker.wait(10)
    engine = tmp_path / "test-engine.db"
    before = _known(engine)
    assert f"{old}/1" in before
    assert len(before) > 1
    with sqlite3.connect(engine, timeout=60) as connection:
        connection.execute(
            "UPDATE workflow_status SET created_at = created_at - ?, completed_at = completed_at - ?",
            (EIGHT_DAYS, EIGHT_DAYS),
        )
    workers.start()
    end = time.monotonic() + 60
    while _known(engine):
        assert time.monotonic() < end, _known(engine)
        time.sleep(0.05)
    assert service.run_status(store, old).scored == 30
