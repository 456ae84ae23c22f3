"""How many judgments have no score, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from judgelab.wording import counted, sentence


@dataclass(frozen=True)
class UnscoredCounts:
    """How many judgments have no score.

    Attributes:
        unscored: the judge replied, but no valid score was found in the reply.
        failed: there was no reply.
        cannot_judge: the judge answered that it cannot judge.
    """

    unscored: int = 0
    failed: int = 0
    cannot_judge: int = 0

    def __bool__(self) -> bool:
        """Return whether any score is missing."""
        return self.total > 0

    @property
    def total(self) -> int:
        """Return how many judgments have no score, for whatever reason."""
        return self.unscored + self.failed + self.cannot_judge

    def to_json(self) -> dict[str, int]:
        """Return the counts by name."""
        return asdict(self)

    def phrases(self) -> list[str]:
        """Return a phrase for each count that is not 0: "12 unscored", "3 failed"."""
        phrases: list[str] = []
        if self.unscored:
            phrases.append(counted("{n} unscored", "{n} unscored", self.unscored))
        if self.failed:
            phrases.append(counted("{n} failed", "{n} failed", self.failed))
        if self.cannot_judge:
            phrases.append(sentence("{n} “cannot judge”", n=self.cannot_judge))
        return phrases


NONE_MISSING = UnscoredCounts()


def sum_missing(counts: Iterable[UnscoredCounts]) -> UnscoredCounts:
    """Return the sum of several counts."""
    all_counts = list(counts)
    return UnscoredCounts(
        sum(count.unscored for count in all_counts),
        sum(count.failed for count in all_counts),
        sum(count.cannot_judge for count in all_counts),
    )
