"""G-Eval as used in the ELECT study: four general reasoning steps, no examples."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from judgelab.domain import Task
from judgelab.options import Option
from judgelab.protocols.core.base import register
from judgelab.protocols.core.prompts import clean, section, template
from judgelab.protocols.examples.single_score import SCORE_EXAMPLES
from judgelab.protocols.single_score import SHARED_OPTIONS, SingleScore
from judgelab.scales import Scale
from judgelab.wording import mark

STEPS = Option(
    "steps",
    "text",
    "",
    help=mark(
        "Your own reasoning steps; a line [criterion] starts the steps for one criterion. Leave empty for "
        "the project's steps or, if it has none, JudgeLab's."
    ),
)
SAVED_STEPS = Option(
    "saved_steps",
    "text",
    "",
    help=mark("Version of the project's own steps; leave empty for the newest, 'shipped' for JudgeLab's."),
)
_OF_CRITERION = re.compile(r"^[ \t]*\[(?P<key>[^\]\n]+)\][ \t]*$", re.M)


@register
class GEval(SingleScore):
    """Four reasoning steps (understand, analyse, rate, conclude), then the score."""

    name = "geval"
    title = "G-Eval"
    summary = mark(
        "Gives four general reasoning steps (understand, analyse, rate, conclude), then asks for the score."
    )
    options = (STEPS, SAVED_STEPS, *SHARED_OPTIONS)
    parts = ("task", "output", "criterion", "steps")
    examples = SCORE_EXAMPLES

    def middle(self, task: Task, scale: Scale, options: Mapping[str, Any]) -> str:
        """Return the reasoning steps."""
        own = clean(steps_for(options["steps"], task.criteria[0].key))
        return section("steps", own or template(f"steps_{task.kind}", self.template_version))


def steps_for(text: str, criterion: str) -> str:
    r"""Return the steps of one criterion: the part after its line, else the part before all such lines.

    >>> steps_for("1. Read.\n[fluency]\n1. Listen.", "fluency")
    '1. Listen.'
    """
    heads = list(_OF_CRITERION.finditer(text))
    ends = [*(head.start() for head in heads[1:]), len(text)]
    for head, end in zip(heads, ends, strict=True) if heads else ():
        if head["key"].strip() == criterion:
            return text[head.end() : end].strip()
    return text[: heads[0].start()].strip() if heads else text.strip()
