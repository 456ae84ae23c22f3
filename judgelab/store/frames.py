"""All scores of a project as one long frame, whoever gave them."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import pandas as pd
from sqlalchemy import (
    ColumnElement,
    Executable,
    Float,
    Integer,
    Select,
    String,
    cast,
    func,
    literal,
    null,
    select,
)
from sqlalchemy.orm import InstrumentedAttribute, Session

from judgelab.domain import DECISION, SCORE_COLUMNS, RaterKind
from judgelab.store import columns
from judgelab.store.models import (
    CriterionRow,
    Decision,
    FilterPolicyRow,
    ItemRow,
    JudgeRow,
    Judgment,
    MetricScore,
    Person,
    Preference,
    Ranking,
    Rating,
    ResponseRow,
    Run,
    Verdict,
)

Column = ColumnElement[Any] | InstrumentedAttribute[Any]
KINDS: tuple[RaterKind, ...] = ("human", "judge", "metric")
TYPES = {
    **dict.fromkeys(("item", "system", "group", "criterion", "rater", "rater_kind"), "str"),
    **{"score": "float64", "run": "Int64", "sample": "Int64", "rated_at": columns.TIME},
}


def score_frame(session: Session, project_id: int, *, kinds: Sequence[RaterKind] = KINDS) -> pd.DataFrame:
    """Return every score of the project, one row each, with the columns `SCORE_COLUMNS`.

    `item` is the item's external id, `response` the response's row id; `run` is set for judges only.
    A metric scores a response whatever the criterion, so it appears once under each.
    Planned repeats (occasion > 0) are left out: they measure a rater, not a response.
    """
    queries = {"human": _ratings, "judge": _verdicts, "metric": _metric_scores}
    parts = [_frame(session, queries[kind](project_id)) for kind in kinds]
    parts = [part for part in parts if len(part)] or [_frame(session, _ratings(-1))]
    frame = pd.concat(parts, ignore_index=True)
    return frame[list(SCORE_COLUMNS)]


def decision_frame(session: Session, project_id: int) -> pd.DataFrame:
    """Return what adjudicators decided, one row a response and criterion, with the columns `SCORE_COLUMNS`.

    What cannot be decided has no row.
    """
    return _frame(session, _decisions(project_id))[list(SCORE_COLUMNS)]


def response_frame(session: Session, project_id: int) -> pd.DataFrame:
    """Return one row per response of the data: response, response_id, item, system, group, question, text."""
    query = (
        select(
            ResponseRow.id.label("response"),
            ResponseRow.external_id.label("response_id"),
            ItemRow.external_id.label("item"),
            ResponseRow.system,
            ItemRow.group,
            ItemRow.question,
            ResponseRow.text,
        )
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(ResponseRow.project_id == project_id, ItemRow.purpose == "data")
        .order_by(ResponseRow.id)
    )
    result = session.execute(query)
    return pd.DataFrame(result.all(), columns=pd.Index(list(result.keys())))


def metric_names(session: Session, project_id: int) -> list[str]:
    """Return the metrics that have a number in the project, by name."""
    query = select(MetricScore.metric).where(MetricScore.project_id == project_id).distinct()
    return sorted(session.scalars(query))


def unscored_counts(session: Session, project_id: int) -> dict[str, int]:
    """Return how many judgments of each judge hold no score: unscored or failed."""
    rows = session.execute(
        select(JudgeRow.name, func.count())
        .join(Run, Run.judge_id == JudgeRow.id)
        .join(Judgment, Judgment.run_id == Run.id)
        .where(Run.project_id == project_id, Judgment.state.in_(("unscored", "failed")))
        .group_by(JudgeRow.name)
    )
    return {name: n for name, n in rows}


def fingerprint(session: Session, project_id: int) -> str:
    """Return a word that changes whenever a score, a response or the rule in use changes."""
    newest: list[Executable] = [
        select(func.count(), func.max(table.id)).where(table.project_id == project_id)
        for table in (
            *(Rating, Preference, Ranking, ResponseRow, MetricScore, CriterionRow, FilterPolicyRow),
        )
    ]
    newest.append(
        select(func.max(Rating.rated_at), func.sum(Rating.score)).where(Rating.project_id == project_id)
    )
    newest += [
        select(func.max(table.rated_at)).where(table.project_id == project_id)
        for table in (Preference, Ranking)
    ]
    newest.append(
        select(func.sum(MetricScore.score), func.max(MetricScore.scored_at)).where(
            MetricScore.project_id == project_id
        )
    )
    newest.append(
        select(func.count(), func.max(Judgment.judged_at))
        .join(Run, Run.id == Judgment.run_id)
        .where(Run.project_id == project_id, Judgment.state != "waiting")
    )
    newest.append(
        select(FilterPolicyRow.name, FilterPolicyRow.version).where(
            FilterPolicyRow.project_id == project_id, FilterPolicyRow.in_use
        )
    )
    newest.append(
        select(func.count(), func.max(Decision.decided_at)).where(Decision.project_id == project_id)
    )
    seen = [tuple(row) for query in newest for row in session.execute(query)]
    return sha256(repr(seen).encode()).hexdigest()[:16]


def _frame(session: Session, query: Select[Any]) -> pd.DataFrame:
    return columns.read(session, query, query.selected_columns.keys(), TYPES)


def _columns(
    rater: Column, kind: str, score: Column, run: Column, rated_at: Column
) -> list[ColumnElement[Any]]:
    return [
        ItemRow.external_id.label("item"),
        ResponseRow.id.label("response"),
        ResponseRow.system.label("system"),
        ItemRow.group.label("group"),
        CriterionRow.key.label("criterion"),
        rater.label("rater"),
        literal(kind, String).label("rater_kind"),
        cast(score, Float).label("score"),
        cast(run, Integer).label("run"),
        cast(null(), Integer).label("sample"),
        columns.as_written(rated_at).label("rated_at"),
    ]


def _ratings(project_id: int) -> Select[Any]:
    return (
        select(*_columns(Person.name, "human", Rating.score, null(), Rating.rated_at))
        .select_from(Rating)
        .join(Person, Person.id == Rating.person_id)
        .join(ResponseRow, ResponseRow.id == Rating.response_id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .join(CriterionRow, CriterionRow.id == Rating.criterion_id)
        .where(Rating.project_id == project_id, Rating.occasion == 0, Rating.score.is_not(None))
        .where(ItemRow.purpose == "data")
        .order_by(Rating.id)
    )


def _decisions(project_id: int) -> Select[Any]:
    return (
        select(*_columns(literal(DECISION, String), DECISION, Decision.score, null(), Decision.decided_at))
        .select_from(Decision)
        .join(ResponseRow, ResponseRow.id == Decision.response_id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .join(CriterionRow, CriterionRow.id == Decision.criterion_id)
        .where(Decision.project_id == project_id, Decision.score.is_not(None), ItemRow.purpose == "data")
        .order_by(Decision.id)
    )


def _verdicts(project_id: int) -> Select[Any]:
    return (
        select(*_columns(JudgeRow.name, "judge", Verdict.score, Run.id, Judgment.judged_at))
        .select_from(Verdict)
        .join(Judgment, Judgment.id == Verdict.judgment_id)
        .join(Run, Run.id == Judgment.run_id)
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .join(ResponseRow, ResponseRow.id == Verdict.response_id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .join(CriterionRow, CriterionRow.id == Verdict.criterion_id)
        .where(Run.project_id == project_id, Judgment.state == "scored", ItemRow.purpose == "data")
        .order_by(Verdict.id)
    )


def _metric_scores(project_id: int) -> Select[Any]:
    return (
        select(*_columns(MetricScore.metric, "metric", MetricScore.score, null(), MetricScore.scored_at))
        .select_from(MetricScore)
        .join(ResponseRow, ResponseRow.id == MetricScore.response_id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .join(CriterionRow, CriterionRow.project_id == MetricScore.project_id)
        .where(MetricScore.project_id == project_id, MetricScore.score.is_not(None))
        .where(ItemRow.purpose == "data")
        .order_by(MetricScore.id)
    )
