"""A criterion as the rating screen shows it."""

from __future__ import annotations

from typing import Any

from judgelab.domain import Criterion
from judgelab.scales import may_pass, scale_from_json


def criterion_data(criterion: Criterion) -> dict[str, Any]:
    """Return a criterion as the screen shows it: one key a point, or a number field."""
    scale = scale_from_json(criterion.scale)
    points = scale.points()
    single_digits = bool(points) and all(p.value in range(10) for p in points)
    ends = [(points[0].label, points[-1].label)] if points else []
    low_label, high_label = next(
        iter(ends), (getattr(scale, "low_label", ""), getattr(scale, "high_label", ""))
    )
    return {
        "key": criterion.key,
        "label": criterion.label,
        "question": criterion.question,
        "widget": "points" if single_digits else "number",
        "points": [
            {"value": int(p.value), "label": p.label, "anchor": p.anchor} for p in points if single_digits
        ],
        "may_pass": may_pass(criterion.scale),
        "low": _plain(scale.low),
        "high": _plain(scale.high),
        "step": 1 if points else None,
        "low_label": low_label,
        "high_label": high_label,
    }


def _plain(value: float) -> float | int:
    return int(value) if value == int(value) else value
