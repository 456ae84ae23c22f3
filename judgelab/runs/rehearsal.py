"""What a judge without a model may answer: every point of the scale, as the protocol asks for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgelab.domain import Task
from judgelab.protocols.grammars import grammar_named
from judgelab.scales import Scale, scale_from_json

STEPS = 4


def possible_answers(task: Task, options: Mapping[str, Any]) -> list[str]:
    """Return one reply per point of the first criterion's scale, lowest first."""
    scale = scale_from_json(task.criteria[0].scale)
    grammar = grammar_named(str(options.get("grammar", "digit")))
    return [grammar.write(value, scale) for value in _values(scale)]


def _values(scale: Scale) -> list[float]:
    points = [point.value for point in scale.points()]
    return points or [scale.low + (scale.high - scale.low) * step / STEPS for step in range(STEPS + 1)]
