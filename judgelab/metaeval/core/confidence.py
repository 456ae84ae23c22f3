"""The confidence level of intervals: 95 %, as on every page, unless a caller asks for another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from scipy.special import ndtri, stdtrit

Z95 = 1.959963984540054
LEVEL = 0.95
_tail: ContextVar[float] = ContextVar("interval_tail", default=0.025)


@contextmanager
def confidence_level(level: float) -> Iterator[None]:
    """Make all intervals that are computed inside the block at this level, such as 0.9 for 90 %."""
    token = _tail.set(0.025 if level == LEVEL else (1 - level) / 2)
    try:
        yield
    finally:
        _tail.reset(token)


def interval_tail() -> float:
    """Return the share left out at each end of an interval: 0.025 at 95 %."""
    return _tail.get()


def normal_quantile() -> float:
    """Return the normal quantile of the interval's upper end: 1.96 at 95 %."""
    tail = _tail.get()
    return Z95 if tail == 0.025 else float(ndtri(1 - tail))


def student_quantile(freedom: int) -> float:
    """Return the quantile of Student's t at the interval's upper end."""
    return float(stdtrit(freedom, 1 - _tail.get()))


def percent() -> str:
    """Return the level as a percentage: `95 %`."""
    return f"{100 * (1 - 2 * _tail.get()):.6g} %"
