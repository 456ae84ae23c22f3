"""A run that was under way when its database was copied goes on where the copy has it."""

from __future__ import annotations

import time
from pathlib import Path

from judgelab.runs import service
from judgelab.store.db import backup
from judgelab.store.db.engine import Store
from tests.runs.conftest import Workers, rests, start_run, wait_until
from tests.runs.openai_server import Server

LATENCY = 0.2


def test_a_run_goes_on_after_its_database_was_put_back(
    store: Store, server: Server, workers: Workers, tmp_path: Path
) -> None:
    server.habits.latency = LATENCY
    run_id = start_run(store, server, 40, concurrency=8)
    worker = workers.start()
    wait_until(store, run_id, lambda status: status.scored >= 8)
    backup.save(store, tmp_path / "copy.db")
    workers.kill(worker)
    url, engine = store.url, store.url.replace("test.db", "test-engine.db")
    store.close()
    restored = backup.restore(url, engine, tmp_path / "copy.db", replace=True)
    assert Path(restored.kept).exists() and not (tmp_path / "test-engine.db").exists()
    completions = service.run_status(store, run_id).completions  # of some the verdict was still to come
    assert 8 <= completions < 40
    time.sleep(2 * LATENCY)  # what the killed worker had asked is answered by now
    server.habits.latency = 0.02
    before = server.answered
    workers.start()
    status = wait_until(store, run_id, rests)
    assert (status.state, status.scored) == ("done", 40)
    assert server.answered - before == 40 - completions
