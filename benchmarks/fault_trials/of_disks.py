"""A disk that fills up and one that turns read-only while people rate, and while a backup is written."""

from __future__ import annotations

import os
import random
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.fault_trials.outcome import NotHere, Outcome, Raters
from judgelab.errors import DiskFull, StoreUnavailable
from judgelab.store import backup
from judgelab.store.schema import open_store
from tests.databases import new_sqlite

MEGABYTES = 60
WORK_SECONDS = 1.0
PAUSE_SECONDS = 0.5  # for ratings under way


def full_disk(times: int) -> Outcome:
    """Fill the disk while people rate; free it; look."""
    chance, outcome = random.Random(3), Outcome(0, 0, 0)
    for _ in range(max(1, times // 4)):
        with _disk() as folder, _rating(folder) as raters:
            for _round in range(4):
                time.sleep(chance.uniform(0.2, WORK_SECONDS))
                filler = folder / "filler"
                _fill(filler)
                time.sleep(WORK_SECONDS)
                wrong = _backup_onto(raters, folder)
                filler.unlink()
                outcome = _added(outcome, faults=1, lost=wrong)
            time.sleep(WORK_SECONDS)
        outcome = _settled(outcome, raters)
    return outcome


def read_only_disk(times: int) -> Outcome:
    """Turn the disk read-only while people rate, and back; look."""
    chance, outcome = random.Random(4), Outcome(0, 0, 0)
    for _ in range(max(1, times // 4)):
        with _disk() as folder, _rating(folder) as raters:
            for _round in range(4):
                time.sleep(chance.uniform(0.2, WORK_SECONDS))
                # The system refuses it while files are open for writing: it is done between two ratings.
                raters.resting.set()
                time.sleep(PAUSE_SECONDS)
                _remount(raters, folder, "ro")
                raters.resting.clear()
                time.sleep(WORK_SECONDS)
                _remount(raters, folder, "rw")
                outcome = _added(outcome, faults=1)
            time.sleep(WORK_SECONDS)
        outcome = _settled(outcome, raters)
    return outcome


@contextmanager
def _disk() -> Iterator[Path]:
    if os.geteuid() != 0:
        raise NotHere("small file systems are mounted by root alone")
    with tempfile.TemporaryDirectory() as name:
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}M", "tmpfs", name])
        if made.returncode:
            raise NotHere("this machine lets nobody mount a file system")
        try:
            yield Path(name)
        finally:
            subprocess.run(["umount", "--lazy", name], check=True)


@contextmanager
def _rating(folder: Path) -> Iterator[Raters]:
    raters = Raters.new(open_store(new_sqlite(folder / "x.db")))
    over = threading.Event()
    threads = [threading.Thread(target=raters.rate, args=(person, over)) for person in raters.people]
    for thread in threads:
        thread.start()
    try:
        yield raters
    finally:
        over.set()
        for thread in threads:
            thread.join()
        raters.lost = raters.missing()  # before the disk is gone
        raters.store.close()


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


def _remount(raters: Raters, folder: Path, how: str) -> None:
    end = time.monotonic() + 10
    while time.monotonic() < end:
        if how == "ro":
            raters.store.close()
        done = subprocess.run(["mount", "-o", f"remount,{how}", str(folder)], capture_output=True)
        if done.returncode == 0:
            return
        time.sleep(0.05)
    raise NotHere("the file system could not be turned read-only")


def _added(outcome: Outcome, *, faults: int = 0, lost: int = 0) -> Outcome:
    return Outcome(outcome.faults + faults, outcome.checked, outcome.lost + lost, outcome.refused)


def _settled(outcome: Outcome, raters: Raters) -> Outcome:
    lost = outcome.lost + raters.lost
    checked = outcome.checked + len(raters.acknowledged)
    return Outcome(outcome.faults, checked, lost, outcome.refused + raters.refused)


KINDS = {"full-disk": full_disk, "read-only-disk": read_only_disk}
