"""Sentences that can be translated later.

The core writes its messages in English; they are compared, stored and exported as they are. Each keeps its
template and values, so that the screen can translate it into the reader's language (`judgelab.languages`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any


class Sentence(str):
    """An English text that remembers its template and values; to all other code it is a plain string.

    Attributes:
        template: the text in the catalogue, with `{name}` for each value.
        many: the template for all counts except one; "" if nothing is counted.
        values: the values to fill in; a value may be a sentence itself.
    """

    template: str
    many: str
    values: dict[str, Any]

    def __new__(cls, template: str, many: str = "", values: dict[str, Any] | None = None) -> Sentence:
        """Return the template with its values filled in; a count selects one of the two templates."""
        values = values or {}
        chosen = many if many and values["n"] != 1 else template
        text = super().__new__(cls, chosen.format(**_formatted_values(values)) if values else chosen)
        text.template, text.many, text.values = template, many, values
        return text

    def __reduce__(self) -> tuple[type[Sentence], tuple[str, str, dict[str, Any]]]:
        return type(self), (self.template, self.many, self.values)


def sentence(template: str, /, **values: Any) -> Sentence:
    """Return the template with its values: `sentence("no rating of {system}", system="A")`."""
    return Sentence(template, "", values)


def counted(singular: str, plural: str, n: int, /, **values: Any) -> Sentence:
    """Return the form for a count, `{n}` in both: `counted("{n} rater", "{n} raters", 3)`."""
    return Sentence(singular, plural, {"n": n, **values})


def joined(parts: Sequence[str], between: str = ", ") -> Sentence:
    """Return several sentences or words joined into one, each of which can still be translated."""
    values = {f"part{place}": part for place, part in enumerate(parts)}
    return Sentence(between.join(f"{{{name}}}" for name in values), "", values)


def listed(parts: Sequence[str]) -> str:
    """Return `a`, `a and b`, or `a, b and c`, each of which can still be translated."""
    if len(parts) < 2:
        return joined(parts)
    return sentence("{first} and {last}", first=joined(parts[:-1]), last=parts[-1])


def with_labels(text: str, labels: Mapping[str, str]) -> str:
    """Return a sentence in which the keys of criteria are replaced by their labels."""
    if not isinstance(text, Sentence):
        return text
    values: dict[str, Any] = {}
    for name, value in text.values.items():
        if name == "criterion":
            values[name] = labels.get(value, value)
        elif name == "criteria" and isinstance(value, Sentence):
            values[name] = joined([labels.get(key, key) for key in value.values.values()])
        else:
            values[name] = with_labels(value, labels)
    return Sentence(text.template, text.many, values)


def mark(text: str) -> str:
    """Return the text unchanged; marks a constant for the catalogue that is translated when it is shown."""
    return text


def _formatted_values(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values formatted for English: `1,462` and `20 Nov 2026`."""
    return {name: _formatted_value(value) for name, value in values.items()}


def _formatted_value(value: Any) -> Any:
    if isinstance(value, date):
        return f"{value.day} {value:%b %Y}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value
