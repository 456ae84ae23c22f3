"""SIGKILL and SIGTERM: raters at a server, a migration, an import, a backup, a restore."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from sqlalchemy import func, select

from benchmarks.fault_trials.databases import Databases
from benchmarks.fault_trials.outcome import Outcome
from judgelab.errors import UserError
from judgelab.selftest.run import SelftestPlan, run_selftest
from judgelab.store.db import backup
from judgelab.store.db.engine import Store
from judgelab.store.db.revisions import head_schema, revision_of
from judgelab.store.models import ResponseRow, SignIn, now
from tests.annotation.conftest import make_person, make_project
from tests.store.test_upgrade import WANTED, carried_over, first_schema

ROOT = Path(__file__).resolve().parents[2]
STARTING_SECONDS = 0.3  # of a command, before it does anything
ROWS, FEW_ROWS = 3000, 7


@dataclass(frozen=True)
class Place:
    """Where one trial happens: a folder, and the URL of its database."""

    folder: Path
    url: str
    databases: Databases

    @property
    def copy(self) -> Path:
        """The file of a backup."""
        return self.folder / "copy.db"


def _served(times: int, databases: Databases, *, gently: bool) -> Outcome:
    chance, outcome = random.Random(1), Outcome(0, 0, 0)
    for number in range(max(1, times // 4)):
        ends = tuple(sorted(chance.uniform(0.1, 0.9) for _ in range(2)))
        plan = SelftestPlan(raters=8, items=2000, seconds=12, seed=number, ends=ends, gently=gently)
        with databases.one() as url:
            report = run_selftest(plan, url=None if databases.cluster is None else url)
        found, judged = report.findings, report.judged
        checked = found.acknowledged + (judged.units if judged else 0)
        lost = found.lost + found.altered + found.doubled + found.over_k + (judged.missing if judged else 0)
        outcome += Outcome(2 * len(ends), checked, lost)  # the app and the worker
    return outcome


def killed_servers(times: int, databases: Databases) -> Outcome:
    """App and worker killed with -9 twice while raters and a judge work."""
    return _served(times, databases, gently=False)


def stopped_servers(times: int, databases: Databases) -> Outcome:
    """The same with SIGTERM."""
    return _served(times, databases, gently=True)


def migrations(times: int, databases: Databases) -> Outcome:
    """A database of the first schema; `judgelab migrate` killed; migrated again."""

    def prepare(place: Place) -> None:
        first_schema(place.url.replace("postgresql://", "postgresql+psycopg://"))

    def look(place: Place, ended: bool) -> int:
        with _opened(place.url) as store, store.reading() as session:
            wrong = int(revision_of(session.connection()) not in _either("0001", head_schema(), ended))
        return wrong + int(carried_over(place.url) != WANTED)

    return _killed(times, databases, prepare, ["migrate"], look, empty=True)


def imports(times: int, databases: Databases) -> Outcome:
    """An import of 3,000 rows killed: all rows or none."""

    def prepare(place: Place) -> None:
        lines = [f"q{n},Question {n}?,r{n},s,Answer {n}." for n in range(ROWS)]
        head = "item_id,question,response_id,system,response"
        (place.folder / "rows.csv").write_text("\n".join([head, *lines]))
        _command(place, "project", "create", "p").wait()

    def look(place: Place, ended: bool) -> int:
        return _unsound(place.url) + int(_rows(place.url) not in _either(0, ROWS, ended))

    return _killed(times, databases, prepare, ["import", "p", "rows.csv"], look)


def backups(times: int, databases: Databases) -> Outcome:
    """A backup killed: the file is whole or not there, the database as before, the next backup whole."""

    def look(place: Place, ended: bool) -> int:
        wrong = _unsound(place.url) + int(_rows(place.url) != ROWS)
        if not place.copy.exists():
            wrong += ended
            wrong += int(_command(place, "backup", place.copy.name).wait() != 0)
        return wrong + _not_put_back(place)

    return _killed(times, databases, lambda place: _filled(place.url), ["backup", "copy.db"], look)


def restores(times: int, databases: Databases) -> Outcome:
    """A restore killed: the old database or the new one, whole; in the new one, sign-ins are void."""

    def prepare(place: Place) -> None:
        with place.databases.one() as other:
            _filled(other)
            with _opened(other) as store:
                backup.save(store, place.copy)
        with _opened(place.url) as store:
            make_project(store, answers=FEW_ROWS)

    def look(place: Place, ended: bool) -> int:
        wrong = _unsound(place.url) + int(_rows(place.url) not in _either(FEW_ROWS, ROWS, ended))
        with _opened(place.url) as store, store.reading() as session:
            valid = select(func.count()).select_from(SignIn).where(SignIn.revoked_at.is_(None))
            return wrong + (session.scalar(valid) or 0)

    return _killed(times, databases, prepare, ["restore", "copy.db", "--yes"], look)


@contextmanager
def _opened(url: str) -> Iterator[Store]:
    """Open a database as it is, of whatever schema."""
    store = Store(url)
    try:
        yield store
    finally:
        store.close()


def _filled(url: str) -> None:
    """Store a project, and somebody who is signed in."""
    with _opened(url) as store:
        make_project(store, answers=ROWS)
        person = make_person(store, "Ann")
        with store.writing() as session:
            session.add(SignIn(token_hash="h", person_id=person, expires_at=now() + timedelta(days=1)))


def _rows(url: str) -> int:
    with _opened(url) as store, store.reading() as session:
        return session.scalar(select(func.count()).select_from(ResponseRow)) or 0


def _either(before: object, after: object, ended: bool) -> tuple[object, ...]:
    """Return what may be found of a command that was ended before or after it had said that it was done."""
    return (after,) if ended else (before, after)


def _not_put_back(place: Place) -> int:
    """Put a backup back elsewhere; return 1 unless all of it is there."""
    with place.databases.one() as elsewhere:
        engine = elsewhere if place.databases.cluster else f"sqlite:///{place.folder / 'engine.db'}"
        try:
            backup.restore(elsewhere, engine, place.copy)
        except UserError:
            return 1
        return int(_rows(elsewhere) != ROWS)


def _killed(
    times: int,
    databases: Databases,
    prepare: Callable[[Place], None],
    words: list[str],
    look: Callable[[Place, bool], int],
    *,
    empty: bool = False,
) -> Outcome:
    """Prepare a database, start a command on it, kill it at a random moment, look; as often as asked."""
    chance, faults, lost = random.Random(2), 0, 0
    with _place(databases, empty) as place:
        prepare(place)
        began = time.monotonic()
        _command(place, *words).wait()
        usual = time.monotonic() - began
    for _ in range(times):
        with _place(databases, empty) as place:
            prepare(place)
            os.sync()
            process = _command(place, *words)
            time.sleep(chance.uniform(min(STARTING_SECONDS, usual / 2), usual))
            under_way = process.poll() is None
            faults += under_way
            # The busier the machine, the longer it takes: the moments follow, and come close to the end.
            usual *= 1.1 if under_way else 0.8
            databases.end(process, place.folder)
            databases.wait_for_rest(place.url)
            lost += look(place, not under_way)
    return Outcome(faults, times, lost)


@contextmanager
def _place(databases: Databases, empty: bool) -> Iterator[Place]:
    with databases.folder() as folder, databases.within(folder, empty=empty) as url:
        yield Place(folder, url, databases)


def _command(place: Place, *words: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "JUDGELAB_DATABASE_URL": place.url, "PYTHONPATH": str(ROOT)}
    quiet = subprocess.DEVNULL
    command = [sys.executable, "-m", "judgelab", *words]
    return subprocess.Popen(command, cwd=place.folder, env=environment, stdout=quiet, stderr=quiet)


def _unsound(url: str) -> int:
    """Return 1 where a file of SQLite is damaged; PostgreSQL says so itself when it is read."""
    if not url.startswith("sqlite"):
        return 0
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
        return int(connection.execute("PRAGMA integrity_check").fetchone() != ("ok",))


KINDS = {
    "killed-servers": killed_servers,
    "stopped-servers": stopped_servers,
    "migrations": migrations,
    "imports": imports,
    "backups": backups,
    "restores": restores,
}
