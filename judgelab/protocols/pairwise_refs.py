"""Pairwise comparison with each reference of a list, weighed by its grade (LINKAGE, equations 3 and 4)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from judgelab.domain import Criterion, Demonstration, Message, Reading, Task
from judgelab.errors import InvalidInput
from judgelab.options import Option
from judgelab.protocols.contests import by_draw
from judgelab.protocols.core.aggregation import aggregate
from judgelab.protocols.core.base import Call, Example, Heard, Refusal, register
from judgelab.protocols.core.expected import Token
from judgelab.protocols.core.shared_options import CONTEXT, INSTRUCTION
from judgelab.protocols.open_answers import DRAW, LIST, SEED, SHOTS, OpenAnswers, listed
from judgelab.protocols.pairs import (
    CANDIDATE_FIRST,
    ORDER,
    WORDS,
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
OUTCOMES = {word: value for value, word in WORDS.items()}


@register
class PairwiseRefs(OpenAnswers):
    """Every reference is compared with the response in a call of its own; wins count +, losses -."""

    name = "pairwise_refs"
    title = mark("Pairs with references")
    summary = mark("Compares each response with every reference of a list; its score is what it wins.")
    needs = frozenset({"reference_list"})
    options = (
        LIST,
        DRAW,
        ORDER,
        Option(
            "weights",
            "text",
            "",
            help=mark("What a win over each grade counts, as 3=1,2=0.5; 1 for every grade that is left out."),
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
        """Return one call a reference, or two where both orders are asked."""
        chosen = self.settled(task, options)
        weights_of(chosen)
        return [
            Call(
                pair_prompt(task, one.text, order=order, chosen=chosen, version=self.template_version),
                f"{place}.{order}",
                {"reference": place, "grade": one.grade, "order": order},
                shown=shown_pair(task, one.text, order),
            )
            for place, one in enumerate(listed(task), start=1)
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
            weights_of(self.settle(options))
        except InvalidInput as error:
            return Refusal(str(error).rstrip("."), "weights=3=1,2=1,1=1,0=1")
        return super().refusal(criterion, options, kind=kind, demonstrations=demonstrations)

    def hear_call(
        self, call: Call, text: str, tokens: Sequence[Token], task: Task, options: Mapping[str, Any]
    ) -> Reading:
        """Return whether the response won (1), lost (-1) or tied (0) this comparison."""
        known = {name: call.data[name] for name in ("reference", "grade")}
        return pair_reading(text, call.data["order"], task, known)

    def parse(self, text: str, task: Task, options: Mapping[str, Any]) -> Reading:
        """Return what a reply to the first comparison says."""
        return self.hear_call(self.calls(task, options)[0], text, (), task, options)

    def combine(
        self, heard: Sequence[Heard], task: Task, options: Mapping[str, Any], aggregation: str
    ) -> Reading:
        """Return the weighed sum of wins and losses; draws in which a comparison has no verdict drop out.

        Both orders of a pair that disagree are a tie, and counted as `inconsistent`.
        """
        weights, key = weights_of(self.settle(options)), only_criterion(task).key
        asked = len(self.calls(task, options))
        rounds = [_Round(draw, weights, asked) for draw in by_draw(heard)]
        came = aggregate([one.reading(key) for one in rounds], aggregation)
        whole = [one for one in rounds if one.reason is None]
        if not whole:
            return came
        detail = {
            "comparisons": whole[0].comparisons,
            "inconsistent": sum(one.inconsistent for one in whole),
            "draws": [one.score for one in whole],
        }
        return replace(came, rationale=whole[0].rationale, detail=detail)

    def span(self, detail: Mapping[str, Any], *, together: int) -> tuple[float, float] | None:
        """Return what losing and winning every comparison come to."""
        most = sum(abs(one["weight"]) for one in detail.get("comparisons", ()))
        return (-most, most) if most else None

    def replies(self, call: Call, task: Task, options: Mapping[str, Any]) -> Sequence[str]:
        """Return the verdicts from the response's loss to its win."""
        return pair_replies(call.data["order"])


class _Round:
    """All comparisons of one draw: what each came to, and their weighed sum."""

    def __init__(self, heard: Sequence[Heard], weights: Mapping[float, float], asked: int) -> None:
        self.reason = next((one.reading.reason for one in heard if one.reading.reason), None)
        if self.reason is None and len(heard) < asked:
            self.reason = sentence("not all comparisons were answered")
        self.rationale = "\n\n".join(
            f"{one.call.data['reference']}: {one.reading.rationale}" for one in heard if one.reading.rationale
        )
        self.comparisons: list[dict[str, Any]] = []
        self.inconsistent = 0
        self.score = 0.0
        if self.reason is None:
            self._sum(heard, weights)

    def _sum(self, heard: Sequence[Heard], weights: Mapping[float, float]) -> None:
        by_reference: defaultdict[int, list[Heard]] = defaultdict(list)
        for one in heard:
            by_reference[one.call.data["reference"]].append(one)
        for place, both in sorted(by_reference.items()):
            outcomes = [OUTCOMES[one.reading.detail["outcome"]] for one in both]
            agreed = len(set(outcomes)) == 1
            outcome, grade = outcomes[0] if agreed else 0, both[0].call.data["grade"]
            weight = weights.get(grade, 1.0) if grade is not None else 1.0
            self.inconsistent += not agreed
            self.score += weight * outcome
            self.comparisons.append(
                {
                    **{"reference": place, "grade": grade, "weight": weight, "outcome": WORDS[outcome]},
                    "orders": {one.call.data["order"]: one.reading.detail["outcome"] for one in both},
                }
            )

    def reading(self, key: str) -> Reading:
        """Return the sum as a score, or why there is none."""
        if self.reason is not None:
            return Reading(reason=self.reason)
        return Reading({key: self.score}, rationale=self.rationale)


def weights_of(chosen: Mapping[str, Any]) -> dict[float, float]:
    """Return the weight of each grade that the option names.

    Raises:
        InvalidInput: it cannot be read.
    """
    weights = {}
    for pair in filter(None, (part.strip() for part in chosen["weights"].split(","))):
        grade, sign, weight = (part.strip() for part in pair.partition("="))
        values = number(grade), number(weight)
        if not sign or values[0] is None or values[1] is None:
            raise InvalidInput(
                sentence("the weight '{text}' cannot be read; write 3=1,2=0.5.", text=pair[:40])
            )
        weights[values[0]] = values[1]
    return weights
