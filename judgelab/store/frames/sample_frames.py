"""Read judges' scores reply by reply, for the agreement of single samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import groupby
from typing import Any, NamedTuple

import pandas as pd
from sqlalchemy import Select, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from judgelab.domain import SCORE_COLUMNS
from judgelab.store.frames.score_frames import TYPES
from judgelab.store.models import Completion, ItemRow, JudgeRow, Judgment, ResponseRow, Run
from judgelab.store.models import Verdict as VerdictRow


def sample_frame(session: Session, project_id: int) -> pd.DataFrame:
    """Return the score in each reply of a judge (`SCORE_COLUMNS`, `sample` from 0).

    Only of protocols with one call per unit, whose replies each contain complete scores; units with
    manually entered scores have the scores of their replies.
    """
    query = _replies(
        project_id,
        ItemRow.external_id,
        ResponseRow.id,
        ResponseRow.system,
        ItemRow.group,
        JudgeRow.name,
        Run.id,
        Completion.sample,
        Completion.reading,
        Judgment.judged_at,
    )
    rows: list[tuple[Any, ...]] = []
    for item, response, system, group, judge, run, sample, reading, at in session.execute(query):
        for key, score in (reading.get("scores") or {}).items():
            rows.append((item, response, system, group, key, judge, "judge", score, run, sample, at))
    frame = pd.DataFrame(rows, columns=list(SCORE_COLUMNS))
    return frame.astype({name: kind for name, kind in TYPES.items() if name != "rated_at"})


class JudgmentReplies(NamedTuple):
    """All calls of one scored judgment, each with its data and the reading of its reply.

    `detail` explains the judge's score; it is the same for all criteria of the judgment.
    """

    item: str
    response: int
    system: str
    group: str
    judge: str
    judged_at: datetime | None
    detail: Mapping[str, Any]
    calls: tuple[tuple[Mapping[str, Any], Mapping[str, Any]], ...]


def replies_by_judgment(session: Session, project_id: int, protocol: str) -> Iterator[JudgmentReplies]:
    """Yield the scored judgments of a protocol's judges with their replies in the order of calls.

    Manually entered scores are left out, as they are not from a reply.
    """
    detail = (
        select(VerdictRow.judgment_id, VerdictRow.detail)
        .join(Judgment, Judgment.id == VerdictRow.judgment_id)
        .join(Run, Run.id == Judgment.run_id)
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .where(Run.project_id == project_id, JudgeRow.protocol == protocol, VerdictRow.origin == "judge")
    )
    details = {judgment: verdict_detail for judgment, verdict_detail in session.execute(detail)}
    query = _replies(
        project_id,
        Judgment.id,
        ItemRow.external_id,
        ResponseRow.id,
        ResponseRow.system,
        ItemRow.group,
        JudgeRow.name,
        Judgment.judged_at,
        Completion.call_data,
        Completion.reading,
    ).where(JudgeRow.protocol == protocol, Judgment.state == "scored")
    for judgment, rows in groupby(session.execute(query), key=lambda row: row[0]):
        if judgment in details:
            replies = list(rows)
            calls = tuple((row.call_data, row.reading) for row in replies)
            _judgment, item, response, system, group, judge, judged_at, *_call = replies[0]
            yield JudgmentReplies(item, response, system, group, judge, judged_at, details[judgment], calls)


def _replies(project_id: int, *columns: InstrumentedAttribute[Any]) -> Select[Any]:
    """Return a query for columns of the replies about data items, in the order of calls."""
    return (
        select(*columns)
        .select_from(Completion)
        .join(Judgment, Judgment.id == Completion.judgment_id)
        .join(Run, Run.id == Judgment.run_id)
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .join(ResponseRow, ResponseRow.id == Judgment.response_id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(Run.project_id == project_id, ItemRow.purpose == "data", Completion.cause == "")
        .order_by(Completion.judgment_id, Completion.sample)
    )
