"""LINKAGE: the place of a response in a list of references of falling quality (equation 5, figure 7)."""

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
    of_project,
    own_shots,
    shown_of,
    too_few,
    whose_examples,
)
from judgelab.protocols.open_answers import (
    DRAW,
    LIST,
    SEED,
    SHOTS,
    OpenAnswers,
    case_parts,
    listed,
    references_part,
    response_part,
    shown_examples,
    task_parts,
    wording,
)
from judgelab.protocols.pairs import orders_of, pair_prompt, pair_replies, read_pair, shown_pair
from judgelab.protocols.reading.bracketed import bracketed_number
from judgelab.protocols.single_score import only_criterion
from judgelab.wording import mark, sentence

_SCALE = {"kind": "ordinal", "low": 0, "high": 3}


@register
class Linkage(OpenAnswers):
    """The judge says at which place among the references the response would stand; 1 beats them all.

    The score is the number of references that stand behind it: 0 for the last place. With one reference only
    this is a pairwise comparison: 1 for a win, a half for a tie, 0 for a loss.
    """

    name = "linkage"
    title = "LINKAGE"
    summary = mark("Finds each response's place in a list of references, the best of them first.")
    needs = frozenset({"reference_list"})
    options = (LIST, DRAW, SHOTS, *whose_examples(RATED), SEED, CONTEXT, INSTRUCTION)
    parts = ("task", "criterion", "output", "examples")
    examples = (
        Example("[[1]]", 4, _SCALE),
        Example("[[5]]", 0, _SCALE),
        Example("The candidate is second best, so its place is [[2]].", 3, _SCALE),
        Example("**[[ 3 ]]**\n\n[[3]]", 2, _SCALE),
        # A made-up place between the others would pass for a good answer.
        Example("[[6]]", None, _SCALE),
        Example("[[0]]", None, _SCALE),
        Example("[[2.5]]", None, _SCALE),
        Example("[[2]] or [[3]]", None, _SCALE),
        Example("It would rank 2nd.", None, _SCALE),
        Example("[2]", None, _SCALE),
        Example("", None, _SCALE),
    )

    def shots(self, options: Mapping[str, Any]) -> int:
        """Return how many examples of the project are shown; 0 where ours are."""
        return own_shots(self.settle(options))

    def refusal(
        self,
        criterion: Criterion,
        options: Mapping[str, Any],
        *,
        kind: Literal["qa", "summarisation"],
        demonstrations: Sequence[Demonstration] = (),
    ) -> Refusal | None:
        """Return why no prompt can be built, or that the project has too few examples, or None."""
        what = sentence("rated, to a question with a list of graded references that it is none of")
        return super().refusal(criterion, options, kind=kind) or too_few(
            self.settle(options), demonstrations, what
        )

    def calls(self, task: Task, options: Mapping[str, Any]) -> list[Call]:
        """Return one call: the whole list, or the pair where the list has one reference only."""
        chosen = self.settled(task, options)
        references = listed(task)
        if len(references) > 1:
            return [Call(self._prompt(task, chosen))]
        if own_shots(chosen):
            raise InvalidInput(
                sentence(
                    "this item's list holds one reference, and examples of places are for lists of more; "
                    "choose examples=ours, or shots=0."
                )
            )
        order = orders_of({**chosen, "order": "random"}, task.item, 1)[0]
        messages = pair_prompt(
            task, references[0].text, order=order, chosen=chosen, version=self.template_version
        )
        return [Call(messages, "pair", {"order": order}, shown=shown_pair(task, references[0].text, order))]

    def build(self, task: Task, options: Mapping[str, Any]) -> list[Message]:
        """Return the prompt as one user message; raises `InvalidInput` for an item without a list."""
        return list(self.calls(task, options)[0].messages)

    def _prompt(self, task: Task, chosen: Mapping[str, Any]) -> list[Message]:
        parts = [
            *task_parts(task, chosen, self.name, self.template_version),
            section("output", wording(self.template_version)["output"]["rank"]),
            _rated(task, chosen["shots"]) if of_project(chosen) else _examples(chosen["shots"]),
            *case_parts(task, chosen),
            references_part([one.text for one in listed(task)]),
            response_part(task),
        ]
        return [Message("user", joined(parts))]

    def hear_call(
        self, call: Call, text: str, tokens: Sequence[Token], task: Task, options: Mapping[str, Any]
    ) -> Reading:
        """Return how many references stand behind the stated place, or the reason for no score."""
        key, places = only_criterion(task).key, len(listed(task)) + 1
        if "order" in call.data:
            outcome, said = read_pair(text, call.data["order"])
            if outcome is None:
                return said
            return replace(said, scores={key: (outcome + 1) / 2}, detail={"outcome": outcome, "places": 2})
        found = bracketed_number(text, 1, places, whole=True)
        if found.value is None:
            return Reading(rationale=found.around, reason=found.reason)
        return Reading(
            {key: places - found.value},
            rationale=found.around,
            detail={"rank": int(found.value), "places": places},
        )

    def parse(self, text: str, task: Task, options: Mapping[str, Any]) -> Reading:
        """Return what the reply says."""
        return self.hear_call(self.calls(task, options)[0], text, (), task, options)

    def combine(
        self, heard: Sequence[Heard], task: Task, options: Mapping[str, Any], aggregation: str
    ) -> Reading:
        """Return the aggregated score, with the places that the replies named."""
        came = super().combine(heard, task, options, aggregation)
        ranks = [one.reading.detail["rank"] for one in heard if "rank" in one.reading.detail]
        known = {"ranks": ranks} if ranks else {}
        return replace(came, detail={"places": len(listed(task)) + 1, **known}) if came.scored else came

    def span(self, detail: Mapping[str, Any], *, together: int) -> tuple[float, float] | None:
        """Return the last place and the first: no reference and all of them stand behind."""
        return (0.0, float(detail["places"] - 1)) if "places" in detail else None

    def replies(self, call: Call, task: Task, options: Mapping[str, Any]) -> Sequence[str]:
        """Return all places, the last one first."""
        if "order" in call.data:
            return pair_replies(call.data["order"])
        return [f"[[{place}]]" for place in range(len(listed(task)) + 1, 0, -1)]


def _rated(task: Task, shots: int) -> str:
    """Return rated responses of the project, each with the place at which people's scores set it."""
    name = "summary" if task.kind == "summarisation" else "answer"
    blocks = []
    for one in shown_of(task, shots):
        parts = [
            section("source", clean(one.context)) if task.kind == "summarisation" else "",
            section("question", clean(one.question)),
            references_part(one.references),
            section(name, clean(one.response) or "(empty)"),
            section("score", f"[[{one.score:g}]]"),
        ]
        blocks.append(section("example", "\n".join(part for part in parts if part)))
    return section("examples", "\n".join(blocks))


def _examples(shots: int) -> str:
    blocks = []
    for one in shown_examples()[:shots]:
        parts = [
            section("question", clean(one.question)),
            references_part(one.references),
            section("answer", clean(one.answer)),
            section("score", f"[[{one.rank}]]"),
        ]
        blocks.append(section("example", "\n".join(parts)))
    return section("examples", "\n".join(blocks))
