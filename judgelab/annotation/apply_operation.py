"""What each operation of a rater does, inside one transaction that holds the project's lock."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import Any

from judgelab.annotation import forms
from judgelab.annotation.assign.selection import occupies_place
from judgelab.annotation.forms import Form, SubmissionContext
from judgelab.annotation.links import withdrawal
from judgelab.annotation.rating import unit_view
from judgelab.annotation.rating.operations import WITHOUT_UNIT, Operation
from judgelab.annotation.rating.session import RatingSession, saw_judges
from judgelab.annotation.rating.unit_view import UnitView
from judgelab.errors import InvalidInput
from judgelab.store.db.engine import Session
from judgelab.store.rating import active_time, assignments, ratings
from judgelab.store.rating.assignments import AssignedUnit
from judgelab.store.rating.criteria import criterion_ids
from judgelab.wording import sentence


@dataclass(frozen=True)
class OperationContext:
    """An operation at work on the unit it is about."""

    session: Session
    round: RatingSession
    op: Operation
    laid: UnitView
    form: Form
    at: datetime

    @property
    def given(self) -> AssignedUnit:
        """The assignment as it was before the operation."""
        return self.laid.given

    def change(self, **values: Any) -> None:
        """Set columns of the assignment."""
        assignments.change(self.session, self.given.id, **values)


@dataclass(frozen=True)
class Effect:
    """What an operation did.

    Attributes:
        surplus: whether its rating was one too many.
        done: whether it brought the person one unit further; practice does not count.
        seconds: how long a rating took, as it was stored.
    """

    surplus: bool = False
    done: bool = False
    seconds: float | None = None


def carry_out(session: Session, round_: RatingSession, op: Operation, *, at: datetime) -> Effect:
    """Carry out `op`, renew the person's leases, and return what it did.

    Raises:
        InvalidInput: the unit was never given to this person, or a value does not fit.
    """
    person_id, project_id = round_.person_id, round_.project.id
    until = round_.pause_end(at) if op.kind == "pause" else round_.lease_end(at)
    assignments.extend(session, person_id, project_id, at=at, until=until)
    if op.kind == "return":
        withdrawal.withdraw(session, project_id, person_id, "returned", by=person_id)
    elif op.kind not in ("renew", "pause"):
        withdrawal.check_not_returned(round_)
    if op.kind == "offer":
        assignments.reoffer_skipped(session, person_id, project_id)
    if op.kind in WITHOUT_UNIT:
        return Effect()
    given = assignments.find(session, op.item, person_id, project_id)
    laid = unit_view.load_views(session, [given] if given else [])
    if not laid:
        raise InvalidInput(sentence("this answer is not on your list (any more); it may have been removed."))
    form = forms.form_of_unit(laid[0], round_, op.form)
    return HANDLERS[op.kind](
        OperationContext(session, round_, _with_capped_seconds(session, round_, op, at), laid[0], form, at)
    )


def _with_capped_seconds(session: Session, round_: RatingSession, op: Operation, at: datetime) -> Operation:
    """Return the operation with its time held to what passed here: a browser can say any."""
    if not op.seconds:
        return op
    most = active_time.available_seconds(session, round_.person_id, at=at, since=round_.joined_at)
    return replace(op, seconds=min(op.seconds, most))


def _rate(act: OperationContext) -> Effect:
    act.form.check(act.round, act.laid, act.op)
    before = _stored_values(act)
    surplus = _is_surplus(act)
    ids = criterion_ids(act.session, act.round.project.id)
    blind = not saw_judges(act.session, act.round.person_id, act.round.project.id)
    unit_view.record_orders(act.session, [act.laid])
    act.form.put(SubmissionContext(act.session, act.round, act.laid, act.op, ids, surplus, blind, act.at))
    after = _stored_values(act)
    if after[act.form.field].keys() >= ids.keys():
        state = "surplus" if surplus else "done"
        values: dict[str, Any] = {"state": state, "finished_at": act.at, "lease_until": None}
    else:  # a criterion was added while the page was open: the answer comes back for the rest
        values = {"lease_until": act.round.lease_end(act.at)}
    act.change(draft={}, **values)
    _record(act, before=before, after=after)
    done = "state" in values and not act.given.finished and act.given.purpose != "training"
    return Effect(surplus, done, act.op.seconds)


def _skip(act: OperationContext) -> Effect:
    values: dict[str, Any] = {"lease_until": None}
    if act.given.finished:
        values["draft"] = {}
    else:
        again = _count_operations(act, "skip") > _count_operations(act, "undo")
        values["state"] = "returned" if again else "skipped"
    act.change(**values)
    _record(act, after={"state": values.get("state", act.given.state)})
    return Effect()


def _flag(act: OperationContext) -> Effect:
    flag = act.op.reason or None
    act.change(flag=flag)
    _record(act, before={"flag": act.given.flag}, after={"flag": flag})
    return Effect()


def _undo(act: OperationContext) -> Effect:
    """Open the answer again; a rating stays as it is until it is changed."""
    if act.given.finished:
        if act.given.purpose == "training":
            raise InvalidInput(
                sentence("a practice answer stays as it was given, because you saw the solution.")
            )
        act.change(lease_until=act.round.lease_end(act.at))
    elif _has_place(act):
        act.change(state="leased", lease_until=act.round.lease_end(act.at))
    _record(act)
    return Effect()


def _draft(act: OperationContext) -> Effect:
    """Keep the values so far, unless the answer left the screen meanwhile (a draft that came late)."""
    act.form.check(act.round, act.laid, act.op)
    if act.given.lease_until is not None:
        said = {"comments": act.op.comments, "evidence": act.op.evidence}
        values = getattr(act.op, act.form.field)
        act.change(draft={"form": act.form.name, act.form.field: values, **said})
    return Effect()


HANDLERS: Mapping[str, Callable[[OperationContext], Effect]] = {
    "rate": _rate,
    "skip": _skip,
    "flag": _flag,
    "undo": _undo,
    "draft": _draft,
}


def _is_surplus(act: OperationContext) -> bool:
    if act.given.finished:
        return act.given.state == "surplus"
    if not occupies_place(act.given.state, act.given.lease_until, now=act.at):
        return not _has_place(act)
    # A lease that runs keeps its place; but once the clock was set back, leases run anew whose places went to
    # others, who may have rated.
    unit, person = act.given.unit_id, act.round.person_id
    others = assignments.finished_by_others(act.session, unit, person) if act.given.purpose == "work" else 0
    return others >= act.round.k


def _has_place(act: OperationContext) -> bool:
    if act.given.purpose != "work":  # checks, repeats and training are for one person and take no place
        return True
    taken = assignments.taken_by_others(act.session, act.given.unit_id, act.round.person_id, at=act.at)
    return taken < act.round.k


def _count_operations(act: OperationContext, kind: str) -> int:
    return ratings.count_operations(act.session, kind, act.given.unit_id, act.given.person_id)


def _stored_values(act: OperationContext) -> dict[str, dict[str, Any]]:
    said = act.form.said(act.session, [act.laid], act.round.person_id)[act.given.id]
    stored = {act.form.field: dict(said.values), "comments": dict(said.comments)}
    return {**stored, "evidence": dict(said.evidence)} if said.evidence else stored


def _screen_content(act: OperationContext) -> dict[str, Any]:
    """Return what lay on the screen; the texts as a short hash, which tells later whether they changed."""
    round_, responses = act.round, act.laid.responses
    texts = ratings.answer_texts(act.session, responses)
    first = texts[responses[0]]
    parts: list[str] = [first.question, *(texts[response].answer for response in responses)]
    parts += [first.context] if round_.shows_context else []
    parts += first.references if round_.shows_references else ()
    shown = {
        "texts": sha256(json.dumps(parts).encode()).hexdigest()[:16],
        "criteria": [criterion.key for criterion in round_.project.criteria],
        "guidelines_version": round_.project.guidelines_version,
        "position": act.given.order,
        "context": round_.shows_context,
        "references": round_.shows_references,
    }
    if not act.laid.several:
        return shown
    names = ratings.response_names(act.session, responses)
    return {**shown, "form": act.form.name, "responses": [names[response] for response in responses]}


def _record(
    act: OperationContext, *, before: Mapping[str, Any] | None = None, after: Mapping[str, Any] | None = None
) -> None:
    ratings.append_event(
        act.session,
        act.op.uid,
        act.op.kind,
        unit_id=act.given.unit_id,
        person_id=act.round.person_id,
        shown=_screen_content(act),
        before={"state": act.given.state, **(before or {})},
        after=after or {},
        seconds=act.op.seconds,
        at=act.at,
    )
