"""G-Eval's way in the ELECT study: four general reasoning steps, no example."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgelab.domain import Task
from judgelab.options import Option
from judgelab.protocols.base import register
from judgelab.protocols.prompts import section, template
from judgelab.protocols.single_score import SHARED_OPTIONS, SingleScore
from judgelab.protocols.single_score_examples import SCORE_EXAMPLES
from judgelab.scales import Scale
from judgelab.wording import mark

STEPS = Option("steps", "text", "", help=mark("Your own reasoning steps; empty for ours."))


@register
class GEval(SingleScore):
    """Understand, analyse, rate, conclude; then the score."""

    name = "geval"
    title = "G-Eval"
    summary = mark(
        "Gives four general reasoning steps (understand, analyse, rate, conclude), then asks for the score."
    )
    options = (STEPS, *SHARED_OPTIONS)
    examples = SCORE_EXAMPLES

    def middle(self, task: Task, scale: Scale, options: Mapping[str, Any]) -> str:
        """Return the reasoning steps."""
        return section("steps", options["steps"] or template(f"steps_{task.kind}", self.template_version))
