"""Prometheus's text format, written by hand: counters, gauges and one histogram are all we say."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
Labels = tuple[str, ...]


@dataclass(frozen=True)
class MetricFamily:
    """A figure by the labels it is told apart by.

    Attributes:
        name: as Prometheus names things: `judgelab_ratings`.
        kind: what it is; a counter's name ends in `_total`.
        said: one line on what it is.
        labels: names of the labels.
        values: values of the labels -> the figure.
    """

    name: str
    kind: Literal["counter", "gauge"]
    said: str
    labels: Labels
    values: Mapping[Labels, float]

    def lines(self) -> Iterable[str]:
        """Yield the lines of the text format."""
        yield from _head(self.name, self.kind, self.said)
        for labels, value in sorted(self.values.items()):
            yield f"{self.name}{_braced(self.labels, labels)} {_number(value)}"


class Counter:
    """Counts what happens in this process; safe in threads."""

    def __init__(self, name: str, help_text: str, labels: Labels = ()) -> None:
        self._name, self._said, self._labels = name, help_text, labels
        self._values: dict[Labels, float] = {}
        self._lock = threading.Lock()

    def add(self, *labels: str, by: float = 1) -> None:
        """Count one more, or `by` more, under these values of the labels."""
        with self._lock:
            self._values[labels] = self._values.get(labels, 0) + by

    def lines(self) -> Iterable[str]:
        """Yield the lines of the text format."""
        with self._lock:
            values = dict(self._values)
        return MetricFamily(self._name, "counter", self._said, self._labels, values).lines()


class Histogram:
    """How often something took how long, in seconds, by upper bounds; safe in threads."""

    def __init__(self, name: str, help_text: str, labels: Labels, bounds: Sequence[float]) -> None:
        self._name, self._said, self._labels, self._bounds = name, help_text, labels, tuple(bounds)
        self._counts: dict[Labels, list[int]] = {}
        self._sums: dict[Labels, float] = {}
        self._lock = threading.Lock()

    def observe(self, seconds: float, *labels: str) -> None:
        """Note one more that took so long."""
        with self._lock:
            counts = self._counts.setdefault(labels, [0] * (len(self._bounds) + 1))
            counts[bisect_left(self._bounds, seconds)] += 1
            self._sums[labels] = self._sums.get(labels, 0.0) + seconds

    def lines(self) -> Iterable[str]:
        """Yield the lines of the text format."""
        with self._lock:
            counts = {labels: list(values) for labels, values in self._counts.items()}
            sums = dict(self._sums)
        yield from _head(self._name, "histogram", self._said)
        names = (*self._labels, "le")
        for labels, values in sorted(counts.items()):
            total = 0
            for bound, count in zip((*self._bounds, None), values, strict=True):
                total += count
                le = "+Inf" if bound is None else _number(bound)
                yield f"{self._name}_bucket{_braced(names, (*labels, le))} {total}"
            yield f"{self._name}_sum{_braced(self._labels, labels)} {_number(sums[labels])}"
            yield f"{self._name}_count{_braced(self._labels, labels)} {total}"


def _head(name: str, kind: str, help_text: str) -> Iterable[str]:
    yield f"# HELP {name} {help_text}"
    yield f"# TYPE {name} {kind}"


def _braced(names: Labels, values: Labels) -> str:
    if not names:
        return ""
    return "{" + ",".join(f'{n}="{_escaped(v)}"' for n, v in zip(names, values, strict=True)) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else repr(float(value))
