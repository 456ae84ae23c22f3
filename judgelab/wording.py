"""Sentences that can be said in another language later.

The core says why something is missing or refused in English, and knows no language: its sentences are
compared, stored and exported as they are. Each keeps what it was made of, so that the screen can say it again
in the language of whoever reads it (`judgelab.languages`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any


class Sentence(str):
    """An English text that remembers its template and values; to all other code it is a plain string.

    Attributes:
        template: what stands in the catalogue, with `{name}` for each value.
        many: the template for every count but one, or "" where nothing is counted.
        values: what is filled in; a value may be a sentence itself.
    """

    template: str
    many: str
    values: dict[str, Any]

    def __new__(cls, template: str, many: str = "", values: dict[str, Any] | None = None) -> Sentence:
        """Say the template with its values; a count decides between one and many."""
        values = values or {}
        chosen = many if many and values["n"] != 1 else template
        made = super().__new__(cls, chosen.format(**_written(values)) if values else chosen)
        made.template, made.many, made.values = template, many, values
        return made

    def __reduce__(self) -> tuple[type[Sentence], tuple[str, str, dict[str, Any]]]:
        return type(self), (self.template, self.many, self.values)


def sentence(template: str, /, **values: Any) -> Sentence:
    """Return the template with its values: `sentence("no rating of {system}", system="A")`."""
    return Sentence(template, "", values)


def counted(one: str, many: str, n: int, /, **values: Any) -> Sentence:
    """Return the form for a count, `{n}` in both: `counted("{n} rater", "{n} raters", 3)`."""
    return Sentence(one, many, {"n": n, **values})


def joined(parts: Sequence[str], between: str = ", ") -> Sentence:
    """Return several sentences or words in a row, each of which can still be translated."""
    values = {f"part{place}": part for place, part in enumerate(parts)}
    return Sentence(between.join(f"{{{name}}}" for name in values), "", values)


def with_labels(said: str, labels: Mapping[str, str]) -> str:
    """Return a sentence with the criterion that it names by its key called as people call it."""
    if not isinstance(said, Sentence):
        return said
    values = {
        name: labels.get(value, value) if name == "criterion" else with_labels(value, labels)
        for name, value in said.values.items()
    }
    return Sentence(said.template, said.many, values)


def mark(text: str) -> str:
    """Return the text as it is; marks a constant for the catalogue that is translated where it is shown."""
    return text


def _written(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values as they are written: `1,462` and `20 Nov 2026`."""
    return {name: _value(value) for name, value in values.items()}


def _value(value: Any) -> Any:
    if isinstance(value, date):
        return f"{value.day} {value:%b %Y}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value
