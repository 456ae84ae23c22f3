"""The contract of a metric: a number for each response, or the reason why there is none."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from judgelab.options import Option, settle
from judgelab.registry import Registry
from judgelab.wording import mark

if TYPE_CHECKING:
    from judgelab.metrics.encoder import Vectors

__all__ = [
    "NO_CONTEXT",
    "NO_REFERENCE",
    "NO_WORD",
    "Metric",
    "MetricInput",
    "MetricScore",
    "Option",
    "Surroundings",
    "metrics",
]

NO_REFERENCE = mark("no reference")
NO_CONTEXT = mark("no context")
NO_WORD = mark("no word in the response")


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


@dataclass(frozen=True)
class Surroundings:
    """Resources shared by a batch.

    Args:
        corpus: the result of the metric's own `corpus` for all the project's texts, if it wants that.
        vectors: where embeddings are stored between runs.
    """

    corpus: Any = None
    vectors: Vectors | None = None


class Metric(ABC):
    """A number computed from a text without a reader.

    Attributes:
        name: the word on the command line, and the name it has as a rater.
        title: the name people read.
        summary: one sentence: what is counted.
        limits: one sentence: for which languages and texts it means nothing.
        higher_is_better: False where a low number is good.
        best: the number of a response that is its own reference; None where that means nothing.
        lowest: the least number there can be; None where there is none.
        needs_references: whether it compares with known answers.
        needs_context: whether it compares with the item's context.
        options: what a user may set.
        telling: options whose non-default values are always part of its name as a rater.
    """

    name: str
    title: str
    summary: str
    limits: str
    higher_is_better: ClassVar[bool] = True
    best: ClassVar[float | None] = 1.0
    lowest: ClassVar[float | None] = 0.0
    needs_references: ClassVar[bool] = True
    needs_context: ClassVar[bool] = False
    options: tuple[Option, ...] = ()
    telling: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def score(self, batch: Sequence[MetricInput], options: Mapping[str, Any]) -> list[MetricScore]:
        """Return one score per input, in order; the other inputs of the batch have no influence."""

    def score_within(
        self, batch: Sequence[MetricInput], options: Mapping[str, Any], around: Surroundings
    ) -> list[MetricScore]:
        """Return the scores, with the corpus and stored vectors for metrics that use them.

        Raises as `settle` for options that the metric doesn't have.
        """
        self.settle(options)
        return self.score(batch, options)

    def span(self, options: Mapping[str, Any]) -> tuple[float, float] | None:
        """Return the lowest and highest possible number; None if there are no such ends."""
        return None if self.lowest is None or self.best is None else (self.lowest, self.best)

    def wants_corpus(self, options: Mapping[str, Any]) -> bool:
        """Return whether `corpus` must be called first, because numbers depend on all texts of a project."""
        return False

    def corpus(self, texts: Iterable[MetricInput], options: Mapping[str, Any]) -> Any:
        """Return what `score_within` needs from all texts of a project."""
        return None

    def rater(self, settled: Mapping[str, Any], usual: Mapping[str, Any] | None = None) -> str:
        """Return its name as a rater: the metric's name and the options that differ from the usual ones.

        Args:
            settled: what `settle` returned.
            usual: the options of the project's numbers under the plain name; if there are none yet, these
                get it. Options in `telling` stand in the name in any case.
        """
        usual = settled if usual is None else usual
        changed = []
        for option in self.options:
            expected = option.default
            if option.name not in self.telling:
                expected = usual.get(option.name, option.default)
            if settled[option.name] != expected:
                changed.append(f"{option.name}={_word(settled[option.name])}")
        return f"{self.name} ({', '.join(changed)})" if changed else self.name

    def settle(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return all options with their values; raises for an unknown or invalid one."""
        return settle(self.options, options)


def metric_of(rater: str) -> str:
    """Return the metric's name in the name of a rater.

    >>> metric_of("rouge1 (references=mean)")
    'rouge1'
    """
    return rater.partition(" (")[0]


def mark_of(corpus: Any) -> str:
    """Return a hash that identifies a collection of texts, from the result of a metric's `corpus`."""
    return hashlib.sha256(repr(_in_order(corpus)).encode()).hexdigest()[:12]


def _in_order(value: Any) -> Any:
    if isinstance(value, Mapping):
        return sorted(value.items())
    return list(map(_in_order, value)) if isinstance(value, tuple) else value


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


metrics: Registry[Metric] = Registry(mark("metric"), "judgelab.metrics")
