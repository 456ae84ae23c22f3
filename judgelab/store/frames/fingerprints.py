"""Fingerprints that change whenever a project's scores may have changed, to avoid reading them again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sqlalchemy import ColumnElement, Executable, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from judgelab.domain import RaterKind
from judgelab.store.db import columns
from judgelab.store.models import (
    CriterionRow,
    Decision,
    FilterPolicyRow,
    ImportRow,
    ItemRow,
    JudgedPair,
    JudgeRow,
    Judgment,
    MetricScore,
    PairDecision,
    Person,
    Preference,
    Ranking,
    Rating,
    ResponseRow,
    Run,
)


@dataclass(frozen=True)
class Fingerprints:
    """The fingerprints of a project.

    Attributes:
        kinds: the fingerprint of the scores of each kind of rater.
        compared: of people's preferences and rankings.
        other_data: of names, responses, criteria, judges, decisions and the filter in use.
    """

    kinds: Mapping[RaterKind, str]
    compared: str
    other_data: str

    @property
    def combined(self) -> str:
        """Return one fingerprint in three parts: the rest, judges and metrics, people's answers."""
        people = _hashed([self.kinds["human"], self.compared])
        return f"{self.other_data}-{_hashed([self.kinds['judge'], self.kinds['metric']])}-{people}"


def project_fingerprints(session: Session, project_id: int) -> Fingerprints:
    """Return the current fingerprints of a project."""
    kinds: Mapping[RaterKind, Iterable[Executable]] = {
        "human": _of_ratings(session, project_id),
        "judge": (_of_judgments(project_id), _of_judged_pairs(project_id)),
        "metric": _of_metrics(project_id),
    }
    return Fingerprints(
        {kind: query_fingerprint(session, queries) for kind, queries in kinds.items()},
        query_fingerprint(session, _of_comparisons(project_id)),
        query_fingerprint(session, [*_of_names(project_id), *_of_decisions(project_id)]),
    )


def rating_project(session: Session, project_id: int) -> InstrumentedAttribute[int] | ColumnElement[int]:
    """Return the column to compare with the project id, chosen so that the faster query plan is used."""
    count = session.scalar(select(func.count()).where(Rating.project_id == project_id))
    return columns.without_index(session, Rating.project_id, count or 0)


def _of_ratings(session: Session, project_id: int) -> tuple[Executable, ...]:
    newest = select(func.max(Rating.rated_at), func.sum(Rating.score))
    return (_counted(Rating, project_id), newest.where(rating_project(session, project_id) == project_id))


def _of_judgments(project_id: int) -> Executable:
    return (
        select(func.count(), func.max(Judgment.judged_at))
        .join(Run, Run.id == Judgment.run_id)
        .where(Run.project_id == project_id, Judgment.state != "waiting")
    )


def _of_judged_pairs(project_id: int) -> Executable:
    newest = select(func.count(), func.max(JudgedPair.id), func.max(JudgedPair.judged_at))
    return newest.join(Run, Run.id == JudgedPair.run_id).where(Run.project_id == project_id)


def _of_metrics(project_id: int) -> tuple[Executable, ...]:
    newest = select(func.sum(MetricScore.score), func.max(MetricScore.scored_at))
    return (_counted(MetricScore, project_id), newest.where(MetricScore.project_id == project_id))


def _of_names(project_id: int) -> tuple[Executable, ...]:
    purposes = (
        select(ItemRow.purpose, func.count(), func.sum(ItemRow.id))
        .where(ItemRow.project_id == project_id)
        .group_by(ItemRow.purpose)
        .order_by(ItemRow.purpose)
    )
    return (
        # ImportRow, because an import can add systems and groups later.
        *(_counted(table, project_id) for table in (ResponseRow, CriterionRow, ImportRow, JudgeRow)),
        select(func.count(Person.erased_at), func.max(Person.erased_at)),  # names only change by erasure
        purposes,
    )


def _of_comparisons(project_id: int) -> tuple[Executable, ...]:
    tables = (Preference, Ranking)
    return (
        *(_counted(table, project_id) for table in tables),
        *(select(func.max(table.rated_at)).where(table.project_id == project_id) for table in tables),
    )


def _of_decisions(project_id: int) -> tuple[Executable, ...]:
    in_use = select(FilterPolicyRow.name, FilterPolicyRow.version).where(
        FilterPolicyRow.project_id == project_id, FilterPolicyRow.in_use
    )
    decided = (
        select(func.count(), func.max(table.decided_at)).where(table.project_id == project_id)
        for table in (Decision, PairDecision)
    )
    return (_counted(FilterPolicyRow, project_id), in_use, *decided)


def _counted(table: Any, project_id: int) -> Executable:
    return select(func.count(), func.max(table.id)).where(table.project_id == project_id)


def query_fingerprint(session: Session, queries: Iterable[Executable]) -> str:
    """Return a hash of the results of the queries."""
    return _hashed([tuple(row) for query in queries for row in session.execute(query)])


def _hashed(rows: list[Any]) -> str:
    return sha256(repr(rows).encode()).hexdigest()[:16]
