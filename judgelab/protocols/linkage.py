"""LINKAGE: the rank of a response in a list of references of falling quality (equation 5, figure 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from judgelab.domain import Criterion, Demonstration, Message, Reading, Task
from judgelab.errors import InvalidInput
from judgelab.protocols.core.base import Call, Example, Heard, Refusal, register
from judgelab.protocols.core.expected import Token
from judgelab.protocols.core.prompts import clean, joined, section
from judgelab.protocols.core.shared_options import CONTEXT, INSTRUCTION
from judgelab.protocols.examples.example_options import (
    RATED,
    example_source_options,
    examples_shown,
    project_shots,
    too_few_examples,
    uses_project_examples,
)
from judgelab.protocols.open_answers import (
    DRAW,
    LIST,
    SEED,
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
from judgelab.protocols.pairs import orders_of, pair_prompt, pair_replies, read_pair, shown_pair
from judgelab.protocols.reading.bracketed import bracketed_number
from judgelab.protocols.single_score import only_criterion
from judgelab.wording import mark, sentence

_SCALE = {"kind": "ordinal", "low": 0, "high": 3}


@register
class Linkage(OpenAnswers):
    """The judge says which rank the response would have among the references; 1 is the best.

    The score is the number of references ranked below it: 0 for the last rank. With a single reference, this
    is a pairwise comparison: 1 for a win, a half for a tie, 0 for a loss.
    """

    name = "linkage"
    title = "LINKAGE"
    summary = mark("Finds each response's rank in a list of references, ordered from best to worst.")
    needs = frozenset({"reference_list"})
    options = (LIST, DRAW, SHOTS, *example_source_options(RATED), SEED, CONTEXT, INSTRUCTION)
    parts = ("task", "criterion", "output", "examples")
    examples = (
        Example("[[1]]", 4, _SCALE),
        Example("[[5]]", 0, _SCALE),
        Example("The candidate is second best, so its place is [[2]].", 3, _SCALE),
        Example("**[[ 3 ]]**\n\n[[3]]", 2, _SCALE),
        # An invented rank between the others would count as a good answer.
        Example("[[6]]", None, _SCALE),
        Example("[[0]]", None, _SCALE),
        Example("[[2.5]]", None, _SCALE),
        Example("[[2]] or [[3]]", None, _SCALE),
        Example("It would rank 2nd.", None, _SCALE),
        Example("[2]", None, _SCALE),
        Example("", None, _SCALE),
    )

    def shots(self, options: Mapping[str, Any]) -> int:
        """Return how many examples of the project are shown; 0 with the built-in ones."""
        return project_shots(self.settle(options))

    def refusal(
        self,
        criterion: Criterion,
        options: Mapping[str, Any],
        *,
        kind: Literal["qa", "summarisation"],
        demonstrations: Sequence[Demonstration] = (),
    ) -> Refusal | None:
        """Return why no prompt can be built, or that the project has too few examples, or None."""
        what = sentence(
            "each needs a rating, and a question with a list of graded references that does not contain it"
        )
        return super().refusal(criterion, options, kind=kind) or too_few_examples(
            self.settle(options), demonstrations, what
        )

    def calls(self, task: Task, options: Mapping[str, Any]) -> list[Call]:
        """Return one call with the whole list, or with a pair if the list has a single reference."""
        chosen = self.checked_options(task, options)
        references = reference_list_of(task)
        if len(references) > 1:
            return [Call(self._prompt(task, chosen))]
        if project_shots(chosen):
            raise InvalidInput(
                sentence(
                    "this item's list contains only one reference, and the project's examples are for "
                    "longer lists; choose examples=ours, or shots=0."
                )
            )
        order = orders_of({**chosen, "order": "random"}, task.item, 1)[0]
        messages = pair_prompt(
            task, references[0].text, order=order, chosen=chosen, version=self.template_version
        )
        shown = shown_pair(task, references[0].text, order)
        return [Call(messages, "pair", {"order": order}, placeholder_texts=shown)]

    def build(self, task: Task, options: Mapping[str, Any]) -> list[Message]:
        """Return the prompt as one user message; raises `InvalidInput` if the item has no list."""
        return list(self.calls(task, options)[0].messages)

    def _prompt(self, task: Task, chosen: Mapping[str, Any]) -> list[Message]:
        shots = chosen["shots"]
        parts = [
            *task_parts(task, chosen, self.name, self.template_version),
            section("output", wording(self.template_version)["output"]["rank"]),
            _rated(task, shots) if uses_project_examples(chosen) else _examples(shots, self.template_version),
            *case_parts(task, chosen),
            references_part([reference.text for reference in reference_list_of(task)]),
            response_part(task),
        ]
        return [Message("user", joined(parts))]

    def hear_call(
        self, call: Call, text: str, tokens: Sequence[Token], task: Task, options: Mapping[str, Any]
    ) -> Reading:
        """Return how many references are below the stated rank, or why there is no score."""
        key, places = only_criterion(task).key, len(reference_list_of(task)) + 1
        if "order" in call.data:
            outcome, reading = read_pair(text, call.data["order"])
            if outcome is None:
                return reading
            return replace(reading, scores={key: (outcome + 1) / 2}, detail={"outcome": outcome, "places": 2})
        place = bracketed_number(text, 1, places, whole=True)
        if place.value is None:
            return Reading(rationale=place.around, reason=place.reason)
        return Reading(
            {key: places - place.value},
            rationale=place.around,
            detail={"rank": int(place.value), "places": places},
        )

    def parse(self, text: str, task: Task, options: Mapping[str, Any]) -> Reading:
        """Return the reading of a reply."""
        return self.hear_call(self.calls(task, options)[0], text, (), task, options)

    def combine(
        self, heard: Sequence[Heard], task: Task, options: Mapping[str, Any], aggregation: str
    ) -> Reading:
        """Return the aggregated score with the ranks that the replies stated."""
        reading = super().combine(heard, task, options, aggregation)
        ranks = [answer.reading.detail["rank"] for answer in heard if "rank" in answer.reading.detail]
        named = {"ranks": ranks} if ranks else {}
        return (
            replace(reading, detail={"places": len(reference_list_of(task)) + 1, **named})
            if reading.scored
            else reading
        )

    def score_range(self, detail: Mapping[str, Any], *, together: int) -> tuple[float, float] | None:
        """Return 0 for the last rank, and the number of references for the first."""
        return (0.0, float(detail["places"] - 1)) if "places" in detail else None

    def replies(self, call: Call, task: Task, options: Mapping[str, Any]) -> Sequence[str]:
        """Return all ranks, the last one first."""
        if "order" in call.data:
            return pair_replies(call.data["order"])
        return [f"[[{place}]]" for place in range(len(reference_list_of(task)) + 1, 0, -1)]


def _rated(task: Task, shots: int) -> str:
    """Return rated responses of the project with the ranks that follow from their human scores."""
    name = "summary" if task.kind == "summarisation" else "answer"
    blocks = []
    for example in examples_shown(task, shots):
        parts = [
            section("source", clean(example.context)) if task.kind == "summarisation" else "",
            section("question", clean(example.question)),
            references_part(example.references),
            section(name, clean(example.response) or "(empty)"),
            section("score", f"[[{example.score:g}]]"),
        ]
        blocks.append(section("example", "\n".join(part for part in parts if part)))
    return section("examples", "\n".join(blocks))


def _examples(shots: int, version: str) -> str:
    blocks = []
    for example in worked_examples(version)[:shots]:
        parts = [
            section("question", clean(example.question)),
            references_part(example.references),
            section("answer", clean(example.answer)),
            section("score", f"[[{example.rank}]]"),
        ]
        blocks.append(section("example", "\n".join(parts)))
    return section("examples", "\n".join(blocks))
