"""Read a learned judge's stored rationale back into sentences that a page can translate."""

from __future__ import annotations

import re

from judgelab.wording import Sentence, joined, mark

BETWEEN = re.compile(r"(?<=\.) (?=[A-Z])")
TEMPLATES = (
    "Predicted score {score}, with probability {chance}.",
    "Predicted score {score}.",
    "Raised by: {reasons}.",
    "Lowered by: {reasons}.",
)
EARLIER_TEMPLATES = {template.replace(":", "", 1): template for template in TEMPLATES[2:]}
REASON = mark("{feature} {value}, {stands} ({moved} points)")
SHORT_REASON = mark("{feature}: {answer} ({moved} points)")
STATEMENT = mark("{statement} ({moved} points)")
EARLIER_REASONS = {  # as they were stored before
    "{feature}: {value}, {stands} ({moved} points)": REASON,
    "{feature} = {stands} ({value}, {moved} points)": REASON,
    "{feature} = {answer} ({moved} points)": SHORT_REASON,
    "{feature} ({value}, {stands}, {moved})": REASON,
}
EARLIER_STANDS = {"high": "above average", "low": "below average", "usual": "about average"}
NUMBERS = frozenset({"score", "chance", "value", "moved"})


def translatable(rationale: str) -> Sentence:
    """Return a stored rationale as sentences with their values; parts in other words stay as they are."""
    return joined([_sentence(part) for part in BETWEEN.split(rationale)], " ")


def _sentence(text: str) -> Sentence:
    for written in (*TEMPLATES, *EARLIER_TEMPLATES):
        values, template = _values(written, text), EARLIER_TEMPLATES.get(written, written)
        if values is None:
            continue
        if "reasons" not in values:
            return Sentence(template, "", dict(values))
        reasons = [_reason(part) for part in values["reasons"].split("; ")]
        return Sentence(template, "", {"reasons": joined(reasons, "; ")})
    return Sentence(text)


def _reason(text: str) -> Sentence:
    for template in (*EARLIER_REASONS, REASON, SHORT_REASON, STATEMENT):
        values = _values(template, text)
        if values is not None:
            words = {name: value if name in NUMBERS else _words(value) for name, value in values.items()}
            return Sentence(EARLIER_REASONS.get(template, template), "", words)
    return Sentence(text)


def _words(text: str) -> Sentence:
    return Sentence(EARLIER_STANDS.get(text, text))


def _values(template: str, text: str) -> dict[str, str] | None:
    """Return the values with which the template makes the text; None if it does not."""
    pattern = re.sub(r"\\\{(\w+)\\\}", lambda name: _pattern(name[1]), re.escape(template))
    match = re.fullmatch(pattern, text)
    return match.groupdict() if match else None


def _pattern(name: str) -> str:
    return f"(?P<{name}>{'[^ ,]+' if name in NUMBERS else '.+'})"
