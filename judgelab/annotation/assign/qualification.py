"""Known scores at work: feedback, the training round that qualifies, and attention checks that screen out."""

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

TRAINING, ATTENTION = "training", "attention"
CLOSED = (*assignments.FINISHED, "returned")


@dataclass(frozen=True)
class Qualification:
    """Where a person stands: `none` asked, in `training` for the how-manieth time, `passed` or `out`."""

    state: Literal["none", "training", "passed", "out"]
    occasion: int = 0
    score: float | None = None


@dataclass(frozen=True)
class Feedback:
    """What a rater is told after a unit with known scores.

    Attributes:
        assignment: which unit it is about.
        outcome: what a training round that ended with it means; empty when it goes on. `out` after an
            attention check: too many were missed.
        score: share of right scores in that round.
        needed: the share that qualifies.
        tries_left: how often the training may still be done.
    """

    assignment: int
    purpose: str
    verdicts: tuple[CheckResult, ...]
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
        tries_left: how often the training may still be done, this round counted.
        needed: the share of right scores that qualifies.
        last: the share reached in the round before, if there was one.
    """

    done: int
    total: int
    tries_left: int
    needed: float
    last: float | None = None


def training_progress(session: Session, round_: RatingSession) -> TrainingProgress | None:
    """Return how far the person is in the training round, None when they are not in one."""
    kept = _training_record(session, round_)
    tries = int(kept.get("tries", 0))
    if kept.get("passed") or tries >= round_.policy.tries or round_.state != "active":
        return None
    units = set(open_units.all_checks(session, round_.project.id, TRAINING))
    given = assignments.assigned_for_purpose(
        session, round_.person_id, round_.project.id, TRAINING, occasion=tries
    )
    done = {one.unit_id for one in given if one.state in CLOSED} & units
    if not units:
        return None
    return TrainingProgress(
        len(done), len(units), round_.policy.tries - tries, round_.policy.needed, kept.get("score")
    )


def update_qualification(session: Session, round_: RatingSession, *, at: datetime) -> Qualification:
    """Return where the person stands, and bring a training round that is finished to its end."""
    project_id, person_id = round_.project.id, round_.person_id
    kept = _training_record(session, round_)
    tries = int(kept.get("tries", 0))
    if kept.get("passed") or (tries >= round_.policy.tries and round_.state == "active"):
        return Qualification("passed", tries, kept.get("score"))  # or let in by the researcher afterwards
    if round_.state == "screened_out":
        return Qualification("out", tries, kept.get("score"))
    units = open_units.all_checks(session, project_id, TRAINING)
    if not units:
        return Qualification("none")
    given = assignments.assigned_for_purpose(session, person_id, project_id, TRAINING, occasion=tries)
    closed = [one for one in given if one.state in CLOSED]
    if set(units) - {one.unit_id for one in closed}:
        return Qualification("training", tries)
    found = [
        verdict
        for _, own in _checked_units(session, round_, unit_view.load_views(session, closed))
        for verdict in own
    ]
    return _finish_training(session, round_, known_scores.share_right(found), tries + 1, at=at)


def after_rating(
    session: Session, round_: RatingSession, assignment_id: int, *, at: datetime
) -> Feedback | None:
    """Return what the rater is told now, and do what the rules say about what was rated."""
    given = assignments.find(session, assignment_id, round_.person_id, round_.project.id)
    if given is None or not given.finished or given.purpose not in (TRAINING, ATTENTION):
        return None
    found = [
        verdict
        for _, own in _checked_units(session, round_, unit_view.load_views(session, [given]))
        for verdict in own
    ]
    if given.purpose == ATTENTION:
        return _after_check(session, round_, given.id, found)
    before = int(_training_record(session, round_).get("tries", 0))
    qualification = update_qualification(session, round_, at=at)
    tries = int(_training_record(session, round_).get("tries", 0))
    ended = tries > before
    outcomes: dict[str, TrainingOutcome] = {"passed": "passed", "training": "again", "out": "out"}
    return Feedback(
        given.id,
        TRAINING,
        tuple(found),
        outcomes[qualification.state] if ended else "",
        score=qualification.score if ended else None,
        needed=round_.policy.needed,
        tries_left=max(round_.policy.tries - tries, 0),
    )


def failed_checks(session: Session, round_: RatingSession) -> int:
    """Return how many attention checks the person missed."""
    given = assignments.assigned_for_purpose(session, round_.person_id, round_.project.id, ATTENTION)
    done = unit_view.load_views(session, [one for one in given if one.finished])
    return sum(not all(verdict.right for verdict in own) for _, own in _checked_units(session, round_, done))


def _after_check(
    session: Session, round_: RatingSession, assignment_id: int, found: list[CheckResult]
) -> Feedback | None:
    limit = round_.policy.screen_out_after
    missed = not all(verdict.right for verdict in found)
    out = bool(missed and limit and round_.state == "active" and failed_checks(session, round_) >= limit)
    if out:
        _screen_out(session, round_, {"why": "attention checks", "missed": limit})
    loud = tuple(verdict for verdict in found if verdict.known.loud)
    if not loud:
        return None
    return Feedback(assignment_id, ATTENTION, loud, "out" if out else "")


def _finish_training(
    session: Session, round_: RatingSession, score: float, tries: int, *, at: datetime
) -> Qualification:
    outcome = known_scores.training_outcome(score, tries=tries, policy=round_.policy)
    kept = {"tries": tries, "score": score, "passed": outcome == "passed", "at": at.isoformat()}
    memberships.save_training(session, round_.project.id, round_.person_id, kept)
    if outcome == "passed":
        return Qualification("passed", tries, score)
    if outcome == "again":
        return Qualification("training", tries, score)
    _screen_out(session, round_, {"why": "training", "score": score})
    return Qualification("out", tries, score)


def _screen_out(session: Session, round_: RatingSession, detail: Mapping[str, Any]) -> None:
    project_id, person_id = round_.project.id, round_.person_id
    memberships.set_state(session, project_id, person_id, "screened_out")
    audit.record(session, "screened_out", project_id=project_id, person_id=person_id, detail=detail)


def _checked_units(
    session: Session, round_: RatingSession, laid: Sequence[UnitView]
) -> list[tuple[UnitView, list[CheckResult]]]:
    known = gold.known_scores(session, [one.unit.id for one in laid])
    found = []
    for one in laid:
        form = forms.form_of_unit(one, round_)
        said = form.said(session, [one], round_.person_id)[one.given.id].values
        asked = [
            KnownScore(k.criterion, k.score, k.tolerance, k.loud, k.explanation, k.places)
            for k in known.get(one.unit.id, ())
        ]
        numbers = {
            k.criterion: comparable_number(one, said[k.criterion], k, ends=form.name == "best_worst")
            for k in asked
            if k.criterion in said
        }
        own = [
            _with_orders_in_words(verdict, round_, one, form, said)
            for verdict in known_scores.check_scores(asked, numbers)
        ]
        found.append((one, own))
    return found


def _with_orders_in_words(
    verdict: CheckResult, round_: RatingSession, laid: UnitView, form: forms.Form, said: Mapping[str, Any]
) -> CheckResult:
    """Return the verdict with both orders in the letters of the screen, where it is about an order."""
    known, key = verdict.known.places, verdict.known.criterion
    if not known or key not in said:
        return verdict
    places = [known.get(response) for response in laid.responses]
    if form.name == "best_worst":
        best, worst = min(known.values()), max(known.values())
        places = [place and {best: BEST, worst: WORST}.get(place, BETWEEN) for place in places]
    return replace(
        verdict, orders=(form.in_words(round_, key, said[key]), form.in_words(round_, key, places))
    )


def comparable_number(laid: UnitView, value: Any, known: KnownScore, *, ends: bool = False) -> float | None:
    """Return what was said as the number that is compared with a known score.

    Of a pair: 1 for the response stored first, -1 for the other, 0 for a tie. Of a list: how like its order
    is to the known one, of which `ends` looks at the best and the worst only.
    """
    if isinstance(value, list):
        said = {one: place for one, place in zip(laid.responses, value, strict=True) if place is not None}
        return known_scores.order_similarity(said, known.places, ends=ends)
    if not isinstance(value, Mapping):
        return value if isinstance(value, int | float) else None
    if value["choice"] == "tie":
        return 0.0
    chosen = laid.responses[value["choice"] == "second"]
    return 1.0 if chosen == laid.unit.responses[0] else -1.0


def _training_record(session: Session, round_: RatingSession) -> Mapping[str, Any]:
    member = memberships.find(session, round_.project.id, round_.person_id)
    return member.training if member else {}
