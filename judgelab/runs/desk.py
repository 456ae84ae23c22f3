"""What the engine's workflows work with in this process, since a stored workflow can carry no store."""

from __future__ import annotations

from judgelab.runs.bench import Bench
from judgelab.runs.kinds import Kind
from judgelab.store.engine import Store


class Desk:
    """The store and the bench of this process; the bench is made inside the engine's event loop."""

    def __init__(self) -> None:
        self.store: Store | None = None
        self.executor_id = ""
        self.kind: Kind = "api"
        self.bench: Bench | None = None

    def open_store(self) -> Store:
        """Return the store; the engine was started with it."""
        assert self.store is not None, "the engine was not started"
        return self.store

    def open_bench(self) -> Bench:
        """Return the bench; call it inside the event loop."""
        if self.bench is None:
            self.bench = Bench(self.open_store(), executor_id=self.executor_id)
        return self.bench


desk = Desk()
