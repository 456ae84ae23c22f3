"""Compute the score of a response from a panel's votes: equations 1, 2 and 4 of Wu et al. (2023).

A *sitting* is one vote of the whole panel: one wording, one order of the two texts, one reference. Its score
is the sum of the confidences of the roles that vote for the candidate or, without log-probabilities, their
number, divided by the number of roles. Equation 4 does not divide; with panels of equal size this changes no
correlation, and it keeps responses without log-probabilities on the same scale.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from judgelab.domain import Reading
from judgelab.protocols.core.base import Heard
from judgelab.protocols.panel.replies import RoleVote
from judgelab.wording import sentence

CANDIDATE, REFERENCE = "candidate", "reference"


class Sitting(NamedTuple):
    """The wording, order and reference of one vote of the whole panel."""

    variant: int
    order: str
    reference: int


def votes_json(votes: Sequence[RoleVote], *, candidate_first: bool) -> list[dict[str, Any]]:
    """Return the votes as they are stored: the chosen text, the reason, the confidence."""
    return [
        {
            "role": vote.role.type,
            "description": vote.role.description,
            "origin": vote.role.origin,
            "for": None
            if vote.vote is None
            else CANDIDATE
            if (vote.vote == 1) == candidate_first
            else REFERENCE,
            "reason": vote.rationale,
            "confidence": vote.confidence,
        }
        for vote in votes
    ]


def has_confidence(votes: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the confidence of every vote is known."""
    return all(vote["confidence"] is not None for vote in votes)


def sitting_score(votes: Sequence[Mapping[str, Any]], *, weighed: bool) -> float:
    """Return the score of one sitting, 0 to 1; with `weighed`, votes count by their confidence.

    >>> votes = [{"for": "candidate", "confidence": .5}, {"for": "reference", "confidence": .9}]
    >>> sitting_score(votes, weighed=True), sitting_score(votes, weighed=False)
    (0.25, 0.5)
    """
    won = [vote for vote in votes if vote["for"] == CANDIDATE]
    worth = sum(vote["confidence"] for vote in won) if weighed else len(won)
    return float(worth / len(votes))


def wording_scores(
    sittings: Sequence[tuple[Sitting, Sequence[Mapping[str, Any]]]], *, weighed: bool
) -> dict[int, float]:
    """Return the score for each wording of the task: the mean over its sittings.

    >>> won, lost = ([{"for": which, "confidence": None}] for which in ("candidate", "reference"))
    >>> asked = [(Sitting(0, "candidate_first", 0), won), (Sitting(0, "reference_first", 0), lost)]
    >>> wording_scores([*asked, (Sitting(1, "candidate_first", 0), won)], weighed=False)
    {0: 0.5, 1: 1.0}
    """
    by_variant: defaultdict[int, list[float]] = defaultdict(list)
    for sitting, votes in sittings:
        by_variant[sitting.variant].append(sitting_score(votes, weighed=weighed))
    return {variant: statistics.fmean(scores) for variant, scores in sorted(by_variant.items())}


def complete_sittings(
    heard: Sequence[Heard], *, seats: int
) -> tuple[list[tuple[Sitting, list[Mapping[str, Any]]]], list[Reading]]:
    """Return the sittings in which every role voted, and a reading with the reason for each of the others."""
    by_sitting: defaultdict[tuple[Sitting, int], list[Heard]] = defaultdict(list)
    draws: defaultdict[tuple[Sitting, int | None], int] = defaultdict(int)
    for answer in heard:
        sitting, role = Sitting(*answer.call.data["sitting"]), answer.call.data["role"]
        by_sitting[sitting, draws[sitting, role]].append(answer)
        draws[sitting, role] += 1
    complete, incomplete = [], []
    for (sitting, _), replies in by_sitting.items():
        votes = [
            vote for answer in replies if answer.reading.scored for vote in answer.reading.detail["votes"]
        ]
        if len(votes) == seats:
            complete.append((sitting, votes))
        else:
            failed = [answer.reading for answer in replies if not answer.reading.scored]
            lacking = Reading(reason=sentence("not every role of the panel answered"))
            incomplete.append(failed[0] if failed else lacking)
    return complete, incomplete


def role_summaries(sittings: Sequence[Sequence[Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """Return a summary of each role: its votes for the candidate, its mean confidence, its reasons.

    `said` has the reason and choice of every sitting, to show where a role changed its mind.
    """
    return [
        {
            **{key: votes[0][key] for key in ("role", "description", "origin")},
            "candidate": sum(vote["for"] == CANDIDATE for vote in votes),
            "sittings": len(votes),
            "confidence": statistics.fmean(vote["confidence"] for vote in votes)
            if has_confidence(votes)
            else None,
            "said": [{"for": vote["for"], "reason": vote["reason"]} for vote in votes],
        }
        for votes in zip(*sittings, strict=True)
    ]


def order_changes(sittings: Sequence[tuple[Sitting, Sequence[Mapping[str, Any]]]]) -> dict[str, int]:
    """Return how many votes were cast in both orders, and how many of them changed with the order."""
    choices: defaultdict[tuple[int, int, int], dict[str, Any]] = defaultdict(dict)
    for sitting, votes in sittings:
        for place, vote in enumerate(votes):
            choices[sitting.variant, sitting.reference, place].setdefault(sitting.order, vote["for"])
    compared = [list(orders.values()) for orders in choices.values() if len(orders) == 2]
    return (
        {"both_orders": len(compared), "changed": sum(first != second for first, second in compared)}
        if compared
        else {}
    )
