"""Out of the box: all criteria in one JSON reply, nothing beside the scores (BioASQ study, figure 2)."""

from __future__ import annotations

from judgelab.protocols.base import register
from judgelab.protocols.rubric import Rubric
from judgelab.protocols.rubric_examples import RUBRIC_EXAMPLES
from judgelab.wording import mark


@register
class OutOfTheBox(Rubric):
    """BioASQ's OTB; with a tuned model it is the paper's fine-tuned evaluator."""

    name = "otb"
    title = mark("Out of the box")
    summary = mark(
        "Shows the reference answers and asks for all criteria at once, as JSON with scores alone."
    )
    examples = RUBRIC_EXAMPLES
