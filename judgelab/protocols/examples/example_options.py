"""Whose examples a prompt shows where a protocol brings its own: these, or ones of the project."""

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

WHOSE = "examples"  # the option's name
OURS, RATED, SAVED_SET = "ours", "rated", "saved"


def whose_examples(*choices: str) -> tuple[Option, ...]:
    """Return the options by which a project's own examples are chosen, `choices` beside ours."""
    of = Option(
        WHOSE,
        "choice",
        OURS,
        (OURS, *choices),
        mark(
            "Whose examples the prompt shows: JudgeLab's, rated responses of the project, or a set of worked "
            "examples that it saved."
        ),
    )
    saved = (replace(SAVED, only_with=WHOSE),) if SAVED_SET in choices else ()
    return (of, replace(EXAMPLES_FROM, only_with=WHOSE), replace(APART, only_with=WHOSE), *saved)


def of_project(options: Mapping[str, Any]) -> bool:
    """Return whether a judge of these options shows examples of the project in place of ours."""
    return bool(options.get(WHOSE, OURS) != OURS)


def own_shots(chosen: Mapping[str, Any]) -> int:
    """Return how many examples of the project are shown; 0 where ours are."""
    return int(chosen["shots"]) if of_project(chosen) else 0


def too_few(chosen: Mapping[str, Any], given: Sequence[Demonstration], what: str) -> Refusal | None:
    """Return that the project cannot give as many examples as are wanted, or None.

    `what` says what an example must have, as a clause.
    """
    wanted = own_shots(chosen)
    if len(given) >= wanted:
        return None
    return Refusal(
        counted(
            "it is to show {n} example of this project, and {there} can be shown ({what})",
            "it is to show {n} examples of this project, and {there} can be shown ({what})",
            wanted,
            there=len(given),
            what=what,
        ),
        sentence("fewer shots, or {option}", option=f"{WHOSE}={OURS}"),
    )


def shown_of(task: Task, shots: int) -> list[Demonstration]:
    """Return the project's examples that may be shown with a task: never the case itself."""
    case = (task.question, task.response)
    return [one for one in task.demonstrations if (one.question, one.response) != case][:shots]
