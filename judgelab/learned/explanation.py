"""An explanation of one score: the features that moved it, by how much, and how unusual they are."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from judgelab.learned.feature_inputs import Floats
from judgelab.learned.features import FEATURES, LENGTH, YES_OR_NO
from judgelab.learned.stored_rationale import REASON, SHORT_REASON, STATEMENT
from judgelab.wording import Sentence, joined, mark, sentence

SHOWN = 3  # features named on each side
LOGARITHMS: Mapping[str, Callable[[float], float]] = {
    LENGTH: lambda value: round(math.expm1(value)),
    "length_ratio": math.exp,
}
MINUS = "\u2212"  # for numbers in sentences only
HOLDS = {  # what is said of a response where a feature does not hold, and where it does
    "ends_whole": (mark("does not end with a full stop"), mark("ends with a full stop")),
    "ends_open": (mark("last sentence complete"), mark("last sentence unfinished")),
    "refusal": (mark("does not say that it cannot answer"), mark("says that it cannot answer")),
    "answer_exact": (mark("equals no reference answer"), mark("equals a reference answer")),
    "answer_holds_gold": (mark("contains no reference answer"), mark("contains a reference answer")),
    "gold_holds_answer": (mark("is part of no reference answer"), mark("is part of a reference answer")),
}
LEAST_MOVED = 0.005  # relative to the scale's width; smaller contributions are not named
STANDS = {"high": mark("above average"), "low": mark("below average"), "usual": mark("about average")}


class ScoreReason(NamedTuple):
    """One feature's contribution to a score.

    Attributes:
        feature: its name.
        moved: its contribution in points.
        value: its value; None if missing.
        level: "high", "low" or "usual" compared with the rated responses.
    """

    feature: str
    moved: float
    value: float | None
    level: str


def reasons(
    names: Sequence[str], values: Floats, contributions: Floats, *, mean: Floats, spread: Floats
) -> list[ScoreReason]:
    """Return the features by their contribution to one score, the strongest first."""
    order = np.argsort(-np.abs(contributions), kind="stable")
    reasons_found = []
    for place in order:
        value = float(values[place])
        finite = np.isfinite(value)
        distance = (value - mean[place]) / spread[place] if finite and spread[place] > 0 else 0.0
        stands = "high" if distance > 0.5 else "low" if distance < -0.5 else "usual"
        reasons_found.append(
            ScoreReason(names[place], float(contributions[place]), value if finite else None, stands)
        )
    return reasons_found


def rationale(
    score: float,
    reasons: Sequence[ScoreReason],
    *,
    width: float,
    held_out: bool,
    probability: float | None = None,
) -> Sentence:
    """Return the reasons as sentences that a page can translate.

    Args:
        score: the score given.
        reasons: of `reasons`, strongest first.
        width: from the lowest to the highest score.
        held_out: whether the judge did not learn from this response's item.
        probability: of the score given, for a verdict.
    """
    named = [reason for reason in reasons if abs(reason.moved) >= LEAST_MOVED * width]
    up = [reason for reason in named if reason.moved > 0][:SHOWN]
    down = [reason for reason in named if reason.moved < 0][:SHOWN]
    parts: list[str] = []
    if probability is None:
        parts.append(sentence("Predicted score {score}.", score=_shown(f"{score:.2f}")))
    else:
        parts.append(
            sentence(
                "Predicted score {score}, with probability {chance}.",
                score=_shown(f"{score:g}"),
                chance=f"{probability:.2f}",
            )
        )
    if up:
        parts.append(sentence("Raised by: {reasons}.", reasons=joined([_said(part) for part in up], "; ")))
    if down:
        parts.append(sentence("Lowered by: {reasons}.", reasons=joined([_said(part) for part in down], "; ")))
    if not up and not down:
        parts.append(sentence("No feature of the response stands out."))
    if held_out:
        parts.append(sentence("The judge was not trained on this item's ratings."))
    else:
        parts.append(sentence("This response has no ratings; the judge learned from all rated ones."))
    return joined(parts, " ")


def _said(reason: ScoreReason) -> Sentence:
    feature, moved = sentence(FEATURES[reason.feature]), _shown(f"{reason.moved:+.2f}")
    if reason.feature in YES_OR_NO and reason.value in (0, 1):
        return sentence(STATEMENT, statement=sentence(HOLDS[reason.feature][int(reason.value)]), moved=moved)
    if reason.value is None:
        return sentence(SHORT_REASON, feature=feature, answer=sentence("no value"), moved=moved)
    value, stands = _value(reason.feature, reason.value), sentence(STANDS[reason.level])
    return sentence(REASON, feature=feature, value=value, stands=stands, moved=moved)


def _value(feature: str, value: float) -> str:
    """Return a feature's value as people count it: words instead of their logarithm, 7 instead of 7.00."""
    if feature in LOGARITHMS:
        value = LOGARITHMS[feature](value)
    return _shown(f"{value:g}" if float(value).is_integer() else f"{value:.2f}")


def _shown(number: str) -> str:
    return number.replace("-", MINUS)


def reasons_to_json(reasons: Sequence[ScoreReason], *, most: int = 12) -> list[dict[str, Any]]:
    """Return the strongest reasons, as stored with the verdict."""
    return [
        {**reason._asdict(), "moved": round(reason.moved, 4), "value": _rounded(reason.value)}
        for reason in reasons[:most]
    ]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
