"""Direct prompting: only the task, the criterion and the case."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgelab.domain import Task
from judgelab.protocols.core.base import register
from judgelab.protocols.examples.single_score import SCORE_EXAMPLES
from judgelab.protocols.single_score import SingleScore
from judgelab.scales import Scale
from judgelab.wording import mark


@register
class Direct(SingleScore):
    """ELECT's DP: asked for the score at once."""

    name = "direct"
    title = mark("Direct")
    summary = mark("Shows the criterion, the item and the response and asks directly for the score.")
    examples = SCORE_EXAMPLES
    judges_labels = True

    def middle(self, task: Task, scale: Scale, options: Mapping[str, Any]) -> str:
        """Return nothing."""
        return ""
