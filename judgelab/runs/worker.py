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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from judgelab.errors import InvalidInput
from judgelab.runs import engine
from judgelab.runs.children import LAUNCHER
from judgelab.runs.janitor import LOOK_SECONDS, Janitor
from judgelab.store import workers
from judgelab.store.engine import Store
from judgelab.store.refusals import refuse_memory

log = logging.getLogger("judgelab.runs")
MOST_WORKERS = 64
NICENESS = 5  # a run may take a second longer; who sits before a screen should not
DRAIN_SECONDS = 5.0


def work(store: Store, engine_url: str, *, slots: int = 4) -> NoReturn:
    """Judge what waits until SIGTERM or SIGINT; answers in flight are then stored before the end."""
    refuse_memory(engine_url, "JUDGELAB_ENGINE_URL")
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    os.nice(NICENESS)
    parent = os.getppid()
    with executor_id(engine_url) as name:
        janitor = Janitor(store, name, slots=slots)
        janitor.beat()
        engine.start(store, engine_url, executor_id=name, slots=slots)
        log.info("worker %s is ready", name)
        while not ended.wait(LOOK_SECONDS) and not _orphaned(parent):
            janitor.look()
        engine.drain(seconds=DRAIN_SECONDS)
        with store.writing() as session:
            workers.say_goodbye(session, name)
        engine.leave()


@contextmanager
def executor_id(engine_url: str) -> Iterator[str]:
    """Yield a name that no other live process of this machine has; the same ones come back after a restart.

    So a worker finds its own unfinished work at once. Two processes with one name would steal each other's.
    """
    for slot in range(MOST_WORKERS):
        with open(_lock_path(engine_url, slot), "w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                continue
            yield f"{socket.gethostname()}-{slot}"
            return
    raise InvalidInput(f"{MOST_WORKERS} workers run on this machine already; stop some first.")


def _lock_path(engine_url: str, slot: int) -> Path:
    key = hashlib.sha256(engine_url.encode()).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"judgelab-{os.getuid()}-{key}-{slot}.lock"


def _orphaned(parent: int) -> bool:
    # A launcher killed with -9 cannot stop its workers; one that goes on unseen would hold the database.
    return LAUNCHER in os.environ and os.getppid() != parent
