"""Possible answers of a judge without a model: every point of the scale, in the protocol's format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgelab.domain import Task
from judgelab.protocols import Call, Protocol
from judgelab.protocols.reading.grammars import grammar_named
from judgelab.scales import Scale, scale_from_json

STEPS = 4


def possible_answers(protocol: Protocol, call: Call, task: Task, options: Mapping[str, Any]) -> list[str]:
    """Return the protocol's possible replies, lowest first; else one per point of the first scale."""
    replies = protocol.replies(call, task, options)
    if replies:
        return list(replies)
    scale = scale_from_json(task.criteria[0].scale)
    grammar = grammar_named(str(options.get("grammar", "digit")))
    return [grammar.write(value, scale) for value in _values(scale)]


def _values(scale: Scale) -> list[float]:
    points = [point.value for point in scale.points()]
    return points or [scale.low + (scale.high - scale.low) * step / STEPS for step in range(STEPS + 1)]
