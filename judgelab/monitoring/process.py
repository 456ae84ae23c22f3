"""What this process counts: requests of the app, answers and failures of a worker, time and memory."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterable
from pathlib import Path

from judgelab import __version__
from judgelab.monitoring.exposition import Counter, Histogram, MetricFamily

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
STARTED = time.time()
KILOBYTE = 1024

requests = Counter("judgelab_requests_total", "Requests answered, by route.", ("route", "method", "status"))
durations = Histogram(
    "judgelab_request_seconds", "Time from a request to the end of its answer.", ("route",), BOUNDS
)
errors = Counter("judgelab_errors_total", "Errors of JudgeLab's own that somebody was shown an id of.")
stored = Counter("judgelab_answers_stored_total", "What this worker committed, by kind.", ("kind",))


def lines(role: str) -> Iterable[str]:
    """Yield all figures of this process, which is an `app` or a `worker`."""
    info = MetricFamily(
        "judgelab_info", "gauge", "1; the version.", ("version", "role"), {(__version__, role): 1}
    )
    start = MetricFamily("process_start_time_seconds", "gauge", "When the process began.", (), {(): STARTED})
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = used.ru_utime + used.ru_stime
    time_used = MetricFamily(
        "process_cpu_seconds_total", "counter", "Processor time used.", (), {(): seconds}
    )
    memory = MetricFamily("process_resident_memory_bytes", "gauge", "Memory held.", (), {(): _memory()})
    for family in (info, start, time_used, memory):
        yield from family.lines()
    for figures in (requests, durations) if role == "app" else (stored,):
        yield from figures.lines()
    yield from errors.lines()


def _memory() -> float:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:  # another system: the most that was ever held
        return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KILOBYTE)
    return float(pages * resource.getpagesize())
