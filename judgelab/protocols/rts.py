"""Reason, then score: every criterion is explained before its score (BioASQ study, figure 3)."""

from __future__ import annotations

from judgelab.protocols.core.base import register
from judgelab.protocols.examples.rubric import RUBRIC_EXAMPLES
from judgelab.protocols.rubric import Rubric
from judgelab.wording import mark


@register
class ReasonThenScore(Rubric):
    """BioASQ's RTS, called CoT in its tables."""

    name = "rts"
    title = mark("Reason, then score")
    summary = mark("Asks for all criteria at once, as JSON with an explanation before each score.")
    reasons = True
    examples = RUBRIC_EXAMPLES
