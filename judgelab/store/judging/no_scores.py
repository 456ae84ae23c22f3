"""Count judgments without a score: unreadable replies, failed calls, and the answer "cannot judge"."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judgelab.scales import CANNOT_JUDGE, PASSED
from judgelab.store.judging.unscored_counts import UnscoredCounts, sum_missing
from judgelab.store.models import CriterionRow, ItemRow, JudgeRow, Judgment, Rating, ResponseRow, Run
from judgelab.wording import mark

STATES = ("unscored", "failed")
UNREADABLE = mark("no score could be read from the reply")


def missing_by_part(session: Session, project_id: int) -> dict[tuple[str, str, str, str], UnscoredCounts]:
    """Return the counts by judge, criterion, the item's group and the response's system.

    The criterion is "*" for judgments of all criteria at once.
    """
    rows = session.execute(
        select(
            JudgeRow.name,
            Judgment.criteria,
            ItemRow.group,
            ResponseRow.system,
            Judgment.state,
            func.count(),
            func.count().filter(Judgment.reason == str(PASSED)),
        )
        .join(Run, Run.judge_id == JudgeRow.id)
        .join(Judgment, Judgment.run_id == Run.id)
        .join(ResponseRow, ResponseRow.id == Judgment.response_id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(Run.project_id == project_id, Judgment.state.in_(STATES))
        .group_by(JudgeRow.name, Judgment.criteria, ItemRow.group, ResponseRow.system, Judgment.state)
    )
    by_part: dict[tuple[str, str, str, str], dict[str, int]] = {}
    for name, criteria, group, system, state, n, passed in rows:
        counts = by_part.setdefault((name, criteria, group, system), {})
        counts[state] = n - passed
        counts[CANNOT_JUDGE] = counts.get(CANNOT_JUDGE, 0) + passed
    return {key: UnscoredCounts(**counts) for key, counts in by_part.items()}


def unscored_reasons(session: Session, project_id: int, judge: str) -> dict[str, int]:
    """Return how many of a judge's judgments are unscored for each reason stored with them."""
    rows = session.execute(
        select(Judgment.reason, func.count())
        .join(Run, Run.id == Judgment.run_id)
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .where(Run.project_id == project_id, JudgeRow.name == judge, Judgment.state == "unscored")
        .group_by(Judgment.reason)
    )
    return {reason.rstrip(".") or UNREADABLE: count for reason, count in rows}


def passed_by_people(session: Session, project_id: int) -> dict[str, int]:
    """Return how many ratings say "cannot judge", by criterion; without criteria that have none."""
    rows = session.execute(
        select(CriterionRow.key, func.count())
        .join(Rating, Rating.criterion_id == CriterionRow.id)
        .where(Rating.project_id == project_id, Rating.occasion == 0, Rating.score.is_(None))
        .group_by(CriterionRow.key, CriterionRow.position)
        .order_by(CriterionRow.position)
    )
    return {key: count for key, count in rows}


def missing_by_judge(session: Session, project_id: int) -> dict[tuple[str, str], UnscoredCounts]:
    """Return the counts by judge and criterion, over all groups and systems."""
    by_judge: dict[tuple[str, str], list[UnscoredCounts]] = {}
    for (judge, criterion, *_part), count in missing_by_part(session, project_id).items():
        by_judge.setdefault((judge, criterion), []).append(count)
    return {key: sum_missing(counts) for key, counts in by_judge.items()}
