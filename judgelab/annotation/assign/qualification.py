"""What known scores are used for: feedback, training that qualifies, attention checks that screen out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from judgelab.annotation import forms
from judgelab.annotation.assign import known_scores
from judgelab.annotation.assign.known_scores import CheckResult, KnownScore, TrainingOutcome
from judgelab.annotation.forms.listwise import BEST, BETWEEN, WORST
from judgelab.annotation.rating import unit_view
from judgelab.annotation.rating.session import RatingSession
from judgelab.annotation.rating.unit_view import UnitView
from judgelab.store.db import audit
from judgelab.store.db.engine import Session
from judgelab.store.people import memberships
from judgelab.store.rating import assignments, gold, open_units
from judgelab.store.rating.assignments import AssignedUnit

TRAINING, ATTENTION = "training", "attention"
CLOSED = (*assignments.FINISHED, "returned")


@dataclass(frozen=True)
class Qualification:
    """Whether a person is qualified.

    Args:
        state: `none` if the project has no training, else `training`, `passed` or `out`.
        occasion: the number of the present training round, from 0.
        score: share of right scores in the last round.
    """

    state: Literal["none", "training", "passed", "out"]
    occasion: int = 0
    score: float | None = None


@dataclass(frozen=True)
class Feedback:
    """What a rater is told after a unit with known scores.

    Attributes:
        assignment: row id of the assignment.
        outcome: the outcome of the training round that ended with this unit; empty if it goes on. `out` after
            an attention check: too many were missed.
        score: share of right scores in that round.
        needed: the share that qualifies.
        tries_left: how often the training can still be done.
    """

    assignment: int
    purpose: str
    results: tuple[CheckResult, ...]
    outcome: TrainingOutcome | Literal[""] = ""
    score: float | None = None
    needed: float = 0.0
    tries_left: int = 0


@dataclass(frozen=True)
class TrainingProgress:
    """How far a person is in the training round.

    Attributes:
        done: units rated in this round.
        total: units of the round.
        tries_left: how often the training can still be done, including this round.
        needed: the share of right scores that qualifies.
        last: the share reached in the previous round, if there was one.
    """

    done: int
    total: int
    tries_left: int
    needed: float
    last: float | None = None


def training_progress(session: Session, rating_session: RatingSession) -> TrainingProgress | None:
    """Return how far the person is in the training round, None if they are not in one."""
    policy = rating_session.policy
    record = _training_record(session, rating_session)
    tries = int(record.get("tries", 0))
    if record.get("passed") or tries >= policy.tries or rating_session.state != "active":
        return None
    units = set(open_units.all_checks(session, rating_session.project_id, TRAINING))
    if not units:
        return None
    assigned = assignments.assigned_for_purpose(
        session, rating_session.person_id, rating_session.project_id, TRAINING, occasion=tries
    )
    done = {assignment.unit_id for assignment in assigned if assignment.state in CLOSED} & units
    return TrainingProgress(len(done), len(units), policy.tries - tries, policy.needed, record.get("score"))


def update_qualification(session: Session, rating_session: RatingSession, *, at: datetime) -> Qualification:
    """Return whether the person is qualified, after closing a training round of which all units are rated."""
    project_id, person_id = rating_session.project_id, rating_session.person_id
    record = _training_record(session, rating_session)
    tries = int(record.get("tries", 0))
    if record.get("passed") or (tries >= rating_session.policy.tries and rating_session.state == "active"):
        # Active without having passed: a researcher let the person in.
        return Qualification("passed", tries, record.get("score"))
    if rating_session.state == "screened_out":
        return Qualification("out", tries, record.get("score"))
    units = open_units.all_checks(session, project_id, TRAINING)
    if not units:
        return Qualification("none")
    assigned = assignments.assigned_for_purpose(session, person_id, project_id, TRAINING, occasion=tries)
    closed = [assignment for assignment in assigned if assignment.state in CLOSED]
    if set(units) - {assignment.unit_id for assignment in closed}:
        return Qualification("training", tries)
    results = _results_of(session, rating_session, closed)
    return _finish_training(session, rating_session, known_scores.share_right(results), tries + 1, at=at)


def after_rating(
    session: Session, rating_session: RatingSession, assignment_id: int, *, at: datetime
) -> Feedback | None:
    """Return the feedback on a rating that was just stored, and qualify or screen out the person."""
    assignment = assignments.find_assignment(
        session, assignment_id, rating_session.person_id, rating_session.project_id
    )
    if assignment is None or not assignment.finished or assignment.purpose not in (TRAINING, ATTENTION):
        return None
    results = _results_of(session, rating_session, [assignment])
    if assignment.purpose == ATTENTION:
        return _after_check(session, rating_session, assignment.id, results)
    tries_before = int(_training_record(session, rating_session).get("tries", 0))
    qualification = update_qualification(session, rating_session, at=at)
    tries = int(_training_record(session, rating_session).get("tries", 0))
    ended = tries > tries_before
    outcomes: dict[str, TrainingOutcome] = {"passed": "passed", "training": "again", "out": "out"}
    return Feedback(
        assignment.id,
        TRAINING,
        tuple(results),
        outcomes[qualification.state] if ended else "",
        score=qualification.score if ended else None,
        needed=rating_session.policy.needed,
        tries_left=max(rating_session.policy.tries - tries, 0),
    )


def failed_checks(session: Session, rating_session: RatingSession) -> int:
    """Return how many attention checks the person missed."""
    assigned = assignments.assigned_for_purpose(
        session, rating_session.person_id, rating_session.project_id, ATTENTION
    )
    views = unit_view.load_views(session, [assignment for assignment in assigned if assignment.finished])
    results = _results_by_view(session, rating_session, views)
    return sum(not all(result.right for result in of_view) for of_view in results)


def _after_check(
    session: Session, rating_session: RatingSession, assignment_id: int, results: list[CheckResult]
) -> Feedback | None:
    limit = rating_session.policy.screen_out_after
    missed = not all(result.right for result in results)
    active = rating_session.state == "active"
    out = bool(missed and limit and active and failed_checks(session, rating_session) >= limit)
    if out:
        _screen_out(session, rating_session, {"why": "attention checks", "missed": limit})
    shown = tuple(result for result in results if result.known_score.loud)
    if not shown:
        return None
    return Feedback(assignment_id, ATTENTION, shown, "out" if out else "")


def _finish_training(
    session: Session, rating_session: RatingSession, score: float, tries: int, *, at: datetime
) -> Qualification:
    outcome = known_scores.training_outcome(score, tries=tries, policy=rating_session.policy)
    record = {"tries": tries, "score": score, "passed": outcome == "passed", "at": at.isoformat()}
    memberships.save_training(session, rating_session.project_id, rating_session.person_id, record)
    if outcome == "passed":
        return Qualification("passed", tries, score)
    if outcome == "again":
        return Qualification("training", tries, score)
    _screen_out(session, rating_session, {"why": "training", "score": score})
    return Qualification("out", tries, score)


def _screen_out(session: Session, rating_session: RatingSession, detail: Mapping[str, Any]) -> None:
    project_id, person_id = rating_session.project_id, rating_session.person_id
    memberships.set_state(session, project_id, person_id, "screened_out")
    audit.record(session, "screened_out", project_id=project_id, person_id=person_id, detail=detail)


def _results_of(
    session: Session, rating_session: RatingSession, assigned: Sequence[AssignedUnit]
) -> list[CheckResult]:
    views = unit_view.load_views(session, assigned)
    return [result for results in _results_by_view(session, rating_session, views) for result in results]


def _results_by_view(
    session: Session, rating_session: RatingSession, views: Sequence[UnitView]
) -> list[list[CheckResult]]:
    """Return for each unit the person's scores compared with the known ones."""
    known = gold.known_scores(session, [view.unit.id for view in views])
    results = []
    for view in views:
        form = forms.form_of_unit(view, rating_session)
        values = form.submissions(session, [view], rating_session.person_id)[view.assignment.id].values
        expected = [
            KnownScore(k.criterion, k.score, k.tolerance, k.loud, k.explanation, k.places)
            for k in known.get(view.unit.id, ())
        ]
        numbers = {
            score.criterion: comparable_number(
                view, values[score.criterion], score, ends=form.name == "best_worst"
            )
            for score in expected
            if score.criterion in values
        }
        results.append(
            [
                _with_orders_in_words(result, rating_session, view, form, values)
                for result in known_scores.check_scores(expected, numbers)
            ]
        )
    return results


