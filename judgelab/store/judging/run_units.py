"""Read the judged units of a run with the model's replies, to see why some have no score."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judgelab.domain import Message, VerdictState
from judgelab.store.models import Completion, CriterionRow, ItemRow, Judgment, PromptRow, ResponseRow, Verdict


@dataclass(frozen=True)
class JudgedUnit:
    """One judged unit of a run.

    Attributes:
        criteria: the judged criterion; "*" for all at once.
        scores: the score under each criterion; empty if there is none, or if an item was judged as a
            whole, as its responses have one each.
        members: row id and system of each response if an item was judged as a whole, else empty.
        best: the system with the highest score of them; empty on a tie or without scores.
        replies: the raw texts in the order of the samples.
        reasons: why each reply has no score; empty if it has one.
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
    members: tuple[tuple[int, str], ...]
    best: str
    replies: tuple[str, ...]
    reasons: tuple[str, ...]
    reply_scores: tuple[float | None, ...]


def judged_units(
    session: Session, run_id: int, *, states: Sequence[VerdictState], limit: int
) -> list[JudgedUnit]:
    """Return at most `limit` units of a run in these states, the latest judged first."""
    # Select the ids first, so that not all of perhaps a hundred thousand units are joined to texts.
    last = (
        select(Judgment.id)
        .where(Judgment.run_id == run_id, Judgment.state.in_(states))
        .order_by(Judgment.judged_at.desc(), Judgment.position.desc())
        .limit(limit)
    )
    rows = session.execute(
        select(Judgment, ItemRow.external_id, ResponseRow.system)
        .join(ResponseRow, ResponseRow.id == Judgment.response_id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(Judgment.id.in_(session.scalars(last).all()))
        .order_by(Judgment.judged_at.desc(), Judgment.position.desc())
    ).all()
    ids = [judgment.id for judgment, _, _ in rows]
    scores, completions = _scores(session, ids), _completions(session, ids)
    members = {member for judgment, _, _ in rows for member in judgment.members}
    best = _best(session, [judgment.id for judgment, _, _ in rows if judgment.members])
    systems = {
        row_id: system or name
        for row_id, system, name in session.execute(
            select(ResponseRow.id, ResponseRow.system, ResponseRow.external_id).where(
                ResponseRow.id.in_(members)
            )
        )
    }
    return [
        JudgedUnit(
            judgment=judgment.id,
            response=judgment.response_id,
            item=item,
            system="" if judgment.members else system,
            criteria=judgment.criteria,
            state=judgment.state,
            reason=judgment.reason,
            cause=judgment.cause,
            judged_at=judgment.judged_at,
            scores={} if judgment.members else scores[judgment.id],
            members=tuple((member, systems.get(member, "")) for member in judgment.members),
            best=systems.get(best.get(judgment.id, 0), ""),
            replies=tuple(c.text for c in completions[judgment.id]),
            reasons=tuple(str((c.reading or {}).get("reason") or "") for c in completions[judgment.id]),
            reply_scores=tuple(_read(c, judgment.criteria) for c in completions[judgment.id]),
        )
        for judgment, item, system in rows
    ]


def prompts_of(session: Session, judgment_id: int) -> dict[str, list[Message]]:
    """Return a judgment's prompts by call key, "" for a single call; empty if not stored."""
    query = (
        select(Completion.call_key, PromptRow.messages)
        .join(PromptRow, Completion.prompt_hash == PromptRow.hash)
        .where(Completion.judgment_id == judgment_id)
        .order_by(Completion.sample)
    )
    prompts: dict[str, list[Message]] = {}
    for key, messages in session.execute(query):
        prompts.setdefault(key, [Message(m["role"], m["content"]) for m in messages])
    return prompts


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
    scores: dict[int, dict[str, float]] = defaultdict(dict)
    for judgment_id, criterion, score in rows:
        scores[judgment_id][criterion] = score
    return scores


def _best(session: Session, judgment_ids: Sequence[int]) -> dict[int, int]:
    """Return the response with the highest mean score by judgment of a whole item; none on a tie."""
    mean = func.avg(Verdict.score)
    query = select(Verdict.judgment_id, Verdict.response_id, mean).where(
        Verdict.judgment_id.in_(judgment_ids)
    )
    means: dict[int, list[tuple[float, int]]] = defaultdict(list)
    for judgment_id, response_id, score in session.execute(
        query.group_by(Verdict.judgment_id, Verdict.response_id)
    ):
        means[judgment_id].append((float(score or 0.0), response_id))
    best: dict[int, int] = {}
    for judgment_id, scores in means.items():
        scores.sort(reverse=True)
        if len(scores) == 1 or scores[0][0] > scores[1][0]:
            best[judgment_id] = scores[0][1]
    return best


def _completions(session: Session, judgment_ids: Sequence[int]) -> dict[int, list[Completion]]:
    rows = session.scalars(
        select(Completion)
        .where(Completion.judgment_id.in_(judgment_ids), Completion.cause == "")
        .order_by(Completion.sample)
    )
    completions: dict[int, list[Completion]] = defaultdict(list)
    for completion in rows:
        completions[completion.judgment_id].append(completion)
    return completions
