"""SIGKILL and SIGTERM: raters at a server, a migration, an import, a backup, a restore."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from benchmarks.fault_trials.outcome import Outcome
from judgelab.selftest.trial import Plan, run_selftest
from judgelab.store import backup
from judgelab.store.schema import head_schema, open_store
from tests.annotation.conftest import make_project
from tests.databases import new_sqlite
from tests.store.test_upgrade import carried_over, first_schema

ROOT = Path(__file__).resolve().parents[2]
STARTING_SECONDS = 0.3  # of a command, before it does anything
ROWS = 3000


def _served(times: int, *, gently: bool) -> Outcome:
    chance, faults, checked, lost = random.Random(1), 0, 0, 0
    for number in range(max(1, times // 4)):
        ends = tuple(sorted(chance.uniform(0.1, 0.9) for _ in range(2)))
        plan = Plan(raters=8, items=2000, seconds=12, seed=number, ends=ends, gently=gently)
        report = run_selftest(plan)
        found, judged = report.findings, report.judged
        faults += 2 * len(ends)  # the app and the worker
        checked += found.acknowledged + (judged.units if judged else 0)
        lost += found.lost + found.altered + found.doubled + found.over_k + (judged.missing if judged else 0)
    return Outcome(faults, checked, lost)


def killed_servers(times: int) -> Outcome:
    """App and worker killed with -9 twice while raters and a judge work."""
    return _served(times, gently=False)


def stopped_servers(times: int) -> Outcome:
    """The same with SIGTERM."""
    return _served(times, gently=True)


def migrations(times: int) -> Outcome:
    """A database of the first schema; `judgelab migrate` killed; migrated again."""

    def look(folder: Path) -> int:
        url = f"sqlite:///{folder / 'x.db'}"
        with closing(sqlite3.connect(folder / "x.db")) as connection:
            (schema,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        wrong = int(schema not in ("0001", head_schema()))
        expected = folder / "expected.db"
        first_schema(f"sqlite:///{expected}")
        return wrong + int(carried_over(url) != carried_over(f"sqlite:///{expected}"))

    return _killed(times, lambda folder: first_schema(f"sqlite:///{folder / 'x.db'}"), ["migrate"], look)


def imports(times: int) -> Outcome:
    """An import of 3,000 rows killed: all rows or none."""

    def prepare(folder: Path) -> None:
        new_sqlite(folder / "x.db")
        lines = [f"q{n},Question {n}?,r{n},s,Answer {n}." for n in range(ROWS)]
        (folder / "rows.csv").write_text("\n".join(["item_id,question,response_id,system,response", *lines]))
        _command(folder, "project", "create", "p").wait()

    def look(folder: Path) -> int:
        store = open_store(f"sqlite:///{folder / 'x.db'}")
        with store.reading() as session:
            rows = session.connection().exec_driver_sql("SELECT count(*) FROM response").scalar_one()
        store.close()
        return int(rows not in (0, ROWS))

    return _killed(times, prepare, ["import", "p", "rows.csv"], look)


def backups(times: int) -> Outcome:
    """A backup killed: the file is whole or not there, and the database as before."""

    def look(folder: Path) -> int:
        wrong = _unsound(folder / "x.db")
        file = folder / "copy.db"
        return wrong + (_unsound(file) if file.exists() else 0)

    return _killed(times, _filled, ["backup", "copy.db"], look)


def restores(times: int) -> Outcome:
    """A restore killed: the old database or the new one, whole."""

    def prepare(folder: Path) -> None:
        _filled(folder)
        shutil.move(folder / "x.db", folder / "other.db")
        store = open_store(f"sqlite:///{folder / 'other.db'}")
        backup.save(store, folder / "copy.db")
        store.close()
        store = open_store(new_sqlite(folder / "x.db"))
        make_project(store, answers=7)
        store.close()

    def look(folder: Path) -> int:
        with closing(sqlite3.connect(folder / "x.db")) as connection:
            (rows,) = connection.execute("SELECT count(*) FROM response").fetchone()
        return _unsound(folder / "x.db") + int(rows not in (7, ROWS))

    return _killed(times, prepare, ["restore", "copy.db", "--yes"], look)


def _filled(folder: Path) -> None:
    store = open_store(new_sqlite(folder / "x.db"))
    make_project(store, answers=ROWS)
    store.close()


def _killed(
    times: int, prepare: Callable[[Path], None], words: list[str], look: Callable[[Path], int]
) -> Outcome:
    """Prepare a folder, start a command in it, kill it at a random moment, look; as often as asked."""
    chance, faults, lost = random.Random(2), 0, 0
    with tempfile.TemporaryDirectory() as first:
        prepare(Path(first))
        began = time.monotonic()
        _command(Path(first), *words).wait()
        usual = time.monotonic() - began
    for _ in range(times):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            prepare(folder)
            process = _command(folder, *words)
            time.sleep(chance.uniform(min(STARTING_SECONDS, usual / 2), usual))
            under_way = process.poll() is None
            faults += under_way
            # The busier the machine, the longer it takes: the moments follow, and come close to the end.
            usual *= 1.1 if under_way else 0.8
            process.kill()
            process.wait()
            lost += look(folder)
            again = _command(folder, *words[:-1], "again.db") if words[0] == "backup" else None
            if again is not None:
                lost += int(again.wait() != 0) + _unsound(folder / "again.db")
    return Outcome(faults, times, lost)


def _command(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "JUDGELAB_DATABASE_URL": "sqlite:///x.db", "PYTHONPATH": str(ROOT)}
    quiet = subprocess.DEVNULL
    command = [sys.executable, "-m", "judgelab", *words]
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=quiet, stderr=quiet)


def _unsound(file: Path) -> int:
    with closing(sqlite3.connect(file)) as connection:
        return int(connection.execute("PRAGMA integrity_check").fetchone() != ("ok",))


KINDS = {
    "killed-servers": killed_servers,
    "stopped-servers": stopped_servers,
    "migrations": migrations,
    "imports": imports,
    "backups": backups,
    "restores": restores,
}
