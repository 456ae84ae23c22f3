"""Out of the box: all criteria in one JSON reply with only the scores (BioASQ study, figure 2)."""

from __future__ import annotations

from judgelab.protocols.core.base import register
from judgelab.protocols.examples.rubric import RUBRIC_EXAMPLES
from judgelab.protocols.rubric import Rubric
from judgelab.wording import mark


@register
class OutOfTheBox(Rubric):
    """BioASQ's OTB; with a fine-tuned model, this is the paper's fine-tuned evaluator."""

    name = "otb"
    title = mark("Out of the box")
    summary = mark("Shows the reference answers and asks for all criteria at once, as JSON with scores only.")
    examples = RUBRIC_EXAMPLES
