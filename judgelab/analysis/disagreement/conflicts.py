"""Responses on which the people's ratings conflict, and what an adjudicator decides about them.

Conflicts are looked for among the raters whom the quality rule in use keeps; whoever it takes out is not
argued with. Deciding changes no rating: a decision stands beside them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from judgelab.analysis.data.scores import IN_USE, ProjectScores, project_scores
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
    """One response under one criterion with ratings too far apart.

    Attributes:
        response: row id of the response.
        scores: the ratings that count, lowest first.
        left_out: whom the quality rule leaves out under this criterion, on whatever response: whoever rates
            after the conflict was found counts unless named here.
        decision: what was decided, None while it is open.
    """

    response: int
    item: str
    system: str
    criterion: str
    scores: tuple[float, ...]
    left_out: frozenset[str]
    decision: DecisionInfo | None

    @property
    def spread(self) -> float:
        """How far the ratings are apart, in points of the scale."""
        return self.scores[-1] - self.scores[0]

    @property
    def sort_key(self) -> tuple[float, str, str, int]:
        """Where it stands among conflicts: the widest first."""
        return -self.spread, self.item, self.system, self.response


@dataclass(frozen=True)
class ConflictRating:
    """What one rater said, under their name or under a letter."""

    name: str
    score: float | None
    comment: str
    counts: bool


def default_distance(scale: Scale) -> float:
    """Return from which distance on ratings are offered as a conflict: half the scale, one step at least."""
    points = [point.value for point in scale.points()]
    half = (scale.high - scale.low) / 2
    return min((point - scale.low for point in points if point - scale.low >= half), default=half)


def find_conflicts(
    store: Store, slug: str, *, criterion: str, distance: float | None = None, policy: str = IN_USE
) -> list[Conflict]:
    """Return the responses whose ratings lie at least `distance` points apart, widest first.

    Raises:
        NotFound: no such project or criterion.
        InvalidInput: a distance that is not above 0.
    """
    data = project_scores(store, slug, policy=policy)
    least_distance = default_distance(data.project.scale(criterion)) if distance is None else distance
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
        )
        for _, ratings in humans[far_apart].groupby("response", sort=False)
    ]
    return sorted(in_conflict, key=lambda conflict: conflict.sort_key)


def count_filtered(conflicts: Iterable[Conflict], rule: FilterPolicy, scale: Scale) -> int:
    """Return how many of these responses the quality rule takes out as in conflict."""
    least_distance = rule.conflict_distance(scale)
    if least_distance is None:
        return 0
    least_ratings = max(rule.min_annotations, 2)
    most_ratings = 2 if rule.conflict_scope == "exactly_two" else math.inf
    return sum(
        conflict.spread >= least_distance - 1e-9 and least_ratings <= len(conflict.scores) <= most_ratings
        for conflict in conflicts
    )


def conflict_ratings(
    ratings: Iterable[HumanRating], conflict: Conflict, *, hidden: bool
) -> tuple[ConflictRating, ...]:
    """Return who said what in a conflict; hidden, raters go by letters that change by response.

    The order is by score; within a score it is drawn, so that it gives no name away.
    """
    of_criterion = [rating for rating in ratings if rating.criterion == conflict.criterion]
    shuffled = sorted(
        of_criterion, key=lambda rating: sha256(f"{conflict.response}/{rating.rater}".encode()).digest()
    )
    names = {
        rating.rater: _anonymous_name(n) if hidden else rating.rater for n, rating in enumerate(shuffled)
    }
    ranked = sorted(shuffled, key=lambda rating: (rating.score is None, rating.score))
    return tuple(
        ConflictRating(
            names[rating.rater], rating.score, rating.comment, rating.rater not in conflict.left_out
        )
        for rating in ranked
    )


def _anonymous_name(number: int) -> str:
    return sentence("Rater {letter}", letter=chr(ord("A") + number % 26))


def project_decisions(store: Store, slug: str) -> dict[tuple[int, str], DecisionInfo]:
    """Return what adjudicators decided, by response and criterion."""
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
    """Store what the adjudicator decided; no score means that it cannot be decided.

    `seen` is when the decision was made that they saw, None where they saw none.

    Raises:
        InvalidInput: a score that is not on the scale, a reason that is too long, or somebody decided
            otherwise since what was `seen`.
        NotFound: no such project, criterion or response.
    """
    if len(reason) > LONGEST_REASON:
        raise InvalidInput(
            sentence(
                "the reason has {found} characters and {allowed} are allowed.",
                found=len(reason),
                allowed=LONGEST_REASON,
            )
        )
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
    """Open a decided conflict again."""
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
