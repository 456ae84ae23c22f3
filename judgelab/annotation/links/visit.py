"""The URL parameters that people send who open a recruitment link."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from judgelab.annotation.links.options import LinkOptions
from judgelab.errors import InvalidInput
from judgelab.wording import sentence

LONGEST_VALUE = 200
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
