"""Whether a prompt still asks for what its reader reads: an own output text can forget it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any


def signs_of(replies: Sequence[str]) -> list[tuple[str, ...]]:
    """Return what such replies have in common that a prompt must name: double brackets, the keys of JSON.

    >>> signs_of(["[[1]]", "[[2]]"])
    [('[[',)]
    >>> signs_of(['{"fit": {"score": 1}}'])
    [('fit',), ('score',)]
    """
    if replies and all("[[" in reply for reply in replies):
        return [("[[",)]
    try:
        found = json.loads(replies[0]) if replies else None
    except ValueError:
        return []
    return [(key,) for key in dict.fromkeys(_keys(found))] if isinstance(found, Mapping) else []


def unasked(text: str, signs: Sequence[Sequence[str]]) -> list[str]:
    """Return the signs of which the text names none of the group, each group by its first."""
    said = text.casefold()
    return [group[0] for group in signs if not any(_names(said, one.casefold()) for one in group)]


def _names(said: str, sign: str) -> bool:
    """Return whether the text names a sign; a word or number must stand there as a whole."""
    before, after = (r"(?<!\w)" if sign[:1].isalnum() else ""), (r"(?!\w)" if sign[-1:].isalnum() else "")
    return re.search(before + re.escape(sign) + after, said) is not None


def _keys(value: Mapping[str, Any]) -> list[str]:
    """Return the keys that hold objects, with those in them, as far as they are words."""
    found = []
    for key, inner in value.items():
        if isinstance(inner, Mapping):
            found += [key, *(name for name in inner if name.isalpha())]
    return found
