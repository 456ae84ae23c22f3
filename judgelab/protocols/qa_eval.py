"""QA-eval: is a short answer right? (Kamalloo, Upadhyay and Lin, SIGIR 2024, section 2).

The judge sees the gold answers, explains and then says yes or no on a separate line; several replies vote.
Wording and examples are ours. Unlike in the authors' program, an unreadable reply does not count as "no", and
half the votes are not a majority.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, ClassVar, Literal

from judgelab.domain import Criterion, Demonstration, Message, Reading, Task
from judgelab.errors import InvalidInput
from judgelab.options import Option
from judgelab.protocols.core.aggregation import aggregate
from judgelab.protocols.core.base import Call, Heard, ItemText, Protocol, Refusal, register
from judgelab.protocols.core.expected import Token
from judgelab.protocols.core.placeholders import fill_once
from judgelab.protocols.core.prompts import clean, joined, section, template, template_table
from judgelab.protocols.core.shared_options import INSTRUCTION
from judgelab.protocols.examples.example_options import (
    EXAMPLES_OPTION,
    RATED,
    SAVED_SET,
    example_source_options,
    examples_shown,
    project_shots,
    too_few_examples,
    uses_project_examples,
)
from judgelab.protocols.examples.qa_eval import QA_EVAL_EXAMPLES
from judgelab.protocols.reading.grammars import grammar_named, read
from judgelab.protocols.reading.yes_no import OPENING
from judgelab.protocols.single_score import only_criterion
from judgelab.scales import Scale, scale_from_json
from judgelab.wording import mark, sentence

REASONS, VERDICT = "reasons", "verdict"
MAX_SHOTS = 9
SHOTS = Option(
    "shots",
    "int",
    MAX_SHOTS,
    tuple(range(MAX_SHOTS + 1)),
    mark("How many judged answers the prompt shows first; 0 for none (zero-shot)."),
)
EXPLAIN = Option("explain", "bool", True, help=mark("Ask for a rationale before the yes or no."))
TURNS = Option(
    "turns",
    "choice",
    "one",
    ("one", "two"),
    mark("Rationale and verdict in one reply, or the verdict alone in a second turn."),
    only_with="explain",
)
TIE = Option(
    "tie",
    "choice",
    "unscored",
    ("unscored", "no", "yes"),
    mark("Verdict when there are as many yes as no votes."),
)


@register
class QaEval(Protocol):
    """An expert judge with gold answers, yes or no on the last line, majority of three."""

    name = "qa_eval"
    title = "QA-eval"
    summary = mark(
        "Is the answer right, given the reference answers? Explains, then says yes or no; the majority of "
        "three replies counts."
    )
    options = (SHOTS, *example_source_options(RATED, SAVED_SET), EXPLAIN, TURNS, TIE, INSTRUCTION)
    parts = ("task", "output", "examples", "second_turn")
    template_version = "3"
    samples = 3
    # Nucleus sampling; the paper's beam search is num_beams=10 of the transformers backend.
    parameters: ClassVar[Mapping[str, Any]] = {"temperature": 0.7, "top_p": 0.95}
    aggregation = "majority"
    examples = QA_EVAL_EXAMPLES

    def refusal(
        self,
        criterion: Criterion,
        options: Mapping[str, Any],
        *,
        kind: Literal["qa", "summarisation"],
        demonstrations: Sequence[Demonstration] = (),
    ) -> Refusal | None:
        """Return that the scale does not have two points or that examples are missing, or None."""
        chosen = self.settle(options)
        reason = grammar_named("yes_no").refusal(scale_from_json(criterion.scale))
        return _examples_refusal(chosen, demonstrations) if reason is None else Refusal(reason)

    def shots(self, options: Mapping[str, Any]) -> int:
        """Return how many examples of the project are shown; 0 with the built-in ones."""
        return project_shots(self.settle(options))

    def item_texts(self, options: Mapping[str, Any]) -> frozenset[ItemText]:
        """Return the references, without which there is nothing to compare with."""
        return frozenset({"references"})

    def build(self, task: Task, options: Mapping[str, Any]) -> list[Message]:
        """Return the prompt (with two turns, the first of them) as one user message."""
        chosen = self.settle(options)
        _scale(task)
        if not task.references:
            raise InvalidInput(
                sentence("this item has no reference answer to compare with; import one, or leave it out.")
            )
        parts = [
            section("task", chosen["instruction"] or template("qa_eval", self.template_version)),
            section("output", _output(chosen, self.template_version)),
            _examples(task, chosen, self.template_version),
            section("source", clean(task.context)) if task.kind == "summarisation" else "",
            *_case(task),
        ]
        return [Message("user", joined(parts))]

    def calls(self, task: Task, options: Mapping[str, Any]) -> list[Call]:
        """Return one call, or two turns of a conversation: the reasons, then the bare verdict."""
        chosen = self.settle(options)
        first = self.build(task, options)
        if not _two_turns(chosen):
            return [Call(first)]
        question = Message("user", _request("second_turn", self.template_version))
        return [Call(first, REASONS), Call([question], VERDICT, after=REASONS)]

    def signs(self, task: Task, options: Mapping[str, Any]) -> Sequence[Sequence[str]]:
        """Return both verdicts."""
        return (("yes",), ("no",))

    def parse(self, text: str, task: Task, options: Mapping[str, Any]) -> Reading:
        """Return the yes or no of a reply, which is the only turn or the second one.

        Models often begin with their verdict although they are asked to explain first. It counts if the reply
        does not end with a verdict on a line and has no other yes or no.
        """
        chosen, criterion = self.settle(options), only_criterion(task)
        scale = scale_from_json(criterion.scale)
        stated = read("yes_no", text, scale, explain=chosen["explain"])
        if stated.score is None and chosen["explain"] and OPENING.match(text):
            stated = read("yes_no", text, scale, explain=False)
        scores = {} if stated.score is None else {criterion.key: stated.score}
        return Reading(scores=scores, rationale=stated.rationale, reason=stated.reason)

    def hear_call(
        self, call: Call, text: str, tokens: Sequence[Token], task: Task, options: Mapping[str, Any]
    ) -> Reading:
        """Return the reading of a reply; the first of two turns gives reasons but no verdict."""
        if call.key == REASONS:
            return Reading(rationale=text.strip())
        if call.key == VERDICT:
            return self.parse(text, task, {**options, "explain": False})
        return self.hear(text, tokens, task, options)

    def replies(self, call: Call, task: Task, options: Mapping[str, Any]) -> tuple[str, ...]:
        """Return reasons for the first of two turns, otherwise a no and a yes."""
        chosen = self.settle(options)
        if call.key == REASONS:
            return ("The two differ.", "The two say the same.")
        if call.key == VERDICT or not chosen["explain"]:
            return ("no", "yes")
        return ("The two differ.\nno", "The two say the same.\nyes")

    def combine(
        self, heard: Sequence[Heard], task: Task, options: Mapping[str, Any], aggregation: str
    ) -> Reading:
        """Return the majority of the verdicts with reasons; the option `tie` decides ties."""
        votes = _votes(heard)
        combined = aggregate(votes, aggregation)
        tie, criterion = self.settle(options)["tie"], only_criterion(task)
        key, scale = criterion.key, scale_from_json(criterion.scale)
        given = [vote.scores[key] for vote in votes if vote.scored]
        tied = len(given) > 1 and 2 * given.count(scale.high) == len(given)
        if aggregation == "majority" and tied and tie != "unscored":
            settled = scale.high if tie == "yes" else scale.low
            chosen = next(vote for vote in votes if vote.scores.get(key) == settled)
            return replace(combined, scores={key: settled}, reason=None, rationale=chosen.rationale)
        return combined


def _votes(heard: Sequence[Heard]) -> list[Reading]:
    """Return the readings with a verdict; those of a second turn get the reasons of the first."""
    votes, reasons = [], ""
    for call, reading in heard:
        if call.key == REASONS:
            reasons = reading.rationale
        elif call.key == VERDICT:
            votes.append(replace(reading, rationale=reasons))
            reasons = ""
        else:
            votes.append(reading)
    return votes


def _two_turns(chosen: Mapping[str, Any]) -> bool:
    return bool(chosen["turns"] == "two" and chosen["explain"])


def _scale(task: Task) -> Scale:
    scale = scale_from_json(only_criterion(task).scale)
    reason = grammar_named("yes_no").refusal(scale)
    if reason is not None:
        raise InvalidInput(sentence("the prompt cannot be built: {why}; choose 'direct'.", why=reason))
    return scale


def _output(chosen: Mapping[str, Any], version: str) -> str:
    if not chosen["explain"]:
        return _request("bare", version)
    return _request("first_turn" if _two_turns(chosen) else "explained", version)


def _request(name: str, version: str) -> str:
    texts = template_table("qa_eval_output", version)
    return fill_once(texts[name], {"meaning": texts["meaning"], "comparison": texts["comparison"]})


def _examples(task: Task, chosen: Mapping[str, Any], version: str) -> str:
    if uses_project_examples(chosen):
        right = _scale(task).high
        shown = [
            replace(example, score=float(example.score == right))
            for example in examples_shown(task, int(chosen["shots"]))
        ]
    else:
        shown = [
            example
            for example in judged_answers(version)
            if (example.question, example.response) != (task.question.strip(), task.response.strip())
        ][: chosen["shots"]]
    return section("examples", "\n".join(_example(example, chosen) for example in shown))


def _examples_refusal(chosen: Mapping[str, Any], given: Sequence[Demonstration]) -> Refusal | None:
    """Return why examples of the project cannot be shown, or None."""
    if project_shots(chosen) and chosen["explain"] and chosen[EXAMPLES_OPTION] == RATED:
        reason = sentence("its examples need rationales, and rated responses have none")
        return Refusal(reason, sentence("explain=false, or examples=saved with a set of worked examples"))
    requirement = sentence("each needs a rating, and a question with reference answers")
    return too_few_examples(chosen, given, requirement)


def _example(example: Demonstration, chosen: Mapping[str, Any]) -> str:
    task = Task(example.question, example.response, ())
    case = _case(replace(task, references=()), references=example.references)
    parts = [
        *case,
        section("reasoning", clean(example.reasoning)) if chosen["explain"] else "",
        section("score", "yes" if example.score else "no"),
    ]
    return section("example", "\n".join(part for part in parts if part))


def _case(task: Task, references: Sequence[str] = ()) -> list[str]:
    gold = [
        section("reference", clean(text))
        for text in references or [reference.text for reference in task.references]
    ]
    name = "summary" if task.kind == "summarisation" else "answer"
    return [
        section("question", clean(task.question)),
        section("references", "\n".join(gold)),
        section(name, clean(task.response) or "(empty)"),
    ]


@lru_cache(maxsize=4)
def judged_answers(version: str) -> tuple[Demonstration, ...]:
    """Return the built-in judged answers (1 = correct) in the order shown."""
    data = template_table("demonstrations_qa_eval", version)
    return tuple(Demonstration(**fields) for fields in data["demonstration"])
