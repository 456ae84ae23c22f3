"""What a user asks for: a judge, and the responses it is to judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class JudgeSpec:
    """A judge as a user describes it; None means: as the protocol has it.

    Args:
        protocol: the protocol's name.
        model: the model's name; for `scripted` the path of a script, or `rule`.
        backend: the backend's name.
        endpoint: the endpoint's name, for backends that need one.
        options: the protocol's options.
        parameters: temperature, top_p, max_tokens, seed and what the backend knows beside them.
        samples: replies asked for each unit.
        aggregation: mean, majority or median of the samples.
        name: the judge's name as a rater; made from protocol and model when empty.
        demonstrations: row ids of rated responses to show as examples; chosen for the user when empty.
    """

    protocol: str
    model: str
    backend: str = "openai_api"
    endpoint: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    samples: int | None = None
    aggregation: str | None = None
    name: str = ""
    demonstrations: tuple[int, ...] = ()


@dataclass(frozen=True)
class Selection:
    """Which of a project's responses are judged; empty means all.

    Args:
        responses: row ids of responses.
        systems: names of systems.
        groups: names of groups.
        criteria: keys of criteria.
        limit: at most so many responses, in the order of import.
    """

    responses: tuple[int, ...] = ()
    systems: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    limit: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return what was chosen, without what was left open."""
        return {key: list(v) if isinstance(v, tuple) else v for key, v in vars(self).items() if v}
