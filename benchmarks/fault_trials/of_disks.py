"""A disk that fills up and one that is turned read-only while people rate; a backup onto a full one."""

from __future__ import annotations

import os
import random
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.fault_trials.databases import Databases
from benchmarks.fault_trials.outcome import NotHere, Outcome, Raters
from judgelab.errors import DiskFull, StoreUnavailable
from judgelab.store import backup
from judgelab.store.schema import open_store
from tests.databases import new_sqlite

MEGABYTES = 60
ROUNDS = 4
WORK_SECONDS = 1.0
PAUSE_SECONDS = 0.5  # for ratings under way
PATIENCE_SECONDS = 10.0


def full_disk(times: int, databases: Databases) -> Outcome:
    """Fill the disk while people rate; free it; look."""
    databases.need_files()
    chance, outcome = random.Random(3), Outcome(0, 0, 0)
    for _ in range(max(1, times // 4)):
        with _in_memory() as folder:
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
        with _in_memory() as folder:
            raters = _raters(folder)
            with raters.at_work():
                for _round in range(ROUNDS):
                    time.sleep(chance.uniform(0.2, WORK_SECONDS))
                    # The system refuses it while a file is open for writing.
                    with _resting(raters):
                        _insist("mount", "-o", "remount,ro", str(folder))
                    time.sleep(WORK_SECONDS)
                    _insist("mount", "-o", "remount,rw", str(folder))
                    outcome += Outcome(1, 0, 0)
                time.sleep(WORK_SECONDS)
            outcome += _looked_for(raters)
    return outcome


@contextmanager
def _in_memory() -> Iterator[Path]:
    """A small file system in memory."""
    if os.geteuid() != 0:
        raise NotHere("small file systems are mounted by root alone")
    with tempfile.TemporaryDirectory() as name:
        command = ["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}M", "tmpfs", name]
        if subprocess.run(command).returncode:
            raise NotHere("this machine lets nobody mount such a file system")
        try:
            yield Path(name)
        finally:
            subprocess.run(["umount", "--lazy", name], check=True)


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


def _insist(*words: str) -> None:
    """Run a command until it succeeds; raises `NotHere` when it never does."""
    end = time.monotonic() + PATIENCE_SECONDS
    while subprocess.run(words, capture_output=True).returncode:
        if time.monotonic() > end:
            raise NotHere(f"this machine does not do: {' '.join(words)}")
        time.sleep(0.05)


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


KINDS = {"full-disk": full_disk, "read-only-disk": read_only_disk}
