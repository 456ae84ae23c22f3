"""The units of a run one by one, with what the model wrote: to read what was not scored."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.domain import Message, VerdictState
from judgelab.store.models import Completion, CriterionRow, ItemRow, Judgment, PromptRow, ResponseRow, Verdict


@dataclass(frozen=True)
class JudgedUnit:
    """One judged unit of a run.

    Attributes:
        criteria: the criterion asked about; "*" when all were.
        scores: the score under each criterion; empty when there is none.
        replies: the raw texts in the order of the samples.
        reasons: why each reply holds no score; empty where one was read.
    """

    judgment: int
    response: int
    item: str
    system: str
    criteria: str
    state: str
    reason: str
    cause: str
    judged_at: datetime | None
    scores: dict[str, float]
    replies: tuple[str, ...]
    reasons: tuple[str, ...]
    read: tuple[float | None, ...]


def judged_units(
    session: Session, run_id: int, *, states: Sequence[VerdictState], limit: int
) -> list[JudgedUnit]:
    """Return the units of a run in these states, the last judged first, `limit` at most."""
    rows = session.execute(
        select(Judgment, ItemRow.external_id, ResponseRow.system)
        .join(ResponseRow, ResponseRow.id == Judgment.response_id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(Judgment.run_id == run_id, Judgment.state.in_(states))
        .order_by(Judgment.judged_at.desc(), Judgment.position.desc())
        .limit(limit)
    ).all()
    ids = [judgment.id for judgment, _, _ in rows]
    scores, completions = _scores(session, ids), _completions(session, ids)
    return [
        JudgedUnit(
            judgment=judgment.id,
            response=judgment.response_id,
            item=item,
            system=system,
            criteria=judgment.criteria,
            state=judgment.state,
            reason=judgment.reason,
            cause=judgment.cause,
            judged_at=judgment.judged_at,
            scores=scores[judgment.id],
            replies=tuple(c.text for c in completions[judgment.id]),
            reasons=tuple(str((c.reading or {}).get("reason") or "") for c in completions[judgment.id]),
            read=tuple(_read(c, judgment.criteria) for c in completions[judgment.id]),
        )
        for judgment, item, system in rows
    ]


def prompt_of(session: Session, judgment_id: int) -> list[Message]:
    """Return the prompt of a judgment's first reply; empty where none is kept."""
    query = (
        select(PromptRow.messages)
        .join(Completion, Completion.prompt_hash == PromptRow.hash)
        .where(Completion.judgment_id == judgment_id)
        .order_by(Completion.sample)
        .limit(1)
    )
    return [Message(m["role"], m["content"]) for m in session.scalar(query) or ()]


def _read(completion: Completion, criteria: str) -> float | None:
    scores = (completion.reading or {}).get("scores") or {}
    first = next(iter(scores.values()), None)
    return scores.get(criteria, first)


def _scores(session: Session, judgment_ids: Sequence[int]) -> dict[int, dict[str, float]]:
    rows = session.execute(
        select(Verdict.judgment_id, CriterionRow.key, Verdict.score)
        .join(CriterionRow, CriterionRow.id == Verdict.criterion_id)
        .where(Verdict.judgment_id.in_(judgment_ids))
        .order_by(CriterionRow.position)
    )
    found: dict[int, dict[str, float]] = defaultdict(dict)
    for judgment_id, criterion, score in rows:
        found[judgment_id][criterion] = score
    return found


def _completions(session: Session, judgment_ids: Sequence[int]) -> dict[int, list[Completion]]:
    rows = session.scalars(
        select(Completion)
        .where(Completion.judgment_id.in_(judgment_ids), Completion.cause == "")
        .order_by(Completion.sample)
    )
    found: dict[int, list[Completion]] = defaultdict(list)
    for completion in rows:
        found[completion.judgment_id].append(completion)
    return found
