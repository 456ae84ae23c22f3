"""Carrying out a rater's operations, inside one transaction that holds the project's lock."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from judgelab.annotation import forms
from judgelab.annotation.assign.selection import occupies_place
from judgelab.annotation.forms import Form, SubmissionContext
from judgelab.annotation.forms.error_scores import with_error_scores
from judgelab.annotation.links import withdrawal
from judgelab.annotation.operation_time import with_capped_seconds
from judgelab.annotation.rating import questions, unit_view
from judgelab.annotation.rating.operations import WITHOUT_UNIT, Operation
from judgelab.annotation.rating.session import RatingSession, saw_judges
from judgelab.annotation.rating.unit_view import UnitView
from judgelab.annotation.submission_rules import check_rules
from judgelab.errors import InvalidInput
from judgelab.store.db.engine import Session
from judgelab.store.rating import assignments, messages, ratings
from judgelab.store.rating.assignments import AssignedUnit
from judgelab.store.rating.criteria import criterion_ids
from judgelab.wording import sentence


@dataclass(frozen=True)
class OperationContext:
    """An operation together with the unit it is about."""

    session: Session
    rating_session: RatingSession
    operation: Operation
    view: UnitView
    form: Form
    at: datetime

    @property
    def assignment(self) -> AssignedUnit:
        """The assignment as it was before the operation."""
        return self.view.assignment

    @property
    def person_id(self) -> int:
        """Row id of the rater."""
        return self.rating_session.person_id

    def change(self, **values: Any) -> None:
        """Set columns of the assignment."""
        assignments.change(self.session, self.assignment.id, **values)


@dataclass(frozen=True)
class Effect:
    """What an operation did.

    Attributes:
        surplus: whether the unit already had enough ratings, so that this one is surplus.
        counts_as_progress: whether it brought the person one unit further; practice does not count.
        seconds: the time of a rating, as it was stored.
    """

    surplus: bool = False
    counts_as_progress: bool = False
    seconds: float | None = None


def carry_out(
    session: Session, rating_session: RatingSession, operation: Operation, *, at: datetime
) -> Effect:
    """Carry out the operation, extend the person's leases, and return what it did.

    Raises:
        InvalidInput: the unit was never assigned to this person, or a value does not fit.
    """
    person_id, project_id = rating_session.person_id, rating_session.project_id
    until = rating_session.pause_end(at) if operation.kind == "pause" else rating_session.lease_end(at)
    assignments.extend_leases(session, person_id, project_id, at=at, until=until)
    if operation.kind == "return":
        withdrawal.withdraw(session, project_id, person_id, "returned", by=person_id)
    elif operation.kind not in ("renew", "pause", "read"):
        withdrawal.check_not_returned(rating_session)
    if operation.kind == "offer":
        assignments.reoffer_skipped(session, person_id, project_id)
    if operation.kind == "read":
        messages.mark_read(session, project_id, person_id, last=operation.last, at=at)
    if operation.kind in WITHOUT_UNIT:
        return Effect()
    assignment = assignments.find_assignment(session, operation.item, person_id, project_id)
    views = unit_view.load_views(session, [assignment] if assignment else [])
    if not views:
        raise InvalidInput(sentence("this answer is no longer on your list; it may have been removed."))
    form = forms.form_of_unit(views[0], rating_session, operation.form)
    operation = with_error_scores(rating_session.project.scales, operation)
    operation = with_capped_seconds(
        session, rating_session, operation, at, given=views[0].assignment.given_at
    )
    return HANDLERS[operation.kind](OperationContext(session, rating_session, operation, views[0], form, at))


def _rate(context: OperationContext) -> Effect:
    session, rating_session, assignment = context.session, context.rating_session, context.assignment
    operation, at = context.operation, context.at
    context.form.check(rating_session, context.view, operation)
    check_rules(session, rating_session, context.view, context.form, operation, at)
    answers = _answers(context)
    before = _stored_values(context)
    surplus = _is_surplus(context)
    ids = criterion_ids(session, rating_session.project_id)
    blind = not saw_judges(session, context.person_id, rating_session.project_id)
    unit_view.record_orders(session, [context.view])
    context.form.save(
        SubmissionContext(session, rating_session, context.view, operation, ids, surplus, blind, at)
    )
    after = _stored_values(context)
    before |= {"question_answers": assignment.question_answers} if assignment.question_answers else {}
    after |= {"question_answers": answers} if answers else {}
    missing = questions.unanswered(rating_session.questions, operation.scores, answers)
    if after[context.form.field].keys() >= ids.keys() and not missing:
        state = "surplus" if surplus else "done"
        values: dict[str, Any] = {"state": state, "finished_at": at, "lease_until": None}
    else:  # a criterion or question was added while the page was open: the answer comes back for the rest
        values = {"lease_until": rating_session.lease_end(at)}
    context.change(draft={}, question_answers=answers, **values)
    _record(context, before=before, after=after)
    done = "state" in values and not assignment.finished and assignment.purpose != "training"
    return Effect(surplus, done, operation.seconds)


def _skip(context: OperationContext) -> Effect:
    context.rating_session.rules.check_skip()
    values: dict[str, Any] = {"lease_until": None}
    if context.assignment.finished:
        values["draft"] = {}
    else:
        skipped_before = _count_operations(context, "skip") > _count_operations(context, "undo")
        values["state"] = "returned" if skipped_before else "skipped"
    context.change(**values)
    _record(context, after={"state": values.get("state", context.assignment.state)})
    return Effect()


def _flag(context: OperationContext) -> Effect:
    flag = context.operation.reason or None
    context.change(flag=flag)
    _record(context, before={"flag": context.assignment.flag}, after={"flag": flag})
    return Effect()


def _ask(context: OperationContext) -> Effect:
    unit, operation = context.assignment.unit_id, context.operation
    scope = (context.session, context.rating_session.project_id, unit, context.person_id)
    messages.add(*scope, operation.text, uid=operation.uid, at=context.at)
    return Effect()


def _undo(context: OperationContext) -> Effect:
    """Open the unit again; a rating stays as it is until it is changed."""
    lease_end = context.rating_session.lease_end(context.at)
    if context.assignment.finished:
        if context.assignment.purpose == "training":
            raise InvalidInput(sentence("a practice answer can't be changed, because you saw the solution."))
        context.change(lease_until=lease_end)
    elif _has_place(context):
        context.change(state="leased", lease_until=lease_end)
    _record(context)
    return Effect()


def _draft(context: OperationContext) -> Effect:
    """Save the values so far, unless the unit has left the screen (a draft that arrived late)."""
    operation, form = context.operation, context.form
    form.check(context.rating_session, context.view, operation)
    if context.assignment.lease_until is not None:
        notes = {"comments": operation.comments, "evidence": operation.evidence}
        said = {form.field: getattr(operation, form.field)}
        if operation.question_answers is not None:
            said["question_answers"] = operation.question_answers
        context.change(draft={"form": form.name, **said, **notes})
    return Effect()


HANDLERS: Mapping[str, Callable[[OperationContext], Effect]] = {
    "rate": _rate,
    "skip": _skip,
    "flag": _flag,
    "undo": _undo,
    "draft": _draft,
    "ask": _ask,
}


def _is_surplus(context: OperationContext) -> bool:
    assignment = context.assignment
    if assignment.finished:
        return assignment.state == "surplus"
    if not occupies_place(assignment.state, assignment.lease_until, now=context.at):
        return not _has_place(context)
    # A running lease keeps its place. But after the clock was set back, expired leases run again, although
    # their places went to others, who may have rated.
    if assignment.purpose != "work":
        return False
    others = assignments.finished_by_others(context.session, assignment.unit_id, context.person_id)
    return others >= context.rating_session.k


def _has_place(context: OperationContext) -> bool:
    if context.assignment.purpose != "work":  # checks, repeats and training take no place
        return True
    taken = assignments.taken_by_others(
        context.session, context.assignment.unit_id, context.person_id, at=context.at
    )
    return taken < context.rating_session.k


def _count_operations(context: OperationContext, kind: str) -> int:
    assignment = context.assignment
    return ratings.count_operations(context.session, kind, assignment.unit_id, assignment.person_id)


def _answers(context: OperationContext) -> dict[str, Any]:
    """Return the answers to the questions asked for these scores, checked; those stored if none were sent."""
    operation, given = context.operation, context.operation.question_answers
    if given is None:
        return context.assignment.question_answers
    return questions.checked_answers(context.rating_session.questions, operation.scores, given)


def _stored_values(context: OperationContext) -> dict[str, dict[str, Any]]:
    submissions = context.form.submissions(context.session, [context.view], context.person_id)
    submission = submissions[context.assignment.id]
    stored = {context.form.field: dict(submission.values), "comments": dict(submission.comments)}
    return {**stored, "evidence": dict(submission.evidence)} if submission.evidence else stored


def _screen_content(context: OperationContext) -> dict[str, Any]:
    """Return what the screen showed; the texts as a short hash, which tells later whether they changed."""
    rating_session, responses = context.rating_session, context.view.responses
    texts = ratings.answer_texts(context.session, responses)
    first = texts[responses[0]]
    parts: list[str] = [first.question, *(texts[response].answer for response in responses)]
    parts += [first.context] if rating_session.shows_context else []
    parts += first.references if rating_session.shows_references else ()
    content = {
        "texts": sha256(json.dumps(parts).encode()).hexdigest()[:16],
        "criteria": [criterion.key for criterion in rating_session.project.criteria],
        "guidelines_version": rating_session.project.guidelines_version,
        "position": context.assignment.order,
        "context": rating_session.shows_context,
        "references": rating_session.shows_references,
    }
    if not context.view.several:
        return content
    names = ratings.response_names(context.session, responses)
    return {**content, "form": context.form.name, "responses": [names[response] for response in responses]}


def _record(
    context: OperationContext,
    *,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> None:
    ratings.append_event(
        context.session,
        context.operation.uid,
        context.operation.kind,
        unit_id=context.assignment.unit_id,
        person_id=context.person_id,
        shown=_screen_content(context),
        before={"state": context.assignment.state, **(before or {})},
        after=after or {},
        seconds=context.operation.seconds,
        at=context.at,
    )
