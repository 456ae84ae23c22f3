"""Scores stated as JSON inside a reply, whatever stands around the object."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from judgelab.protocols.numbers import Stated, clipped, on_scale
from judgelab.scales import Scale
from judgelab.wording import sentence

REASON_KEYS = ("explanation", "reason", "reasoning", "rationale", "feedback")


def json_score(text: str, scale: Scale) -> Stated:
    """Return the one score that the reply's JSON states under the key "score", or why none can be read."""
    try:
        found = list(_pairs(list(objects(text))))
    except RecursionError:
        return Stated(None, sentence("the JSON is nested too deeply to be read"))
    scores = [value for key, value in found if key == "score"]
    if not scores:
        return Stated(None, sentence("no complete JSON object with a score in the reply"))
    if len({str(value) for value in scores}) > 1:
        return Stated(None, sentence("{count} different scores in the JSON, not one", count=len(scores)))
    if isinstance(scores[0], bool) or not isinstance(scores[0], int | float | str):
        shown = clipped(json.dumps(scores[0]))
        return Stated(None, sentence("the JSON's score is {shown}, not a number", shown=shown))
    reasons = [str(value) for key, value in found if key in REASON_KEYS]
    return on_scale(str(scores[0]), scale)._replace(rationale=" ".join(reasons))


def objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield every complete JSON object in `text`, outermost ones only, in order."""
    decoder = json.JSONDecoder(parse_int=float)  # an int of 5,000 digits is refused by int(), not by float()
    start = text.find("{")
    while start >= 0:
        try:
            found, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            yield found
        start = text.find("{", end)


def _pairs(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield every key, lower case, with its value, at any depth."""
    nested = value if isinstance(value, list) else value.values() if isinstance(value, dict) else ()
    if isinstance(value, dict):
        yield from ((key.strip().lower(), inner) for key, inner in value.items())
    for inner in nested:
        yield from _pairs(inner)
