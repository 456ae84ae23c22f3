"""Read all scores of a project as one long frame, from people, judges and metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from sqlalchemy import ColumnElement, exists, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from judgelab.domain import DECISION, RaterKind
from judgelab.store.db import columns
from judgelab.store.frames import score_rows
from judgelab.store.frames.score_names import IDS, SCORED, ScoreNames, written
from judgelab.store.models import (
    CriterionRow,
    Decision,
    ItemRow,
    JudgeRow,
    Judgment,
    MetricScore,
    Person,
    Rating,
    ResponseRow,
    Run,
    Verdict,
)

KINDS: tuple[RaterKind, ...] = ("human", "judge", "metric")
TYPES = {
    **dict.fromkeys(("item", "system", "group", "criterion", "rater", "rater_kind"), "str"),
    **{"score": "float64", "run": "Int64", "sample": "Int64", "rated_at": columns.TIME},
}

RESPONSE_TYPES = {
    "response": "int64",
    **dict.fromkeys(("response_id", "item", "system", "group", "question", "text"), "str"),
}


def score_frame(session: Session, project_id: int, *, kinds: Sequence[RaterKind] = KINDS) -> pd.DataFrame:
    """Return every score of the project, one row each, with the columns `SCORE_COLUMNS`, kind by kind.

    `item` is the item's external id, `response` the response's row id; `run` is set for judges only.
    A metric's score does not depend on the criterion, so it appears once under each.
    Planned repeats (occasion > 0) are left out: they measure a rater, not a response.
    """
    names = ScoreNames.of(session, project_id)
    rows_by_kind = ((kind, score_rows.read_scores(session, project_id, kind)) for kind in kinds)
    return concat_scores(
        [score_rows.with_names(session, project_id, kind, rows, names) for kind, rows in rows_by_kind]
    )


def concat_scores(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return the scores of several kinds as one frame."""
    filled = [part for part in parts if len(part)]
    return pd.concat(filled or parts[:1], ignore_index=True)


def decision_frame(session: Session, project_id: int) -> pd.DataFrame:
    """Return adjudicators' decisions, one row per response and criterion, with the columns `SCORE_COLUMNS`.

    Decisions of "cannot be decided" have no row.
    """
    query = select(
        Decision.id, Decision.response_id, Decision.criterion_id, Decision.score, written(Decision.decided_at)
    ).where(Decision.project_id == project_id, Decision.score.is_not(None))
    rows = columns.read_frame(session, query.order_by(Decision.id), ("id", *SCORED, "rated_at"), IDS)
    frame = rows.assign(rater=DECISION)
    return ScoreNames.of(session, project_id).put(frame, DECISION)


def response_frame(session: Session, project_id: int, *, answers: bool = True) -> pd.DataFrame:
    """Return one row per response of the data: response, response_id, item, system, group, question, text.

    Without `answers` the column text is left out, which is much faster.
    """
    selected: list[ColumnElement[Any] | InstrumentedAttribute[Any]]
    selected = [ResponseRow.external_id, ItemRow.external_id, ResponseRow.system, ItemRow.group]
    selected += [ItemRow.question, *([ResponseRow.text] if answers else [])]
    query = (
        select(ResponseRow.id, *selected)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(ResponseRow.project_id == project_id, ItemRow.purpose == "data")
        .order_by(ResponseRow.id)
    )
    names = tuple(RESPONSE_TYPES)[: 1 + len(selected)]
    return columns.read_frame(session, query, names, RESPONSE_TYPES)


def rated_criteria(session: Session, project_id: int, *, rater: str | None = None) -> tuple[str, ...]:
    """Return the keys of the criteria under which people (or one person) rated the data."""
    rated = (
        exists()
        .where(Rating.criterion_id == CriterionRow.id, Rating.project_id == project_id)
        .where(Rating.occasion == 0, Rating.score.is_not(None))
        .where(ResponseRow.id == Rating.response_id, ItemRow.id == ResponseRow.item_id)
        .where(ItemRow.purpose == "data")
    )
    if rater is not None:
        rated = rated.where(Person.id == Rating.person_id, Person.name == rater)
    query = select(CriterionRow.key).where(CriterionRow.project_id == project_id, rated)
    return tuple(session.scalars(query.order_by(CriterionRow.position)))


