"""Store scores that a person read in a judge's reply and entered by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Select, delete, func, select
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
UNREAD = "unread"  # cause of a call that was repeated because its reply had no score


def response_ids_named(session: Session, run_id: int, response: str) -> Select[int]:
    """Return a query for the ids of the run's responses named by external id or "item/response"."""
    query = (
        select(ResponseRow.id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .join(Run, Run.project_id == ResponseRow.project_id)
        .where(Run.id == run_id)
        .order_by(ResponseRow.id)
    )
    by_id = query.where(ResponseRow.external_id == response)
    if "/" not in response or session.scalar(by_id.limit(1)) is not None:
        return by_id
    item, _slash, name = response.partition("/")
    return query.where(ItemRow.external_id == item, ResponseRow.external_id == name)


def item_and_response_name(session: Session, response_id: int) -> tuple[str, str]:
    """Return the external ids of the response's item and of the response."""
    row = session.execute(
        select(ItemRow.external_id, ResponseRow.external_id)
        .join(ResponseRow, ResponseRow.item_id == ItemRow.id)
        .where(ResponseRow.id == response_id)
    ).one()
    return row[0], row[1]


def enter_scores(
    session: Session,
    judgment: Judgment,
    response_id: int,
    scores: Mapping[int, float],
    *,
    person_id: int | None,
    reason: str,
    whole: bool,
) -> None:
    """Store a response's scores, by criterion id, as entered by a person.

    With `whole` the judgment is complete now and becomes scored.
    """
    replaced = delete(Verdict).where(
        Verdict.judgment_id == judgment.id,
        Verdict.response_id == response_id,
        Verdict.criterion_id.in_(list(scores)),
    )
    session.execute(replaced)
    at = now()
    session.add_all(
        Verdict(
            judgment_id=judgment.id,
            response_id=response_id,
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


def entered_scores(session: Session, judgment_id: int) -> set[tuple[int, int]]:
    """Return the (response id, criterion id) pairs whose score a person entered."""
    query = select(Verdict.response_id, Verdict.criterion_id)
    rows = session.execute(query.where(Verdict.judgment_id == judgment_id, Verdict.origin == PERSON))
    return {(response, criterion) for response, criterion in rows}


def entered_by_judge(session: Session, project_id: int) -> dict[str, int]:
    """Return how many scores of each judge were entered by hand."""
    if session.scalar(select(Verdict.id).where(Verdict.origin == PERSON).limit(1)) is None:
        return {}  # the usual case, much faster than joining all judgments
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


def reset_judgment(session: Session, judgment: Judgment) -> None:
    """Reset a judged unit to waiting, keeping replies with a score unless all replies have one.

    The other replies become failed calls, so that their texts and costs are kept.
    """
    replies = session.scalars(
        select(Completion).where(Completion.judgment_id == judgment.id, Completion.cause == "")
    ).all()
    unread = [reply for reply in replies if not _says_something(reply.reading or {})]
    for reply in unread or replies:
        # Of several replies to one call, only the first counts the call.
        if reply.attempts:
            session.add(_as_failed(reply))
        session.delete(reply)
    session.execute(delete(Verdict).where(Verdict.judgment_id == judgment.id))
    judgment.state, judgment.reason, judgment.cause, judgment.judged_at = "waiting", "", "", None
    session.flush()


def _says_something(reading: Mapping[str, Any]) -> bool:
    """Return whether the reply contained a score, a choice or an order."""
    content = reading.get("scores") or reading.get("by_response") or reading.get("detail")
    return bool(content) and not reading.get("reason")


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
