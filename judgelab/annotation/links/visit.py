"""What people send who open a recruitment link: the URL parameters, and their answers to the form."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgelab.annotation.links.options import BackgroundField, LinkOptions
from judgelab.errors import InvalidInput
from judgelab.wording import sentence

LONGEST_VALUE = 200
LONGEST_ANSWER = 2000
# A placeholder that the platform did not fill in: {{%PROLIFIC_PID%}}, ${id}, [ID], <id>, %id%.
PLACEHOLDER = re.compile(r"[{<\[%]+.*[}>\]%]+|\$\{.*|.*\{\{.*", re.DOTALL)
CONTROL_CHARACTERS = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True)
class Visit:
    """The person's id on the platform, and the other URL parameters."""

    external_id: str
    parameters: Mapping[str, str]


def read_visit(options: LinkOptions, query: Mapping[str, Sequence[str]]) -> Visit:
    """Return the visit; raises `InvalidInput` with what is wrong with the address."""
    values = {name: _value(name, query.get(name, ())) for name in options.parameters}
    return Visit(values[options.person], {name: values[name] for name in options.others})


def _value(name: str, values: Sequence[str]) -> str:
    if not values:
        raise InvalidInput(sentence("The parameter {name} is missing in the address.", name=name))
    if len(set(values)) > 1:
        raise InvalidInput(sentence("The address contains the parameter {name} more than once.", name=name))
    value = values[0].strip()
    if not value:
        raise InvalidInput(sentence("The parameter {name} of the address is empty.", name=name))
    if PLACEHOLDER.fullmatch(value) or value == name:
        raise InvalidInput(
            sentence(
                "The parameter {name} of the address still has the placeholder {value}.",
                name=name,
                value=value[:80],
            )
        )
    if len(value) > LONGEST_VALUE or CONTROL_CHARACTERS.search(value):
        raise InvalidInput(
            sentence(
                "The parameter {name} of the address is too long or contains invalid characters.", name=name
            )
        )
    # No database stores half of a surrogate pair.
    return value.encode("utf-8", "replace").decode()


def read_background(
    fields: Sequence[BackgroundField], submitted: Mapping[int, str]
) -> tuple[dict[str, Any], dict[int, str]]:
    """Return the answers by question, and the errors by the question's position."""
    answers: dict[str, Any] = {}
    errors: dict[int, str] = {}
    for position, field in enumerate(fields):
        text = submitted.get(position, "").replace("\x00", "").encode("utf-8", "replace").decode().strip()
        try:
            value = _answer(field, text)
        except InvalidInput as error:
            errors[position] = error.args[0]
            continue
        if value is not None:
            answers[field.label] = value
    return answers, errors


def _answer(field: BackgroundField, text: str) -> Any:
    if not text:
        if field.required:
            raise InvalidInput(sentence("This field is required."))
        return None
    if field.kind == "number":
        return _number(text)
    if field.kind == "choice" and text not in field.choices:
        raise InvalidInput(sentence("Choose one of the listed answers."))
    if len(text) > LONGEST_ANSWER:
        raise InvalidInput(sentence("Use at most {n} characters.", n=LONGEST_ANSWER))
    return text


def _number(text: str) -> float | int:
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = float("nan")
    if not abs(value) < 1e15:
        raise InvalidInput(sentence("Enter a number."))
    return int(value) if value == int(value) else value
