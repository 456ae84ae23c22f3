"""Compare every pair of an item's responses; a response's score is its wins minus its losses.

Equation 2 of LINKAGE (Yang et al., 2024) with all other candidates of the question as opponents. Positions
are swapped as in Zheng et al. (2023): a pair on which both orders disagree is a tie.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, ClassVar

from judgelab.domain import Message, Reading, Task
from judgelab.options import Option
from judgelab.protocols.contests import (
    SEED,
    case_sections,
    contenders_of,
    group_by_draw,
    shuffled_order,
    task_section,
    wording,
)
from judgelab.protocols.core.aggregation import AGGREGATIONS
from judgelab.protocols.core.base import Call, Example, Heard, Protocol, register
from judgelab.protocols.core.expected import Token
from judgelab.protocols.core.prompts import clean, joined, section
from judgelab.protocols.core.shared_options import CONTEXT, INSTRUCTION
from judgelab.protocols.reading.bracketed import LETTERS, bracketed_letter
from judgelab.protocols.single_score import criterion_text, only_criterion
from judgelab.scales import scale_from_json
from judgelab.wording import mark, sentence

FIRST, SECOND, TIE = "first", "second", "tie"
CHOICES = dict(zip(LETTERS, (FIRST, SECOND, TIE), strict=True))
WORTH = {FIRST: 1, SECOND: -1, TIE: 0}
_SCALE = {"kind": "ordinal", "low": 0, "high": 3}


@register
class Pairwise(Protocol):
    """All responses of an item are compared with one another, two at a time."""

    name = "pairwise"
    title = mark("Pairs of responses")
    summary = mark(
        "Compares every pair of responses to an item; a response's score is its wins minus its losses."
    )
    judges = "item"
    own_scale = True
    parameters: ClassVar[Mapping[str, Any]] = {"temperature": 0.0}
    parts = ("task", "criterion", "output")
    template_version = "3"
    options = (
        Option(
            "order",
            "choice",
            "both",
            ("both", "random"),
            mark("Whether each pair is shown in both orders, or once in a random order set by the seed."),
        ),
        SEED,
        CONTEXT,
        Option("show_references", "bool", False, help=mark("Show the reference answers.")),
        INSTRUCTION,
    )
    examples = (
        Example("A names the cause, B does not.\n[[A]]", 1, _SCALE),
        Example("B is shorter and says as much. [[B]]", -1, _SCALE),
        Example("They say the same: **[[c]]**", 0, _SCALE),
        Example("[[A]] at first sight. [[B]] after all.", None, _SCALE),
        Example("A is better.", None, _SCALE),
        Example("[[D]]", None, _SCALE),
        Example("", None, _SCALE),
    )

    def calls(self, task: Task, options: Mapping[str, Any]) -> list[Call]:
        """Return one call for each pair, or two if both orders are asked."""
        chosen = self.settle(options)
        texts = [contender.text for contender in contenders_of(task)]
        return [
            Call(
                self._prompt(task, chosen, first, second),
                f"{first + 1} – {second + 1}",
                {"first": first, "second": second},
                placeholder_texts={"text_1": texts[first], "text_2": texts[second]},
            )
            for first, second in _orders(task, chosen)
        ]

    def build(self, task: Task, options: Mapping[str, Any]) -> list[Message]:
        """Return the prompt of the first comparison."""
        return list(self.calls(task, options)[0].messages)

    def _prompt(self, task: Task, chosen: Mapping[str, Any], first: int, second: int) -> list[Message]:
        criterion = only_criterion(task)
        name = "summary" if task.kind == "summarisation" else "answer"
        texts = [contenders_of(task)[place].text for place in (first, second)]
        parts = [
            task_section(task, chosen, "pairwise", self.template_version),
            section("criterion", criterion_text(criterion, scale_from_json(criterion.scale))),
            section("output", wording(self.template_version)["output"]["pairwise"]),
            *case_sections(task, chosen, references=chosen["show_references"]),
            *(
                section(f"{name}_{place}", f"{letter}. {clean(text) or '(empty)'}")
                for place, (letter, text) in enumerate(zip(LETTERS, texts, strict=False), start=1)
            ),
        ]
        return [Message("user", joined(parts))]

    def hear_call(
        self, call: Call, text: str, tokens: Sequence[Token], task: Task, options: Mapping[str, Any]
    ) -> Reading:
        """Return which of the two is chosen; `combine` computes the scores from all comparisons."""
        shown = {"first": call.data["first"], "second": call.data["second"]}
        verdict = bracketed_letter(text)
        if verdict.reason is not None:
            return Reading(rationale=verdict.around, reason=verdict.reason, detail=shown)
        return Reading(rationale=verdict.around, detail={**shown, "choice": CHOICES[verdict.letter]})

    def parse(self, text: str, task: Task, options: Mapping[str, Any]) -> Reading:
        """Return the reading of a reply to the first comparison: 1 if the text shown first wins."""
        reading = self.hear_call(self.calls(task, options)[0], text, (), task, options)
        if reading.reason is not None:
            return reading
        worth = float(WORTH[reading.detail["choice"]])
        return Reading({only_criterion(task).key: worth}, reading.rationale, detail=reading.detail)

    def combine(
        self, heard: Sequence[Heard], task: Task, options: Mapping[str, Any], aggregation: str
    ) -> Reading:
        """Return each response's wins minus losses; pairs without a verdict are left out and counted.

        A pair on which both orders disagree is a tie, counted as `inconsistent`. A response with unreadable
        replies is scored on its other comparisons, scaled up to all of them.
        """
        size = len(contenders_of(task))
        draws = [_Draw(answers, size) for answers in group_by_draw(heard)]
        whole = [draw for draw in draws if draw.complete]
        if not whole:
            return Reading(
                reason=_no_verdict_reason(heard), detail={"unread": sum(draw.unread for draw in draws)}
            )
        criterion = only_criterion(task)
        sign = 1 if criterion.higher_is_better else -1
        scores: dict[int, Mapping[str, float]] = {}
        for place, contender in enumerate(task.contenders):
            value = AGGREGATIONS[aggregation]([sign * draw.score(place) for draw in whole])
            if value is None:
                return Reading(reason=sentence("no majority among {draws} samples", draws=len(whole)))
            scores[contender.response_id] = {criterion.key: value}
        return Reading(
            rationale=_rationale(heard),
            by_response=scores,
            detail={
                **{"pairs": len(whole[0].outcomes), "draws": len(draws)},
                "both_orders": sum(draw.both_orders for draw in draws),
                "inconsistent": sum(draw.inconsistent for draw in draws),
                "unread": sum(draw.unread for draw in draws),
                "responses": {
                    contender.response_id: dict(sum((draw.record(place) for draw in whole), Counter()))
                    for place, contender in enumerate(task.contenders)
                },
            },
        )

    def score_range(self, detail: Mapping[str, Any], *, together: int) -> tuple[float, float] | None:
        """Return the scores of losing to all others and of beating all others."""
        return (1.0 - together, together - 1.0) if together > 1 else None

    def replies(self, call: Call, task: Task, options: Mapping[str, Any]) -> Sequence[str]:
        """Return the verdicts from the first text's loss to its win."""
        return [f"[[{letter}]]" for letter in ("B", "C", "A")]


