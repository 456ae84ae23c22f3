"""Read the rows of scores with ids, and replace the ids with names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judgelab.domain import RaterKind
from judgelab.store.db import columns
from judgelab.store.frames import blocks
from judgelab.store.frames.blocks import BlockQuery
from judgelab.store.frames.fingerprints import rating_project
from judgelab.store.frames.score_names import IDS, SCORED, ScoreNames, names_by_id, written
from judgelab.store.models import JudgeRow, Judgment, MetricScore, Person, Rating, Run, Verdict

NAMES_PER_QUERY = 1_000


def read_scores(
    session: Session, project_id: int, kind: RaterKind, known: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Return the scores of one kind of rater in the order stored: id, response, score, rated_at and more.

    `known` are the rows read before; only those that changed since are read again (`blocks.read_rows`).
    """
    queries = {"human": _ratings, "judge": _verdicts, "metric": _metric_scores}
    return blocks.read_rows(session, queries[kind](session, project_id), known)


def with_names(
    session: Session, project_id: int, kind: RaterKind, rows: pd.DataFrame, names: ScoreNames
) -> pd.DataFrame:
    """Return the rows of `read_scores` with names and the columns `SCORE_COLUMNS`."""
    if kind == "metric":
        return names.put(_under_each(rows, list(names.criteria)), kind)
    ids = "person" if kind == "human" else "run"
    names_of_raters = _people(session, rows["person"]) if kind == "human" else _judges(session, project_id)
    return names.put(rows.assign(rater=columns.lookup_texts(rows[ids], names_of_raters)), kind)


def _ratings(session: Session, project_id: int) -> BlockQuery:
    query = select(
        Rating.id,
        Rating.response_id,
        Rating.criterion_id,
        Rating.score,
        written(Rating.rated_at),
        Rating.person_id,
    ).where(
        rating_project(session, project_id) == project_id, Rating.occasion == 0, Rating.score.is_not(None)
    )
    names = ("id", *SCORED, "rated_at", "person")
    return BlockQuery(query, names, IDS, Rating.id, Rating.score, Rating.rated_at)


def _verdicts(session: Session, project_id: int) -> BlockQuery:
    runs = list(_judges(session, project_id))
    scored = session.scalar(select(func.count()).where(Judgment.run_id.in_(runs), Judgment.state == "scored"))
    query = (
        select(
            Verdict.id,
            Verdict.response_id,
            Verdict.criterion_id,
            Verdict.score,
            written(Judgment.judged_at),
            Judgment.run_id,
        )
        .join(Judgment, Judgment.id == columns.without_index(session, Verdict.judgment_id, scored or 0))
        .where(Judgment.run_id.in_(runs), Judgment.state == "scored")
    )
    names = ("id", *SCORED, "rated_at", "run")
    return BlockQuery(query, names, IDS, Verdict.id, Verdict.score, Judgment.judged_at)


def _metric_scores(session: Session, project_id: int) -> BlockQuery:
    query = select(
        MetricScore.id,
        MetricScore.response_id,
        MetricScore.metric,
        MetricScore.score,
        written(MetricScore.scored_at),
    ).where(MetricScore.project_id == project_id, MetricScore.score.is_not(None))
    names = ("id", "response", "rater", "score", "rated_at")
    return BlockQuery(query, names, IDS, MetricScore.id, MetricScore.score, MetricScore.scored_at)


def _under_each(scores: pd.DataFrame, criteria: list[int]) -> pd.DataFrame:
    """Return each metric score once per criterion, as metrics do not distinguish criteria."""
    repeated = scores.loc[scores.index.repeat(len(criteria))].reset_index(drop=True)
    repeated["criterion_id"] = np.tile(np.array(criteria, dtype="int64"), len(scores))
    return repeated


def _people(session: Session, ids: pd.Series[Any]) -> Mapping[int, str]:
    row_ids, names = ids.unique().tolist(), dict[int, str]()
    for start in range(0, len(row_ids), NAMES_PER_QUERY):
        in_batch = Person.id.in_(row_ids[start : start + NAMES_PER_QUERY])
        names |= names_by_id(session, select(Person.id, Person.name).where(in_batch))
    return names


def _judges(session: Session, project_id: int) -> Mapping[int, str]:
    """Return the judge's name of each run."""
    query = select(Run.id, JudgeRow.name).join(JudgeRow, JudgeRow.id == Run.judge_id)
    return names_by_id(session, query.where(Run.project_id == project_id))
