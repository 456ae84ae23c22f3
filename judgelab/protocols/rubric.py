"""All criteria of a response in one JSON reply: the common part of the BioASQ study's protocols.

After Hijazi, Mollá, Nguyen and Karimi, "Using Large Language Models to Evaluate Biomedical Query-Focused
Summarisation", sections 4.2 to 4.2.4 and figures 2 and 3; the words are ours, the JSON is the paper's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from judgelab.domain import Criterion, Message, Reading, Task
from judgelab.options import Option
from judgelab.protocols.core.base import Call, Protocol
from judgelab.protocols.core.placeholders import fill_once
from judgelab.protocols.core.prompts import clean, joined, section, template, template_table
from judgelab.protocols.core.shared_options import INSTRUCTION
from judgelab.protocols.reading.grammar import nearest_point
from judgelab.protocols.reading.rubric_replies import read_rubric
from judgelab.protocols.reading.schemas import score_schema
from judgelab.scales import Scale, scale_from_json
from judgelab.wording import mark

# The order of criteria in the paper's two templates; other criteria follow in the project's order.
SCORE_ORDER = ("readability", "recall", "precision", "repetition")
REASON_ORDER = ("recall", "precision", "repetition", "readability")

FIRST = "1"  # the version that mentions a source whenever summaries are judged
LEVELS = 5  # number of different scores in a dry run
FIELD = Option(
    "field",
    "text",
    "biomedical",
    help=mark("Subject of the questions, in one word; none for no subject."),
    elsewhere="",
)
RUBRIC_OPTIONS = (FIELD, INSTRUCTION)


class Rubric(Protocol):
    """A score for every criterion of one response, as one JSON object.

    Attributes:
        reasons: whether each score follows its explanation.
    """

    asks: ClassVar[Literal["each", "all"]] = "all"
    samples = 3  # the paper judges every batch three times and averages
    parameters: ClassVar[Mapping[str, Any]] = {"temperature": 0.0, "top_p": 0.6}
    options: ClassVar[tuple[Option, ...]] = RUBRIC_OPTIONS
    parts: ClassVar[tuple[str, ...]] = ("task", "criteria", "output")
    template_version = "3"
    reasons: ClassVar[bool] = False

    def with_reasons(self, options: Mapping[str, Any]) -> bool:
        """Return whether the reply must explain each score first."""
        return self.reasons

    def middle(self, task: Task, options: Mapping[str, Any]) -> Sequence[str]:
        """Return the parts between the instructions and the case; the options are complete."""
        return ()

    def before_response(self, task: Task, options: Mapping[str, Any]) -> Sequence[str]:
        """Return the parts between the case's other texts and the response; the options are complete."""
        return ()

    def build(self, task: Task, options: Mapping[str, Any]) -> list[Message]:
        """Return a system message with the role and a user message with the case.

        Figures 2 and 3 of the study print task, criteria and output in this order, and not where the case
        stands. It comes last, the response at its end: all responses share the beginning of the prompt.
        """
        chosen = self.settle(options)
        reasons = self.with_reasons(chosen)
        *item, response = rubric_case(task)
        parts = [
            section("task", chosen["instruction"] or task_text(task, chosen, self.template_version)),
            section("criteria", criteria_text(in_template_order(task.criteria, reasons=reasons))),
            section("output", output_text(task.criteria, reasons=reasons, version=self.template_version)),
            *self.middle(task, chosen),
            *item,
            *self.before_response(task, chosen),
            response,
        ]
        return [
            Message("system", role_text(chosen["field"], self.template_version)),
            Message("user", joined(parts)),
        ]

    def parse(self, text: str, task: Task, options: Mapping[str, Any]) -> Reading:
        """Return the score of every criterion, or why the reply has none."""
        reasons = self.with_reasons(self.settle(options))
        return read_rubric(text, in_template_order(task.criteria, reasons=reasons))

    def replies(self, call: Call, task: Task, options: Mapping[str, Any]) -> list[str]:
        """Return replies from low to high scores, in which the criteria have different scores."""
        replies = []
        for place in range(LEVELS):
            for step in range(len(task.criteria) or 1):
                scores = {
                    criterion.key: _level(scale_from_json(criterion.scale), (place + step * at) % LEVELS)
                    for at, criterion in enumerate(task.criteria)
                }
                replies.append(format_rubric(task.criteria, scores))
        return replies

    def reply_schema(self, task: Task, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the JSON schema of the reply, with explanations before scores."""
        reasons = self.with_reasons(self.settle(options))
        properties = {
            criterion.key: score_schema(scale_from_json(criterion.scale), explain=reasons)
            for criterion in in_template_order(task.criteria, reasons=reasons)
        }
        return {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }


def _level(scale: Scale, place: int) -> float:
    return nearest_point(scale.low + (scale.high - scale.low) * place / (LEVELS - 1), scale)


def in_template_order(criteria: Sequence[Criterion], *, reasons: bool) -> list[Criterion]:
    """Return the criteria in the order of the JSON template: the paper's first, then the others."""
    order = REASON_ORDER if reasons else SCORE_ORDER
    return sorted(
        criteria, key=lambda criterion: order.index(criterion.key) if criterion.key in order else len(order)
    )


def role_text(field: str, version: str) -> str:
    """Return the system message, which is the same for all variants of the study."""
    return fill_once(rubric_texts(version)["role"], {"field": field_word(field)})


def rubric_texts(version: str) -> Mapping[str, Any]:
    """Return the texts of one version that stand beside the task."""
    return template_table("rubric", version)


def criteria_text(criteria: Sequence[Criterion]) -> str:
    """Return the criteria as a numbered list, each with its question and scale."""
    blocks = []
    for number, criterion in enumerate(criteria, 1):
        description = clean(criterion.question) or clean(criterion.label)
        better = "higher" if criterion.higher_is_better else "lower"
        scale = scale_from_json(criterion.scale).prompt_text().replace("\n", "; ")
        blocks.append(f"{number}. {criterion.key}: {description} A {better} score is better. Scale: {scale}.")
    return "\n".join(blocks)


def output_text(criteria: Sequence[Criterion], *, reasons: bool, version: str) -> str:
    """Return the output instruction with the JSON template."""
    order = in_template_order(criteria, reasons=reasons)
    inner = [_form(scale_from_json(criterion.scale), reasons=reasons) for criterion in order]
    form = ", ".join(
        f'"{criterion.key}": {{{fields}}}' for criterion, fields in zip(order, inner, strict=True)
    )
    whole = all(scale_from_json(criterion.scale).points() for criterion in order)
    return fill_once(
        rubric_texts(version)["output"]["reasons" if reasons else "scores"],
        {"number": "a whole number" if whole else "a number", "form": f"{{{form}}}"},
    )


def rubric_case(task: Task) -> list[str]:
    """Return the sections of the case: source, question, references, and the response last."""
    summary = task.kind == "summarisation"
    references = [section("reference", clean(reference.text)) for reference in task.references]
    return [
        section("source", clean(task.context)) if summary else "",
        section("question", clean(task.question)),
        section("references", "\n".join(references)),
        section("summary" if summary else "answer", clean(task.response) or "(empty)"),
    ]


def format_rubric(criteria: Sequence[Criterion], scores: Mapping[str, float]) -> str:
    """Return scores as a judge would write them without reasons; means become the nearest point."""
    parts = []
    for criterion in in_template_order(
        [criterion for criterion in criteria if criterion.key in scores], reasons=False
    ):
        score = nearest_point(scores[criterion.key], scale_from_json(criterion.scale))
        parts.append(f'"{criterion.key}": {{"score": {score:g}}}')
    return "{" + ", ".join(parts) + "}"


def task_text(task: Task, chosen: Mapping[str, Any], version: str) -> str:
    """Return the task in the wording of a version."""
    prefix = "" if task.references else "open_"
    if version == FIRST:
        return template(f"rubric_{prefix}{task.kind}", version)
    summary = task.kind == "summarisation"
    text = template(
        f"rubric_{prefix}{'summarisation' if summary and not task.question.strip() else 'qa'}", version
    )
    return fill_once(text, {"field": field_word(chosen["field"]), "text": "summary" if summary else "answer"})


def field_word(field: str) -> str:
    """Return the field with a blank after it, or an empty text for no field."""
    return "" if field.strip().lower() in ("", "none") else f"{clean(field)} "


def _form(scale: Scale, *, reasons: bool) -> str:
    points = scale.points()
    between = "/" if len(points) == 2 else "-"
    score = f'"score": {scale.low:g}{between}{scale.high:g}'
    return f'"explanation": "", {score}' if reasons else score
