"""All scores of a project as one long frame, whoever gave them."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import numpy as np
import pandas as pd
from sqlalchemy import ColumnElement, Executable, Select, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from judgelab.domain import DECISION, RaterKind
from judgelab.store import columns
from judgelab.store.models import (
    CriterionRow,
    Decision,
    FilterPolicyRow,
    ImportRow,
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
from judgelab.store.score_names import IDS, SCORED, Names, named, written

KINDS: tuple[RaterKind, ...] = ("human", "judge", "metric")
NAMES_AT_ONCE = 1_000
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
    A metric scores a response whatever the criterion, so it appears once under each.
    Planned repeats (occasion > 0) are left out: they measure a rater, not a response.
    """
    read = {"human": _ratings, "judge": _verdicts, "metric": _metric_scores}
    names = Names.of(session, project_id)
    parts = [read[kind](session, project_id, names) for kind in kinds]
    parts = [part for part in parts if len(part)] or parts[:1]
    return pd.concat(parts, ignore_index=True)


def decision_frame(session: Session, project_id: int) -> pd.DataFrame:
    """Return what adjudicators decided, one row a response and criterion, with the columns `SCORE_COLUMNS`.

    What cannot be decided has no row.
    """
    query = select(
        Decision.id, Decision.response_id, Decision.criterion_id, Decision.score, written(Decision.decided_at)
    ).where(Decision.project_id == project_id, Decision.score.is_not(None))
    frame = _in_order(session, query, ("id", *SCORED, "rated_at")).assign(rater=DECISION)
    return Names.of(session, project_id).put(frame, DECISION)


def response_frame(session: Session, project_id: int, *, answers: bool = True) -> pd.DataFrame:
    """Return one row per response of the data: response, response_id, item, system, group, question, text.

    Without `answers` the column text is left out: reading what is long takes longest.
    """
    wanted: list[ColumnElement[Any] | InstrumentedAttribute[Any]]
    wanted = [ResponseRow.external_id, ItemRow.external_id, ResponseRow.system, ItemRow.group]
    wanted += [ItemRow.question, *([ResponseRow.text] if answers else [])]
    query = (
        select(ResponseRow.id, *wanted)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(ResponseRow.project_id == project_id, ItemRow.purpose == "data")
        .order_by(ResponseRow.id)
    )
    names = tuple(RESPONSE_TYPES)[: 1 + len(wanted)]
    return columns.read(session, query, names, RESPONSE_TYPES)


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
    """Return a word that changes whenever a score, a response, a name or the rule in use changes."""
    newest: list[Executable] = [
        select(func.count(), func.max(table.id)).where(table.project_id == project_id)
        for table in (
            *(Rating, Preference, Ranking, ResponseRow, MetricScore, CriterionRow, FilterPolicyRow),
            ImportRow,  # by which systems and groups are told later
        )
    ]
    newest.append(
        select(func.max(Rating.rated_at), func.sum(Rating.score)).where(
            _rating_project(session, project_id) == project_id
        )
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
    newest.append(select(func.count(Person.erased_at), func.max(Person.erased_at)))  # no other name changes
    newest.append(
        select(ItemRow.purpose, func.count(), func.sum(ItemRow.id))
        .where(ItemRow.project_id == project_id)
        .group_by(ItemRow.purpose)
        .order_by(ItemRow.purpose)
    )
    seen = [tuple(row) for query in newest for row in session.execute(query)]
    return sha256(repr(seen).encode()).hexdigest()[:16]


def _in_order(session: Session, query: Select[Any], names: Sequence[str]) -> pd.DataFrame:
    """Return the rows in the order they were stored; the database would sort them in many times as long."""
    found = columns.read(session, query, names, IDS)
    if found["id"].is_monotonic_increasing:
        return found
    return found.sort_values("id", kind="stable", ignore_index=True)


def _rating_project(session: Session, project_id: int) -> InstrumentedAttribute[int] | ColumnElement[int]:
    own = session.scalar(select(func.count()).where(Rating.project_id == project_id))
    return columns.passing_all(session, Rating.project_id, own or 0)


def _ratings(session: Session, project_id: int, names: Names) -> pd.DataFrame:
    query = select(
        Rating.id,
        Rating.response_id,
        Rating.criterion_id,
        Rating.score,
        written(Rating.rated_at),
        Rating.person_id,
    ).where(
        _rating_project(session, project_id) == project_id, Rating.occasion == 0, Rating.score.is_not(None)
    )
    frame = _in_order(session, query, ("id", *SCORED, "rated_at", "person"))
    ids = frame["person"].unique().tolist()
    people: dict[int, str] = {}
    for start in range(0, len(ids), NAMES_AT_ONCE):
        some = Person.id.in_(ids[start : start + NAMES_AT_ONCE])
        people |= named(session, select(Person.id, Person.name).where(some))
    frame["rater"] = columns.looked_up(frame["person"], people)
    return names.put(frame, "human")


def _verdicts(session: Session, project_id: int, names: Names) -> pd.DataFrame:
    runs = named(
        session,
        select(Run.id, JudgeRow.name)
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .where(Run.project_id == project_id),
    )
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
        .join(Judgment, Judgment.id == columns.passing_all(session, Verdict.judgment_id, scored or 0))
        .where(Judgment.run_id.in_(runs), Judgment.state == "scored")
    )
    frame = _in_order(session, query, ("id", *SCORED, "rated_at", "run"))
    frame["rater"] = columns.looked_up(frame["run"], runs)
    return names.put(frame, "judge")


def _metric_scores(session: Session, project_id: int, names: Names) -> pd.DataFrame:
    """Return each number of a metric under every criterion: a metric does not know them."""
    query = select(
        MetricScore.id,
        MetricScore.response_id,
        MetricScore.metric,
        MetricScore.score,
        written(MetricScore.scored_at),
    ).where(MetricScore.project_id == project_id, MetricScore.score.is_not(None))
    once = _in_order(session, query, ("id", "response", "rater", "score", "rated_at"))
    criteria = list(names.criteria)
    frame = once.loc[once.index.repeat(len(criteria))].reset_index(drop=True)
    frame["criterion_id"] = np.tile(np.array(criteria, dtype="int64"), len(once))
    return names.put(frame, "metric")
