"""Imported judgments without a score: read their replies, and store scores that are found in them later."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from judgelab.store.models import Completion, JudgeRow, Judgment, Run, Verdict


class UnreadReply(NamedTuple):
    """One stored reply of an imported judgment without a score."""

    judgment_id: int
    response_id: int
    sample: int
    text: str
    rationale: str


def unread_replies(session: Session, project_id: int, criterion: str) -> list[UnreadReply]:
    """Return the replies of all imported judgments of the criterion that have no score."""
    rows = session.execute(
        select(Judgment.id, Judgment.response_id, Completion.sample, Completion.text, Completion.reading)
        .join(Run, Run.id == Judgment.run_id)
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .join(Completion, Completion.judgment_id == Judgment.id)
        .where(
            Run.project_id == project_id,
            JudgeRow.origin == "imported",
            Judgment.criteria == criterion,
            Judgment.state == "unscored",
        )
        .order_by(Judgment.id, Completion.sample)
    )
    return [
        UnreadReply(judgment, response, sample, text, (reading or {}).get("rationale", ""))
        for judgment, response, sample, text, reading in rows
    ]


def save_read_scores(
    session: Session, criterion_id: int, criterion: str, read_scores: Mapping[UnreadReply, float]
) -> int:
    """Store the scores read from replies, averaged per judgment; return how many judgments got one."""
    scores: dict[int, list[float]] = {}
    first: dict[int, UnreadReply] = {}
    for reply, score in read_scores.items():
        scores.setdefault(reply.judgment_id, []).append(score)
        first.setdefault(reply.judgment_id, reply)
        reading = {
            "scores": {criterion: score},
            **({"rationale": reply.rationale} if reply.rationale else {}),
        }
        session.execute(
            update(Completion)
            .where(Completion.judgment_id == reply.judgment_id, Completion.sample == reply.sample)
            .values(reading=reading)
        )
    verdicts = [
        {
            "judgment_id": row_id,
            "response_id": first[row_id].response_id,
            "criterion_id": criterion_id,
            "score": sum(judgment_scores) / len(judgment_scores),
            "rationale": first[row_id].rationale,
        }
        for row_id, judgment_scores in scores.items()
    ]
    if verdicts:
        session.execute(insert(Verdict), verdicts)
        session.execute(
            update(Judgment),
            [{"id": row_id, "state": "scored", "reason": ""} for row_id in scores],
        )
    return len(verdicts)


def runs_with_unscored(session: Session, project_id: int, criterion: str) -> list[int]:
    """Return the runs of our own judges with judgments of the criterion that have no score."""
    return list(
        session.scalars(
            select(Run.id)
            .join(JudgeRow, JudgeRow.id == Run.judge_id)
            .join(Judgment, Judgment.run_id == Run.id)
            .where(
                Run.project_id == project_id,
                JudgeRow.origin != "imported",
                Judgment.criteria.contains(criterion),
                Judgment.state == "unscored",
            )
            .distinct()
            .order_by(Run.id)
        )
    )
