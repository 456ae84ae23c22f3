"""The two kinds of workers: those that call endpoints, and those that load models into their own memory."""

from __future__ import annotations

from typing import Literal

from judgelab.backends import backends
from judgelab.store.db import workers
from judgelab.store.db.engine import Store
from judgelab.store.judging import runs
from judgelab.wording import mark

Kind = Literal["api", "local"]
NO_WORKER = mark("No worker is running; start one with `judgelab up`.")
NO_LOCAL_WORKER = mark(
    "No worker for models on this machine is running yet; `judgelab up` starts one within seconds, or "
    "start one with `judgelab worker --local`."
)


def kind_of(backend: str) -> Kind:
    """Return which workers take the runs of a backend; imported judgments have none."""
    return "local" if backend in local_backends() else "api"


def local_backends() -> list[str]:
    """Return the names of the backends whose models lie in a worker's own memory."""
    return [name for name, backend in backends.items() if backend.kind == "local"]


def local_work(store: Store) -> bool:
    """Return whether a run waits for, or is in the hands of, a worker for local models."""
    names = local_backends()
    with store.reading() as session:
        return bool(
            runs.runs_in(session, "waiting", wanted="run", backends=names)
            or runs.runs_in(session, "running", backends=names)
        )


def local_worker_lacks(store: Store) -> bool:
    """Return whether there is local work and no worker for it on any machine."""
    if not local_work(store):
        return False
    with store.reading() as session:
        return not workers.count_live(session, kind="local")
