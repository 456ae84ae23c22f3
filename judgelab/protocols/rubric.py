"""All criteria of a response in one JSON reply: what the BioASQ study's protocols share.

After Hijazi, Mollá, Nguyen and Karimi, "Using Large Language Models to Evaluate Biomedical Query-Focused
Summarisation", sections 4.2 to 4.2.4 and figures 2 and 3; the words are ours, the JSON is the paper's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from judgelab.domain import Criterion, Message, Reading, Task
from judgelab.options import Option
from judgelab.protocols.core.base import Call, Protocol
from judgelab.protocols.core.placeholders import once
from judgelab.protocols.core.prompts import clean, joined, section, template
from judgelab.protocols.core.shared_options import INSTRUCTION
from judgelab.protocols.reading.grammar import NOTHING_ELSE, nearest_point
from judgelab.protocols.reading.rubric_replies import read_rubric
from judgelab.protocols.reading.schemas import score_schema
from judgelab.scales import Scale, scale_from_json
from judgelab.wording import mark

# The order in which the paper's two templates name its criteria; others stand in the project's order.
SCORE_ORDER = ("readability", "recall", "precision", "repetition")
REASON_ORDER = ("recall", "precision", "repetition", "readability")

FIRST = "1"  # the wording that speaks of a source wherever summaries are judged
LEVELS = 5  # of the scores that a judge without a model may give
FIELD = Option(
    "field",
    "text",
    "biomedical",
    help=mark("What the questions are about, one word; none for no field."),
    elsewhere="",
)
RUBRIC_OPTIONS = (FIELD, INSTRUCTION)


class Rubric(Protocol):
    """A score for every criterion of one response, as one JSON object.

    Attributes:
        reasons: whether each score comes after its explanation.
    """

    asks: ClassVar[Literal["each", "all"]] = "all"
    samples = 3  # the paper judges every batch three times and averages
    parameters: ClassVar[Mapping[str, Any]] = {"temperature": 0.0, "top_p": 0.6}
    options: ClassVar[tuple[Option, ...]] = RUBRIC_OPTIONS
    parts: ClassVar[tuple[str, ...]] = ("task", "criteria", "output")
    template_version = "2"
    reasons: ClassVar[bool] = False

    def with_reasons(self, options: Mapping[str, Any]) -> bool:
        """Return whether the reply is to explain each score before it."""
        return self.reasons

    def middle(self, task: Task, options: Mapping[str, Any]) -> Sequence[str]:
        """Return the parts between the instructions and the case; options are settled."""
        return ()

    def build(self, task: Task, options: Mapping[str, Any]) -> list[Message]:
        """Return the role as the system's turn and the case as the user's."""
        chosen = self.settle(options)
        reasons = self.with_reasons(chosen)
        parts = [
            section("task", chosen["instruction"] or task_text(task, chosen, self.template_version)),
            section("criteria", criteria_text(ordered(task.criteria, reasons=reasons))),
            section("output", output_text(task.criteria, reasons=reasons)),
            *self.middle(task, chosen),
            *rubric_case(task),
        ]
        return [Message("system", role_text(chosen["field"])), Message("user", joined(parts))]

    def parse(self, text: str, task: Task, options: Mapping[str, Any]) -> Reading:
        """Return the score of every criterion, or the reason why the reply has none."""
        reasons = self.with_reasons(self.settle(options))
        return read_rubric(text, ordered(task.criteria, reasons=reasons))

    def replies(self, call: Call, task: Task, options: Mapping[str, Any]) -> list[str]:
        """Return replies whose criteria do not all have the same score, from low ones to high ones."""
        found = []
        for place in range(LEVELS):
            for step in range(len(task.criteria) or 1):
                scores = {
                    one.key: _level(scale_from_json(one.scale), (place + step * at) % LEVELS)
                    for at, one in enumerate(task.criteria)
                }
                found.append(written_rubric(task.criteria, scores))
        return found

    def reply_schema(self, task: Task, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the JSON schema of the reply; explanations stand before scores."""
        reasons = self.with_reasons(self.settle(options))
        properties = {
            criterion.key: score_schema(scale_from_json(criterion.scale), explain=reasons)
            for criterion in ordered(task.criteria, reasons=reasons)
        }
        return {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }


