"""Read ranks of systems in JSON: `{"ranks": {"1": "System A", "2": "System B"}, "Explanation": "..."}`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from judgelab.protocols.reading.fences import empty_reason, unfenced
from judgelab.protocols.reading.json_replies import json_objects
from judgelab.wording import sentence

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
NAMES = tuple(f"System {first}{second}".strip() for first in ("", *LETTERS) for second in LETTERS)
_NAME = re.compile(r"^\s*(?:system\s+)?([A-Z]{1,2})\s*$", re.IGNORECASE)


class Ranks(NamedTuple):
    """The rank of each system in the order of their names (1 is the best), or why none can be read."""

    ranks: tuple[int, ...] = ()
    explanation: str = ""
    reason: str | None = None


def read_ranks(text: str, systems: int) -> Ranks:
    """Return the ranks stated in a reply for this number of systems, each named once; never raises.

    >>> read_ranks('{"ranks": {"1": "System B", "2": "System A"}, "Explanation": "B is whole."}', 2).ranks
    (2, 1)
    """
    bare = unfenced(text)
    if not bare:
        return Ranks(reason=empty_reason(text))
    try:
        rankings = [
            value for value in json_objects(bare) if any(str(key).lower() == "ranks" for key in value)
        ]
    except RecursionError:
        return Ranks(reason=sentence("the JSON is nested too deeply to be read"))
    if len(rankings) != 1:
        none = sentence("no complete JSON object with ranks in the reply")
        several = sentence("{count} objects with ranks in the reply instead of one", count=len(rankings))
        return Ranks(reason=several if rankings else none)
    stated = {str(key).lower(): value for key, value in rankings[0].items()}
    explanation = str(stated.get("explanation") or "")
    ranks = _parse_ranks(stated["ranks"], systems)
    if ranks is None:
        names = ", ".join(NAMES[:systems])
        reason = sentence("the ranks do not name each of {names} exactly once", names=names)
        return Ranks(explanation=explanation, reason=reason)
    return Ranks(ranks, explanation)


def _parse_ranks(stated: Any, systems: int) -> tuple[int, ...] | None:
    if not isinstance(stated, Mapping):
        return None
    places = {name.removeprefix("System "): place for place, name in enumerate(NAMES[:systems])}
    placed: dict[int, int] = {}
    for key, value in stated.items():
        if not str(key).strip().isascii() or not str(key).strip().isdigit() or len(str(key)) > 4:
            return None
        for name in value if isinstance(value, list) else [value]:
            match = _NAME.match(str(name))
            place = places.get(match[1].upper()) if match else None
            if place is None or place in placed:
                return None
            placed[place] = int(str(key).strip())
    return tuple(placed[place] for place in range(systems)) if len(placed) == systems else None
