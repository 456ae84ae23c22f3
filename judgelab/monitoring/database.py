"""Figures from the database, read at most every few seconds however often they are requested."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Mapping

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from judgelab.errors import StoreUnavailable
from judgelab.store.db import figures
from judgelab.store.db.engine import Store

EVERY_SECONDS = 10.0


class DatabaseFigures(Collector):
    """The figures of one database.

    Args:
        store: the database.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._read_at = -EVERY_SECONDS
        self._families: list[GaugeMetricFamily] = []

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """Return the figures; only `judgelab_database_up 0` while the database cannot be read."""
        with self._lock:
            if time.monotonic() - self._read_at >= EVERY_SECONDS:
                self._families = list(_read(self._store))
                self._read_at = time.monotonic()
            return self._families


def _read(store: Store) -> Iterator[GaugeMetricFamily]:
    try:
        with store.reading() as session:
            counts = figures.read_counts(session)
    except StoreUnavailable:
        yield _gauge("database_up", "1 if the database is reachable and has JudgeLab's schema.", 0)
        return
    yield _gauge("database_up", "1 if the database is reachable and has JudgeLab's schema.", 1)
    yield _gauge("ratings", "Ratings by people.", counts.ratings)
    yield _gauges("judgments", "Units of all runs, by state.", "state", counts.judgments)
    yield _gauges("runs", "Runs, by state.", "state", counts.runs)
    yield _gauge("queue_units", "Waiting units of active runs.", counts.queue)
    yield _gauges("workers", "Live workers, by kind.", "kind", counts.workers)
    help_text = "Seconds until a paused endpoint is called again; 0 if it is not paused."
    yield _gauges("endpoint_rest_seconds", help_text, "endpoint", counts.rests)


def _gauge(name: str, help_text: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"judgelab_{name}", help_text, value)


def _gauges(name: str, help_text: str, label: str, values: Mapping[str, float]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(f"judgelab_{name}", help_text, labels=[label])
    for label_value, value in values.items():
        family.add_metric([label_value], value)
    return family
