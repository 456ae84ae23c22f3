"""A project with its criteria, as it is passed around; read without a database driver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from judgelab.domain import Criterion
from judgelab.errors import NotFound
from judgelab.scales import Scale, scale_from_json
from judgelab.wording import mark


@dataclass(frozen=True)
class ProjectInfo:
    """A stored project with its criteria."""

    id: int
    slug: str
    name: str
    task: str
    study: str
    settings: Mapping[str, Any]
    blind: bool
    guidelines: str
    guidelines_version: int
    criteria: tuple[Criterion, ...]
    created_at: datetime

    def criterion(self, key: str) -> Criterion:
        """Return the criterion named `key`; raises `NotFound`."""
        for criterion in self.criteria:
            if criterion.key == key:
                return criterion
        raise NotFound(mark("criterion"), key, [c.key for c in self.criteria])

    def scale(self, key: str) -> Scale:
        """Return the scale of the criterion named `key`."""
        return scale_from_json(self.criterion(key).scale)

    @property
    def scales(self) -> dict[str, Scale]:
        """Return the scale of every criterion by its key."""
        return {c.key: scale_from_json(c.scale) for c in self.criteria}
