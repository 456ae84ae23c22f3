"""Scores that a person read in a judge's reply and entered by hand."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from judgelab.store.models import (
    Completion,
    FailedCall,
    ItemRow,
    JudgeRow,
    Judgment,
    ResponseRow,
    Run,
    Verdict,
)
from judgelab.store.models.base import now

PERSON = "person"
UNREAD = "unread"  # the cause of a call whose reply held no score and that was asked for again


def judgments_of_response(session: Session, run_id: int, response: str) -> list[Judgment]:
    """Return a run's judgments of the responses called so: by their id, or by "item/response"."""
    query = (
        select(Judgment, ItemRow.external_id, ResponseRow.external_id)
        .join(ResponseRow, ResponseRow.id == Judgment.response_id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(Judgment.run_id == run_id)
        .order_by(Judgment.id)
    )
    named = query.where(ResponseRow.external_id == response)
    found = [judgment for judgment, _item, _response in session.execute(named)]
    if found or "/" not in response:
        return found
    item, _slash, rest = response.partition("/")
    inside = query.where(ItemRow.external_id == item, ResponseRow.external_id == rest)
    return [judgment for judgment, _item, _response in session.execute(inside)]


def names_of(session: Session, judgment_id: int) -> tuple[str, str]:
    """Return the names of the item and the response that a judgment is about."""
    row = session.execute(
        select(ItemRow.external_id, ResponseRow.external_id)
        .join(ResponseRow, ResponseRow.item_id == ItemRow.id)
        .join(Judgment, Judgment.response_id == ResponseRow.id)
        .where(Judgment.id == judgment_id)
    ).one()
    return row[0], row[1]


def enter(
    session: Session,
    judgment: Judgment,
    scores: Mapping[int, float],
    *,
    person_id: int | None,
    reason: str,
    whole: bool,
) -> None:
    """Store scores by criterion id as a person's; with `whole` the judgment lacks none now and is scored."""
    replaced = delete(Verdict).where(
        Verdict.judgment_id == judgment.id, Verdict.criterion_id.in_(list(scores))
    )
    session.execute(replaced)
    at = now()
    session.add_all(
        Verdict(
            judgment_id=judgment.id,
            response_id=judgment.response_id,
            criterion_id=criterion_id,
            score=score,
            rationale=reason,
            origin=PERSON,
            person_id=person_id,
            entered_at=at,
        )
        for criterion_id, score in scores.items()
    )
    if whole:
        judgment.state, judgment.reason, judgment.cause = "scored", "", ""
    judgment.judged_at = at
    session.flush()


def entered_criteria(session: Session, judgment_id: int) -> set[int]:
    """Return the ids of the criteria under which a person entered the judgment's score."""
    query = select(Verdict.criterion_id).where(Verdict.judgment_id == judgment_id, Verdict.origin == PERSON)
    return set(session.scalars(query))


def entered_by_judge(session: Session, project_id: int) -> dict[str, int]:
    """Return how many scores of each judge were entered by hand."""
    rows = session.execute(
        select(JudgeRow.name, func.count())
        .join(Run, Run.judge_id == JudgeRow.id)
        .join(Judgment, Judgment.run_id == Run.id)
        .join(Verdict, Verdict.judgment_id == Judgment.id)
        .where(Run.project_id == project_id, Verdict.origin == PERSON)
        .group_by(JudgeRow.name)
    )
    return {name: n for name, n in rows}


def entered_in_run(session: Session, run_id: int) -> int:
    """Return how many scores of a run were entered by hand."""
    query = (
        select(func.count())
        .select_from(Verdict)
        .join(Judgment, Judgment.id == Verdict.judgment_id)
        .where(Judgment.run_id == run_id, Verdict.origin == PERSON)
    )
    return session.scalar(query) or 0


def ask_anew(session: Session, judgment: Judgment) -> None:
    """Let a judged unit wait again. Replies that hold a score stay, unless all do and still gave none.

    The others become failed calls with all they cost: what was paid stays counted, what was said stays kept.
    """
    replies = session.scalars(
        select(Completion).where(Completion.judgment_id == judgment.id, Completion.cause == "")
    ).all()
    unread = [reply for reply in replies if not (reply.reading or {}).get("scores")]
    for reply in unread or replies:
        # Replies that came together are one call, which is counted on the first of them.
        if reply.attempts:
            session.add(_as_failed(reply))
        session.delete(reply)
    session.execute(delete(Verdict).where(Verdict.judgment_id == judgment.id))
    judgment.state, judgment.reason, judgment.cause, judgment.judged_at = "waiting", "", "", None
    session.flush()


def _as_failed(reply: Completion) -> FailedCall:
    return FailedCall(
        judgment_id=reply.judgment_id,
        sample=reply.sample,
        number=reply.attempts,
        cause=UNREAD,
        message=str((reply.reading or {}).get("reason") or ""),
        request_id=reply.request_id,
        body=reply.body,
        sent=reply.sent,
        latency=reply.latency,
        prompt_tokens=reply.prompt_tokens,
        completion_tokens=reply.completion_tokens,
        cost=reply.cost,
        at=reply.answered_at,
    )
