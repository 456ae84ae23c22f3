"""Options of several metrics at once: one value for all that know it, or one for a metric by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgelab.errors import InvalidInput, NotFound
from judgelab.metrics.base import Metric
from judgelab.wording import mark, sentence


def options_by_metric(chosen: Mapping[str, Metric], given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the settled options of each metric.

    Args:
        chosen: the metrics by name.
        given: `references` goes to every metric that knows it, `bleu.references` to that one only.

    Raises:
        NotFound: an option that none of the metrics knows, or a metric that was not chosen.
        InvalidInput: a value that a metric cannot take.
    """
    option_names = {option.name for metric in chosen.values() for option in metric.options}
    for name in given:
        metric, dot, option = name.partition(".")
        if dot and metric not in chosen:
            raise NotFound(mark("metric"), metric, chosen)
        if (option if dot else name) not in option_names:
            raise NotFound(mark("option"), option if dot else name, option_names)
    return {name: _settled(metric, given) for name, metric in chosen.items()}


def _settled(metric: Metric, given: Mapping[str, Any]) -> dict[str, Any]:
    option_names = {option.name for option in metric.options}
    shared = {name: value for name, value in given.items() if name in option_names}
    named = {
        name.partition(".")[2]: value for name, value in given.items() if name.startswith(f"{metric.name}.")
    }
    try:
        return metric.settle({**shared, **named})
    except InvalidInput as error:
        raise InvalidInput(
            sentence(
                "{metric}: {problem} To set an option for one metric only, write {metric}.NAME=VALUE.",
                metric=metric.name,
                problem=str(error),
            )
        ) from None
