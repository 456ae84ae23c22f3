"""The database server restarted or killed under the raters, and a newer version that migrates beside them."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psycopg

from benchmarks.fault_trials.databases import Databases
from benchmarks.fault_trials.outcome import Outcome, Raters
from judgelab.store.db import schema_watch
from judgelab.store.db.engine import Store
from judgelab.store.db.revisions import head_schema
from judgelab.store.db.schema import open_store
from tests.postgres import Cluster

ROOT = Path(__file__).resolve().parents[2]
NEWER = '''"""What a later JudgeLab might add: a table, and a column in one that is being written to."""

import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = "{head}"


def upgrade():
    op.create_table("later", sa.Column("id", sa.Integer(), primary_key=True))
    anew = "always" if op.get_bind().dialect.name == "sqlite" else "never"
    with op.batch_alter_table("rating", recreate=anew) as table:
        table.add_column(sa.Column("later", sa.String(), nullable=False, server_default="kept"))
'''


def postgres_restarts(times: int, databases: Databases) -> Outcome:
    """Restart PostgreSQL while people rate."""

    def restart(cluster: Cluster, _url: str, away: float) -> None:
        cluster.stop()
        time.sleep(away)
        cluster.start()

    return _under_raters(times, databases, restart)


def postgres_kills(times: int, databases: Databases) -> Outcome:
    """Kill all of PostgreSQL with -9 while people rate, and start it again."""

    def crash(cluster: Cluster, _url: str, away: float) -> None:
        cluster.kill()
        time.sleep(away)
        cluster.start()

    return _under_raters(times, databases, crash)


def postgres_backend_kills(times: int, databases: Databases) -> Outcome:
    """Kill one server process with -9 while people rate: PostgreSQL ends all and recovers by itself."""

    def crash(cluster: Cluster, url: str, _away: float) -> None:
        with psycopg.connect(f"{cluster.address}/postgres", autocommit=True) as connection:
            (pid,) = connection.execute(
                "SELECT pid FROM pg_stat_activity WHERE datname = %s LIMIT 1", (url.rpartition("/")[2],)
            ).fetchall()[0]
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.5)  # until it has noticed
        cluster.wait()

    return _under_raters(times, databases, crash)


def _under_raters(times: int, databases: Databases, fault: Callable[[Cluster, str, float], None]) -> Outcome:
    cluster = databases.need_server()
    chance, faults = random.Random(7), 0
    with databases.one() as url:
        raters = Raters.new(open_store(url), answers=4000)
        with raters.at_work():
            for _ in range(max(1, times // 4)):
                time.sleep(chance.uniform(0.5, 1.5))
                fault(cluster, url, chance.uniform(0.0, 1.0))
                faults += 1
            time.sleep(1.0)
        outcome = Outcome(faults, raters.acknowledged, raters.wrong(), raters.refused)
        raters.store.close()
    return outcome


def two_versions(times: int, databases: Databases) -> Outcome:
    """A newer version migrates while people rate in this one, which takes nothing more soon afterwards."""
    chance, outcome = random.Random(8), Outcome(0, 0, 0)
    with tempfile.TemporaryDirectory() as name:
        newer = _newer(Path(name))
        for _ in range(max(1, times // 4)):
            with databases.one() as url:
                raters = Raters.new(open_store(url))
                with raters.at_work():
                    time.sleep(chance.uniform(0.2, 0.6))
                    words = [sys.executable, "-m", "judgelab", "migrate"]
                    there = {**os.environ, "JUDGELAB_DATABASE_URL": url, "PYTHONPATH": str(newer)}
                    done = subprocess.run(words, cwd=newer, env=there, stdout=subprocess.DEVNULL)
                    time.sleep(schema_watch.CHECK_EVERY + 0.5)
                    before = raters.acknowledged
                    time.sleep(0.5)
                    late = raters.acknowledged - before
                raters.store.close()
                there_now = Store(url)  # as the newer version would: unlike `open_store`, it takes any schema
                wrong = raters.wrong(there_now) + late + int(done.returncode != 0)
                there_now.close()
                outcome += Outcome(1, raters.acknowledged, wrong, raters.refused)
    return outcome


def _newer(folder: Path) -> Path:
    """Copy this version into a folder and give it one migration more; return the folder."""
    for name in ("judgelab", "migrations"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "migrations" / "versions" / "9999_later.py").write_text(NEWER.format(head=head_schema()))
    return folder


KINDS = {
    "postgres-restarts": postgres_restarts,
    "postgres-kills": postgres_kills,
    "postgres-backend-kills": postgres_backend_kills,
    "two-versions": two_versions,
}
