"""Pairwise comparison with each reference of a list, weighted by grade (LINKAGE, equations 3 and 4)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from judgelab.domain import Criterion, Demonstration, Message, Reading, Task
from judgelab.errors import InvalidInput
from judgelab.options import Option
from judgelab.protocols.contests import group_by_draw
from judgelab.protocols.core.aggregation import aggregate
from judgelab.protocols.core.base import Call, Example, Heard, Refusal, register
from judgelab.protocols.core.expected import Token
from judgelab.protocols.core.shared_options import CONTEXT, INSTRUCTION
from judgelab.protocols.open_answers import DRAW, LIST, SEED, SHOTS, OpenAnswers, reference_list_of
from judgelab.protocols.pairs import (
    CANDIDATE_FIRST,
    ORDER,
    OUTCOME_WORDS,
    orders_of,
    pair_prompt,
    pair_reading,
    pair_replies,
    shown_pair,
)
from judgelab.protocols.reading.numbers import number
from judgelab.protocols.single_score import only_criterion
from judgelab.wording import mark, sentence

_SCALE = {"kind": "ordinal", "low": 0, "high": 3}
_FIRST = {"order": CANDIDATE_FIRST}
OUTCOMES = {word: value for value, word in OUTCOME_WORDS.items()}


@register
class PairwiseRefs(OpenAnswers):
    """The response is compared with every reference in a separate call; wins count +, losses -."""

    name = "pairwise_refs"
    title = mark("Pairs with references")
    summary = mark(
        "Compares each response with every reference in a list; its score is its wins minus its losses, "
        "weighted by the references' grades."
    )
    needs = frozenset({"reference_list"})
    options = (
        LIST,
        DRAW,
        ORDER,
        Option(
            "weights",
            "text",
            "",
            help=mark(
                "Weight of a comparison with a reference of each grade, such as 3=1,2=0.5; 1 for grades "
                "not listed."
            ),
        ),
        SHOTS,
        SEED,
        CONTEXT,
        INSTRUCTION,
    )
    examples = (
        Example("The first one explains the cause, the second does not. [[A]]", 1, _SCALE, _FIRST),
        Example("Answer B says more.\n[[B]]", -1, _SCALE, _FIRST),
        Example("[[b]]", 1, _SCALE, {"order": "reference_first"}),
        Example("Both are fine: [[C]]", 0, _SCALE, _FIRST),
        Example("[[A]] at first sight, but [[B]]", None, _SCALE, _FIRST),
        Example("[[D]]", None, _SCALE, _FIRST),
        Example("A is better.", None, _SCALE, _FIRST),
        Example("[[1]]", None, _SCALE, _FIRST),
        Example("", None, _SCALE, _FIRST),
    )

    def calls(self, task: Task, options: Mapping[str, Any]) -> list[Call]:
        """Return one call per reference, or two if both orders are asked."""
        chosen = self.checked_options(task, options)
        grade_weights(chosen)
        return [
            Call(
                pair_prompt(task, reference.text, order=order, chosen=chosen, version=self.template_version),
                f"{place}.{order}",
                {"reference": place, "grade": reference.grade, "order": order},
                placeholder_texts=shown_pair(task, reference.text, order),
            )
            for place, reference in enumerate(reference_list_of(task), start=1)
            for order in orders_of(chosen, task.item, place)
        ]

    def build(self, task: Task, options: Mapping[str, Any]) -> list[Message]:
        """Return the prompt of the first comparison."""
        return list(self.calls(task, options)[0].messages)

    def refusal(
        self,
        criterion: Criterion,
        options: Mapping[str, Any],
        *,
        kind: Any,
        demonstrations: Sequence[Demonstration] = (),
    ) -> Refusal | None:
        """Return why no prompt can be built, or that the weights cannot be read."""
        try:
            grade_weights(self.settle(options))
        except InvalidInput as error:
            return Refusal(str(error).rstrip("."), "weights=3=1,2=1,1=1,0=1")
        return super().refusal(criterion, options, kind=kind, demonstrations=demonstrations)

    def hear_call(
        self, call: Call, text: str, tokens: Sequence[Token], task: Task, options: Mapping[str, Any]
    ) -> Reading:
        """Return whether the response won (1), lost (-1) or tied (0) this comparison."""
        detail = {name: call.data[name] for name in ("reference", "grade")}
        return pair_reading(text, call.data["order"], task, detail)

    def parse(self, text: str, task: Task, options: Mapping[str, Any]) -> Reading:
        """Return the reading of a reply to the first comparison."""
        return self.hear_call(self.calls(task, options)[0], text, (), task, options)

    def combine(
        self, heard: Sequence[Heard], task: Task, options: Mapping[str, Any], aggregation: str
    ) -> Reading:
        """Return the weighted sum of wins and losses; a sample with a comparison without verdict is left out.

        A pair on which both orders disagree is a tie, counted as `inconsistent`.
        """
        weights, key = grade_weights(self.settle(options)), only_criterion(task).key
        expected = len(self.calls(task, options))
        draws = [_Draw(answers, weights, expected) for answers in group_by_draw(heard)]
        reading = aggregate([draw.reading(key) for draw in draws], aggregation)
        whole = [draw for draw in draws if draw.reason is None]
        if not whole:
            return reading
        detail = {
            "comparisons": whole[0].comparisons,
            "inconsistent": sum(draw.inconsistent for draw in whole),
            "draws": [draw.score for draw in whole],
        }
        return replace(reading, rationale=whole[0].rationale, detail=detail)

    def score_range(self, detail: Mapping[str, Any], *, together: int) -> tuple[float, float] | None:
        """Return the scores of losing and of winning every comparison."""
        most = sum(abs(comparison["weight"]) for comparison in detail.get("comparisons", ()))
        return (-most, most) if most else None

    def replies(self, call: Call, task: Task, options: Mapping[str, Any]) -> Sequence[str]:
        """Return the verdicts from the response's loss to its win."""
        return pair_replies(call.data["order"])


