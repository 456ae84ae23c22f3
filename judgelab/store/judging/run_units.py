"""The units of a run one by one, with what the model wrote: to read what was not scored."""

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
        criteria: the criterion asked about; "*" when all were.
        scores: the score under each criterion; empty when there is none, or when an item was judged as a
            whole: its responses have one each.
        members: row id and system of each response where an item was judged as a whole, else none.
        best: the system that has the highest score of them; empty where no one has.
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
    members: tuple[tuple[int, str], ...]
    best: str
    replies: tuple[str, ...]
    reasons: tuple[str, ...]
    read: tuple[float | None, ...]


def judged_units(
    session: Session, run_id: int, *, states: Sequence[VerdictState], limit: int
) -> list[JudgedUnit]:
    """Return the units of a run in these states, the last judged first, `limit` at most."""
    # Chosen first: a run may have a hundred thousand units, each of which would be joined to its texts.
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
            read=tuple(_read(c, judgment.criteria) for c in completions[judgment.id]),
        )
        for judgment, item, system in rows
    ]


def prompts_of(session: Session, judgment_id: int) -> dict[str, list[Message]]:
    """Return the prompts of a judgment by the word of the call, "" for a single one; empty if not kept."""
    query = (
        select(Completion.call_key, PromptRow.messages)
        .join(PromptRow, Completion.prompt_hash == PromptRow.hash)
        .where(Completion.judgment_id == judgment_id)
        .order_by(Completion.sample)
    )
    found: dict[str, list[Message]] = {}
    for key, messages in session.execute(query):
        found.setdefault(key, [Message(m["role"], m["content"]) for m in messages])
    return found


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


def _best(session: Session, judgment_ids: Sequence[int]) -> dict[int, int]:
    """Return the response with the highest mean score of each judgment of a whole item; none on a draw."""
    mean = func.avg(Verdict.score)
    query = select(Verdict.judgment_id, Verdict.response_id, mean).where(
        Verdict.judgment_id.in_(judgment_ids)
    )
    found: dict[int, list[tuple[float, int]]] = defaultdict(list)
    for judgment_id, response_id, score in session.execute(
        query.group_by(Verdict.judgment_id, Verdict.response_id)
    ):
        found[judgment_id].append((float(score or 0.0), response_id))
    best: dict[int, int] = {}
    for judgment_id, scores in found.items():
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
    found: dict[int, list[Completion]] = defaultdict(list)
    for completion in rows:
        found[completion.judgment_id].append(completion)
    return found
