"""Scores that follow from marked errors: computed here, whatever the screen sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from judgelab.annotation.rating.operations import Operation
from judgelab.annotation.rating.values import ERROR_NAMES
from judgelab.scales import Scale
from judgelab.scales.error_spans import ErrorSpans


def with_error_scores(scales: Mapping[str, Scale], operation: Operation) -> Operation:
    """Return the operation with the scores that its marked errors have.

    A response that cannot be judged has no errors, and evidence of other criteria no types.

    Args:
        scales: the project's scales, by criterion key.
        operation: what the screen sent.

    Raises:
        InvalidInput: an error has no type or severity of its scale.
    """
    scores, marked = dict(operation.scores), dict(operation.evidence)
    for key, spans in operation.evidence.items():
        if not isinstance(scales.get(key), ErrorSpans):
            marked[key] = [
                {name: value for name, value in span.items() if name not in ERROR_NAMES} for span in spans
            ]
    for key, score in operation.scores.items():
        scale = scales.get(key)
        if isinstance(scale, ErrorSpans):
            if score is None:
                if operation.kind == "rate":  # a draft may still be changed back
                    marked.pop(key, None)
            else:
                scores[key] = scale.score_of(marked.get(key, ()))
    return replace(operation, scores=scores, evidence=marked)
