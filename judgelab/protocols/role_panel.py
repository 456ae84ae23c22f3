"""DRPE: a panel of roles votes between a response and a reference (Wu et al., NLPCC 2023).

Static roles stand for what everybody checks, dynamic ones were made for the article; all of them compare the
two texts, give a reason and vote, in one completion or one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

from judgelab.domain import Criterion, Demonstration, Message, PanelRole, Reading, Task
from judgelab.protocols.core.aggregation import aggregate
from judgelab.protocols.core.base import Call, Example, Heard, Protocol, Refusal, register
from judgelab.protocols.core.expected import Token
from judgelab.protocols.panel.options import CANDIDATE_FIRST, OPTIONS
from judgelab.protocols.panel.prompts import VERSION, panel_prompt
from judgelab.protocols.panel.replies import RoleVote, read_vote, read_votes, with_confidence
from judgelab.protocols.panel.seats import references_of, seated, sittings_of
from judgelab.protocols.panel.votes import (
    Sitting,
    changed_with_order,
    said_together,
    sitting_score,
    sure,
    votes_json,
    whole_sittings,
)
from judgelab.wording import mark, sentence

_SCALE = {"kind": "binary"}


@register
class RolePanel(Protocol):
    """Each role compares the response with a reference and votes; its score is what the votes weigh."""

    name = "role_panel"
    title = mark("Panel of roles (DRPE)")
    summary = mark(
        "A panel of readers compares the response with a reference; its score is what the votes weigh."
    )
    asks = "all"
    needs = frozenset({"roles"})
    own_scale = True
    options = OPTIONS
    parts = ("task", "panel", "output")
    template_version = VERSION
    parameters: ClassVar[Mapping[str, Any]] = {"temperature": 0.0}
    examples = (
        Example(
            "Reason: It names all 3 facts.\nVote: Summary 1",
            1.0,
            _SCALE,
            {"panel": False, "order": CANDIDATE_FIRST},
        ),
        Example(
            "Reason: It names all 3 facts.\n**Vote:** 2",
            0.0,
            _SCALE,
            {"panel": False, "order": CANDIDATE_FIRST},
        ),
        Example("Reason: Both are good.\nVote: summary 1 or summary 2", None, _SCALE, {"panel": False}),
        Example("I would not choose.", None, _SCALE, {"panel": False}),
        Example(
            "1. General Public\nReason: Easy to follow.\nVote: Summary 1\n\n"
            "2. Critic\nReason: 1 runs on.\nVote: 2\n\n"
            "3. News Author\nReason: True to the text.\nVote: Summary 1",
            2 / 3,
            _SCALE,
            {"k": 0, "order": CANDIDATE_FIRST},
        ),
        Example(
            "1. General Public\nReason: Clear.\nVote: 1", None, _SCALE, {"k": 0, "order": CANDIDATE_FIRST}
        ),
    )

    def build(self, task: Task, options: Mapping[str, Any]) -> list[Message]:
        """Return the first of the prompts."""
        return list(self.calls(task, options)[0].messages)

    def calls(self, task: Task, options: Mapping[str, Any]) -> list[Call]:
        """Return one call for every sitting, or one for each role of it.

        Raises:
            InvalidInput: there is no reference, or no role for this item.
        """
        chosen = self.settle(options)
        roles = seated(task, chosen, self.template_version)
        return [
            call
            for sitting in sittings_of(task, chosen)
            for call in self._calls(task, chosen, roles, sitting)
        ]

    def _calls(
        self, task: Task, chosen: Mapping[str, Any], roles: Sequence[PanelRole], sitting: Sitting
    ) -> Iterator[Call]:
        reference = references_of(task, chosen)[sitting.reference].text
        first = sitting.order == CANDIDATE_FIRST
        asked = [tuple(roles)] if chosen["batch"] or not roles else [(role,) for role in roles]
        for place, group in enumerate(asked):
            texts = (task.response, reference) if first else (reference, task.response)
            messages = panel_prompt(
                task,
                group,
                texts=texts,
                variant=sitting.variant,
                batch=chosen["batch"],
                version=self.template_version,
                instruction=chosen["instruction"],
                show_context=chosen["show_context"],
            )
            key = f"{sitting.variant}.{sitting.order}.{sitting.reference}.{place}"
            data = {"sitting": tuple(sitting), "role": place if len(asked) > 1 else None}
            yield Call(messages, key, data, shown={"text_1": texts[0], "text_2": texts[1]})

    def hear_call(
        self, call: Call, text: str, tokens: Sequence[Token], task: Task, options: Mapping[str, Any]
    ) -> Reading:
        """Return the votes of one reply, with the score that it comes to by itself."""
        chosen = self.settle(options)
        roles, sitting = seated(task, chosen, self.template_version), Sitting(*call.data["sitting"])
        alone = call.data["role"]
        if alone is not None:
            roles = [roles[alone]]
        votes = _votes(text, tokens, roles, batch=chosen["batch"])
        kept = votes_json(votes, candidate_first=sitting.order == CANDIDATE_FIRST)
        detail = {"votes": kept, "sitting": sitting._asdict()}
        said = "\n".join(_line(one) for one in kept if one["for"])
        missing = next((one.reason for one in votes if one.reason), None)
        if missing is None and chosen["confidence"] == "only" and not sure(kept):
            missing = sentence("the endpoint gave no log-probabilities")
        if missing:
            return Reading(rationale=said, reason=missing, detail=detail)
        return self._reading(task, chosen, kept, said, detail)

    def _reading(
        self,
        task: Task,
        chosen: Mapping[str, Any],
        votes: Sequence[Mapping[str, Any]],
        said: str,
        detail: Any,
    ) -> Reading:
        weighed = chosen["confidence"] != "no" and sure(votes)
        score = sitting_score(votes, weighed=weighed)
        return Reading({criterion.key: score for criterion in task.criteria}, rationale=said, detail=detail)

    def combine(
        self, heard: Sequence[Heard], task: Task, options: Mapping[str, Any], aggregation: str
    ) -> Reading:
        """Return the mean (or what `aggregation` says) of all whole sittings, with every role's votes."""
        chosen = self.settle(options)
        whole, broken = whole_sittings(heard, seats=max(1, len(seated(task, chosen, self.template_version))))
        weighed = chosen["confidence"] != "no" and all(sure(votes) for _, votes in whole)
        readings = [
            Reading({c.key: sitting_score(votes, weighed=weighed) for c in task.criteria})
            for _, votes in whole
        ]
        came = aggregate([*readings, *broken], aggregation)
        if not whole:
            return came
        roles = said_together([votes for _, votes in whole])
        known = [one["confidence"] for one in roles if one["confidence"] is not None]
        panel = {
            "roles": roles,
            "weighed": weighed,
            "share": sum(one["candidate"] for one in roles) / sum(one["sittings"] for one in roles),
            "sittings": [sitting._asdict() for sitting, _ in whole],
            "order": changed_with_order(whole),
            "reference": references_of(task, chosen)[0].origin,
        }
        said = "\n".join(_line(one) for one in whole[0][1])
        confidence = sum(known) / len(known) if len(known) == len(roles) else None
        return replace(came, rationale=said, confidence=confidence, detail={"panel": panel})

    def span(self, detail: Mapping[str, Any], *, together: int) -> tuple[float, float] | None:
        """Return the ends of a share of votes."""
        return 0.0, 1.0

    def replies(self, call: Call, task: Task, options: Mapping[str, Any]) -> Sequence[str]:
        """Return replies in which nobody, one role more each time, and at last all vote for the response."""
        chosen = self.settle(options)
        roles, alone = seated(task, chosen, self.template_version), call.data["role"]
        first = Sitting(*call.data["sitting"]).order == CANDIDATE_FIRST
        other, own = (f"Reason: As it seems.\nVote: Summary {n}" for n in ((2, 1) if first else (1, 2)))
        if alone is not None or not roles or not chosen["batch"]:
            return [other, own]
        return [
            "\n\n".join(
                f"{place}. {role.type}\n{own if place <= won else other}"
                for place, role in enumerate(roles, start=1)
            )
            for won in range(len(roles) + 1)
        ]

    def signs(self, task: Task, options: Mapping[str, Any]) -> Sequence[Sequence[str]]:
        """Return the word that stands before each vote."""
        return (("Vote:",),)

    def parse(self, text: str, task: Task, options: Mapping[str, Any]) -> Reading:
        """Return the votes of a reply to the first call, without log-probabilities."""
        return self.hear_call(self.calls(task, options)[0], text, (), task, options)

    def sent(self, options: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return greedy decoding, with log-probabilities unless votes are only counted."""
        if self.settle(options)["confidence"] == "no":
            return self.parameters
        return {**self.parameters, "logprobs": True, "top_logprobs": 1}

    def refusal(
        self,
        criterion: Criterion,
        options: Mapping[str, Any],
        *,
        kind: Literal["qa", "summarisation"],
        demonstrations: Sequence[Demonstration] = (),
    ) -> Refusal | None:
        """Return that nobody is seated, where the options say so, or that votes for the better do not fit."""
        if not criterion.higher_is_better:
            return Refusal(sentence("its votes go to the better one, and here a lower score is better"))
        chosen = self.settle(options)
        if chosen["panel"] and not chosen["static"] and not chosen["k"]:
            return Refusal(sentence("without static roles and with k=0 nobody sits on the panel"), "k=4")
        return None


def _votes(text: str, tokens: Sequence[Token], roles: Sequence[PanelRole], *, batch: bool) -> list[RoleVote]:
    if not roles:
        roles = [PanelRole("", "")]
        batch = False
    votes = read_votes(text, roles) if batch else [read_vote(text, roles[0])]
    return with_confidence(votes, tokens, roles, batch=batch)


def _line(vote: Mapping[str, Any]) -> str:
    who = f"{vote['role']} ({vote['for']})" if vote["role"] else str(vote["for"])
    return f"{who}: {vote['reason']}"
