"""What a judge is: a protocol, its options, a model and its parameters, under a rater name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class JudgeInfo:
    """A stored judge; judges with the same definition give comparable scores."""

    id: int
    name: str
    origin: str
    protocol: str
    options: Mapping[str, Any]
    backend: str
    endpoint_id: int | None
    model: str
    parameters: Mapping[str, Any]
    samples: int
    aggregation: str
    template_version: str
    own_scale: bool = False

    @property
    def built_in_wording(self) -> str:
        """Return the version of the protocol's built-in texts that the judge was created with."""
        return self.template_version.split(",")[0].strip() or "1"

    def definition(self) -> dict[str, Any]:
        """Return everything but id and name."""
        return {key: value for key, value in vars(self).items() if key not in ("id", "name")}
