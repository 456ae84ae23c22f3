"""Store imported records: add new rows, leave equal ones alone, note contradictions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Text, cast, func, or_, select
from sqlalchemy.orm import Session

from judgelab.store.db.import_ledger import ImportLedger
from judgelab.store.models import (
    ImportRow,
    ItemRow,
    JudgedPair,
    JudgeRow,
    Judgment,
    MetricScore,
    Person,
    Preference,
    Ranking,
    Rating,
    ResponseRow,
    Run,
)
from judgelab.store.rating import units
from judgelab.store.transfer.imported_comparisons import ComparisonWriter
from judgelab.store.transfer.imported_judgments import JudgmentWriter
from judgelab.store.transfer.imported_material import KnownScoreWriter
from judgelab.store.transfer.imported_pairs import JudgedPairWriter
from judgelab.store.transfer.imported_ratings import ScoreWriter
from judgelab.store.transfer.imported_runs import ImportedRuns
from judgelab.store.transfer.imported_texts import TextWriter
from judgelab.store.transfer.imported_work import count_as_done
from judgelab.store.transfer.outdated import delete_outdated
from judgelab.store.transfer.records import RecordBatch

IMPORTS_SEARCHED = 200  # newest imports of a project searched for a file with the same columns


class ImportedColumns(NamedTuple):
    """An imported file: its name, import time, kind of content, field of each column, meanings of values."""

    source: str
    imported_at: datetime
    kind: str
    columns: Mapping[str, str]
    values: tuple[str, ...] = ()


class ExistingNames(NamedTuple):
    """The names in a project before an import: (item, response, system) triples, items and raters."""

    responses: Sequence[tuple[str, str, str]]
    items: Sequence[str]
    raters: Sequence[str]


def existing_names(session: Session, project_id: int) -> ExistingNames:
    """Return the items, responses and raters that rows of a file may refer to."""
    responses = session.execute(
        select(ItemRow.external_id, ResponseRow.external_id, ResponseRow.system)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(ResponseRow.project_id == project_id)
    )
    people = select(Person.name).where(
        or_(
            *(
                Person.id.in_(select(table.person_id).where(table.project_id == project_id).distinct())
                for table in (Rating, Preference, Ranking)
            )
        )
    )
    judges = select(JudgeRow.name).where(JudgeRow.project_id == project_id)
    return ExistingNames(
        [(item, response, system) for item, response, system in responses],
        list(session.scalars(select(ItemRow.external_id).where(ItemRow.project_id == project_id))),
        [*session.scalars(people), *session.scalars(judges)],
    )


def has_scores(session: Session, project_id: int) -> bool:
    """Return whether the project has any rating, comparison or judge."""
    rated = next(
        (
            row_id
            for table in (Rating, Preference, Ranking)
            if (row_id := session.scalar(select(table.id).where(table.project_id == project_id).limit(1)))
        ),
        None,
    )
    judged = session.scalar(select(JudgeRow.id).where(JudgeRow.project_id == project_id).limit(1))
    return rated is not None or judged is not None


def project_counts(session: Session, project_id: int) -> dict[str, int]:
    """Return the number of items, responses, ratings, judgments and so on in a project."""
    queries = {
        "items": select(func.count()).where(ItemRow.project_id == project_id),
        "responses": select(func.count()).where(ResponseRow.project_id == project_id),
        "ratings": select(func.count()).where(Rating.project_id == project_id),
        "judgments": select(func.count(Judgment.id))
        .join(Run)
        .where(Run.project_id == project_id, Judgment.state != "waiting"),
        "judged_pairs": select(func.count(JudgedPair.id)).join(Run).where(Run.project_id == project_id),
        "metrics": select(func.count()).where(MetricScore.project_id == project_id),
        "preferences": select(func.count()).where(Preference.project_id == project_id),
        "rankings": select(func.count()).where(Ranking.project_id == project_id),
    }
    return {kind: session.scalar(query) or 0 for kind, query in queries.items()}


def save_import(
    session: Session,
    project_id: int,
    *,
    source: str,
    sha256: str,
    counts: Mapping[str, Any],
    columns: Mapping[str, Any],
) -> None:
    """Record where data came from, how much of each kind there was, and how its columns were mapped."""
    values = {"counts": dict(counts), "columns": dict(columns)}
    session.add(ImportRow(project_id=project_id, source=source, sha256=sha256, **values))


def find_import(session: Session, project_id: int, columns: Collection[str]) -> ImportedColumns | None:
    """Return the newest import of a file with exactly these columns, or None."""
    rows = session.execute(
        select(ImportRow.source, ImportRow.imported_at, ImportRow.columns)
        .where(ImportRow.project_id == project_id, cast(ImportRow.columns, Text) != "{}")
        .order_by(ImportRow.id.desc())
        .limit(IMPORTS_SEARCHED)
    )
    for source, at, stored in rows:
        if stored["columns"].keys() == set(columns):
            values = tuple(stored.get("values", ()))
            return ImportedColumns(source, at, stored["kind"], stored["columns"], values)
    return None


class ImportWriter:
    """Stores batches within one transaction of the caller, who rolls back if there are problems.

    Args:
        session: a writing session.
        project_id: the project.
        criterion_ids: row id of each criterion by its key.
    """

    def __init__(self, session: Session, project_id: int, *, criterion_ids: Mapping[str, int]) -> None:
        self.ledger = ImportLedger(session, project_id)
        self._texts = TextWriter(self.ledger)
        self._scores = ScoreWriter(self.ledger, criterion_ids=criterion_ids)
        self._runs = ImportedRuns(self.ledger)
        self._judgments = JudgmentWriter(self.ledger, criterion_ids=criterion_ids, runs=self._runs)
        self._pairs = JudgedPairWriter(self.ledger, criterion_ids=criterion_ids, runs=self._runs)
        self._material = KnownScoreWriter(self.ledger, criterion_ids=criterion_ids)
        self._comparisons = ComparisonWriter(self.ledger, criterion_ids=criterion_ids)

    def write(self, batch: RecordBatch) -> None:
        """Store a batch; contradictions with what is stored are noted in the ledger."""
        self.ledger.source = batch.source
        self._texts.write(batch.items, batch.responses)
        items = {r.item_id for r in batch.ratings} | {j.item_id for j in batch.judgments}
        responses = self._texts.response_ids(items | {m.item_id for m in batch.metrics})
        self._scores.write_ratings(batch.ratings, responses)
        self._judgments.write(batch.judgments, responses)
        self._scores.write_metrics(batch.metrics, responses)
        self._compare(batch)
        self._material.write_uses(batch.uses, self._texts.item_ids({use.item_id for use in batch.uses}))
        scored_responses = self._texts.response_ids({record.item_id for record in batch.known_scores})
        self._material.keep(batch.known_scores, scored_responses)

    def _compare(self, batch: RecordBatch) -> None:
        compared = (batch.preferences, batch.judged_pairs, batch.rankings)
        named = {record.item_id for records in compared for record in records}
        if named:
            items, responses = self._texts.item_ids(named), self._texts.response_ids(named)
            self._comparisons.write_preferences(batch.preferences, responses, items)
            self._pairs.write(batch.judged_pairs, responses, items)
            self._comparisons.write_rankings(batch.rankings, responses, items)

    def finish(self) -> None:
        """Update totals and delete outdated scores, after the last batch."""
        self._runs.finish()
        units.offer_units(self.ledger.session, self.ledger.project_id)
        self._material.finish()
        count_as_done(self.ledger.session, self.ledger.project_id)
        delete_outdated(self.ledger)
