"""The judges that files name, each with one finished run that receives all its imported judgments."""

from __future__ import annotations

from sqlalchemy import func, select, update

from judgelab.store.db.import_ledger import ImportLedger
from judgelab.store.models import JudgedPair, JudgeRow, Judgment, Run, now


class ImportedRuns:
    """Finds or creates the run of each imported judge.

    Args:
        ledger: the import in progress.
    """

    def __init__(self, ledger: ImportLedger) -> None:
        self._ledger = ledger
        self._session = ledger.session
        self._project_id = ledger.project_id
        self._runs: dict[str, int | None] = {}

    def run_of(self, judge: str, *, row: int | None) -> int | None:
        """Return the row id of the judge's run; None, with a problem noted, if the judge runs here."""
        if judge not in self._runs:
            self._runs[judge] = self._find_or_add(judge, row)
        return self._runs[judge]

    def finish(self) -> None:
        """Update the number of units of each run."""
        for run_id in self._runs.values():
            if run_id is not None:
                units = sum(
                    self._session.scalar(select(func.count()).where(table.run_id == run_id)) or 0
                    for table in (Judgment, JudgedPair)
                )
                self._session.execute(update(Run).where(Run.id == run_id).values(units=units))

    def _find_or_add(self, judge: str, row: int | None) -> int | None:
        judge_row = self._session.scalar(
            select(JudgeRow).where(JudgeRow.project_id == self._project_id, JudgeRow.name == judge)
        )
        if judge_row is not None and judge_row.origin != "imported":
            self._ledger.refuse(
                f"a judge named '{judge}' already runs in this project; rename this one", row=row
            )
            return None
        if judge_row is None:
            judge_row = JudgeRow(project_id=self._project_id, name=judge, origin="imported", model=judge)
            self._session.add(judge_row)
            self._session.flush()
        run_id = self._session.scalar(
            select(Run.id).where(Run.judge_id == judge_row.id).order_by(Run.id.desc()).limit(1)
        )
        return self._add(judge_row.id) if run_id is None else run_id

    def _add(self, judge_id: int) -> int:
        at = now()
        run = Run(
            project_id=self._project_id,
            judge_id=judge_id,
            selection={"imported": True},
            state="done",
            started_at=at,
            finished_at=at,
        )
        self._session.add(run)
        self._session.flush()
        return run.id
