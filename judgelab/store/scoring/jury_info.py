"""What is known of a jury, and its scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class JuryInfo:
    """A jury: its members, the way their scores are combined, and the state of the inputs.

    `state` identifies the inputs that its scores were computed from; empty before that.
    """

    judge_id: int
    run_id: int
    name: str
    members: tuple[str, ...]
    combination: str
    own_scale: bool
    state: str


@dataclass(frozen=True)
class JuryScore:
    """A jury's score of a response under a criterion, or the reason for none."""

    response_id: int
    criterion: str
    score: float | None
    reason: str = ""
    rationale: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)
