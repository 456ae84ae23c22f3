"""Responses with conflicting ratings, and adjudicators' decisions about them.

Only ratings by raters that the filter in use keeps can conflict. A decision changes no rating; it is stored
next to them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from judgelab.analysis.data.project_scores import ProjectScores
from judgelab.analysis.data.scores import IN_USE, project_scores
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.errors import InvalidInput
from judgelab.scales import Scale
from judgelab.store.db.engine import Store
from judgelab.store.frames.details import HumanRating
from judgelab.store.projects.projects import find_project
from judgelab.store.rating import decisions as stored
from judgelab.store.rating.criteria import criterion_ids
from judgelab.store.rating.decisions import DecisionInfo
from judgelab.wording import sentence

LONGEST_REASON = 2_000


@dataclass(frozen=True)
class Conflict:
    """One response whose ratings under one criterion are too far apart.

    Attributes:
        response: row id of the response.
        item: the item's name.
        system: the system's name.
        criterion: key of the criterion.
        scores: the kept ratings, lowest first.
        left_out: raters that the filter removes under this criterion. Raters who rate after the conflict was
            found count unless they are named here.
        decision: the decision; None while it is open.
        ordered: whether the scale has an order.
    """

    response: int
    item: str
    system: str
    criterion: str
    scores: tuple[float, ...]
    left_out: frozenset[str]
    decision: DecisionInfo | None
    ordered: bool = True

    @property
    def key(self) -> int:
        """Return what is in conflict: the response."""
        return self.response

    @property
    def spread(self) -> float:
        """Return the range of the ratings, in points of the scale; 1 between labels without an order."""
        return 1.0 if not self.ordered else self.scores[-1] - self.scores[0]

    @property
    def sort_key(self) -> tuple[float, str, str, int]:
        """Return the key that sorts conflicts by spread, widest first."""
        return -self.spread, self.item, self.system, self.response


@dataclass(frozen=True)
class ConflictRating:
    """One rater's rating in a conflict, under their name or a number."""

    name: str
    score: float | None
    comment: str
    counts: bool


def default_distance(scale: Scale) -> float:
    """Return the default distance of a conflict: half the scale, at least one step; 1 between two labels."""
    if not scale.ordered:
        return 1.0
    points = [point.value for point in scale.points()]
    half = (scale.high - scale.low) / 2
    return min((point - scale.low for point in points if point - scale.low >= half), default=half)


def find_conflicts(
    store: Store, slug: str, *, criterion: str, distance: float | None = None, policy: str = IN_USE
) -> list[Conflict]:
    """Return the responses whose ratings are at least `distance` points apart, widest first.

    Labels without an order conflict if they differ, whatever the distance.

    Raises:
        NotFound: no such project or criterion.
        InvalidInput: the distance is not above 0.
    """
    data = project_scores(store, slug, policy=policy)
    least_distance = default_distance(data.project.scale(criterion)) if distance is None else distance
    ordered = data.project.scale(criterion).ordered
    if not ordered:
        least_distance = 1.0
    if least_distance <= 0:
        raise InvalidInput(sentence("the distance of a conflict must be above 0."))
    with store.reading() as session:
        decision_by_key = stored.decisions(session, data.project.id)
    left_out = _left_out(data, criterion)
    humans = data.humans[data.humans["criterion"] == criterion]
    humans = humans[~humans["rater"].isin(left_out)]
    scores = humans.groupby("response")["score"]
    far_apart = scores.transform("max") - scores.transform("min") >= least_distance - 1e-9
    in_conflict = [
        Conflict(
            response=(number := int(ratings["response"].iloc[0])),
            item=str(ratings["item"].iloc[0]),
            system=str(ratings["system"].iloc[0]),
            criterion=criterion,
            scores=tuple(sorted(float(score) for score in ratings["score"])),
            left_out=left_out,
            decision=decision_by_key.get((number, criterion)),
            ordered=ordered,
        )
        for _, ratings in humans[far_apart].groupby("response", sort=False)
    ]
    return sorted(in_conflict, key=lambda conflict: conflict.sort_key)


