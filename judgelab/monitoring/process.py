"""What this process counts: requests of the app, answers and failures of a worker, time and memory."""

from __future__ import annotations

from typing import Literal

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
)

from judgelab import __version__

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds

disable_created_metrics()  # type: ignore[no-untyped-call]  # they would double the number of series

requests = Counter(
    "judgelab_requests", "Requests answered, by route.", ("route", "method", "status"), registry=None
)
durations = Histogram(
    "judgelab_request_seconds",
    "Time from a request to the end of its response.",
    ("route",),
    buckets=BOUNDS,
    registry=None,
)
errors = Counter(
    "judgelab_errors", "Internal errors of JudgeLab whose id was shown to someone.", registry=None
)
stored = Counter("judgelab_answers_stored", "What this worker stored, by kind.", ("kind",), registry=None)


def process_registry(role: Literal["app", "worker"]) -> CollectorRegistry:
    """Return all figures of this process; processor time and memory are there on Linux only."""
    registry = CollectorRegistry()
    info = Gauge("judgelab_info", "1; the version.", ("version", "role"), registry=registry)
    info.labels(__version__, role).set(1)
    ProcessCollector(registry=registry)
    for figures in (requests, durations, errors) if role == "app" else (stored, errors):
        registry.register(figures)
    return registry
