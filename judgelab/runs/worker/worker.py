"""One worker process: it judges what waits until it is told to end."""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from judgelab import logs
from judgelab.backends.openai_api import load_client
from judgelab.config import settings
from judgelab.errors import InvalidInput, StoreUnavailable
from judgelab.monitoring.serving import serve_worker
from judgelab.runs.plan.worker_kinds import Kind, local_work
from judgelab.runs.worker import engine
from judgelab.runs.worker.child_processes import LAUNCHER
from judgelab.runs.worker.janitor import POLL_SECONDS, Janitor
from judgelab.runs.worker.process_state import this_process
from judgelab.store.db import workers
from judgelab.store.db.db_errors import refuse_memory
from judgelab.store.db.engine import Store

log = logging.getLogger("judgelab.runs")
MOST_WORKERS = 64
NICENESS = 5  # a run may take a second longer; who sits before a screen should not
DRAIN_SECONDS = 5.0


def run_worker(
    store: Store, engine_url: str, *, slots: int = 4, kind: Kind = "api", idle: float | None = None
) -> NoReturn:
    """Judge what waits until SIGTERM or SIGINT; answers in flight are then stored before the end.

    Args:
        store: the database.
        engine_url: where the engine keeps its own tables.
        slots: chunks worked on at the same time.
        kind: which runs it takes up.
        idle: seconds without local work after which a worker for local models ends by itself, and gives back
            the memory that its model takes.
    """
    refuse_memory(engine_url, "JUDGELAB_ENGINE_URL")
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    os.nice(NICENESS)
    parent = os.getppid()
    with executor_id(engine_url, kind) as name:
        janitor = Janitor(store, name, slots=slots, kind=kind)
        janitor.beat()
        engine.start(store, engine_url, executor_id=name, slots=slots, kind=kind)
        logs.set_up()  # once more: the engine has brought a log of its own
        serve_worker(settings().metrics_address, name)
        log.info("worker %s is ready", name)
        if kind == "api":
            # While nobody waits for it.
            threading.Thread(target=load_client, daemon=True).start()
        rest = IdleTimer(store, idle)
        while not ended.wait(POLL_SECONDS) and not _orphaned(parent) and not rest.expired():
            janitor.run_due_tasks()
        engine.drain(seconds=DRAIN_SECONDS)
        with store.writing() as session:
            this_process.say_left(session)
            workers.mark_stopped(session, name)
        engine.shut_down()


class IdleTimer:
    """Notices that there has been nothing to do for so long that a worker may end.

    Args:
        store: the database.
        seconds: how long; None = never.
    """

    def __init__(self, store: Store, seconds: float | None) -> None:
        self._store = store
        self._seconds = seconds
        self._busy = self._looked = time.monotonic()

    def expired(self) -> bool:
        """Return whether the time is over; looks once a second."""
        now = time.monotonic()
        if self._seconds is None or now - self._looked < 1:
            return False
        self._looked = now
        try:
            if local_work(self._store):
                self._busy = now
        except StoreUnavailable as error:
            log.warning("the local runs could not be listed: %s", error)
            self._busy = now
        return now - self._busy > self._seconds


@contextmanager
def executor_id(engine_url: str, kind: Kind = "api") -> Iterator[str]:
    """Yield a name that is unique among this machine's live processes and is reused after a restart.

    So a worker finds its own unfinished work at once. Two processes with one name would steal each other's.
    A machine has one worker for local models at most: two would hold two models.
    """
    if kind == "local":
        with open(_lock_path(engine_url, "local"), "w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise InvalidInput(
                    "a worker for local models is already running on this machine; it runs one model at a "
                    "time."
                ) from None
            yield f"{socket.gethostname()}-local"
        return
    for slot in range(MOST_WORKERS):
        with open(_lock_path(engine_url, slot), "w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                continue
            yield f"{socket.gethostname()}-{slot}"
            return
    raise InvalidInput(f"{MOST_WORKERS} workers are already running on this machine; stop some first.")


def _lock_path(engine_url: str, slot: int | str) -> Path:
    key = hashlib.sha256(engine_url.encode()).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"judgelab-{os.getuid()}-{key}-{slot}.lock"


def _orphaned(parent: int) -> bool:
    # A launcher killed with -9 cannot stop its workers; one that goes on unseen would hold the database.
    return LAUNCHER in os.environ and os.getppid() != parent