def _level(scale: Scale, place: int) -> float:
    return nearest_point(scale.low + (scale.high - scale.low) * place / (LEVELS - 1), scale)


def ordered(criteria: Sequence[Criterion], *, reasons: bool) -> list[Criterion]:
    """Return the criteria in the order in which the JSON names them: the paper's, then the project's."""
    known = REASON_ORDER if reasons else SCORE_ORDER
    return sorted(criteria, key=lambda one: known.index(one.key) if one.key in known else len(known))


def role_text(field: str) -> str:
    """Return the system's turn; the same for all variants of the study."""
    return f"You help by evaluating what a {about(field)}question answering system writes."


def criteria_text(criteria: Sequence[Criterion]) -> str:
    """Return the criteria as a numbered list, each with its question and scale."""
    blocks = []
    for number, criterion in enumerate(criteria, 1):
        said = clean(criterion.question) or clean(criterion.label)
        better = "higher" if criterion.higher_is_better else "lower"
        scale = scale_from_json(criterion.scale).prompt_text().replace("\n", "; ")
        blocks.append(f"{number}. {criterion.key}: {said} A {better} score is better. Scale: {scale}.")
    return "\n".join(blocks)


def output_text(criteria: Sequence[Criterion], *, reasons: bool) -> str:
    """Return the output instruction with the JSON template."""
    order = ordered(criteria, reasons=reasons)
    inner = [_form(scale_from_json(criterion.scale), reasons=reasons) for criterion in order]
    form = ", ".join(f'"{one.key}": {{{said}}}' for one, said in zip(order, inner, strict=True))
    whole = all(scale_from_json(one.scale).points() for one in order)
    asked = "First explain each score, then state it" if reasons else "State each score"
    return (
        f"{asked} as {'a whole number' if whole else 'a number'} of its scale. Report them as one JSON "
        f'object of exactly this form, in which "score" is a key: {{{form}}}. {NOTHING_ELSE}'
    )


def rubric_case(task: Task) -> list[str]:
    """Return what is judged: source, question, known answers, and the response last."""
    summary = task.kind == "summarisation"
    known = [section("reference", clean(one.text)) for one in task.references]
    return [
        section("source", clean(task.context)) if summary else "",
        section("question", clean(task.question)),
        section("references", "\n".join(known)),
        section("summary" if summary else "answer", clean(task.response) or "(empty)"),
    ]


def written_rubric(criteria: Sequence[Criterion], scores: Mapping[str, float]) -> str:
    """Return rated scores as a judge without reasons would write them; means become the nearest point."""
    said = []
    for one in ordered([one for one in criteria if one.key in scores], reasons=False):
        score = nearest_point(scores[one.key], scale_from_json(one.scale))
        said.append(f'"{one.key}": {{"score": {score:g}}}')
    return "{" + ", ".join(said) + "}"


def task_text(task: Task, chosen: Mapping[str, Any], version: str) -> str:
    """Return the task in the words of a version."""
    known = "" if task.references else "open_"
    if version == FIRST:
        return template(f"rubric_{known}{task.kind}", version)
    summary = task.kind == "summarisation"
    told = template(
        f"rubric_{known}{'summarisation' if summary and not task.question.strip() else 'qa'}", version
    )
    return once(told, {"field": about(chosen["field"]), "text": "summary" if summary else "answer"})


def about(field: str) -> str:
    """Return the field as a word before another, or nothing."""
    return "" if field.strip().lower() in ("", "none") else f"{clean(field)} "


def _form(scale: Scale, *, reasons: bool) -> str:
    points = scale.points()
    between = "/" if len(points) == 2 else "-"
    score = f'"score": {scale.low:g}{between}{scale.high:g}'
    return f'"explanation": "", {score}' if reasons else score
