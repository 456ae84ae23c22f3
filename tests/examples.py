"""On how many examples a property is tried: few at every change, more where there is time (`make fuzz`)."""

from __future__ import annotations

import os

from hypothesis import settings

USUAL = 50
TIMES = int(os.environ.get("JUDGELAB_EXAMPLES_TIMES", "1"))


def examples(count: int) -> settings:
    """Return what lets a test be tried on so many examples, times what was asked for.

    Speed is measured in benchmarks, never asserted in a test: no deadline for one example.
    """
    return settings(max_examples=count * TIMES, deadline=None)
