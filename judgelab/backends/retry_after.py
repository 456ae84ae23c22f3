"""How long an endpoint asks to be left alone, in the three ways endpoints say it. Pure but for the clock."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def retry_after(headers: Mapping[str, str], *, now: datetime | None = None) -> float | None:
    """Return the seconds that `retry-after-ms` or `retry-after` (seconds or an HTTP date) ask for.

    None when neither is there or neither can be read. A date is compared with the endpoint's own `date` where
    it gives one, so that clocks that differ do no harm.

    >>> retry_after({"retry-after": "2"}), retry_after({"retry-after-ms": "250"}), retry_after({})
    (2.0, 0.25, None)
    """
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) / unit
        except (KeyError, ValueError):
            continue
        if math.isfinite(seconds):
            return max(0.0, seconds)
    until = _seconds_until(headers.get("retry-after"))
    if until is None:
        return None
    server_time = now or _seconds_until(headers.get("date")) or datetime.now(UTC)
    return max(0.0, (until - server_time).total_seconds())


def _seconds_until(header: str | None) -> datetime | None:
    try:
        moment = parsedate_to_datetime(header or "")
    except (ValueError, IndexError, OverflowError):
        return None
    return moment.replace(tzinfo=moment.tzinfo or UTC)
