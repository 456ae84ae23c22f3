"""From the votes of a panel to the score of a response: equations 1, 2 and 4 of Wu et al. (2023).

A *sitting* is one vote of the whole panel: one wording, one order of the two texts, one reference. Its score
is the sum over the roles that vote for the candidate of their confidence or, without log-probabilities, their
number; either by the number of roles. Equation 4 leaves the sum as it is: with panels of one size that
changes no correlation, and here a response without log-probabilities stands on the scale of the others.
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
    """Which sitting a call belongs to."""

    variant: int
    order: str
    reference: int


def votes_json(votes: Sequence[RoleVote], *, candidate_first: bool) -> list[dict[str, Any]]:
    """Return the votes as they are kept: for whom, why, how sure."""
    return [
        {
            "role": one.role.type,
            "description": one.role.description,
            "origin": one.role.origin,
            "for": None
            if one.vote is None
            else CANDIDATE
            if (one.vote == 1) == candidate_first
            else REFERENCE,
            "reason": one.said,
            "confidence": one.confidence,
        }
        for one in votes
    ]


def sure(votes: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the confidence of every vote is known."""
    return all(one["confidence"] is not None for one in votes)


def sitting_score(votes: Sequence[Mapping[str, Any]], *, weighed: bool) -> float:
    """Return the score of one sitting, 0 to 1; `weighed` votes for the candidate count by their confidence.

    >>> votes = [{"for": "candidate", "confidence": .5}, {"for": "reference", "confidence": .9}]
    >>> sitting_score(votes, weighed=True), sitting_score(votes, weighed=False)
    (0.25, 0.5)
    """
    won = [one for one in votes if one["for"] == CANDIDATE]
    worth = sum(one["confidence"] for one in won) if weighed else len(won)
    return float(worth / len(votes))


def wording_scores(
    sittings: Sequence[tuple[Sitting, Sequence[Mapping[str, Any]]]], *, weighed: bool
) -> dict[int, float]:
    """Return the score under each wording of the task, the mean where it was asked several times.

    >>> won, lost = ([{"for": which, "confidence": None}] for which in ("candidate", "reference"))
    >>> asked = [(Sitting(0, "candidate_first", 0), won), (Sitting(0, "reference_first", 0), lost)]
    >>> wording_scores([*asked, (Sitting(1, "candidate_first", 0), won)], weighed=False)
    {0: 0.5, 1: 1.0}
    """
    found: defaultdict[int, list[float]] = defaultdict(list)
    for sitting, votes in sittings:
        found[sitting.variant].append(sitting_score(votes, weighed=weighed))
    return {variant: statistics.fmean(scores) for variant, scores in sorted(found.items())}


def whole_sittings(
    heard: Sequence[Heard], *, seats: int
) -> tuple[list[tuple[Sitting, list[Mapping[str, Any]]]], list[Reading]]:
    """Return the sittings in which everybody voted, and why each of the others is none."""
    asked: defaultdict[tuple[Sitting, int], list[Heard]] = defaultdict(list)
    draws: defaultdict[tuple[Sitting, int | None], int] = defaultdict(int)
    for one in heard:
        sitting, role = Sitting(*one.call.data["sitting"]), one.call.data["role"]
        asked[sitting, draws[sitting, role]].append(one)
        draws[sitting, role] += 1
    whole, broken = [], []
    for (sitting, _), replies in asked.items():
        votes = [vote for one in replies if one.reading.scored for vote in one.reading.detail["votes"]]
        if len(votes) == seats:
            whole.append((sitting, votes))
        else:
            failed = [one.reading for one in replies if not one.reading.scored]
            lacking = Reading(reason=sentence("not every role of the panel answered"))
            broken.append(failed[0] if failed else lacking)
    return whole, broken


def said_together(sittings: Sequence[Sequence[Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """Return each role once: how often it voted for the candidate, its mean confidence, what it said.

    `said` holds reason and choice of every sitting, so that a reader can see where a role changed its mind.
    """
    return [
        {
            **{key: votes[0][key] for key in ("role", "description", "origin")},
            "candidate": sum(one["for"] == CANDIDATE for one in votes),
            "sittings": len(votes),
            "confidence": statistics.fmean(one["confidence"] for one in votes) if sure(votes) else None,
            "said": [{"for": one["for"], "reason": one["reason"]} for one in votes],
        }
        for votes in zip(*sittings, strict=True)
    ]


def changed_with_order(sittings: Sequence[tuple[Sitting, Sequence[Mapping[str, Any]]]]) -> dict[str, int]:
    """Return how many votes were asked for in both orders, and how many of them changed with the order."""
    asked: defaultdict[tuple[int, int, int], dict[str, Any]] = defaultdict(dict)
    for sitting, votes in sittings:
        for place, vote in enumerate(votes):
            asked[sitting.variant, sitting.reference, place].setdefault(sitting.order, vote["for"])
    both = [list(orders.values()) for orders in asked.values() if len(orders) == 2]
    return {"both_orders": len(both), "changed": sum(one != other for one, other in both)} if both else {}
