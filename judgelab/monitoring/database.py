"""Figures from the database, read at most every few seconds however often they are requested."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable

from judgelab.errors import StoreUnavailable
from judgelab.monitoring.exposition import MetricFamily
from judgelab.store.db import figures
from judgelab.store.db.engine import Store

EVERY_SECONDS = 10.0


class Gauges:
    """The figures of one database.

    Args:
        store: the database.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._read = -EVERY_SECONDS
        self._lines: list[str] = []

    def lines(self) -> Iterable[str]:
        """Return the lines of the text format; only `judgelab_database_up 0` while it cannot be read."""
        with self._lock:
            if time.monotonic() - self._read >= EVERY_SECONDS:
                self._lines = list(_lines(self._store))
                self._read = time.monotonic()
            return self._lines


def _lines(store: Store) -> Iterable[str]:
    try:
        with store.reading() as session:
            counts = figures.read_counts(session)
    except StoreUnavailable:
        yield from _gauge("database_up", "1 when the database answers in our schema.", (), {(): 0}).lines()
        return
    yield from _gauge("database_up", "1 when the database answers in our schema.", (), {(): 1}).lines()
    yield from _gauge("ratings", "Ratings by people.", (), {(): counts.ratings}).lines()
    yield from _gauge("judgments", "Units of all runs, by state.", ("state",), _by(counts.judgments)).lines()
    yield from _gauge("runs", "Runs, by state.", ("state",), _by(counts.runs)).lines()
    yield from _gauge("queue_units", "Units that wait in runs that go on.", (), {(): counts.queue}).lines()
    yield from _gauge("workers", "Workers that live, by kind.", ("kind",), _by(counts.workers)).lines()
    help_text = "Seconds for which an endpoint still rests; 0 when it is called."
    yield from _gauge("endpoint_rest_seconds", help_text, ("endpoint",), _by(counts.rests)).lines()


def _gauge(
    name: str, help_text: str, labels: tuple[str, ...], values: dict[tuple[str, ...], float]
) -> MetricFamily:
    return MetricFamily(f"judgelab_{name}", "gauge", help_text, labels, values)


def _by(counts: dict[str, float]) -> dict[tuple[str, ...], float]:
    return {(name,): value for name, value in counts.items()}
