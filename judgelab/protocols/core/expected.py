"""The expected score from the probabilities of the labels, as in G-Eval (Liu et al. 2023, section 2).

A model that writes "4" may have found a 3 nearly as likely: the alternatives of the score's token show how
likely. Only alternatives that the endpoint reports can be counted, at most twenty.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

_MARKS = re.compile("[\u0120\u2581\u010a]")  # some servers write a blank or a line end like this
_BEFORE = " \t\r\n\"'`*_[({:="  # may precede a score within its token: ' "4', '[[4'
_AFTER = " \t\r\n\"'`*_])},.;:!?/"


class Token(NamedTuple):
    """A token of a reply, and the probabilities of its alternatives."""

    text: str
    alternatives: Mapping[str, float]


def tokens_of(
    logprobs: Sequence[Sequence[object]] | None, top_logprobs: Sequence[Sequence[Sequence[object]]] | None
) -> list[Token]:
    """Return a reply's tokens from its log-probabilities; empty if the endpoint gave no alternatives."""
    if not logprobs or not top_logprobs or len(logprobs) != len(top_logprobs):
        return []
    tokens = []
    for written, others in zip(logprobs, top_logprobs, strict=True):
        pairs: defaultdict[str, float] = defaultdict(float)
        # Several tokens may spell the same text, such as "3" and the byte 0x33: they are added up.
        for text, value in dict.fromkeys((str(text), float(str(value))) for text, value in others):
            pairs[text] += _probability(value)
        chosen_text = str(written[0])
        pairs.setdefault(chosen_text, _probability(float(str(written[1]))))
        tokens.append(Token(chosen_text, {text: min(1.0, share) for text, share in pairs.items()}))
    return tokens


def _probability(value: float) -> float:
    return math.exp(min(0.0, value))


def score_weights(
    tokens: Sequence[Token],
    labels: Mapping[str, float],
    stated: float,
    reads: Callable[[str], float | None] | None = None,
) -> dict[float, float]:
    """Return the probability of each score at the token with the stated one; empty if it is not found.

    Args:
        tokens: the reply.
        labels: what a judge may write for each score; case does not matter.
        stated: the score that was read in the reply.
        reads: a function that reads a reply, to tell "Score: 3" from a later "3 facts"; without it the last
            occurrence counts.

    The probabilities of " 4", "4" and "4." are added up. If a score has several tokens, only the path that
    was written is followed; an alternative that only begins a score ("1" for 1 or 10) is not counted.
    """
    folded = {label.casefold(): score for label, score in labels.items()}
    index = _score_token_index(tokens, folded, stated, reads)
    weights: defaultdict[float, float] = defaultdict(float)
    prefix, share = "", 1.0
    while index is not None and index < len(tokens):
        continuation = ""
        for text, probability in tokens[index].alternatives.items():
            label, open_ended = _extend_label(prefix, text, folded)
            chosen = text == tokens[index].text
            if open_ended and chosen:
                continuation, next_share = label, probability
            elif label in folded and not open_ended:
                weights[folded[label]] += share * probability
        if not continuation:
            return dict(weights)
        prefix, share, index = continuation, share * next_share, index + 1
    if prefix in folded:
        weights[folded[prefix]] += share
    return dict(weights)


def expectation(weights: Mapping[float, float]) -> float:
    """Return the mean of the scores, weighted by their probabilities."""
    return sum(score * weight for score, weight in weights.items()) / sum(weights.values())


def _score_token_index(
    tokens: Sequence[Token],
    labels: Mapping[str, float],
    stated: float,
    reads: Callable[[str], float | None] | None,
) -> int | None:
    """Return the index of the token in which the stated score begins; the 5 of "/5" is not a score."""
    written = _MARKS.sub(" ", "".join(token.text for token in tokens))
    text = written.casefold()
    either = "|".join(
        re.escape(label) for label in sorted(labels, key=len, reverse=True) if labels[label] == stated
    )
    if not either:
        return None
    pattern = re.compile(rf"(?<![^\W_])(?<!\d[.,])(?<!/)(?<!/ )(?<!of )(?:{either})(?![^\W_])(?![.,]\d)")
    spans = [match.span() for match in pattern.finditer(text)]
    if reads is not None and len(spans) > 1 and len(written) == len(text):
        other = next((label for label, score in labels.items() if score != stated), "")
        spans = [
            span for span in spans if reads(written[: span[0]] + other + written[span[1] :]) != stated
        ] or spans
    seen = 0
    for position, token in enumerate(tokens):
        seen += len(token.text.casefold())
        if spans and spans[-1][0] < seen:
            return position
    return None


def _extend_label(prefix: str, text: str, labels: Mapping[str, float]) -> tuple[str, bool]:
    """Return the label that `prefix` and the token form, and whether a longer label is still possible."""
    bare = _MARKS.sub(" ", text).casefold()
    bare = bare if prefix else bare.lstrip(_BEFORE)
    label = (prefix + bare).rstrip(_AFTER)
    if prefix and not bare[:1].isalnum() and not any(other.startswith(label) for other in labels):
        return prefix, False  # the label ended before this token
    longer = any(other != label and other.startswith(label) for other in labels)
    return label, bool(label) and longer and label == prefix + bare
