"""Responses met with several references: which pairs are compared, and what their numbers become."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from judgelab.metrics.base import NO_REFERENCE, MetricInput, MetricScore, Option
from judgelab.wording import mark

HOW = ("max", "mean", "first")
REFERENCES = Option("references", "choice", "max", HOW, mark("What several references become."))
PART = Option("part", "choice", "f", ("f", "p", "r"), mark("F1, precision or recall."))
WORDS = Option(
    "tokenizer",
    "choice",
    "unicode",
    ("unicode", "ascii", "space"),
    mark("unicode: letters and digits of any script; ascii: Latin ones only; space: what blanks part."),
)
UNSEEN_RESPONSE = mark("no Latin letter or digit in the response; choose tokenizer=unicode")
UNSEEN_REFERENCES = mark("no Latin letter or digit in the references; choose tokenizer=unicode")


class Pairs(NamedTuple):
    """Equally long lists: the place in the batch, the response, one of its references."""

    owners: list[int]
    responses: list[str]
    references: list[str]


def pairs(batch: Sequence[MetricInput], how: str) -> Pairs:
    """Return each response with each of its references; with the first one where `how` says so."""
    found = Pairs([], [], [])
    for place, given in enumerate(batch):
        for reference in given.references[:1] if how == "first" else given.references:
            found.owners.append(place)
            found.responses.append(given.response)
            found.references.append(reference)
    return found


def taken_together(
    batch: Sequence[MetricInput],
    owners: Sequence[int],
    values: Sequence[float],
    how: str,
    *,
    unseen: Callable[[MetricInput], str | None] | None = None,
) -> list[MetricScore]:
    """Return the greatest or the mean value of each response of the batch, or why it has none.

    Args:
        batch: what was scored.
        owners: for each value the place in the batch it belongs to.
        values: one for each pair.
        how: of `HOW`; the first reference is the only one then.
        unseen: the reason why a response can have no number, if there is one.
    """
    by_owner: dict[int, list[float]] = {}
    for owner, value in zip(owners, values, strict=True):
        by_owner.setdefault(owner, []).append(value)
    return [
        _one(by_owner.get(place, []), how, unseen(given) if unseen else None)
        for place, given in enumerate(batch)
    ]


def _one(values: Sequence[float], how: str, reason: str | None) -> MetricScore:
    if not values:
        return MetricScore(None, NO_REFERENCE)
    if reason:
        return MetricScore(None, reason)
    return MetricScore(sum(values) / len(values) if how == "mean" else max(values))


def latin_only(chosen: Mapping[str, Any]) -> Callable[[MetricInput], str | None] | None:
    """Return what finds texts that the ASCII tokenizer, if chosen, cannot see: 0 would be a lie for them."""
    if chosen["tokenizer"] != "ascii":
        return None

    def reason(given: MetricInput) -> str | None:
        if _unseen(given.response):
            return UNSEEN_RESPONSE
        return UNSEEN_REFERENCES if all(map(_unseen, given.references)) else None

    return reason


def _unseen(text: str) -> bool:
    """Return whether a text has letters or digits and none of them Latin."""
    if text.isascii():
        return False
    lower = text.lower()
    return any(map(str.isalnum, lower)) and not any(one.isascii() and one.isalnum() for one in lower)