def _with_orders_in_words(
    result: CheckResult,
    rating_session: RatingSession,
    view: UnitView,
    form: forms.Form,
    values: Mapping[str, Any],
) -> CheckResult:
    """Return the result with both orders in the letters of the screen, if it is about an order."""
    known, key = result.known_score.places, result.known_score.criterion
    if not known or key not in values:
        return result
    places = [known.get(response) for response in view.responses]
    if form.name == "best_worst":
        best, worst = min(known.values()), max(known.values())
        places = [place and {best: BEST, worst: WORST}.get(place, BETWEEN) for place in places]
    orders = (form.in_words(rating_session, key, values[key]), form.in_words(rating_session, key, places))
    return replace(result, orders=orders)


def comparable_number(view: UnitView, value: Any, known: KnownScore, *, ends: bool = False) -> float | None:
    """Return what a person entered as the number that is compared with a known score.

    For a pair: 1 for the response stored first, -1 for the other, 0 for a tie. For a list: the similarity of
    its order to the known one; with `ends` only the best and the worst count.
    """
    if isinstance(value, list):
        places = {
            response: place
            for response, place in zip(view.responses, value, strict=True)
            if place is not None
        }
        return known_scores.order_similarity(places, known.places, ends=ends)
    if not isinstance(value, Mapping):
        return value if isinstance(value, int | float) else None
    if value["choice"] == "tie":
        return 0.0
    chosen = view.responses[value["choice"] == "second"]
    return 1.0 if chosen == view.unit.responses[0] else -1.0


def _training_record(session: Session, rating_session: RatingSession) -> Mapping[str, Any]:
    member = memberships.find(session, rating_session.project_id, rating_session.person_id)
    return member.training if member else {}
