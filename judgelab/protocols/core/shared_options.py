"""Options shared by several protocols."""

from __future__ import annotations

from judgelab.options import Option
from judgelab.wording import mark

CONTEXT = Option(
    "show_context", "bool", False, help=mark("Show the question's context; a summary's source always is.")
)
INSTRUCTION = Option("instruction", "text", "", help=mark("Your own wording of the task; empty for ours."))
EXAMPLES_FROM = Option(
    "examples_from",
    "text",
    "",
    help=mark(
        "Groups (batches) from which the rated examples come, with commas; empty for the fewest with enough."
    ),
)
APART = Option(
    "apart",
    "bool",
    True,
    help=mark("Judge nothing of the groups from which the examples come, where others are left to judge."),
)
