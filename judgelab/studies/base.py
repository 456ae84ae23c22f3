"""What a study sets up: task, criteria with their anchors, guidelines, and what raters see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from judgelab.domain import Criterion
from judgelab.registry import Registry
from judgelab.wording import mark


@dataclass(frozen=True)
class Study:
    """A ready-made set-up of a project.

    Args:
        name: the word on the command line ("elect").
        title: what a person reads ("ELECT, review-based product questions").
        summary: one sentence about what is rated.
        task: "qa" or "summarisation".
        criteria: the criteria in the order shown.
        guidelines: Markdown for raters.
        settings: settings that differ from a plain project's.
        group_word: what a group is called in this study ("product category", "batch").
    """

    name: str
    title: str
    summary: str
    task: str
    criteria: tuple[Criterion, ...]
    guidelines: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    group_word: str = "group"


studies: Registry[Study] = Registry(mark("study"), "judgelab.studies")
