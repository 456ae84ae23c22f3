"""The JSON schema of a reply, for servers that let a model write nothing else."""

from __future__ import annotations

from typing import Any

from judgelab.scales import Scale

MOST_POINTS = 200  # servers refuse longer lists of allowed values


def score_schema(scale: Scale, *, explain: bool) -> dict[str, Any]:
    """Return the schema of one object with a score on the scale, after an explanation where one is wanted.

    The points are listed, because several servers pass over `minimum` and `maximum`; a score beyond a range
    without points is found when the reply is read.
    """
    points = [point.value for point in scale.points()]
    whole = all(float(point).is_integer() for point in points)
    score: dict[str, Any] = {"type": "integer" if points and whole else "number"}
    if 0 < len(points) <= MOST_POINTS:
        score["enum"] = [int(point) if whole else point for point in points]
    properties = {"explanation": {"type": "string"}, "score": score} if explain else {"score": score}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
