"""Pointwise grades from 0 to 10, without and with a list of references (LINKAGE, equation 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from judgelab.domain import Message, Reading, Task
from judgelab.protocols.core.base import Call, Example, register
from judgelab.protocols.core.prompts import clean, joined, section
from judgelab.protocols.core.shared_options import CONTEXT, INSTRUCTION
from judgelab.protocols.open_answers import (
    DRAW,
    LIST,
    SHOTS,
    OpenAnswers,
    case_parts,
    reference_list_of,
    references_part,
    response_part,
    task_parts,
    wording,
    worked_examples,
)
from judgelab.protocols.reading.bracketed import bracketed_number
from judgelab.protocols.single_score import only_criterion
from judgelab.wording import mark

LOW, HIGH = 0, 10
_SCALE = {"kind": "ordinal", "low": 0, "high": 3}
EXAMPLES = (
    Example("[[8]]", 8, _SCALE),
    Example("It explains both parts well.\n\n**[[7]]**", 7, _SCALE),
    Example("Score: [[ 6.5 ]]", 6.5, _SCALE),
    Example("[[0]]", 0, _SCALE),
    Example("[[10]] as said, [[10]]", 10, _SCALE),
    Example("[[11]]", None, _SCALE),
    Example("[[-1]]", None, _SCALE),
    Example("[[3]] or [[4]]", None, _SCALE),
    Example("[8]", None, _SCALE),
    Example("8", None, _SCALE),
    Example("[[good]]", None, _SCALE),
    Example("", None, _SCALE),
)


@register
class Pointwise(OpenAnswers):
    """Grades one response from 0 to 10, with nothing to compare it with."""

    name = "pointwise"
    title = mark("Pointwise grade")
    summary = mark("Grades each response on its own, from 0 to 10.")
    examples = EXAMPLES

    def build(self, task: Task, options: Mapping[str, Any]) -> list[Message]:
        """Return the prompt as one user message."""
        chosen = self.checked_options(task, options)
        parts = [
            *task_parts(task, chosen, self.name, self.template_version),
            section("output", wording(self.template_version)["output"]["score"]),
            _examples(chosen["shots"], self.template_version, with_references=False),
            *case_parts(task, chosen),
            response_part(task),
        ]
        return [Message("user", joined(parts))]

    def parse(self, text: str, task: Task, options: Mapping[str, Any]) -> Reading:
        """Return the grade in double square brackets, or why there is none."""
        grade = bracketed_number(text, LOW, HIGH)
        if grade.value is None:
            return Reading(rationale=grade.around, reason=grade.reason)
        return Reading({only_criterion(task).key: grade.value}, rationale=grade.around)

    def score_range(self, detail: Mapping[str, Any], *, together: int) -> tuple[float, float] | None:
        """Return the lowest and the highest grade."""
        return float(LOW), float(HIGH)

    def replies(self, call: Call, task: Task, options: Mapping[str, Any]) -> Sequence[str]:
        """Return all grades."""
        return [f"[[{grade}]]" for grade in range(LOW, HIGH + 1)]


@register
class PointwiseRefs(Pointwise):
    """Grades one response from 0 to 10, with a list of references of falling quality."""

    name = "pointwise_refs"
    title = mark("Pointwise grade with references")
    summary = mark("Grades each response from 0 to 10 against references of decreasing quality.")
    needs = frozenset({"reference_list"})
    options = (LIST, DRAW, SHOTS, CONTEXT, INSTRUCTION)

    def build(self, task: Task, options: Mapping[str, Any]) -> list[Message]:
        """Return the prompt as one user message; raises `InvalidInput` if the item has no list."""
        chosen = self.checked_options(task, options)
        parts = [
            *task_parts(task, chosen, self.name, self.template_version),
            section("output", wording(self.template_version)["output"]["score"]),
            _examples(chosen["shots"], self.template_version, with_references=True),
            *case_parts(task, chosen),
            references_part([reference.text for reference in reference_list_of(task)]),
            response_part(task),
        ]
        return [Message("user", joined(parts))]


def _examples(shots: int, version: str, *, with_references: bool) -> str:
    blocks = []
    for example in worked_examples(version)[:shots]:
        parts = [
            section("question", clean(example.question)),
            references_part(example.references) if with_references else "",
            section("answer", clean(example.answer)),
            section("score", f"[[{example.score}]]"),
        ]
        blocks.append(section("example", "\n".join(part for part in parts if part)))
    return section("examples", "\n".join(blocks))
