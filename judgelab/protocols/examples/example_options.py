"""Options for protocols with built-in examples: show these or examples of the project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from judgelab.domain import Demonstration, Task
from judgelab.options import Option
from judgelab.protocols.core.base import Refusal
from judgelab.protocols.core.shared_options import APART, EXAMPLES_FROM
from judgelab.protocols.examples.demonstrations import SAVED
from judgelab.wording import counted, mark, sentence

EXAMPLES_OPTION = "examples"  # the option's name
OURS, RATED, SAVED_SET = "ours", "rated", "saved"


def example_source_options(*choices: str) -> tuple[Option, ...]:
    """Return the options that select the examples: the built-in ones or one of `choices`."""
    source = Option(
        EXAMPLES_OPTION,
        "choice",
        OURS,
        (OURS, *choices),
        mark(
            "Which examples the prompt shows: JudgeLab's own, rated responses of the project, or a saved "
            "set of worked examples."
        ),
    )
    saved = (replace(SAVED, only_with=EXAMPLES_OPTION),) if SAVED_SET in choices else ()
    return (
        source,
        replace(EXAMPLES_FROM, only_with=EXAMPLES_OPTION),
        replace(APART, only_with=EXAMPLES_OPTION),
        *saved,
    )


def uses_project_examples(options: Mapping[str, Any]) -> bool:
    """Return whether these options show examples of the project instead of the built-in ones."""
    return bool(options.get(EXAMPLES_OPTION, OURS) != OURS)


def project_shots(chosen: Mapping[str, Any]) -> int:
    """Return how many examples of the project are shown; 0 with the built-in ones."""
    return int(chosen["shots"]) if uses_project_examples(chosen) else 0


def too_few_examples(chosen: Mapping[str, Any], given: Sequence[Demonstration], what: str) -> Refusal | None:
    """Return that the project has too few examples, or None.

    `what` says what an example needs, as a clause.
    """
    needed = project_shots(chosen)
    if len(given) >= needed:
        return None
    return Refusal(
        counted(
            "it needs {n} example of this project, but {there} can be used ({what})",
            "it needs {n} examples of this project, but {there} can be used ({what})",
            needed,
            there=len(given),
            what=what,
        ),
        sentence("fewer shots, or {option}", option=f"{EXAMPLES_OPTION}={OURS}"),
    )


def examples_shown(task: Task, shots: int) -> list[Demonstration]:
    """Return the project's examples to show with a task, never the case itself."""
    case = (task.question, task.response)
    return [example for example in task.demonstrations if (example.question, example.response) != case][
        :shots
    ]
