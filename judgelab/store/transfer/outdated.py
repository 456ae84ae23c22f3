"""What an import makes out of date: numbers and verdicts given before the texts they rest on were there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import delete, func, select

from judgelab.store.db.import_ledger import ImportLedger, in_batches
from judgelab.store.models import JudgeRow, Judgment, MetricScore, ResponseRow, Run
from judgelab.wording import counted

# Options of a number that a file brought: what it was made with is not known, and we cannot make it anew.
IMPORTED: dict[str, Any] = {"imported": True}


def delete_outdated(ledger: ImportLedger) -> None:
    """Remove the numbers our metrics gave to texts that changed, and count the verdicts our judges gave.

    Without its row `score` gives a response a new number. Verdicts stay: they were paid for, and what a
    judge said of the earlier text is still what it said.
    """
    responses = set(ledger.changed_responses) | set(_responses_of(ledger, ledger.changed_items))
    for part in in_batches(sorted(responses)):
        found = ledger.session.execute(
            select(MetricScore.id, MetricScore.options).where(MetricScore.response_id.in_(part))
        )
        old = [row_id for row_id, options in found if options != IMPORTED]
        for some in in_batches(old):
            ledger.session.execute(delete(MetricScore).where(MetricScore.id.in_(some)))
        ledger.outdated["metrics"] += len(old)
        judged = select(func.count(Judgment.id)).join(Run, Run.id == Judgment.run_id)
        ours = judged.join(JudgeRow, JudgeRow.id == Run.judge_id).where(JudgeRow.origin != "imported")
        said = ours.where(Judgment.response_id.in_(part), Judgment.state.in_(("scored", "unscored")))
        ledger.outdated["judgments"] += ledger.session.scalar(said) or 0


def outdated_notices(ledger: ImportLedger) -> Iterator[str]:
    """Yield a sentence for each kind of thing that an import made out of date."""
    if n := ledger.outdated["metrics"]:
        yield counted(
            "{n} metric number rested on texts or references that changed, and was removed; judgelab score "
            "gives them anew",
            "{n} metric numbers rested on texts or references that changed, and were removed; judgelab score "
            "gives them anew",
            n,
        )
    if n := ledger.outdated["judgments"]:
        yield counted(
            "{n} judgment made before texts or references changed is kept as it is; run the judge again for "
            "new ones",
            "{n} judgments made before texts or references changed are kept as they are; run the judge again "
            "for new ones",
            n,
        )


def _responses_of(ledger: ImportLedger, items: Iterable[int]) -> Iterator[int]:
    for part in in_batches(sorted(items)):
        yield from ledger.session.scalars(select(ResponseRow.id).where(ResponseRow.item_id.in_(part)))
