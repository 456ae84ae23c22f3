"""The common part of the one-score protocols: one response, one criterion, one score.

The parts are in the order of the ELECT paper: task, output instruction, criterion, reasoning steps or
examples, question, answer. Each protocol adds its part in the middle. What all responses share stands first,
so that servers which keep the beginning of a prompt read it once.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from judgelab.domain import Criterion, Demonstration, Message, Reading, Task
from judgelab.errors import InternalError
from judgelab.options import Option
from judgelab.protocols.core.base import Protocol, Refusal
from judgelab.protocols.core.expected import Token
from judgelab.protocols.core.prompts import clean, joined, section, template
from judgelab.protocols.core.shared_options import CONTEXT, INSTRUCTION
from judgelab.protocols.expected_score import EXPECTED, LEAST_MASS, TOP_LOGPROBS, expected_reading, no_labels
from judgelab.protocols.reading.grammars import GRAMMARS, grammar_named, output_instruction, read
from judgelab.protocols.reading.passing import with_passing
from judgelab.protocols.reading.schemas import score_schema
from judgelab.scales import Scale, may_pass, scale_from_json, why_no_order
from judgelab.wording import mark, sentence

PASSING = Option(
    "cannot_judge",
    "bool",
    False,
    help=mark("The judge may answer that it cannot judge, under criteria that allow raters to say so."),
)
SHARED_OPTIONS = (
    Option("grammar", "choice", "digit", tuple(GRAMMARS), mark("How the judge is told to state its score.")),
    Option("explain", "bool", False, help=mark("Ask for a rationale before the score.")),
    CONTEXT,
    Option("show_references", "bool", False, help=mark("Show the reference answers.")),
    EXPECTED,
    LEAST_MASS,
    PASSING,
    INSTRUCTION,
)


class SingleScore(Protocol):
    """One response under one criterion, one score."""

    asks: ClassVar[Literal["each", "all"]] = "each"
    samples = 10  # the authors' program averages ten; with one sample, rho falls by about .1
    parameters: ClassVar[Mapping[str, Any]] = {"temperature": 1.0}
    options: ClassVar[tuple[Option, ...]] = SHARED_OPTIONS
    parts: ClassVar[tuple[str, ...]] = ("task", "output", "criterion")
    template_version = "2"

    @abstractmethod
    def middle(self, task: Task, scale: Scale, options: Mapping[str, Any]) -> str:
        """Return the part between the criterion and the question: steps, examples or nothing."""

    def build(self, task: Task, options: Mapping[str, Any]) -> list[Message]:
        """Return the prompt as one user message, because not every model has a system role."""
        chosen, criterion = self.settle(options), only_criterion(task)
        scale = scale_from_json(criterion.scale)
        output = output_instruction(
            chosen["grammar"], scale, explain=chosen["explain"], version=self.template_version
        )
        if _may_pass(chosen, criterion):
            output = f"{output}\n{template('cannot_judge', '1')}"
        parts = [
            section("task", chosen["instruction"] or template(f"task_{task.kind}", self.template_version)),
            section("output", output),
            section("criterion", criterion_text(criterion, scale)),
            self.middle(task, scale, chosen),
            *case(task, chosen),
        ]
        return [Message("user", joined(parts))]

    def refusal(
        self,
        criterion: Criterion,
        options: Mapping[str, Any],
        *,
        kind: Literal["qa", "summarisation"],
        demonstrations: Sequence[Demonstration] = (),
    ) -> Refusal | None:
        """Return why the chosen grammar or the expected score does not fit the scale, or None."""
        chosen, scale = self.settle(options), scale_from_json(criterion.scale)
        name = chosen["grammar"]
        reason = grammar_named(name).refusal(scale)
        if scale.several and name != "labels":
            return Refusal(sentence("a response can have several labels"), "grammar=labels")
        if reason is None and chosen["expected"] != "no" and not scale.ordered:
            return Refusal(why_no_order(criterion.label), "expected=no")
        if reason is None:
            return no_labels(grammar_named(name), scale, chosen)
        return Refusal(
            sentence("its grammar '{grammar}' does not fit, because {why}", grammar=name, why=reason),
            "grammar=digit",
        )

    def reply_schema(self, task: Task, options: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the JSON schema of a reply in the chosen grammar, if it is JSON."""
        chosen, scale = self.settle(options), scale_from_json(only_criterion(task).scale)
        if _may_pass(chosen, only_criterion(task)) and chosen["grammar"] == "json":
            return score_schema(scale, explain=chosen["explain"], passing=True)
        return grammar_named(chosen["grammar"]).schema(scale, explain=chosen["explain"])

    def signs(self, task: Task, options: Mapping[str, Any]) -> Sequence[Sequence[str]]:
        """Return the words a prompt needs for the chosen grammar."""
        chosen, scale = self.settle(options), scale_from_json(only_criterion(task).scale)
        return grammar_named(chosen["grammar"]).signs(scale, explain=chosen["explain"])

    def parse(self, text: str, task: Task, options: Mapping[str, Any]) -> Reading:
        """Return the score stated in the reply in the chosen grammar, or why there is none.

        The reason is `PASSED` if the judge may say that it cannot judge, and says so.
        """
        chosen, criterion = self.settle(options), only_criterion(task)
        scale = scale_from_json(criterion.scale)
        about = f"{criterion.key} {criterion.label}".replace("_", " ")
        stated = read(chosen["grammar"], text, scale, explain=chosen["explain"], about=about)
        if _may_pass(chosen, criterion):
            stated = with_passing(stated, text)
        scores = {} if stated.score is None else {criterion.key: stated.score}
        return Reading(scores=scores, rationale=stated.rationale, reason=stated.reason)

    def hear(self, text: str, tokens: Sequence[Token], task: Task, options: Mapping[str, Any]) -> Reading:
        """Return the stated score or, if the options say so, the expected one."""
        chosen, criterion = self.settle(options), only_criterion(task)
        stated = self.parse(text, task, options)
        if chosen["expected"] == "no" or not stated.scored:
            return stated
        labels = grammar_named(chosen["grammar"]).labels(scale_from_json(criterion.scale))
        return expected_reading(
            stated,
            tokens,
            criterion.key,
            labels,
            chosen,
            lambda other: self.parse(other, task, options).scores.get(criterion.key),
        )

    def default_parameters(self, options: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the sampling parameters, with log-probabilities where the expected score needs them."""
        if self.settle(options)["expected"] == "no":
            return self.parameters
        return {**self.parameters, "logprobs": True, "top_logprobs": TOP_LOGPROBS}


def _may_pass(options: Mapping[str, Any], criterion: Criterion) -> bool:
    return bool(options["cannot_judge"]) and may_pass(criterion.scale)


def only_criterion(task: Task) -> Criterion:
    """Return the task's criterion; these protocols are asked about one at a time."""
    if len(task.criteria) != 1:
        raise InternalError(f"a prompt for one criterion was given {len(task.criteria)}")
    return task.criteria[0]


def criterion_text(criterion: Criterion, scale: Scale) -> str:
    """Return the criterion with its question and scale, point by point."""
    title = f"{criterion.label}: {criterion.question}" if criterion.question else criterion.label
    explained = any(point.label or point.anchor for point in scale.points())
    direction = "" if explained else "A higher number is better."
    if not criterion.higher_is_better:
        direction = "A lower number is better."
    if not scale.ordered:
        direction = ""
    return "\n".join(line for line in (title, scale.prompt_text(), direction) if line)


def case(task: Task, options: Mapping[str, Any]) -> list[str]:
    """Return the sections of the case: source or context, question, references if shown, response last."""
    summary = task.kind == "summarisation"
    shows_source = summary or options["show_context"]
    references = [section("reference", clean(reference.text)) for reference in task.references]
    return [
        section("source", clean(task.context)) if shows_source else "",
        section("question", clean(task.question)),
        section("references", "\n".join(references)) if options["show_references"] else "",
        _response(task),
    ]


def _response(task: Task) -> str:
    # An empty response gets a section too; without it, a judge would rate the prompt.
    name = "summary" if task.kind == "summarisation" else "answer"
    return section(name, clean(task.response) or "(empty)")


def examples_text(
    task: Task, shown: Sequence[Demonstration], scale: Scale, *, grammar: str, reasoned: bool = False
) -> str:
    """Return the section with rated examples, each score written in the grammar."""
    name = "summary" if task.kind == "summarisation" else "answer"
    blocks = []
    for example in shown:
        parts = [
            section("source", clean(example.context)) if task.kind == "summarisation" else "",
            section("question", clean(example.question)),
            section(name, clean(example.response) or "(empty)"),
            section("reasoning", clean(example.reasoning)) if reasoned else "",
            section("score", grammar_named(grammar).write(example.score, scale)),
        ]
        blocks.append(section("example", "\n".join(part for part in parts if part)))
    return section("examples", "\n".join(blocks))
