"""Scores of one judge paired with those of the humans, and the value of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from judgelab.metaeval.core.arrays import Bools, Floats, Ints

LEVELS = ("none", "item", "system", "system_paired", "sys", "group")
SYSTEM_LEVELS = (
    "system",
    "system_paired",
)  # one number a system: over all its items, or those all systems have


class PairedScores(NamedTuple):
    """Human and judge scores of the same units, none missing, with each unit's item, system and group."""

    human: Floats
    judge: Floats
    item: Ints
    system: Ints
    group: Ints

    def where(self, keep: Bools) -> PairedScores:
        """Return the pairs that `keep` marks."""
        return PairedScores(
            self.human[keep], self.judge[keep], self.item[keep], self.system[keep], self.group[keep]
        )


@dataclass(frozen=True)
class ResampledValue:
    """One value with its resampled values; NaN and a reason when undefined.

    `share` marks a mean over items of values within 0 and 1; the difference of two shares is not one.
    """

    value: float
    reason: str | None = None
    draws: Floats = field(default_factory=lambda: np.zeros(0))
    n: int = 0
    items: int = 0
    groups_used: int | None = None
    groups_undefined: Mapping[str, int] = field(default_factory=dict)
    notes: Mapping[str, Any] = field(default_factory=dict)
    share: bool = False
