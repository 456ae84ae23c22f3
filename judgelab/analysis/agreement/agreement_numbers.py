"""Every number of a table of agreement, by criterion, as `number_table` writes them into a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from judgelab.analysis.agreement.agreement_table import AgreementTable
from judgelab.metaeval.agreement.groups import GroupRow
from judgelab.metaeval.agreement.vs_ceiling_rows import VsCeilingRow

AGREEMENT, BESIDE, RATERS, APART, BASELINE, OVER, GROUPS, UNSCORED, FAILED = (
    "agreement",
    "beside the rater left out",
    "the rater left out",
    "minus the rater left out",
    "best baseline",
    "minus the best baseline",
    "in groups",
    "replies without a score (unscored)",
    "failed judgments",
)


def agreement_numbers(
    table: AgreementTable, beside: Sequence[VsCeilingRow], groups: Sequence[GroupRow] = ()
) -> dict[str, Any]:
    """Return the numbers in plain JSON values, an estimate each, by criterion and then by rater.

    "agreement" is with the mean of all raters (of the raters themselves: with the mean of the others);
    beside the rater left out, judge and rater meet the same target. Judges have the number of replies
    without a score and of failed judgments.
    """
    found: dict[str, dict[str, Any]] = {}

    def put(row: Any, what: str, name: str, estimate: Any) -> None:
        parts = found.setdefault(row.criterion, {"criterion": row.criterion})
        parts.setdefault(what, {})[name] = estimate.to_json()

    for row in (*table.rows, *table.ceiling):
        put(row, AGREEMENT, row.rater, row.estimate)
        if row.rater_kind == "judge":
            lost = table.unscored_of(row.rater, row.criterion)
            found[row.criterion].setdefault(UNSCORED, {})[row.rater] = lost.unscored
            found[row.criterion].setdefault(FAILED, {})[row.rater] = lost.failed
    for one in beside:
        put(one, BESIDE, one.rater, one.estimate)
        put(one, RATERS, one.rater, one.raters)
        put(one, APART, one.rater, one.difference)
        if one.baseline is not None:
            put(one, BASELINE, one.rater, one.baseline.estimate)
            put(one, OVER, one.rater, one.baseline.difference)
    for part in groups:
        put(part, GROUPS, f"{part.rater} / {part.group}", part.estimate)
    return {"criteria": list(found.values())}
