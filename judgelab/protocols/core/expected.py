"""The expected score over the probabilities of the labels, as G-Eval takes it (Liu et al. 2023, section 2).

A model that writes "4" may have thought of a 3 nearly as much: the alternatives of the token in which the
score stands say how much. Only alternatives that the endpoint reports can be counted, twenty at most: the
probability that they cover together is the mass seen.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

_MARKS = re.compile("[\u0120\u2581\u010a]")  # with which some servers write a blank or a line end
_BEFORE = " \t\r\n\"'`*_[({:="  # may stand before a score within its token: ' "4', '[[4'
_AFTER = " \t\r\n\"'`*_])},.;:!?/"


class Token(NamedTuple):
    """A token that was written, and the probabilities of what might have stood in its place."""

    text: str
    alternatives: Mapping[str, float]


def tokens_of(
    logprobs: Sequence[Sequence[object]] | None, top_logprobs: Sequence[Sequence[Sequence[object]]] | None
) -> list[Token]:
    """Return a reply's tokens from its log-probabilities; empty where the endpoint gave no alternatives."""
    if not logprobs or not top_logprobs or len(logprobs) != len(top_logprobs):
        return []
    found = []
    for written, others in zip(logprobs, top_logprobs, strict=True):
        pairs: defaultdict[str, float] = defaultdict(float)
        # Several tokens may spell one text, such as "3" and the byte 0x33: they count together.
        for text, value in dict.fromkeys((str(text), float(str(value))) for text, value in others):
            pairs[text] += _probability(value)
        own = str(written[0])
        pairs.setdefault(own, _probability(float(str(written[1]))))
        found.append(Token(own, {text: min(1.0, share) for text, share in pairs.items()}))
    return found


def _probability(value: float) -> float:
    return math.exp(min(0.0, value))


def weights_of(
    tokens: Sequence[Token],
    labels: Mapping[str, float],
    stated: float,
    reads: Callable[[str], float | None] | None = None,
) -> dict[float, float]:
    """Return the probability of each score at the place where the stated one stands; empty without one.

    Args:
        tokens: the reply.
        labels: what may be written for each score; case does not matter.
        stated: the score that was read in the reply.
        reads: what a reply is read as, to tell "Score: 3" from a later "3 facts"; without it the last place
            counts.

    The probabilities of " 4", "4" and "4." count together. Of a score in several tokens, the path that was
    written is followed; an alternative that only begins such a score ("1" for 1 or 10) belongs to none.
    """
    folded = {label.casefold(): score for label, score in labels.items()}
    at = _start(tokens, folded, stated, reads)
    weights: defaultdict[float, float] = defaultdict(float)
    begun, share = "", 1.0
    while at is not None and at < len(tokens):
        going_on = ""
        for text, probability in tokens[at].alternatives.items():
            label, open_ended = _read(begun, text, folded)
            chosen = text == tokens[at].text
            if open_ended and chosen:
                going_on, following = label, probability
            elif label in folded and not open_ended:
                weights[folded[label]] += share * probability
        if not going_on:
            return dict(weights)
        begun, share, at = going_on, share * following, at + 1
    if begun in folded:
        weights[folded[begun]] += share
    return dict(weights)


def expectation(weights: Mapping[float, float]) -> float:
    """Return the mean of the scores, each as often as it is likely."""
    return sum(score * weight for score, weight in weights.items()) / sum(weights.values())


def _start(
    tokens: Sequence[Token],
    labels: Mapping[str, float],
    stated: float,
    reads: Callable[[str], float | None] | None,
) -> int | None:
    """Return the token in which the statement of the score begins; a "/5" states none."""
    written = _MARKS.sub(" ", "".join(token.text for token in tokens))
    text = written.casefold()
    either = "|".join(
        re.escape(one) for one in sorted(labels, key=len, reverse=True) if labels[one] == stated
    )
    if not either:
        return None
    found = re.compile(rf"(?<![^\W_])(?<!\d[.,])(?<!/)(?<!/ )(?<!of )(?:{either})(?![^\W_])(?![.,]\d)")
    spans = [match.span() for match in found.finditer(text)]
    if reads is not None and len(spans) > 1 and len(written) == len(text):
        other = next((label for label, score in labels.items() if score != stated), "")
        spans = [
            one for one in spans if reads(written[: one[0]] + other + written[one[1] :]) != stated
        ] or spans
    seen = 0
    for position, token in enumerate(tokens):
        seen += len(token.text.casefold())
        if spans and spans[-1][0] < seen:
            return position
    return None


def _read(begun: str, text: str, labels: Mapping[str, float]) -> tuple[str, bool]:
    """Return the label that `begun` and the token make, and whether a longer one may still follow."""
    bare = _MARKS.sub(" ", text).casefold()
    bare = bare if begun else bare.lstrip(_BEFORE)
    label = (begun + bare).rstrip(_AFTER)
    if begun and not bare[:1].isalnum() and not any(other.startswith(label) for other in labels):
        return begun, False  # the label ended before this token
    longer = any(other != label and other.startswith(label) for other in labels)
    return label, bool(label) and longer and label == begun + bare
