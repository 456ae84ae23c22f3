"""Store human ratings and metric scores from imported files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import insert, select, tuple_, update

from judgelab.store.db.import_ledger import ImportLedger, in_batches
from judgelab.store.models import MetricScore, Rating, now
from judgelab.store.people.memberships import NamedRaters
from judgelab.store.transfer.outdated import IMPORTED
from judgelab.store.transfer.records import MetricRecord, RatingRecord


class ScoreWriter:
    """Stores ratings and metric scores; a score given in the browser is never overwritten.

    Args:
        ledger: the import in progress.
        criterion_ids: row id of each criterion by its key.
    """

    def __init__(self, ledger: ImportLedger, *, criterion_ids: Mapping[str, int]) -> None:
        self._ledger = ledger
        self._session = ledger.session
        self._project_id = ledger.project_id
        self._criteria = criterion_ids
        self._raters = NamedRaters(ledger.session, ledger.project_id)
        self._at = now()  # one time for all records without their own

    def write_ratings(
        self, ratings: Sequence[RatingRecord], responses: Mapping[tuple[str, str], int]
    ) -> None:
        """Store ratings of responses given by (item id, response id)."""
        stored = self._stored_ratings({responses[r.item_id, r.response_id] for r in ratings})
        fresh = []
        for record in ratings:
            response = responses[record.item_id, record.response_id]
            key = (response, self._criteria[record.criterion], self._raters.id_of(record.rater))
            if key in stored:
                self._update_rating(record, stored[key])
                continue
            fresh.append(
                {
                    "project_id": self._project_id,
                    "response_id": key[0],
                    "criterion_id": key[1],
                    "person_id": key[2],
                    "score": record.score,
                    "comment": record.comment,
                    "aggregate": record.aggregate,
                    "origin": "import",
                    "rated_at": record.rated_at or self._at,
                }
            )
        if fresh:
            self._session.execute(insert(Rating), fresh)
        self._ledger.new["ratings"] += len(fresh)

    def _stored_ratings(self, responses: Iterable[int]) -> dict[tuple[int, int, int], Any]:
        stored: dict[tuple[int, int, int], Any] = {}
        columns = (
            Rating.id,
            Rating.response_id,
            Rating.criterion_id,
            Rating.person_id,
            Rating.score,
            Rating.comment,
            Rating.origin,
        )
        for part in in_batches(list(responses)):
            query = select(*columns).where(Rating.response_id.in_(part), Rating.occasion == 0)
            for row in self._session.execute(query):
                stored[row.response_id, row.criterion_id, row.person_id] = row
        return stored

    def _update_rating(self, record: RatingRecord, row: Any) -> None:
        same = row.score == record.score and (row.comment == record.comment or not record.comment)
        if same:
            self._ledger.unchanged["ratings"] += 1
        elif row.origin != "import":
            self._ledger.refuse(
                f"'{record.rater}' rated this response {_said(row.score)} in the browser, but the file says "
                f"{_said(record.score)}; remove the row, or rename the rater",
                row=record.row,
            )
        else:
            comment = record.comment or row.comment
            values = {"score": record.score, "comment": comment, "rated_at": record.rated_at or self._at}
            self._session.execute(update(Rating).where(Rating.id == row.id).values(values))
            self._ledger.changed["ratings"] += 1

    def write_metrics(
        self, metrics: Sequence[MetricRecord], responses: Mapping[tuple[str, str], int]
    ) -> None:
        """Store metric scores of responses given by (item id, response id)."""
        fresh = {(responses[m.item_id, m.response_id], m.metric): m.score for m in metrics}
        for part in in_batches(list(fresh)):
            query = select(MetricScore.id, MetricScore.response_id, MetricScore.metric, MetricScore.score)
            pair = tuple_(MetricScore.response_id, MetricScore.metric)
            for row in self._session.execute(query.where(pair.in_(part))).all():
                score = fresh.pop((row.response_id, row.metric))
                if row.score == score:
                    self._ledger.unchanged["metrics"] += 1
                    continue
                values = {"score": score, "options": IMPORTED, "reason": "", "scored_at": now()}
                self._session.execute(update(MetricScore).where(MetricScore.id == row.id).values(values))
                self._ledger.changed["metrics"] += 1
        if fresh:
            rows = [
                {
                    "project_id": self._project_id,
                    "response_id": response,
                    "metric": metric,
                    "score": score,
                    "options": IMPORTED,
                }
                for (response, metric), score in fresh.items()
            ]
            self._session.execute(insert(MetricScore), rows)
        self._ledger.new["metrics"] += len(fresh)


def _said(score: float | None) -> str:
    return "cannot be judged" if score is None else f"{score:g}"
