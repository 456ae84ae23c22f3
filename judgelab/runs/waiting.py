"""Waiting for a run on the command line, starting a worker if none is running."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from judgelab.runs.blocked_runs import why_waiting
from judgelab.runs.service import RunStatus, run_status
from judgelab.runs.worker.child_processes import (
    LOCAL_WORKER,
    WORKER,
    child_environment,
    start_child,
    stop_children,
)
from judgelab.store.db.engine import Store

LOOK_SECONDS = 0.2


def wait_for_run(
    store: Store,
    run_id: int,
    *,
    engine_url: str,
    progress: Callable[[RunStatus], None] | None = None,
    say: Callable[[str], None] = lambda _said: None,
) -> RunStatus:
    """Return the run's status when it has come to rest; judges it in a worker of our own if nobody does.

    `progress` is told at every look how far it is, `say` what keeps it waiting, and how it goes on where
    whoever waits goes away.
    """
    last_line = ""
    with _own_worker(store, engine_url) as ensure_worker, _report_left(run_id, say):
        while not (status := run_status(store, run_id)).resting:
            if status.stuck:
                ensure_worker(LOCAL_WORKER if status.kind == "local" else WORKER)
            behind = why_waiting(store, status)
            if behind and behind != last_line:
                say(behind)
                last_line = behind
            if progress:
                progress(status)
            time.sleep(LOOK_SECONDS)
    return status


@contextmanager
def _report_left(run_id: int, say: Callable[[str], None]) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        say(
            f"Run {run_id} is not stopped. A worker (`judgelab up` or `judgelab worker`) continues it; "
            f"`judgelab run pause {run_id}` pauses it, `judgelab run cancel {run_id}` ends it."
        )
        raise


@contextmanager
def _own_worker(store: Store, engine_url: str) -> Iterator[Callable[[Sequence[str]], None]]:
    children: list[subprocess.Popen[bytes]] = []

    def ensure_worker(command: Sequence[str]) -> None:
        if not children or children[-1].poll() is not None:
            children.append(start_child(command, child_environment(store, engine_url)))

    try:
        yield ensure_worker
    finally:
        stop_children(children)
