"""Why a mean of several values is undefined: one reason from those of its parts."""

from __future__ import annotations

from collections.abc import Sequence

from judgelab.metaeval.coefficients.registry import OUTSIDE_THE_SCALE
from judgelab.wording import Sentence, mark, sentence

# Reasons that differ between parts only in their counts, and what is so of all of them.
WITHOUT_COUNTS = {OUTSIDE_THE_SCALE: mark("some scores are outside the scale {low} to {high}")}
UNDEFINED = {
    "raters": mark(
        "undefined whichever of the {n} raters is left out; for example, with one rater left out, {reason}"
    ),
    "criteria": mark("undefined under all {n} criteria, for example under the first: {reason}"),
    "runs": mark("undefined in all {n} runs; in the first, {reason}"),
}
ONE_LEFT_OUT = mark("with one rater left out, {reason}")


def shared_reason(reasons: Sequence[str | None], *, what: str) -> str | None:
    """Return the reason of all parts, `what` being "raters", "criteria" or "runs".

    If they differ by more than counts, the first is given as an example.

    Example: 5 of 9 scores outside the scale 1 to 5 with one rater left out and 4 of 7 with another are
    "some scores are outside the scale 1 to 5".
    """
    first = reasons[0]
    if len(set(reasons)) == 1:
        return first
    general = {without_counts(reason or "") for reason in reasons}
    if len(general) == 1:
        return general.pop()
    return sentence(UNDEFINED[what], n=len(reasons), reason=_single_reason(first))


def without_counts(reason: str) -> str:
    """Return a reason without the counts in which it may differ between values."""
    if not isinstance(reason, Sentence):
        return reason
    values = {name: without_counts(value) for name, value in reason.values.items()}
    if reason.template in WITHOUT_COUNTS:
        ends = {name: value for name, value in values.items() if name in ("low", "high")}
        return sentence(WITHOUT_COUNTS[reason.template], **ends)
    return Sentence(reason.template, reason.many, values)


def _single_reason(reason: str | None) -> str | None:
    """Return the reason of the first part for a reason that itself sums up several parts."""
    one_left_out = False
    while isinstance(reason, Sentence) and reason.template in UNDEFINED.values():
        one_left_out |= reason.template == UNDEFINED["raters"]
        reason = reason.values["reason"]
    return sentence(ONE_LEFT_OUT, reason=reason) if one_left_out else reason
