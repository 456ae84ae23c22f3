"""`confidence=` of functions whose intervals may have another level than 95 %."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

from judgelab.api.tables import Row, Table
from judgelab.errors import InvalidInput
from judgelab.metaeval.core.confidence import LEVEL, confidence_level
from judgelab.metaeval.core.result import Estimate

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def with_confidence(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Make a function's argument `confidence` the level of all intervals that it computes."""

    @wraps(function)
    def at_level(*args: Arguments.args, **options: Arguments.kwargs) -> Result:
        level = options.get("confidence", LEVEL)
        if not isinstance(level, (int, float, np.number)) or not 0.5 <= level < 1:
            raise InvalidInput(
                f"confidence is {level!r}, but must be at least 0.5 and below 1, such as 0.9 for 90 %."
            )
        if level == LEVEL:
            return function(*args, **options)
        with confidence_level(float(level)):
            found = function(*args, **options)
        return cast(Result, _marked(found, float(level)))

    return at_level


def only_at_95(source: Mapping[str, Any]) -> None:
    """Raise `InvalidInput` if a table has intervals of another level: the app's sentences are on 95 %."""
    if source.get("confidence", LEVEL) != LEVEL:
        raise InvalidInput(
            "explain() speaks of 95 % intervals and of what is significant at .05; leave out confidence=."
        )


def _marked(found: Any, level: float) -> Any:
    """Return the result with the level in every recipe."""
    if isinstance(found, Estimate):
        return replace(found, params={**found.params, "confidence": level})
    if not isinstance(found, Table):
        return found
    rows = tuple(
        Row(
            row.names,
            _marked(row.estimate, level),
            {name: _marked(part, level) for name, part in row.more.items()},
        )
        for row in found._rows
    )
    return replace(found, _rows=rows, _source={**found._source, "confidence": level})
