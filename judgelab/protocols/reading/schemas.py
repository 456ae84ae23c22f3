"""The JSON schema of a reply, for servers that can restrict the output to it."""

from __future__ import annotations

from typing import Any

from judgelab.scales import Scale

MAX_POINTS = 200  # servers refuse longer lists of allowed values


def score_schema(scale: Scale, *, explain: bool, passing: bool = False) -> dict[str, Any]:
    """Return the schema of an object with a score, after an explanation if `explain` is true.

    The points are listed because several servers ignore `minimum` and `maximum`; on a scale without points,
    a score out of range is found when the reply is read. With `passing`, "cannot judge" is allowed too.
    """
    points = [point.value for point in scale.points()]
    whole = all(float(point).is_integer() for point in points)
    score: dict[str, Any] = {"type": "integer" if points and whole else "number"}
    if 0 < len(points) <= MAX_POINTS:
        score["enum"] = [int(point) if whole else point for point in points]
    if passing:
        score = {"anyOf": [score, {"type": "string", "enum": ["cannot judge"]}]}
    properties = {"explanation": {"type": "string"}, "score": score} if explain else {"score": score}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
