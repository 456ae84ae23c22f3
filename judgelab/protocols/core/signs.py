"""Check that a custom prompt still asks for what the reply is read by."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any


def common_signs(replies: Sequence[str]) -> list[tuple[str, ...]]:
    """Return what the replies have in common and a prompt must ask for: double brackets, JSON keys.

    >>> common_signs(["[[1]]", "[[2]]"])
    [('[[',)]
    >>> common_signs(['{"fit": {"score": 1}}'])
    [('fit',), ('score',)]
    """
    if replies and all("[[" in reply for reply in replies):
        return [("[[",)]
    try:
        parsed = json.loads(replies[0]) if replies else None
    except ValueError:
        return []
    return [(key,) for key in dict.fromkeys(_keys(parsed))] if isinstance(parsed, Mapping) else []


def missing_signs(text: str, signs: Sequence[Sequence[str]]) -> list[str]:
    """Return the first sign of each group that the text does not mention at all."""
    folded = text.casefold()
    return [group[0] for group in signs if not any(_names(folded, sign.casefold()) for sign in group)]


def _names(text: str, sign: str) -> bool:
    """Return whether the text has the sign; a word or number must match as a whole."""
    before, after = (r"(?<!\w)" if sign[:1].isalnum() else ""), (r"(?!\w)" if sign[-1:].isalnum() else "")
    return re.search(before + re.escape(sign) + after, text) is not None


def _keys(value: Mapping[str, Any]) -> list[str]:
    """Return the keys that have objects as values, each followed by the object's alphabetic keys."""
    keys = []
    for key, inner in value.items():
        if isinstance(inner, Mapping):
            keys += [key, *(name for name in inner if name.isalpha())]
    return keys
