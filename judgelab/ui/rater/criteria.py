"""A criterion in the form that the rating screen needs."""

from __future__ import annotations

from typing import Any

from judgelab.domain import Criterion
from judgelab.languages import _
from judgelab.scales import may_pass, scale_from_json
from judgelab.scales.categorical import Categorical
from judgelab.scales.error_spans import ErrorSpans


def criterion_data(criterion: Criterion) -> dict[str, Any]:
    """Return a criterion's data for the screen: one key per point or label, or a number field."""
    scale = scale_from_json(criterion.scale)
    points = scale.points()
    low, high = ends(criterion)
    shown_points = [
        {"value": _plain(point.value), "label": point.label, "anchor": point.anchor}
        for point in points
        if scale.widget == "points"
    ]
    if isinstance(scale, Categorical) and scale.several:
        shown_points = _labels_of_sets(scale)
    elif isinstance(scale, ErrorSpans):
        shown_points = [{"value": 0, "label": _("No errors"), "anchor": "", "key": "0"}]
    elif shown_points:
        shown_points[0]["label"], shown_points[-1]["label"] = low, high
    return {
        "key": criterion.key,
        "label": criterion.label,
        "question": criterion.question,
        "widget": scale.widget,
        "points": shown_points,
        "ordered": scale.ordered,
        "may_pass": may_pass(criterion.scale),
        "low": _plain(scale.low),
        "high": _plain(scale.high),
        "step": None if (step := scale.step()) is None else _plain(step),
        "low_label": low,
        "high_label": high,
        **(_kinds_of_errors(scale) if isinstance(scale, ErrorSpans) else {}),
    }


def _kinds_of_errors(scale: ErrorSpans) -> dict[str, Any]:
    """Return what a marked error can be, and what it counts."""
    severities = [{"name": name, "weight": _plain(weight)} for name, weight in scale.weights.items()]
    return {"types": scale.types, "severities": severities, "most": _plain(scale.most)}


def _labels_of_sets(scale: Categorical) -> list[dict[str, Any]]:
    """Return a point for each label, which is on or off, and one for the empty set; 0 is its key."""
    labels = [
        {"value": 2**place, "label": label, "anchor": "", "key": str(place + 1)}
        for place, label in enumerate(scale.labels)
    ]
    return [*labels, {"value": 0, "label": _("None of these"), "anchor": "", "key": "0"}]


def ends(criterion: Criterion) -> tuple[str, str]:
    """Return the labels of the lowest and the highest value.

    Without labels they say which end is better, as a judge's prompt does: people and judges must know the
    same.
    """
    scale = scale_from_json(criterion.scale)
    points = scale.points()
    if any(point.label or point.anchor for point in points):
        return points[0].label, points[-1].label
    low, high = getattr(scale, "low_label", ""), getattr(scale, "high_label", "")
    if low or high:
        return low, high
    return (_("worst"), _("best")) if criterion.higher_is_better else (_("best"), _("worst"))


def _plain(value: float) -> float | int:
    return int(value) if value == int(value) else value
