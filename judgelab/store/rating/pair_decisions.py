"""Store adjudicators' decisions about pairs of responses, separate from the raters' choices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session, aliased

from judgelab.errors import InvalidInput, NotFound
from judgelab.store.db.audit import record
from judgelab.store.models import CriterionRow, ItemRow, PairDecision, Person, ResponseRow, now
from judgelab.store.rating.decisions import ANY, had_opened_judges
from judgelab.wording import mark, sentence

PairOfCriterion = tuple[int, int, str]  # both responses, the lower row id first, and the criterion's key


@dataclass(frozen=True)
class PairDecisionInfo:
    """One decision about two responses, of which `response_a` has the lower row id.

    Attributes:
        choice: `a`, `b` or `tie`; empty if the adjudicator could not decide.
        saw_judges: whether the adjudicator had opened pages with the project's judge scores before.
    """

    response_a: int
    response_b: int
    criterion: str
    choice: str
    reason: str
    person: str | None
    names_hidden: bool
    decided_at: datetime
    saw_judges: bool = False

    @property
    def chosen(self) -> int | None:
        """Return the row id of the response that was decided to be better; None without a winner."""
        return {"a": self.response_a, "b": self.response_b}.get(self.choice)


def pair_decisions(session: Session, project_id: int) -> dict[PairOfCriterion, PairDecisionInfo]:
    """Return all decisions of a project about pairs, by the two responses and the criterion."""
    rows = session.execute(
        select(PairDecision, CriterionRow.key, Person.name, had_opened_judges(PairDecision, project_id))
        .join(CriterionRow, CriterionRow.id == PairDecision.criterion_id)
        .outerjoin(Person, Person.id == PairDecision.person_id)
        .where(PairDecision.project_id == project_id)
        .order_by(PairDecision.id)
    )
    return {
        (row.response_a, row.response_b, key): PairDecisionInfo(
            *(row.response_a, row.response_b, key, row.choice, row.reason),
            *(name, row.names_hidden, row.decided_at, saw),
        )
        for row, key, name, saw in rows
    }


def save_pair_decision(
    session: Session,
    project_id: int,
    *,
    responses: tuple[int, int],
    criterion_id: int,
    person_id: int,
    choice: str,
    reason: str,
    names_hidden: bool,
    seen: datetime | object | None = ANY,
) -> None:
    """Store a decision, replacing an earlier one; the project's log keeps both.

    `responses` are the two row ids, the lower one first; `choice` is as in `PairDecisionInfo`. `seen` is the
    time of the earlier decision that the adjudicator saw, None if they saw none.

    Raises:
        NotFound: a response of another project, or two responses of different items.
        InvalidInput: somebody else decided differently in the meantime; nothing was stored.
    """
    _check_pair(session, project_id, responses)
    row = _row(session, responses, criterion_id)
    before = None if row is None else {"choice": row.choice, "reason": row.reason}
    if seen is not ANY and seen != (None if row is None else row.decided_at):
        raise _changed_since(session, row)
    if row is not None and (row.person_id, row.choice, row.reason) == (person_id, choice, reason):
        return
    if row is None:
        row = PairDecision(
            project_id=project_id,
            response_a=responses[0],
            response_b=responses[1],
            criterion_id=criterion_id,
        )
        session.add(row)
    row.person_id, row.choice, row.reason = person_id, choice, reason
    row.names_hidden, row.decided_at = names_hidden, now()
    after = {"choice": choice, "reason": reason}
    _log(session, project_id, person_id, responses, criterion_id, before, after)


def withdraw_pair_decision(
    session: Session, project_id: int, *, responses: tuple[int, int], criterion_id: int, person_id: int
) -> None:
    """Delete a decision; the project's log keeps it."""
    row = _row(session, responses, criterion_id)
    if row is None:
        return
    before = {"choice": row.choice, "reason": row.reason}
    session.execute(delete(PairDecision).where(PairDecision.id == row.id))
    _log(session, project_id, person_id, responses, criterion_id, before, None)


def _check_pair(session: Session, project_id: int, responses: tuple[int, int]) -> None:
    first, second = aliased(ResponseRow), aliased(ResponseRow)
    query = (
        select(first.id)
        .join(second, second.item_id == first.item_id)
        .where(first.id == responses[0], second.id == responses[1], first.id < second.id)
        .where(first.project_id == project_id)
    )
    if session.scalar(query) is None:
        raise NotFound(mark("pair of responses"), f"{responses[0]}, {responses[1]}")


def _changed_since(session: Session, row: PairDecision | None) -> InvalidInput:
    if row is None:
        return InvalidInput(
            sentence("the decision shown here was undone in the meantime; press again to decide.")
        )
    name = session.scalar(select(Person.name).where(Person.id == row.person_id)) or sentence("someone")
    return InvalidInput(
        sentence("{name} decided this pair in the meantime. Press again to decide otherwise.", name=name)
    )


def _row(session: Session, responses: tuple[int, int], criterion_id: int) -> PairDecision | None:
    return session.scalar(
        select(PairDecision).where(
            PairDecision.response_a == responses[0],
            PairDecision.response_b == responses[1],
            PairDecision.criterion_id == criterion_id,
        )
    )


def _log(
    session: Session,
    project_id: int,
    person_id: int,
    responses: tuple[int, int],
    criterion_id: int,
    before: Mapping[str, object] | None,
    after: Mapping[str, object] | None,
) -> None:
    first, second = (session.get_one(ResponseRow, response) for response in responses)
    detail = {
        "item": session.get_one(ItemRow, first.item_id).external_id,
        "response_a": first.external_id,
        "response_b": second.external_id,
        "criterion": session.get_one(CriterionRow, criterion_id).key,
        "before": before,
        "after": after,
    }
    record(session, "decided_conflict", project_id=project_id, person_id=person_id, detail=detail)