@dataclass
class _Draw:
    """The comparisons of one sample: each pair's outcome for the response with the lower index."""

    heard: Sequence[Heard]
    size: int
    outcomes: dict[tuple[int, int], int] = field(default_factory=dict)
    both_orders: int = 0
    inconsistent: int = 0
    unread: int = 0

    def __post_init__(self) -> None:
        by_pair: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        for answer in self.heard:
            choice = answer.reading.detail.get("choice") if answer.reading.reason is None else None
            if choice is None:
                self.unread += 1
                continue
            first, second = answer.reading.detail["first"], answer.reading.detail["second"]
            worth = WORTH[choice]
            by_pair[min(first, second), max(first, second)].append(worth if first < second else -worth)
        for pair, worths in by_pair.items():
            agreed = len(set(worths)) == 1
            self.outcomes[pair] = worths[0] if agreed else 0
            self.both_orders += len(worths) > 1
            self.inconsistent += not agreed

    @property
    def complete(self) -> bool:
        """Whether every response was compared with at least one other."""
        return all(self._met(place) for place in range(self.size))

    def score(self, place: int) -> float:
        """Return wins minus losses, scaled up to all comparisons if some could not be read."""
        outcomes = self._met(place)
        return sum(outcomes) / len(outcomes) * (self.size - 1)

    def record(self, place: int) -> Counter[str]:
        """Return the numbers of wins, losses and ties of the response."""
        words = {1: "wins", 0: "ties", -1: "losses"}
        return Counter(words[outcome] for outcome in self._met(place))

    def _met(self, place: int) -> list[int]:
        return [
            outcome if pair[0] == place else -outcome
            for pair, outcome in self.outcomes.items()
            if place in pair
        ]


def _orders(task: Task, chosen: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
    contenders = contenders_of(task)
    for first, second in combinations(range(len(contenders)), 2):
        if chosen["order"] == "both":
            yield first, second
            yield second, first
        else:
            texts = [contenders[first].text, contenders[second].text]
            yield (first, second) if shuffled_order(chosen, task, texts)[0] == 0 else (second, first)


def _no_verdict_reason(heard: Sequence[Heard]) -> str:
    reasons = Counter(answer.reading.reason for answer in heard if answer.reading.reason)
    return sentence(
        "too few comparisons have a verdict: {reason}",
        reason=next(iter(reasons), None) or sentence("there is no reply"),
    )


def _rationale(heard: Sequence[Heard]) -> str:
    draw = group_by_draw(heard)[0]
    return "\n\n".join(
        f"{answer.call.key}: {answer.reading.rationale}" for answer in draw if answer.reading.rationale
    )
