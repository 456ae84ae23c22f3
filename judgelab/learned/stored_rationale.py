"""Read a learned judge's stored rationale back into sentences that a page can translate."""

from __future__ import annotations

import re

from judgelab.wording import Sentence, joined

BETWEEN = re.compile(r"(?<=\.) (?=[A-Z])")
TEMPLATES = (
    "Predicted score {score}, with probability {chance}.",
    "Predicted score {score}.",
    "Raised by {reasons}.",
    "Lowered by {reasons}.",
)
REASON = "{feature} ({value}, {stands}, {moved})"
NUMBERS = frozenset({"score", "chance", "value", "moved"})


def translatable(rationale: str) -> Sentence:
    """Return a stored rationale as sentences with their values; parts in other words stay as they are."""
    return joined([_sentence(part) for part in BETWEEN.split(rationale)], " ")


def _sentence(text: str) -> Sentence:
    for template in TEMPLATES:
        values = _values(template, text)
        if values is None:
            continue
        if "reasons" not in values:
            return Sentence(template, "", dict(values))
        reasons = [_reason(part) for part in values["reasons"].split("; ")]
        return Sentence(template, "", {"reasons": joined(reasons, "; ")})
    return Sentence(text)


def _reason(text: str) -> Sentence:
    values = _values(REASON, text)
    if values is None:
        return Sentence(text)
    words = {name: value if name in NUMBERS else Sentence(value) for name, value in values.items()}
    return Sentence(REASON, "", words)


def _values(template: str, text: str) -> dict[str, str] | None:
    """Return the values with which the template makes the text; None if it does not."""
    pattern = re.sub(r"\\\{(\w+)\\\}", lambda name: _pattern(name[1]), re.escape(template))
    match = re.fullmatch(pattern, text)
    return match.groupdict() if match else None


def _pattern(name: str) -> str:
    return f"(?P<{name}>{'[^ ,]+' if name in NUMBERS else '.+'})"
