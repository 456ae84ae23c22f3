"""A disk that fills up, is turned read-only or loses its power while people rate; backups onto such disks."""

from __future__ import annotations

import random
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from sqlalchemy import func, select

from benchmarks.fault_trials import of_processes
from benchmarks.fault_trials.databases import Databases, OnDisks, server_on_a_disk
from benchmarks.fault_trials.disks import cut, in_a_file, in_memory, insist, switch_on
from benchmarks.fault_trials.outcome import Outcome, Raters
from judgelab.errors import DiskFull, InvalidInput, StoreUnavailable, UserError
from judgelab.store.db import backup, backup_sqlite
from judgelab.store.db.schema import open_store
from judgelab.store.models import Rating
from tests.databases import new_sqlite

ROUNDS = 4
WORK_SECONDS = 1.0
PAUSE_SECONDS = 0.5  # for ratings under way


def full_disk(times: int, databases: Databases) -> Outcome:
    """Fill the disk while people rate; free it; look."""
    databases.need_files()
    chance, outcome = random.Random(3), Outcome(0, 0, 0)
    for _ in range(max(1, times // 4)):
        with in_memory() as folder:
            raters = _raters(folder)
            with raters.at_work():
                for _round in range(ROUNDS):
                    time.sleep(chance.uniform(0.2, WORK_SECONDS))
                    filler = folder / "filler"
                    _fill(filler)
                    time.sleep(WORK_SECONDS)
                    outcome += Outcome(1, 0, _backup_onto(raters, folder))
                    filler.unlink()
                time.sleep(WORK_SECONDS)
            outcome += _looked_for(raters)
    return outcome


def read_only_disk(times: int, databases: Databases) -> Outcome:
    """Turn the disk read-only between two ratings of people who go on, and back; look."""
    databases.need_files()
    chance, outcome = random.Random(4), Outcome(0, 0, 0)
    for _ in range(max(1, times // 4)):
        with in_memory() as folder:
            raters = _raters(folder)
            with raters.at_work():
                for _round in range(ROUNDS):
                    time.sleep(chance.uniform(0.2, WORK_SECONDS))
                    # The system refuses it while a file is open for writing.
                    with _resting(raters):
                        insist("mount", "-o", "remount,ro", str(folder))
                    time.sleep(WORK_SECONDS)
                    insist("mount", "-o", "remount,rw", str(folder))
                    outcome += Outcome(1, 0, 0)
                time.sleep(WORK_SECONDS)
            outcome += _looked_for(raters)
    return outcome


def power_cuts(times: int, databases: Databases) -> Outcome:
    """Let a disk keep only what had reached it by some moment while people rate; switch it on; look.

    A backup that was said to be written before has to be whole, with all that was acknowledged before it.
    """
    if databases.cluster is not None:
        return _power_cuts_of_a_server(times)
    chance, outcome = random.Random(5), Outcome(0, 0, 0)
    for _ in range(max(1, times // 2)):
        with in_a_file() as folder:
            raters = _raters(folder)
            with raters.at_work():
                time.sleep(chance.uniform(0.2, WORK_SECONDS))
                before = raters.acknowledged
                backup.save(raters.store, folder / "copy.db")
                time.sleep(chance.uniform(0.0, PAUSE_SECONDS))
                heard = raters.heard()
                cut(folder)
            # The cut lets a wait for the disk that is under way end as if all had been written.
            raters.heard_no_more_than(heard)
            raters.store.close()
            switch_on(folder)
            outcome += Outcome(1, 1, int(_ratings_in(folder / "copy.db") < before)) + _looked_for(raters)
    return outcome


def _power_cuts_of_a_server(times: int) -> Outcome:
    """The same to a PostgreSQL, whose disk holds the backup too."""
    chance, outcome = random.Random(5), Outcome(0, 0, 0)
    with server_on_a_disk() as databases:
        for _ in range(max(1, times // 2)):
            with databases.folder() as folder, databases.within(folder) as url:
                raters, copy = Raters.new(open_store(url)), folder / "copy.db"
                with raters.at_work():
                    time.sleep(chance.uniform(0.2, WORK_SECONDS))
                    before = raters.acknowledged
                    backup.save(raters.store, copy)
                    time.sleep(chance.uniform(0.0, PAUSE_SECONDS))
                    heard = raters.heard()
                    databases.cut()
                raters.heard_no_more_than(heard)
                databases.switch_on()
                with databases.one(empty=True) as other:
                    outcome += Outcome(1, 1, int(_ratings_put_back(copy, other) < before))
                outcome += _looked_for(raters)
    return outcome


def _ratings_put_back(copy: Path, url: str) -> int:
    """Put a backup back elsewhere; return how many ratings it holds, -1 where it cannot be put back."""
    try:
        backup.restore(url, url, copy)
    except UserError:
        return -1
    store = open_store(url)
    with store.reading() as session:
        pairs = select(Rating.response_id, Rating.person_id).distinct().subquery()
        found = session.scalar(select(func.count()).select_from(pairs))
    store.close()
    return found or 0


def _ratings_in(copy: Path) -> int:
    """Return how many ratings a whole backup holds, -1 where there is none or a damaged one."""
    try:
        with backup_sqlite.open_read_only(copy) as connection:
            backup_sqlite.check(connection, copy)
            pairs = connection.execute("SELECT DISTINCT response_id, person_id FROM rating").fetchall()
            return len(pairs)
    except (sqlite3.Error, InvalidInput):
        return -1


def power_cuts_of_commands(times: int, databases: Databases) -> Outcome:
    """The same to migrations, imports, backups and restores, each as when it is killed."""
    kinds = (of_processes.migrations, of_processes.imports, of_processes.backups, of_processes.restores)
    with server_on_a_disk() if databases.cluster else nullcontext(OnDisks()) as own:
        return sum((kind(max(1, times // 2), own) for kind in kinds), Outcome(0, 0, 0))


def _raters(folder: Path) -> Raters:
    return Raters.new(open_store(new_sqlite(folder / "x.db")))


def _looked_for(raters: Raters) -> Outcome:
    outcome = Outcome(0, raters.acknowledged, raters.wrong(), raters.refused)
    raters.store.close()
    return outcome


@contextmanager
def _resting(raters: Raters) -> Iterator[None]:
    """Let nobody rate, and close the database."""
    raters.resting.set()
    time.sleep(PAUSE_SECONDS)
    raters.store.close()
    yield
    raters.resting.clear()


def _fill(filler: Path) -> None:
    with filler.open("wb", buffering=0) as file:
        size = 1_000_000
        while size:
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                size //= 10


def _backup_onto(raters: Raters, folder: Path) -> int:
    """Write a backup onto the full disk; return 1 unless it is refused in a sentence and leaves nothing."""
    try:
        backup.save(raters.store, folder / "copy.db")
    except (DiskFull, StoreUnavailable):
        raters.refused += 1
        return int((folder / "copy.db").exists() or (folder / "copy.db.part").exists())
    return 1


KINDS = {
    "full-disk": full_disk,
    "read-only-disk": read_only_disk,
    "power-cuts": power_cuts,
    "power-cuts-of-commands": power_cuts_of_commands,
}
