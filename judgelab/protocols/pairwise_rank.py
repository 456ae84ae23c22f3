"""BioASQ's ranking of several systems' responses to one question, in one reply.

After Hijazi, Mollá, Nguyen and Karimi, "Using Large Language Models to Evaluate Biomedical Query-Focused
Summarisation", section 4.2.5. The paper's JSON is malformed as printed; ours names each rank and its system.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from judgelab.domain import Criterion, Message, Reading, Task
from judgelab.options import Option
from judgelab.protocols.contests import (
    FIRST,
    SEED,
    case_sections,
    contenders_of,
    shuffled_order,
    task_section,
    wording,
)
from judgelab.protocols.core.aggregation import AGGREGATIONS
from judgelab.protocols.core.base import Call, Example, Heard, Protocol, register
from judgelab.protocols.core.expected import Token
from judgelab.protocols.core.prompts import clean, joined, section
from judgelab.protocols.core.shared_options import CONTEXT, INSTRUCTION
from judgelab.protocols.reading.rank_replies import NAMES, read_ranks
from judgelab.protocols.rubric import FIELD, role_text
from judgelab.wording import mark, sentence

_SCALE = {"kind": "ordinal", "low": 1, "high": 5}


@register
class PairwiseRank(Protocol):
    """All responses of an item are ranked in one reply; a score is the number of systems beaten."""

    name = "pairwise_rank"
    title = mark("Ranking of systems (BioASQ)")
    summary = mark(
        "Ranks the responses to an item under neutral names; a response's score is the number of "
        "responses it beats."
    )
    asks: ClassVar[Literal["each", "all"]] = "all"
    judges = "item"
    own_scale = True
    parts = ("task", "criteria", "output")
    template_version = "3"
    samples = 3  # the paper judges every batch three times and averages
    parameters: ClassVar[Mapping[str, Any]] = {"temperature": 0.0, "top_p": 0.6}
    options = (
        Option(
            "order",
            "choice",
            "random",
            ("random", "both"),
            mark("Order of the systems: random, set by the seed, or that order and its reverse."),
        ),
        Option(
            "by",
            "choice",
            "references",
            ("references", "criteria"),
            mark(
                "Basis of the ranking: similarity to the reference answers, as in the study, or the "
                "criteria; items without reference answers are ranked by the criteria."
            ),
        ),
        SEED,
        FIELD,
        CONTEXT,
        INSTRUCTION,
    )
    examples = (
        Example('{"ranks": {"1": "System A", "2": "System B"}, "Explanation": "A is whole."}', 1, _SCALE),
        Example('{"ranks": {"1": "System B", "2": "System A"}, "Explanation": "B is whole."}', 0, _SCALE),
        Example('```json\n{"ranks": {"2": "system a", "1": "B"}}\n```', 0, _SCALE),
        Example('{"ranks": {"1": ["System A", "System B"]}, "Explanation": "Alike."}', 0, _SCALE),
        Example('{"ranks": {"1": "System A"}, "Explanation": "Best."}', None, _SCALE),
        Example('{"ranks": {"1": "System A", "2": "System C"}}', None, _SCALE),
        Example("System A is better.", None, _SCALE),
        Example("", None, _SCALE),
    )

    def calls(self, task: Task, options: Mapping[str, Any]) -> list[Call]:
        """Return one call, or two if the reverse order is asked too."""
        chosen = self.settle(options)
        order = shuffled_order(chosen, task, [contender.text for contender in contenders_of(task)])
        orders = {"order": order} if chosen["order"] == "random" else {"order": order, "reverse": order[::-1]}
        return [
            Call(
                self._prompt(task, chosen, shown),
                key,
                {"shown": shown},
                candidates=[task.contenders[place].text for place in shown],
            )
            for key, shown in orders.items()
        ]

    def build(self, task: Task, options: Mapping[str, Any]) -> list[Message]:
        """Return the first of the prompts."""
        return list(self.calls(task, options)[0].messages)

    def _prompt(self, task: Task, chosen: Mapping[str, Any], shown: Sequence[int]) -> list[Message]:
        texts = wording(self.template_version)
        by_criteria = self.template_version == FIRST or chosen["by"] == "criteria" or not task.references
        ranks = {str(rank): name for rank, name in enumerate(NAMES[: len(shown)], start=1)}
        form = json.dumps({"ranks": ranks, "Explanation": "..."})
        parts = [
            task_section(
                task, chosen, "rank" if by_criteria else "rank_by_references", self.template_version
            ),
            section("criteria", "\n".join(_line(criterion) for criterion in task.criteria))
            if by_criteria
            else "",
            section("output", texts["output"]["rank"].replace("{form}", form)),
            *case_sections(task, chosen, references=True),
            *(
                section("candidate", f"{name}: {clean(task.contenders[place].text) or '(empty)'}")
                for name, place in zip(NAMES, shown, strict=False)
            ),
        ]
        return [
            Message("system", role_text(chosen["field"], self.template_version)),
            Message("user", joined(parts)),
        ]

    def hear_call(
        self, call: Call, text: str, tokens: Sequence[Token], task: Task, options: Mapping[str, Any]
    ) -> Reading:
        """Return how many systems each response beats according to this reply."""
        shown = list(call.data["shown"])
        ranking = read_ranks(text, len(shown))
        if ranking.reason is not None:
            return Reading(rationale=ranking.explanation, reason=ranking.reason, detail={"shown": shown})
        ranks = {place: ranking.ranks[at] for at, place in enumerate(shown)}
        beaten = {place: sum(rank > ranks[place] for rank in ranks.values()) for place in ranks}
        return Reading(
            rationale=ranking.explanation,
            by_response={
                contender.response_id: {
                    criterion.key: _signed(criterion, beaten[place], len(shown))
                    for criterion in task.criteria
                }
                for place, contender in enumerate(task.contenders)
            },
            detail={"shown": shown, "ranks": [ranks[place] for place in range(len(shown))]},
        )

    def parse(self, text: str, task: Task, options: Mapping[str, Any]) -> Reading:
        """Return the score of the first system shown, in a reply to the first call."""
        call = self.calls(task, options)[0]
        reading = self.hear_call(call, text, (), task, options)
        if reading.reason is not None:
            return reading
        first = task.contenders[call.data["shown"][0]].response_id
        return Reading(reading.by_response[first], reading.rationale, by_response=reading.by_response)

    def combine(
        self, heard: Sequence[Heard], task: Task, options: Mapping[str, Any], aggregation: str
    ) -> Reading:
        """Return how many systems each response beats, aggregated over all replies with a ranking."""
        rankings = [answer.reading for answer in heard if answer.reading.reason is None]
        if not rankings:
            reasons = Counter(answer.reading.reason for answer in heard if answer.reading.reason)
            return Reading(reason=next(iter(reasons), None) or sentence("there is no reply"))
        scores: dict[int, dict[str, float]] = {}
        for contender in task.contenders:
            scores[contender.response_id] = {}
            for criterion in task.criteria:
                given = [ranking.by_response[contender.response_id][criterion.key] for ranking in rankings]
                value = AGGREGATIONS[aggregation](given)
                if value is None:
                    return Reading(reason=sentence("no majority among {draws} samples", draws=len(given)))
                scores[contender.response_id][criterion.key] = value
        return Reading(rationale=rankings[0].rationale, by_response=scores)

    def score_range(self, detail: Mapping[str, Any], *, together: int) -> tuple[float, float] | None:
        """Return 0 and the number of other responses."""
        return (0.0, together - 1.0) if together > 1 else None

    def replies(self, call: Call, task: Task, options: Mapping[str, Any]) -> Sequence[str]:
        """Return rankings in which the system shown first is ranked last, and so on up to first."""
        names = list(NAMES[: len(call.data["shown"])])
        rest = names[1:]
        replies = []
        for place in range(len(rest), -1, -1):
            order = [*rest[:place], names[0], *rest[place:]]
            ranks = {str(rank): name for rank, name in enumerate(order, start=1)}
            replies.append(json.dumps({"ranks": ranks, "Explanation": "As they seem."}))
        return replies

    def reply_schema(self, task: Task, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the JSON schema of the reply."""
        names = list(NAMES[: len(task.contenders)])
        ranks = {str(rank): {"type": "string", "enum": names} for rank in range(1, len(names) + 1)}
        properties = {
            "ranks": {
                "type": "object",
                "properties": ranks,
                "required": list(ranks),
                "additionalProperties": False,
            },
            "Explanation": {"type": "string"},
        }
        return {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }


def _signed(criterion: Criterion, beaten: int, size: int) -> float:
    """Return how many are beaten; if a low score is good, how many are not, so that signs agree."""
    return float(beaten if criterion.higher_is_better else size - 1 - beaten)


def _line(criterion: Criterion) -> str:
    description = clean(criterion.question) or clean(criterion.label)
    return f"- {clean(criterion.label)}: {description}" if criterion.question else f"- {description}"
