"""Several references per response: the pairs to compare, and the aggregation of their values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from judgelab.metrics.base import NO_REFERENCE, MetricInput, MetricScore, Option
from judgelab.metrics.words import split_words
from judgelab.wording import mark
from judgelab.words import MAX_UNSEEN, share_non_ascii

HOW = ("max", "mean", "first")
REFERENCES = Option("references", "choice", "max", HOW, mark("How several references are combined."))
PART = Option("part", "choice", "f", ("f", "p", "r"), mark("F1, precision or recall."))
WORDS = Option(
    "tokenizer",
    "choice",
    "unicode",
    ("unicode", "ascii", "space"),
    mark(
        "unicode: letters and digits of any script, split by character in scripts without spaces; ascii: "
        "only a to z and digits; space: split at spaces."
    ),
)
UNSEEN_RESPONSE = mark("the response has letters that ascii leaves out; choose tokenizer=unicode")
UNSEEN_REFERENCES = mark("the references have letters that ascii leaves out; choose tokenizer=unicode")
UNSEEN_DIFFERENCE = mark(
    "response and reference differ only in letters that ascii leaves out; choose tokenizer=unicode"
)


class Pairs(NamedTuple):
    """Equally long lists: the place in the batch, the response, one of its references."""

    owners: list[int]
    responses: list[str]
    references: list[str]


def pairs(batch: Sequence[MetricInput], how: str) -> Pairs:
    """Return each response with each of its references, or with the first one if `how` says so."""
    listed = Pairs([], [], [])
    for place, entry in enumerate(batch):
        for reference in entry.references[:1] if how == "first" else entry.references:
            listed.owners.append(place)
            listed.responses.append(entry.response)
            listed.references.append(reference)
    return listed


def taken_together(
    batch: Sequence[MetricInput],
    owners: Sequence[int],
    values: Sequence[float],
    how: str,
    *,
    unseen: Sequence[str | None] = (),
) -> list[MetricScore]:
    """Return the maximum or the mean value of each response, or why it has none.

    Args:
        batch: what was scored.
        owners: for each value the place in the batch it belongs to.
        values: one for each pair.
        how: of `HOW`; the first reference is the only one then.
        unseen: for each pair why its value says nothing, or None; the greatest value is taken of the other
            pairs, a mean needs all of them.
    """
    by_owner: dict[int, list[tuple[float, str | None]]] = {}
    for owner, value, reason in zip(owners, values, unseen or [None] * len(values), strict=True):
        by_owner.setdefault(owner, []).append((value, reason))
    return [_one(by_owner.get(place, []), how) for place in range(len(batch))]


def _one(values: Sequence[tuple[float, str | None]], how: str) -> MetricScore:
    if not values:
        return MetricScore(None, NO_REFERENCE)
    values_seen = [value for value, reason in values if reason is None]
    if not values_seen or (how == "mean" and len(values_seen) < len(values)):
        return MetricScore(None, next(reason for _, reason in values if reason))
    return MetricScore(sum(values_seen) / len(values_seen) if how == "mean" else max(values_seen))


def unseen_in(
    responses: Sequence[str], references: Sequence[str], chosen: Mapping[str, Any]
) -> list[str | None]:
    """Return, for each pair, why the ASCII tokenizer, if chosen, cannot compare it, or None.

    It drops all letters except a to z. If few words have others, as a name in an English text, the number is
    that of rouge-score, unless the two texts differ in nothing else.
    """
    if chosen["tokenizer"] != "ascii":
        return [None] * len(responses)
    return [_unseen(response, reference) for response, reference in zip(responses, references, strict=True)]


def _unseen(response: str, reference: str) -> str | None:
    if response.isascii() and reference.isascii():
        return None
    for text, reason in ((response, UNSEEN_RESPONSE), (reference, UNSEEN_REFERENCES)):
        if share_non_ascii(text) > MAX_UNSEEN:
            return reason
    ascii_words, all_words = (
        [Counter(words[text]) for text in (response, reference)]
        for words in (
            split_words([response, reference], "ascii"),
            split_words([response, reference], "unicode"),
        )
    )
    return UNSEEN_DIFFERENCE if ascii_words[0] == ascii_words[1] and all_words[0] != all_words[1] else None
