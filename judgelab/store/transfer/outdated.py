"""Find and delete the scores and verdicts that an import makes out of date by changing their texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import delete, func, select

from judgelab.store.db.import_ledger import ImportLedger, in_batches
from judgelab.store.models import JudgeRow, Judgment, MetricScore, ResponseRow, Run
from judgelab.wording import counted

# The options of an imported metric score: how it was computed is unknown, so it cannot be recomputed.
IMPORTED: dict[str, Any] = {"imported": True}


def delete_outdated(ledger: ImportLedger) -> None:
    """Delete our metrics' scores of texts that changed, and count our judges' verdicts on them.

    A response without a row is scored again by `score`. Verdicts stay: they were paid for, and they still
    record what the judge said of the earlier text.
    """
    responses = set(ledger.changed_responses) | set(_responses_of(ledger, ledger.changed_items))
    for part in in_batches(sorted(responses)):
        rows = ledger.session.execute(
            select(MetricScore.id, MetricScore.options).where(MetricScore.response_id.in_(part))
        )
        outdated = [row_id for row_id, options in rows if options != IMPORTED]
        for batch in in_batches(outdated):
            ledger.session.execute(delete(MetricScore).where(MetricScore.id.in_(batch)))
        ledger.outdated["metrics"] += len(outdated)
        judged = select(func.count(Judgment.id)).join(Run, Run.id == Judgment.run_id)
        ours = judged.join(JudgeRow, JudgeRow.id == Run.judge_id).where(JudgeRow.origin != "imported")
        given = ours.where(Judgment.response_id.in_(part), Judgment.state.in_(("scored", "unscored")))
        ledger.outdated["judgments"] += ledger.session.scalar(given) or 0


def outdated_notices(ledger: ImportLedger) -> Iterator[str]:
    """Yield one sentence for metric scores and one for judgments that an import made out of date."""
    if n := ledger.outdated["metrics"]:
        yield counted(
            "{n} metric score was based on texts or references that changed, and was removed; compute it "
            "again with judgelab score",
            "{n} metric scores were based on texts or references that changed, and were removed; compute "
            "them again with judgelab score",
            n,
        )
    if n := ledger.outdated["judgments"]:
        yield counted(
            "{n} judgment made before texts or references changed is kept as it is; to update it, run the "
            "judge again",
            "{n} judgments made before texts or references changed are kept as they are; to update them, "
            "run the judge again",
            n,
        )


def _responses_of(ledger: ImportLedger, items: Iterable[int]) -> Iterator[int]:
    for part in in_batches(sorted(items)):
        yield from ledger.session.scalars(select(ResponseRow.id).where(ResponseRow.item_id.in_(part)))
