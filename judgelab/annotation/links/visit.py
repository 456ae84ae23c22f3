"""What somebody brings who opens a study link: the parameters of the address, answers to the form."""

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
# What a platform should have filled in: {{%PROLIFIC_PID%}}, ${id}, [ID], <id>, %id%.
TEMPLATE = re.compile(r"[{<\[%]+.*[}>\]%]+|\$\{.*|.*\{\{.*", re.DOTALL)
CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True)
class Visit:
    """Who came, as the platform names them, and the other parameters of the address."""

    external_id: str
    parameters: Mapping[str, str]


def read_visit(options: LinkOptions, query: Mapping[str, Sequence[str]]) -> Visit:
    """Return who came; raises `InvalidInput` with what is wrong about the address."""
    values = {name: _value(name, query.get(name, ())) for name in options.parameters}
    return Visit(values[options.person], {name: values[name] for name in options.others})


def _value(name: str, given: Sequence[str]) -> str:
    if not given:
        raise InvalidInput(sentence("The address lacks the parameter {name}.", name=name))
    if len(set(given)) > 1:
        raise InvalidInput(sentence("The address has the parameter {name} several times.", name=name))
    value = given[0].strip()
    if not value:
        raise InvalidInput(sentence("The parameter {name} of the address is empty.", name=name))
    if TEMPLATE.fullmatch(value) or value == name:
        raise InvalidInput(
            sentence(
                "The parameter {name} of the address still says {value}: nothing was filled in there.",
                name=name,
                value=value[:80],
            )
        )
    if len(value) > LONGEST_VALUE or CONTROL.search(value):
        raise InvalidInput(
            sentence(
                "The parameter {name} of the address is too long or holds signs that no id has.", name=name
            )
        )
    # No database takes half of a surrogate pair.
    return value.encode("utf-8", "replace").decode()


def read_background(
    fields: Sequence[BackgroundField], sent: Mapping[int, str]
) -> tuple[dict[str, Any], dict[int, str]]:
    """Return the answers by question, and by the place of a question what is wrong about its answer."""
    answers: dict[str, Any] = {}
    wrong: dict[int, str] = {}
    for place, field in enumerate(fields):
        said = sent.get(place, "").replace("\x00", "").encode("utf-8", "replace").decode().strip()
        try:
            value = _answer(field, said)
        except InvalidInput as error:
            wrong[place] = error.args[0]
            continue
        if value is not None:
            answers[field.label] = value
    return answers, wrong


def _answer(field: BackgroundField, said: str) -> Any:
    if not said:
        if field.required:
            raise InvalidInput(sentence("An answer is needed here."))
        return None
    if field.kind == "number":
        return _number(said)
    if field.kind == "choice" and said not in field.choices:
        raise InvalidInput(sentence("Choose one of the answers listed."))
    if len(said) > LONGEST_ANSWER:
        raise InvalidInput(sentence("At most {n} characters, that is.", n=LONGEST_ANSWER))
    return said


def _number(said: str) -> float | int:
    try:
        value = float(said.replace(",", "."))
    except ValueError:
        value = float("nan")
    if not abs(value) < 1e15:
        raise InvalidInput(sentence("A number is needed here."))
    return int(value) if value == int(value) else value
