"""Counts recorded with a coefficient of systems' means: units per system, and what was left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from judgelab.metaeval.core.pairing import ResampledValue
from judgelab.metaeval.core.result import NOT_CONVERGED, OF_SYSTEM_MEANS, TIED, WITHOUT_TEXT

BY_SYSTEM, WITHOUT_SYSTEM, LEFT_OUT, NOT_OF_EVERY = OF_SYSTEM_MEANS


def with_systems_named(measured: ResampledValue, names: Sequence[str]) -> ResampledValue:
    """Return the value with its counts by system under the systems' names instead of numbers."""
    if BY_SYSTEM not in measured.notes:
        return measured
    by_name = {names[number]: n for number, n in measured.notes[BY_SYSTEM].items()}
    return replace(measured, notes={**measured.notes, BY_SYSTEM: by_name})


def combined_counts(parts: Sequence[Mapping[str, Any]], *, summed: bool) -> dict[str, Any]:
    """Return the counts of several parts: their sums for criteria, else the largest of any part.

    With raters left out in turn they are not summed, since a response appears once for each of them.
    """
    counts_by_name: dict[str, Any] = {}
    for name in (WITHOUT_SYSTEM, LEFT_OUT, NOT_OF_EVERY, WITHOUT_TEXT, TIED, NOT_CONVERGED):
        counts = [part.get(name, 0) for part in parts]
        if any(counts):
            counts_by_name[name] = sum(counts) if summed else max(counts)
    by_system: dict[str, int] = {}
    for part in parts:
        for system, n in part.get(BY_SYSTEM, {}).items():
            before = by_system.get(system, 0)
            by_system[system] = before + n if summed else max(before, n)
    return {**counts_by_name, **({BY_SYSTEM: by_system} if by_system else {})}
