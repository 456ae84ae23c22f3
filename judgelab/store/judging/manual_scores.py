"""Scores that a person read in a judge's reply and entered by hand."""

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
UNREAD = "unread"  # the cause of a call whose reply held no score and that was asked for again


def response_ids_named(session: Session, run_id: int, response: str) -> Select[int]:
    """Return the query for the row ids of what the run's project calls so: by id, or by "item/response"."""
    query = (
        select(ResponseRow.id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .join(Run, Run.project_id == ResponseRow.project_id)
        .where(Run.id == run_id)
        .order_by(ResponseRow.id)
    )
    found = query.where(ResponseRow.external_id == response)
    if "/" not in response or session.scalar(found.limit(1)) is not None:
        return found
    item, _slash, rest = response.partition("/")
    return query.where(ItemRow.external_id == item, ResponseRow.external_id == rest)


def item_and_response_name(session: Session, response_id: int) -> tuple[str, str]:
    """Return the names of the response's item and of the response."""
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
    """Store a response's scores by criterion id as a person's.

    With `whole` the judgment lacks none now and is scored.
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
    """Return where a person entered the judgment's score: pairs of response id and criterion id."""
    query = select(Verdict.response_id, Verdict.criterion_id)
    rows = session.execute(query.where(Verdict.judgment_id == judgment_id, Verdict.origin == PERSON))
    return {(response, criterion) for response, criterion in rows}


def entered_by_judge(session: Session, project_id: int) -> dict[str, int]:
    """Return how many scores of each judge were entered by hand."""
    if session.scalar(select(Verdict.id).where(Verdict.origin == PERSON).limit(1)) is None:
        return {}  # in most databases; much quicker to know than to meet every judgment
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
    """Let a judged unit wait again. Replies that hold a score stay, unless all do and still gave none.

    The others become failed calls with all they cost: what was paid stays counted, what was said stays kept.
    """
    replies = session.scalars(
        select(Completion).where(Completion.judgment_id == judgment.id, Completion.cause == "")
    ).all()
    unread = [reply for reply in replies if not _says_something(reply.reading or {})]
    for reply in unread or replies:
        # Replies that came together are one call, which is counted on the first of them.
        if reply.attempts:
            session.add(_as_failed(reply))
        session.delete(reply)
    session.execute(delete(Verdict).where(Verdict.judgment_id == judgment.id))
    judgment.state, judgment.reason, judgment.cause, judgment.judged_at = "waiting", "", "", None
    session.flush()


def _says_something(reading: Mapping[str, Any]) -> bool:
    """Return whether a score was read in a reply, or what scores are made of: a choice, an order."""
    read = reading.get("scores") or reading.get("by_response") or reading.get("detail")
    return bool(read) and not reading.get("reason")


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
