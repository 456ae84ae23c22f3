"""Store judgments made elsewhere: their verdicts and replies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import delete, func, insert, select, update

from judgelab.store.db.import_ledger import ImportLedger, in_batches
from judgelab.store.models import Completion, Judgment, Verdict, now
from judgelab.store.transfer.imported_runs import ImportedRuns
from judgelab.store.transfer.records import ImportedJudgment


class _Place(NamedTuple):
    """The run that receives a judge's imported judgments, and the next free position in it."""

    run_id: int
    next_position: int


class _Unit(NamedTuple):
    """A judgment with the row id of its response."""

    response: int
    record: ImportedJudgment


class JudgmentWriter:
    """Stores judgments of imported judges; the same judgment again changes nothing.

    Args:
        ledger: the import in progress.
        criterion_ids: row id of each criterion by its key.
        runs: the runs of imported judges.
    """

    def __init__(self, ledger: ImportLedger, *, criterion_ids: Mapping[str, int], runs: ImportedRuns) -> None:
        self._ledger = ledger
        self._session = ledger.session
        self._criteria = criterion_ids
        self._runs = runs
        self._places: dict[str, _Place | None] = {}

    def write(self, judgments: Sequence[ImportedJudgment], responses: Mapping[tuple[str, str], int]) -> None:
        """Store judgments of responses given by (item id, response id)."""
        by_judge: dict[str, dict[tuple[int, str], ImportedJudgment]] = {}
        for record in judgments:
            response = responses[record.item_id, record.response_id]
            by_judge.setdefault(record.judge, {})[response, record.criterion] = record
        for judge, records in by_judge.items():
            place = self._place(judge, row=next(iter(records.values())).row)
            if place is not None:
                self._write_run(judge, place, records)

    def _place(self, judge: str, row: int | None) -> _Place | None:
        if judge not in self._places:
            run_id = self._runs.run_of(judge, row=row)
            self._places[judge] = None if run_id is None else _Place(run_id, self._next_position(run_id))
        return self._places[judge]

    def _next_position(self, run_id: int) -> int:
        last = self._session.scalar(select(func.max(Judgment.position)).where(Judgment.run_id == run_id))
        return 0 if last is None else last + 1

    def _write_run(
        self, judge: str, place: _Place, records: Mapping[tuple[int, str], ImportedJudgment]
    ) -> None:
        stored = self._stored(place.run_id, {response for response, _ in records})
        fresh = {key: record for key, record in records.items() if key not in stored}
        at = now()
        rows = [
            _judgment_row(place.run_id, key, record, position=position, at=at)
            for position, (key, record) in enumerate(fresh.items(), start=place.next_position)
        ]
        if rows:
            added = self._session.execute(
                insert(Judgment).returning(Judgment.response_id, Judgment.criteria, Judgment.id), rows
            )
            self._write_content({row_id: _Unit(r, fresh[r, key]) for r, key, row_id in added})
        self._places[judge] = place._replace(next_position=place.next_position + len(rows))
        self._ledger.new["judgments"] += len(rows)
        self._change({stored[k]: _Unit(k[0], record) for k, record in records.items() if k in stored}, at=at)

    def _stored(self, run_id: int, responses: set[int]) -> dict[tuple[int, str], int]:
        stored: dict[tuple[int, str], int] = {}
        for part in in_batches(list(responses)):
            query = select(Judgment.response_id, Judgment.criteria, Judgment.id)
            rows = self._session.execute(
                query.where(Judgment.run_id == run_id, Judgment.response_id.in_(part))
            )
            stored.update({(response, criteria): row_id for response, criteria, row_id in rows})
        return stored

    def _change(self, units: Mapping[int, _Unit], *, at: datetime) -> None:
        before = self._contents(list(units))
        differ = {i: unit for i, unit in units.items() if before.get(i) != _content(unit.record)}
        for row_id, (_, record) in differ.items():
            self._session.execute(delete(Verdict).where(Verdict.judgment_id == row_id))
            self._session.execute(delete(Completion).where(Completion.judgment_id == row_id))
            state = "unscored" if record.score is None else "scored"
            self._session.execute(
                update(Judgment)
                .where(Judgment.id == row_id)
                .values(state=state, reason=record.reason, judged_at=record.judged_at or at)
            )
        self._write_content(differ)
        self._ledger.changed["judgments"] += len(differ)
        self._ledger.unchanged["judgments"] += len(units) - len(differ)

    def _contents(self, judgments: Sequence[int]) -> dict[int, tuple[Any, ...]]:
        """Return the stored content of each judgment, in the form that `_content` returns."""
        contents: dict[int, tuple[Any, ...]] = {}
        for part in in_batches(judgments):
            texts: dict[int, list[str]] = {}
            replies = select(Completion.judgment_id, Completion.text).where(Completion.judgment_id.in_(part))
            for row_id, text in self._session.execute(replies.order_by(Completion.sample)):
                texts.setdefault(row_id, []).append(text)
            query = (
                select(Judgment.id, Judgment.reason, Verdict.score, Verdict.rationale)
                .outerjoin(Verdict, Verdict.judgment_id == Judgment.id)
                .where(Judgment.id.in_(part))
            )
            for row_id, reason, score, rationale in self._session.execute(query):
                contents[row_id] = (score, reason, rationale or "", tuple(texts.get(row_id, ())))
        return contents

    def _write_content(self, units: Mapping[int, _Unit]) -> None:
        verdicts = [
            {
                "judgment_id": row_id,
                "response_id": unit.response,
                "criterion_id": self._criteria[unit.record.criterion],
                "score": unit.record.score,
                "rationale": unit.record.rationale,
            }
            for row_id, unit in units.items()
            if unit.record.score is not None
        ]
        completions = [row for row_id, unit in units.items() for row in _completion_rows(row_id, unit.record)]
        if verdicts:
            self._session.execute(insert(Verdict), verdicts)
        if completions:
            self._session.execute(insert(Completion), completions)


def _content(record: ImportedJudgment) -> tuple[Any, ...]:
    rationale = record.rationale if record.score is not None else ""
    return (record.score, record.reason, rationale, tuple(sample.text for sample in record.samples))


def _judgment_row(
    run_id: int, key: tuple[int, str], record: ImportedJudgment, *, position: int, at: datetime
) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "response_id": key[0],
        "criteria": key[1],
        "position": position,
        "state": "unscored" if record.score is None else "scored",
        "reason": record.reason,
        "judged_at": record.judged_at or at,
    }


def _completion_rows(row_id: int, record: ImportedJudgment) -> Iterable[dict[str, Any]]:
    for number, sample in enumerate(record.samples):
        reading: dict[str, Any] = {"rationale": record.rationale} if record.rationale else {}
        if sample.score is not None:
            reading["scores"] = {record.criterion: sample.score}
        if sample.reason:
            reading["reason"] = sample.reason
        yield {
            "judgment_id": row_id,
            "sample": number,
            "text": sample.text,
            "model": record.judge,
            "reading": reading,
            "answered_at": record.judged_at or now(),
        }
