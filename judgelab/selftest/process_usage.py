"""What processes use: processor time and memory, as Linux tells it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

PROC = Path("/proc")


def processor_seconds(pids: Sequence[int]) -> float | None:
    """Return the processor time these processes used so far, together; None where it is not known."""
    try:
        words = [(PROC / str(pid) / "stat").read_text().rpartition(")")[2].split() for pid in pids]
    except OSError:
        return None
    return sum(int(word[11]) + int(word[12]) for word in words) / os.sysconf("SC_CLK_TCK")


def memory_mb(pids: Sequence[int]) -> float | None:
    """Return the total memory of these processes in MB, counting shared pages proportionally (PSS)."""
    try:
        rollups = [(PROC / str(pid) / "smaps_rollup").read_text() for pid in pids]
    except OSError:
        return None
    lines = [line for text in rollups for line in text.splitlines() if line.startswith("Pss:")]
    return sum(int(line.split()[1]) for line in lines) * 1024 / 1e6
