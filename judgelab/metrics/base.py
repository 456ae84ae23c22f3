"""The contract of a metric: a number for each response, or the reason why there is none."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from judgelab.options import Option, settle
from judgelab.registry import Registry
from judgelab.wording import mark

__all__ = ["NO_REFERENCE", "Metric", "MetricInput", "MetricScore", "Option", "metrics"]

NO_REFERENCE = mark("no reference")


@dataclass(frozen=True)
class MetricInput:
    """What a metric may see of one response."""

    response: str
    references: Sequence[str] = ()
    question: str = ""
    context: str = ""


class MetricScore(NamedTuple):
    """A metric's number; None with its reason where there is none."""

    value: float | None
    reason: str = ""


class Metric(ABC):
    """A number that a text gets without anybody reading it.

    Attributes:
        name: the word on the command line, and the name it has as a rater.
        title: the name people read.
        summary: one sentence: what is counted.
        limits: one sentence: for which languages and texts it means nothing.
        higher_is_better: False where a low number is good.
        needs_references: whether it compares with known answers.
        options: what a user may set.
    """

    name: str
    title: str
    summary: str
    limits: str
    higher_is_better: ClassVar[bool] = True
    needs_references: ClassVar[bool] = True
    options: tuple[Option, ...] = ()

    @abstractmethod
    def score(self, batch: Sequence[MetricInput], options: Mapping[str, Any]) -> list[MetricScore]:
        """Return one score for each input, in order; what stands in the batch beside it changes nothing."""

    def settle(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return all options with their values; raises for one that is unknown or cannot be taken."""
        return settle(self.options, options)


metrics: Registry[Metric] = Registry(mark("metric"), "judgelab.metrics")
