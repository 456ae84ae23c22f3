"""Options shared by several protocols."""

from __future__ import annotations

from judgelab.options import Option
from judgelab.wording import mark

CONTEXT = Option(
    "show_context",
    "bool",
    False,
    help=mark("Show the question's context; the source of a summary is always shown."),
)
INSTRUCTION = Option(
    "instruction", "text", "", help=mark("Your own text for the task; leave empty for JudgeLab's.")
)
EXAMPLES_FROM = Option(
    "examples_from",
    "text",
    "",
    help=mark(
        "Groups (batches) to take the rated examples from, separated by commas; leave empty for the "
        "fewest groups with enough examples."
    ),
)
APART = Option(
    "apart",
    "bool",
    True,
    help=mark("Do not judge the groups that the examples come from, unless there are no others."),
)