def count_filtered(conflicts: Iterable[Conflict], policy: FilterPolicy, scale: Scale) -> int:
    """Return how many of these responses the filter removes as conflicts."""
    least_distance = policy.conflict_distance(scale)
    if least_distance is None:
        return 0
    least_ratings = max(policy.min_annotations, 2)
    most_ratings = 2 if policy.conflict_scope == "exactly_two" else math.inf
    return sum(
        conflict.spread >= least_distance - 1e-9 and least_ratings <= len(conflict.scores) <= most_ratings
        for conflict in conflicts
    )


def conflict_ratings(
    ratings: Iterable[HumanRating], conflict: Conflict, *, hidden: bool
) -> tuple[ConflictRating, ...]:
    """Return the ratings in a conflict; with `hidden`, numbered in place of names.

    They are sorted by score, and pseudo-randomly within a score, so that the order reveals no name.
    """
    of_criterion = [rating for rating in ratings if rating.criterion == conflict.criterion]
    shuffled = sorted(
        of_criterion, key=lambda rating: sha256(f"{conflict.response}/{rating.rater}".encode()).digest()
    )
    ranked = sorted(shuffled, key=lambda rating: (rating.score is None, rating.score))
    return tuple(
        ConflictRating(
            sentence("Rating {number}", number=place + 1) if hidden else rating.rater,
            rating.score,
            rating.comment,
            rating.rater not in conflict.left_out,
        )
        for place, rating in enumerate(ranked)
    )


def check_reason(reason: str) -> None:
    """Refuse a reason that is too long.

    Raises:
        InvalidInput: it is.
    """
    if len(reason) > LONGEST_REASON:
        raise InvalidInput(
            sentence(
                "the reason has {found} characters; at most {allowed} are allowed.",
                found=len(reason),
                allowed=LONGEST_REASON,
            )
        )


def project_decisions(store: Store, slug: str) -> dict[tuple[int, str], DecisionInfo]:
    """Return adjudicators' decisions by response and criterion."""
    with store.reading() as session:
        return stored.decisions(session, find_project(session, slug).id)


def decide_conflict(
    store: Store,
    slug: str,
    *,
    response: int,
    criterion: str,
    score: float | None,
    person_id: int,
    reason: str = "",
    names_hidden: bool = True,
    seen: datetime | object | None = stored.ANY,
) -> None:
    """Store an adjudicator's decision; no score means that it cannot be decided.

    `seen` is the time of the decision that they saw, None if they saw none.

    Raises:
        InvalidInput: the score is not on the scale, the reason is too long, or the decision has changed since
            `seen`.
        NotFound: no such project, criterion or response.
    """
    check_reason(reason)
    with store.writing() as session:
        project = find_project(session, slug)
        label = project.criterion(criterion).label
        problem = None if score is None else project.scale(criterion).reject(score)
        if problem:
            raise InvalidInput(sentence("{criterion}: {problem}.", criterion=label, problem=problem))
        stored.save_decision(
            session,
            project.id,
            response_id=response,
            criterion_id=criterion_ids(session, project.id)[criterion],
            person_id=person_id,
            score=score,
            reason=reason.strip(),
            names_hidden=names_hidden,
            seen=seen,
        )


def reopen_conflict(store: Store, slug: str, *, response: int, criterion: str, person_id: int) -> None:
    """Withdraw a decision, so that the conflict is open again."""
    with store.writing() as session:
        project = find_project(session, slug)
        stored.withdraw_decision(
            session,
            project.id,
            response_id=response,
            criterion_id=criterion_ids(session, project.id)[criterion],
            person_id=person_id,
        )


def _left_out(data: ProjectScores, criterion: str) -> frozenset[str]:
    if data.outcome is None:
        return frozenset()
    return frozenset(
        verdict.rater
        for verdict in data.outcome.raters
        if verdict.criterion == criterion and not verdict.kept
    )
