"""Ratings of one criterion as arrays."""

from __future__ import annotations

from typing import NamedTuple

from judgelab.metaeval.core.arrays import Bools, Floats, Ints


class Rated(NamedTuple):
    """Ratings of one criterion as arrays: unit, rater and score, one entry per rating, no duplicates."""

    unit: Ints
    rater: Ints
    score: Floats

    def where(self, keep: Bools) -> Rated:
        """Return the ratings that `keep` marks."""
        return Rated(self.unit[keep], self.rater[keep], self.score[keep])
