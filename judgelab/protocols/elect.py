"""ELECT: examples that carry their own worked reasoning (Huang, Ren and Zhang, WWW Companion 2025)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgelab.domain import Task
from judgelab.protocols.base import register
from judgelab.protocols.demonstrations import SHOTS, demonstrations_for
from judgelab.protocols.single_score import SHARED_OPTIONS, SingleScore, examples_text
from judgelab.protocols.single_score_examples import SCORE_EXAMPLES
from judgelab.scales import Scale


@register
class Elect(SingleScore):
    """One to four examples, each reasoned through in four steps up to its score."""

    name = "elect"
    title = "ELECT"
    summary = "Shows one to four examples, each reasoned through in four steps, then asks for the score."
    options = (SHOTS, *SHARED_OPTIONS)
    examples = SCORE_EXAMPLES

    def shots(self, options: Mapping[str, Any]) -> int:
        """Return the number of examples shown."""
        return int(self.settle(options)["shots"])

    def middle(self, task: Task, scale: Scale, options: Mapping[str, Any]) -> str:
        """Return the examples with reasoning and scores."""
        shown = demonstrations_for(task, scale, shots=options["shots"], reasoned=True)
        return examples_text(task, shown, scale, grammar=options["grammar"], reasoned=True)
