"""What each operation of a rater does, inside one transaction that holds the project's lock."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any

from judgelab.annotation.assignment import occupies
from judgelab.annotation.operations import Operation
from judgelab.annotation.round import Round, saw_judges
from judgelab.errors import InvalidInput
from judgelab.store import assignments, ratings, units
from judgelab.store.assignments import Given
from judgelab.store.engine import Session
from judgelab.store.projects import criterion_ids


def take_effect(session: Session, round_: Round, op: Operation, *, at: datetime) -> bool:
    """Carry out `op`, renew the person's leases, and return whether its rating was one too many.

    Raises:
        InvalidInput: the answer was never given to this person, or a score does not fit its scale.
    """
    person_id, project_id = round_.person_id, round_.project.id
    assignments.extend(session, person_id, project_id, at=at, until=round_.lease_end(at))
    if op.kind == "renew":
        return False
    given = assignments.find(session, op.item, person_id, project_id)
    if given is None:
        raise InvalidInput("this answer is not on your list (any more); it may have been removed.")
    return EFFECTS[op.kind](session, round_, op, given, at)


def _rate(session: Session, round_: Round, op: Operation, given: Given, at: datetime) -> bool:
    round_.check(op.scores)
    ids = criterion_ids(session, round_.project.id)
    scores = {key: score for key, score in op.scores.items() if key in ids}
    if not scores:
        raise InvalidInput("a rating needs a score.")
    before = _stored(session, round_, given)
    surplus = _is_surplus(session, round_, given, at=at)
    blind = not saw_judges(session, round_.person_id, round_.project.id)
    ratings.put(
        session,
        [
            ratings.NewRating(ids[key], score, op.comments.get(key, ""), surplus, blind, op.seconds)
            for key, score in scores.items()
        ],
        response_id=_response(session, given),
        person_id=round_.person_id,
        project_id=round_.project.id,
        at=at,
    )
    after = _stored(session, round_, given)
    if after["scores"].keys() >= ids.keys():
        state = "surplus" if surplus else "done"
        values: dict[str, Any] = {"state": state, "finished_at": at, "lease_until": None}
    else:  # a criterion was added while the page was open: the answer comes back for the rest
        values = {"lease_until": round_.lease_end(at)}
    assignments.change(session, given.id, draft={}, **values)
    _record(session, round_, op, given, before=before, after=after, at=at)
    return surplus


def _skip(session: Session, round_: Round, op: Operation, given: Given, at: datetime) -> bool:
    values: dict[str, Any] = {"lease_until": None}
    if given.finished:
        values["draft"] = {}
    else:
        again = _times(session, "skip", given) > _times(session, "undo", given)
        values["state"] = "returned" if again else "skipped"
    assignments.change(session, given.id, **values)
    _record(session, round_, op, given, after={"state": values.get("state", given.state)}, at=at)
    return False


def _flag(session: Session, round_: Round, op: Operation, given: Given, at: datetime) -> bool:
    assignments.change(session, given.id, flag=op.reason or None)
    _record(session, round_, op, given, before={"flag": given.flag}, after={"flag": op.reason or None}, at=at)
    return False


def _undo(session: Session, round_: Round, op: Operation, given: Given, at: datetime) -> bool:
    """Open the answer again; a rating stays as it is until it is changed."""
    if given.finished:
        assignments.change(session, given.id, lease_until=round_.lease_end(at))
    elif _has_place(session, round_, given, at=at):
        assignments.change(session, given.id, state="leased", lease_until=round_.lease_end(at))
    _record(session, round_, op, given, at=at)
    return False


def _draft(session: Session, round_: Round, op: Operation, given: Given, at: datetime) -> bool:
    """Keep the values so far, unless the answer left the screen meanwhile (a draft that came late)."""
    round_.check(op.scores)
    if given.lease_until is not None:
        assignments.change(session, given.id, draft={"scores": op.scores, "comments": op.comments})
    return False


Effect = Callable[[Session, Round, Operation, Given, datetime], bool]
EFFECTS: Mapping[str, Effect] = {
    "rate": _rate,
    "skip": _skip,
    "flag": _flag,
    "undo": _undo,
    "draft": _draft,
}


def _is_surplus(session: Session, round_: Round, given: Given, *, at: datetime) -> bool:
    if given.finished or occupies(given.state, given.lease_until, now=at):
        return given.state == "surplus"
    return not _has_place(session, round_, given, at=at)


def _has_place(session: Session, round_: Round, given: Given, *, at: datetime) -> bool:
    return assignments.taken_by_others(session, given.unit_id, round_.person_id, at=at) < round_.k


def _times(session: Session, kind: str, given: Given) -> int:
    return ratings.times(session, kind, given.unit_id, given.person_id)


def _stored(session: Session, round_: Round, given: Given) -> dict[str, dict[str, Any]]:
    response = _response(session, given)
    scored = ratings.scores(session, [response], round_.person_id)[response]
    return {
        "scores": {key: own.score for key, own in scored.items()},
        "comments": {key: own.comment for key, own in scored.items() if own.comment},
    }


def _fingerprint(session: Session, round_: Round, given: Given) -> str:
    """Return a short hash of the texts on the screen: it tells later whether they were changed since."""
    response = _response(session, given)
    text = ratings.answer_texts(session, [response])[response]
    parts: list[str] = [text.question, text.answer]
    parts += [text.context] if round_.shows_context else []
    parts += text.references if round_.shows_references else ()
    return sha256(json.dumps(parts).encode()).hexdigest()[:16]


def _response(session: Session, given: Given) -> int:
    return units.unit_infos(session, [given.unit_id])[given.unit_id].responses[0]


def _record(
    session: Session,
    round_: Round,
    op: Operation,
    given: Given,
    *,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    at: datetime,
) -> None:
    shown = {
        "texts": _fingerprint(session, round_, given),
        "criteria": [criterion.key for criterion in round_.project.criteria],
        "guidelines_version": round_.project.guidelines_version,
        "position": given.order,
        "context": round_.shows_context,
        "references": round_.shows_references,
    }
    ratings.append_event(
        session,
        op.uid,
        op.kind,
        unit_id=given.unit_id,
        person_id=round_.person_id,
        shown=shown,
        before={"state": given.state, **(before or {})},
        after=after or {},
        seconds=op.seconds,
        at=at,
    )
