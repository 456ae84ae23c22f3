"""Agreement about marked errors: character-level F1 between raters, and how many errors of which kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from judgelab.metaeval.core.resampling import item_draws
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.metaeval.core.shares import share_over_items
from judgelab.wording import Sentence, mark, sentence

EQUAL_IN: Mapping[str, tuple[str, ...]] = {"place": (), "type": ("type",), "kind": ("type", "severity")}
TITLES = {
    "place": mark("Marked by both"),
    "type": mark("Same type"),
    "kind": mark("Same type and severity"),
}


class MarkedText(NamedTuple):
    """One rater's errors in one response; `errors` is empty for a response without errors."""

    item: str
    response: int
    rater: str
    errors: Sequence[Mapping[str, Any]]
    system: str = ""


@dataclass(frozen=True)
class ErrorAgreement:
    """What raters marked under one criterion.

    Attributes:
        ratings: ratings that count, those without an error too.
        errors: marked errors by type and severity.
        texts: the ratings with an error, those of one response together.
        f1: by `EQUAL_IN`, F1 of the marked characters over all pairs of raters of a response: twice those
            that both marked, over those that one marked and those that the other marked (as in the WMT 2023
            quality estimation task). n counts the pairs of raters and responses in which at least one marked
            something; intervals resample items.
    """

    ratings: int
    errors: Mapping[tuple[str, str], int]
    texts: tuple[MarkedText, ...]
    f1: Mapping[str, Estimate]

    def to_json(self) -> dict[str, Any]:
        """Return the figures as JSON."""
        errors = [{"type": kind, "severity": how, "n": n} for (kind, how), n in self.errors.items()]
        f1 = {f"f1_{name}": estimate.to_json() for name, estimate in self.f1.items()}
        return {"ratings": self.ratings, "errors": errors, **f1}


def error_agreement(texts: Sequence[MarkedText], *, resamples: int, seed: int) -> ErrorAgreement:
    """Return how far raters agree about the errors they marked.

    Args:
        texts: what each rater marked in each response, one entry a rating.
        resamples: resamples for the intervals; 0 for none.
        seed: seed of the resamples.
    """
    by_response: dict[int, list[MarkedText]] = {}
    for text in texts:
        by_response.setdefault(text.response, []).append(text)
    items = {name: place for place, name in enumerate(dict.fromkeys(text.item for text in texts))}
    place = np.array(
        [items[group[0].item] for group in by_response.values() for _ in combinations(group, 2)], dtype=int
    )
    f1 = {}
    for name, equal_in in EQUAL_IN.items():
        overlaps = np.array(
            [found for group in by_response.values() for found in _overlaps(group, equal_in)], dtype=float
        ).reshape(-1, 2)
        if not overlaps[:, 1].any():
            f1[name] = undefined(_why_none(len(place)))
        else:
            draws = item_draws(len(items), resamples, seed)
            f1[name] = share_over_items(2 * overlaps[:, 0], overlaps[:, 1], place, draws)
    counts = Counter((str(error["type"]), str(error["severity"])) for text in texts for error in text.errors)
    marked = tuple(text for group in by_response.values() for text in group if text.errors)
    return ErrorAgreement(len(texts), dict(counts), marked, f1)


def _why_none(pairs: int) -> Sentence:
    if not pairs:
        return sentence("no response has two raters")
    return sentence("no rater marked an error in a response with two raters")


def _overlaps(group: Sequence[MarkedText], equal_in: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield, for each two raters of a response, the characters both marked and the sum of each one's."""
    marked = [_characters(text.errors, equal_in) for text in group]
    for first, second in combinations(marked, 2):
        yield len(first & second), len(first) + len(second)


def _characters(errors: Sequence[Mapping[str, Any]], equal_in: Sequence[str]) -> set[Hashable]:
    return {
        (error["part"], place, *(error[name] for name in equal_in))
        for error in errors
        for place in range(error["start"], error["end"])
    }