def rated_per_item(session: Session, project_id: int) -> int:
    """Return the highest number of rated responses of any data item; 0 for none."""
    rated = exists().where(
        Rating.response_id == ResponseRow.id, Rating.occasion == 0, Rating.score.is_not(None)
    )
    per_item = (
        select(func.count().label("responses"))
        .select_from(ResponseRow)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(ResponseRow.project_id == project_id, ItemRow.purpose == "data", rated)
        .group_by(ResponseRow.item_id)
        .subquery()
    )
    return session.scalar(select(func.max(per_item.c.responses))) or 0


def judged_criteria(session: Session, project_id: int) -> dict[str, tuple[str, ...]]:
    """Return the keys of the criteria under which each judge scored the data, in order."""
    scored = (
        exists()
        .where(Judgment.run_id == Run.id, Judgment.state == "scored")
        .where(Verdict.judgment_id == Judgment.id, Verdict.criterion_id == CriterionRow.id)
        .where(ResponseRow.id == Verdict.response_id, ItemRow.id == ResponseRow.item_id)
        .where(ItemRow.purpose == "data")
    )
    query = (
        select(JudgeRow.name, CriterionRow.key)
        .join(Run, Run.judge_id == JudgeRow.id)
        .join(CriterionRow, CriterionRow.project_id == Run.project_id)
        .where(Run.project_id == project_id, scored)
        .order_by(JudgeRow.name, CriterionRow.position)
    )
    by_judge: dict[str, dict[str, None]] = {}
    for judge, key in session.execute(query):
        by_judge.setdefault(judge, {})[key] = None
    return {judge: tuple(keys) for judge, keys in by_judge.items()}


def constant_judges(session: Session, project_id: int) -> frozenset[str]:
    """Return the judges that gave all data responses the same score, under every criterion."""
    score = Verdict.score
    query = (
        select(JudgeRow.name)
        .join(Run, Run.judge_id == JudgeRow.id)
        .join(Judgment, Judgment.run_id == Run.id)
        .join(Verdict, Verdict.judgment_id == Judgment.id)
        .join(ResponseRow, ResponseRow.id == Verdict.response_id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(Run.project_id == project_id, Judgment.state == "scored", ItemRow.purpose == "data")
        .group_by(JudgeRow.name, Verdict.criterion_id)
    )
    rows = session.execute(query.add_columns(func.min(score) < func.max(score))).all()
    return frozenset(name for name, _ in rows) - {name for name, varied in rows if varied}


def fully_judged_responses(session: Session, project_id: int, judge: str) -> frozenset[int]:
    """Return the data responses that a judge scored under all the criteria that it uses."""
    query = (
        select(Verdict.response_id, func.count(Verdict.criterion_id.distinct()))
        .join(Judgment, Judgment.id == Verdict.judgment_id)
        .join(Run, Run.id == Judgment.run_id)
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .join(ResponseRow, ResponseRow.id == Verdict.response_id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(Run.project_id == project_id, JudgeRow.name == judge)
        .where(Judgment.state == "scored", ItemRow.purpose == "data")
        .group_by(Verdict.response_id)
    )
    counts = {response: criteria for response, criteria in session.execute(query)}
    scored = len(judged_criteria(session, project_id).get(judge, ()))
    return frozenset(response for response, criteria in counts.items() if criteria == scored)


def metric_names(session: Session, project_id: int) -> list[str]:
    """Return the metrics that have a score in the project, by name."""
    query = select(MetricScore.metric).where(
        MetricScore.project_id == project_id, MetricScore.score.is_not(None)
    )
    return sorted(session.scalars(query.distinct()))
