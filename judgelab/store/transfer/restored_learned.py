"""Restore an export's learned judge: its models, and the units it proposed to rate next."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func, select, update

from judgelab.store.models import JudgeRow, LearnedModelRow, Unit
from judgelab.store.transfer.export_learned import MODEL
from judgelab.store.transfer.restored import Cells, RestoreTarget


class LearnedRestorer:
    """Writes models and proposals; models and proposals that the project has already stay as they are."""

    def __init__(self, into: RestoreTarget) -> None:
        self._into, session = into, into.session
        learned = select(JudgeRow.name).join(LearnedModelRow, LearnedModelRow.judge_id == JudgeRow.id)
        self._there = set(session.scalars(learned.where(JudgeRow.project_id == into.project_id)))
        mine = (Unit.project_id == into.project_id, Unit.turn.is_not(None))
        self._proposed = bool(session.scalar(select(func.count()).select_from(Unit).where(*mine)))

    def models(self, rows: Sequence[Cells]) -> None:
        """Store the models; called after the judges are stored."""
        query = select(JudgeRow.name, JudgeRow.id).where(JudgeRow.project_id == self._into.project_id)
        judges = {name: row_id for name, row_id in self._into.session.execute(query)}
        values = [
            {
                "judge_id": judges[row["judge"]],
                "criterion_id": self._into.criteria[row["criterion"]],
                **{name: row[name] for name in MODEL},
            }
            for row in rows
            if row["judge"] not in self._there
        ]
        self._into.insert_missing(LearnedModelRow, values, ("judge_id", "criterion_id"), None)

    def proposals(self, rows: Sequence[Cells]) -> None:
        """Store the order in which units are proposed."""
        if self._proposed:
            return
        turns = [{"id": unit, "turn": row["turn"]} for row, unit in self._into.with_units(rows)]
        self._into.session.execute(update(Unit), turns)
