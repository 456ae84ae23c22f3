"""The database server restarted under the raters, and a newer version that migrates beside an older one."""

from __future__ import annotations

import random
import sqlite3
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from benchmarks.fault_trials.outcome import NotHere, Outcome, Raters
from judgelab.store import schema_watch
from judgelab.store.schema import head_schema, open_store
from tests import postgres
from tests.databases import new_sqlite


def postgres_restarts(times: int) -> Outcome:
    """Restart PostgreSQL while people rate."""
    if postgres._programs() is None:
        raise NotHere("PostgreSQL's server programs were not found")
    chance, faults = random.Random(7), 0
    with postgres._cluster() as cluster:
        raters = Raters.new(open_store(f"{cluster.address}/postgres"), answers=4000)
        with _at_work(raters):
            for _ in range(max(1, times // 4)):
                time.sleep(chance.uniform(0.5, 1.5))
                cluster.stop()
                time.sleep(chance.uniform(0.0, 1.0))
                cluster.start()
                faults += 1
            time.sleep(1.0)
        outcome = Outcome(faults, len(raters.acknowledged), raters.missing(), raters.refused)
        raters.store.close()
    return outcome


def two_versions(times: int) -> Outcome:
    """A newer version migrates while people rate in this one: refused from then on, until it is back."""
    chance, faults, lost = random.Random(8), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.db"
        raters = Raters.new(open_store(new_sqlite(path)))
        with _at_work(raters):
            for _ in range(max(1, times // 4)):
                time.sleep(chance.uniform(0.2, 0.6))
                _revise(path, "9999")
                time.sleep(schema_watch.EVERY + 0.5)
                before = len(raters.acknowledged)
                time.sleep(0.5)
                lost += len(raters.acknowledged) - before  # nothing may be taken in any more
                _revise(path, str(head_schema()))
                faults += 1
            time.sleep(1.0)
        outcome = Outcome(faults, len(raters.acknowledged), raters.missing() + lost, raters.refused)
        raters.store.close()
    return outcome


@contextmanager
def _at_work(raters: Raters) -> Iterator[None]:
    over = threading.Event()
    threads = [threading.Thread(target=raters.rate, args=(person, over)) for person in raters.people]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


def _revise(path: Path, revision: str) -> None:
    with closing(sqlite3.connect(path, timeout=30)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))


KINDS = {"postgres-restarts": postgres_restarts, "two-versions": two_versions}
