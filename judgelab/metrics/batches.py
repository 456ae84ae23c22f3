"""The size of batches of texts: they grow while they are quick."""

from __future__ import annotations

import time
from collections.abc import Iterator

FIRST_BATCH, BATCH = 100, 2000  # responses
BATCH_SECONDS = 3.0  # at most so much is repeated after a kill, and so often progress is told


def batch_slices(total: int) -> Iterator[slice]:
    """Yield slices of a list of responses; they grow until one takes about as long as `BATCH_SECONDS`."""
    start, size = 0, FIRST_BATCH
    while start < total:
        began = time.monotonic()
        yield slice(start, start + size)
        start += size
        pace = BATCH_SECONDS / max(time.monotonic() - began, 0.001)
        size = max(1, min(BATCH, int(size * min(4, pace))))