class _Draw:
    """The comparisons of one sample: their outcomes and weighted sum."""

    def __init__(self, heard: Sequence[Heard], weights: Mapping[float, float], expected: int) -> None:
        self.reason = next((answer.reading.reason for answer in heard if answer.reading.reason), None)
        if self.reason is None and len(heard) < expected:
            self.reason = sentence("not all comparisons were answered")
        self.rationale = "\n\n".join(
            f"{answer.call.data['reference']}: {answer.reading.rationale}"
            for answer in heard
            if answer.reading.rationale
        )
        self.comparisons: list[dict[str, Any]] = []
        self.inconsistent = 0
        self.score = 0.0
        if self.reason is None:
            self._sum(heard, weights)

    def _sum(self, heard: Sequence[Heard], weights: Mapping[float, float]) -> None:
        by_reference: defaultdict[int, list[Heard]] = defaultdict(list)
        for answer in heard:
            by_reference[answer.call.data["reference"]].append(answer)
        for place, answers in sorted(by_reference.items()):
            outcomes = [OUTCOMES[answer.reading.detail["outcome"]] for answer in answers]
            agreed = len(set(outcomes)) == 1
            outcome, grade = outcomes[0] if agreed else 0, answers[0].call.data["grade"]
            weight = weights.get(grade, 1.0) if grade is not None else 1.0
            self.inconsistent += not agreed
            self.score += weight * outcome
            self.comparisons.append(
                {
                    **{
                        "reference": place,
                        "grade": grade,
                        "weight": weight,
                        "outcome": OUTCOME_WORDS[outcome],
                    },
                    "orders": {
                        answer.call.data["order"]: answer.reading.detail["outcome"] for answer in answers
                    },
                }
            )

    def reading(self, key: str) -> Reading:
        """Return the sum as a score, or why there is none."""
        if self.reason is not None:
            return Reading(reason=self.reason)
        return Reading({key: self.score}, rationale=self.rationale)


def grade_weights(chosen: Mapping[str, Any]) -> dict[float, float]:
    """Return the weight of each grade named in the option.

    Raises:
        InvalidInput: the option cannot be read.
    """
    weights = {}
    for pair in filter(None, (part.strip() for part in chosen["weights"].split(","))):
        grade, sign, weight = (part.strip() for part in pair.partition("="))
        values = number(grade), number(weight)
        if not sign or values[0] is None or values[1] is None:
            raise InvalidInput(sentence("can't read the weight '{text}'; write 3=1,2=0.5.", text=pair[:40]))
        weights[values[0]] = values[1]
    return weights
