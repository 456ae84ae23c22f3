"""Store adjudicators' decisions about responses in conflict, separate from the raw ratings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Exists, delete, select
from sqlalchemy.orm import Session

from judgelab.errors import InvalidInput, NotFound
from judgelab.store.db.audit import OPENED_JUDGES, record
from judgelab.store.models import (
    Audit,
    CriterionRow,
    Decision,
    ItemRow,
    PairDecision,
    Person,
    ResponseRow,
    now,
)
from judgelab.wording import Sentence, mark, sentence

ANY = object()  # as `seen`: replace any stored decision


@dataclass(frozen=True)
class DecisionInfo:
    """One decision; no score means that the adjudicator could not decide.

    `saw_judges`: the adjudicator had opened pages with the project's judge scores before.
    """

    response: int
    criterion: str
    score: float | None
    reason: str
    person: str | None
    names_hidden: bool
    decided_at: datetime
    saw_judges: bool = False


def decisions(session: Session, project_id: int) -> dict[tuple[int, str], DecisionInfo]:
    """Return all decisions of a project by response (row id) and criterion (key)."""
    rows = session.execute(
        select(Decision, CriterionRow.key, Person.name, had_opened_judges(Decision, project_id))
        .join(CriterionRow, CriterionRow.id == Decision.criterion_id)
        .outerjoin(Person, Person.id == Decision.person_id)
        .where(Decision.project_id == project_id)
    )
    return {
        (row.response_id, key): DecisionInfo(
            row.response_id, key, row.score, row.reason, name, row.names_hidden, row.decided_at, saw
        )
        for row, key, name, saw in rows
    }


def had_opened_judges(table: type[Decision] | type[PairDecision], project_id: int) -> Exists:
    """Return whether who decided had opened pages with the project's judge scores before."""
    return (
        select(Audit.id)
        .where(
            Audit.action == OPENED_JUDGES,
            Audit.project_id == project_id,
            Audit.person_id == table.person_id,
            Audit.at <= table.decided_at,
        )
        .exists()
    )


def save_decision(
    session: Session,
    project_id: int,
    *,
    response_id: int,
    criterion_id: int,
    person_id: int,
    score: float | None,
    reason: str,
    names_hidden: bool,
    seen: datetime | object | None = ANY,
) -> None:
    """Store a decision, replacing an earlier one; the project's log keeps both.

    `seen` is the time of the earlier decision that the adjudicator saw, None if they saw none.

    Raises:
        NotFound: a response of another project.
        InvalidInput: somebody else decided differently in the meantime; nothing was stored.
    """
    in_project = select(ResponseRow.id).where(
        ResponseRow.id == response_id, ResponseRow.project_id == project_id
    )
    if session.scalar(in_project) is None:
        raise NotFound(mark("response"), str(response_id))
    row = _row(session, response_id, criterion_id)
    before = None if row is None else {"score": row.score, "reason": row.reason}
    if seen is not ANY and seen != (None if row is None else row.decided_at):
        raise InvalidInput(_refuse_changed(session, row))
    if row is not None and (row.person_id, row.score, row.reason) == (person_id, score, reason):
        return
    if row is None:
        row = Decision(project_id=project_id, response_id=response_id, criterion_id=criterion_id)
        session.add(row)
    row.person_id, row.score, row.reason = person_id, score, reason
    row.names_hidden, row.decided_at = names_hidden, now()
    _log(
        session, project_id, person_id, response_id, criterion_id, before, {"score": score, "reason": reason}
    )


def withdraw_decision(
    session: Session, project_id: int, *, response_id: int, criterion_id: int, person_id: int
) -> None:
    """Delete a decision; the project's log keeps it."""
    row = _row(session, response_id, criterion_id)
    if row is None:
        return
    before = {"score": row.score, "reason": row.reason}
    session.execute(delete(Decision).where(Decision.id == row.id))
    _log(session, project_id, person_id, response_id, criterion_id, before, None)


def _refuse_changed(session: Session, row: Decision | None) -> Sentence:
    if row is None:
        return sentence("the decision shown here was undone in the meantime; press again to decide.")
    name = session.scalar(select(Person.name).where(Person.id == row.person_id)) or sentence("someone")
    if row.score is None:
        return sentence(
            "{name} marked this as “cannot be decided” in the meantime. Press again to decide otherwise.",
            name=name,
        )
    return sentence(
        "{name} decided this in the meantime: {score}. Press again to decide otherwise.",
        name=name,
        score=f"{row.score:g}",
    )


def _row(session: Session, response_id: int, criterion_id: int) -> Decision | None:
    return session.scalar(
        select(Decision).where(Decision.response_id == response_id, Decision.criterion_id == criterion_id)
    )


def _log(
    session: Session,
    project_id: int,
    person_id: int,
    response_id: int,
    criterion_id: int,
    before: Mapping[str, object] | None,
    after: Mapping[str, object] | None,
) -> None:
    item, response = session.execute(
        select(ItemRow.external_id, ResponseRow.external_id)
        .join(ResponseRow, ResponseRow.item_id == ItemRow.id)
        .where(ResponseRow.id == response_id)
    ).one()
    key = session.get_one(CriterionRow, criterion_id).key
    detail = {"item": item, "response": response, "criterion": key, "before": before, "after": after}
    record(session, "decided_conflict", project_id=project_id, person_id=person_id, detail=detail)
