"""DRPE: a panel of roles votes for the response or a reference (Wu et al., NLPCC 2023).

Static roles check what matters for every item, dynamic ones were made for this item. Every role compares the
two texts, gives a reason and votes, all in one reply or one by one.
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
from judgelab.protocols.panel.seats import references_of, seated_roles, sittings_of
from judgelab.protocols.panel.votes import (
    Sitting,
    complete_sittings,
    has_confidence,
    order_changes,
    role_summaries,
    sitting_score,
    votes_json,
)
from judgelab.wording import mark, sentence

_SCALE = {"kind": "binary"}


@register
class RolePanel(Protocol):
    """Each role compares the response with a reference and votes; the votes make the score."""

    name = "role_panel"
    title = mark("Panel of roles (DRPE)")
    summary = mark(
        "A panel of readers compares the response with a reference; its score is the share of votes for "
        "it, weighted by their confidence."
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
        """Return one call for every sitting, or one for each of its roles.

        Raises:
            InvalidInput: the item has no reference or no roles.
        """
        chosen = self.settle(options)
        roles = seated_roles(task, chosen, self.template_version)
        return [
            call
            for sitting in sittings_of(task, chosen)
            for call in self._calls(task, chosen, roles, sitting)
        ]

    def _calls(
        self, task: Task, chosen: Mapping[str, Any], roles: Sequence[PanelRole], sitting: Sitting
    ) -> Iterator[Call]:
        reference = references_of(task, chosen)[sitting.reference].text
        candidate_first = sitting.order == CANDIDATE_FIRST
        groups = [tuple(roles)] if chosen["batch"] or not roles else [(role,) for role in roles]
        for place, group in enumerate(groups):
            texts = (task.response, reference) if candidate_first else (reference, task.response)
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
            data = {"sitting": tuple(sitting), "role": place if len(groups) > 1 else None}
            yield Call(messages, key, data, placeholder_texts={"text_1": texts[0], "text_2": texts[1]})

    def hear_call(
        self, call: Call, text: str, tokens: Sequence[Token], task: Task, options: Mapping[str, Any]
    ) -> Reading:
        """Return the votes of one reply, with the score that follows from them."""
        chosen = self.settle(options)
        roles, sitting = seated_roles(task, chosen, self.template_version), Sitting(*call.data["sitting"])
        alone = call.data["role"]
        if alone is not None:
            roles = [roles[alone]]
        votes = _votes(text, tokens, roles, batch=chosen["batch"])
        stored = votes_json(votes, candidate_first=sitting.order == CANDIDATE_FIRST)
        detail = {"votes": stored, "sitting": sitting._asdict()}
        rationale = "\n".join(_line(vote) for vote in stored if vote["for"])
        missing = next((vote.reason for vote in votes if vote.reason), None)
        if missing is None and chosen["confidence"] == "only" and not has_confidence(stored):
            missing = sentence("the endpoint returned no log-probabilities")
        if missing:
            return Reading(rationale=rationale, reason=missing, detail=detail)
        return self._reading(task, chosen, stored, rationale, detail)

    def _reading(
        self,
        task: Task,
        chosen: Mapping[str, Any],
        votes: Sequence[Mapping[str, Any]],
        rationale: str,
        detail: Any,
    ) -> Reading:
        weighed = chosen["confidence"] != "no" and has_confidence(votes)
        score = sitting_score(votes, weighed=weighed)
        return Reading(
            {criterion.key: score for criterion in task.criteria}, rationale=rationale, detail=detail
        )

    def combine(
        self, heard: Sequence[Heard], task: Task, options: Mapping[str, Any], aggregation: str
    ) -> Reading:
        """Return the mean (or other aggregation) of all complete sittings, with every role's votes."""
        chosen = self.settle(options)
        complete, incomplete = complete_sittings(
            heard, seats=max(1, len(seated_roles(task, chosen, self.template_version)))
        )
        weighed = chosen["confidence"] != "no" and all(has_confidence(votes) for _, votes in complete)
        readings = [
            Reading({criterion.key: sitting_score(votes, weighed=weighed) for criterion in task.criteria})
            for _, votes in complete
        ]
        reading = aggregate([*readings, *incomplete], aggregation)
        if not complete:
            return reading
        roles = role_summaries([votes for _, votes in complete])
        confidences = [role["confidence"] for role in roles if role["confidence"] is not None]
        panel = {
            "roles": roles,
            "weighed": weighed,
            "share": sum(role["candidate"] for role in roles) / sum(role["sittings"] for role in roles),
            "sittings": [sitting._asdict() for sitting, _ in complete],
            "order": order_changes(complete),
            "reference": references_of(task, chosen)[0].origin,
        }
        rationale = "\n".join(_line(role) for role in complete[0][1])
        confidence = sum(confidences) / len(confidences) if len(confidences) == len(roles) else None
        return replace(reading, rationale=rationale, confidence=confidence, detail={"panel": panel})

    def score_range(self, detail: Mapping[str, Any], *, together: int) -> tuple[float, float] | None:
        """Return 0 and 1, since the score is a share of votes."""
        return 0.0, 1.0

    def replies(self, call: Call, task: Task, options: Mapping[str, Any]) -> Sequence[str]:
        """Return replies with no vote for the response, then one more each time, up to all votes."""
        chosen = self.settle(options)
        roles, alone = seated_roles(task, chosen, self.template_version), call.data["role"]
        candidate_first = Sitting(*call.data["sitting"]).order == CANDIDATE_FIRST
        loss, win = (
            f"Reason: As it seems.\nVote: Summary {n}" for n in ((2, 1) if candidate_first else (1, 2))
        )
        if alone is not None or not roles or not chosen["batch"]:
            return [loss, win]
        return [
            "\n\n".join(
                f"{place}. {role.type}\n{win if place <= won else loss}"
                for place, role in enumerate(roles, start=1)
            )
            for won in range(len(roles) + 1)
        ]

    def signs(self, task: Task, options: Mapping[str, Any]) -> Sequence[Sequence[str]]:
        """Return the word before each vote."""
        return (("Vote:",),)

    def parse(self, text: str, task: Task, options: Mapping[str, Any]) -> Reading:
        """Return the reading of a reply to the first call, without log-probabilities."""
        return self.hear_call(self.calls(task, options)[0], text, (), task, options)

    def default_parameters(self, options: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return parameters for greedy decoding, with log-probabilities unless votes are only counted."""
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
        """Return that lower scores are better or that the options leave no roles, or None."""
        if not criterion.higher_is_better:
            return Refusal(
                sentence("it votes for the better text, but for this criterion a lower score is better")
            )
        chosen = self.settle(options)
        if chosen["panel"] and not chosen["static"] and not chosen["k"]:
            return Refusal(sentence("without static roles and with k=0 the panel has no roles"), "k=4")
        return None


def _votes(text: str, tokens: Sequence[Token], roles: Sequence[PanelRole], *, batch: bool) -> list[RoleVote]:
    if not roles:
        roles = [PanelRole("", "")]
        batch = False
    votes = read_votes(text, roles) if batch else [read_vote(text, roles[0])]
    return with_confidence(votes, tokens, roles, batch=batch)


def _line(vote: Mapping[str, Any]) -> str:
    name = f"{vote['role']} ({vote['for']})" if vote["role"] else str(vote["for"])
    return f"{name}: {vote['reason']}"
