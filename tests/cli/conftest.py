"""A running worker, for tests that are not about starting one."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from judgelab.runs import service
from judgelab.store.db.engine import Store
from tests.runs.conftest import DEADLINE, Workers


@pytest.fixture
def worker(store: Store) -> Iterator[None]:
    """A worker on this database, so that a command that waits for a run starts no other."""
    group = Workers(store.url)
    try:
        group.start()
        end = time.monotonic() + DEADLINE
        while not service.live_workers(store):
            assert time.monotonic() < end, "the worker did not come"
            time.sleep(0.03)
        yield
    finally:
        group.stop()
