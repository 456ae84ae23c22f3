"""All numbers of an agreement table, by criterion, in the form that `number_table` writes to a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from judgelab.analysis.agreement.measured_agreement import AgreementTable
from judgelab.metaeval.agreement.groups import GroupRow
from judgelab.metaeval.agreement.vs_ceiling_rows import VsCeilingRow

CANNOT_JUDGE = "the answer “cannot judge”"
AGREEMENT, BESIDE_CEILING, CEILING, MINUS_CEILING, BEST_BASELINE, MINUS_BASELINE, GROUPS, UNSCORED, FAILED = (
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
    table: AgreementTable, vs_ceiling: Sequence[VsCeilingRow], groups: Sequence[GroupRow] = ()
) -> dict[str, Any]:
    """Return the estimates in plain JSON values, by criterion, statistic and rater.

    "agreement" is with the mean of all raters (for a human rater: of the others); "beside the rater left out"
    compares judge and rater with the same target. Judges also have counts of replies without a score and of
    failed judgments.
    """
    by_criterion: dict[str, dict[str, Any]] = {}

    def put(row: Any, statistic: str, rater: str, estimate: Any) -> None:
        statistics = by_criterion.setdefault(row.criterion, {"criterion": row.criterion})
        statistics.setdefault(statistic, {})[rater] = estimate.to_json()

    for row in (*table.rows, *table.ceiling):
        put(row, AGREEMENT, row.rater, row.estimate)
        if row.rater_kind == "judge":
            missing = table.unscored_in(row)
            by_criterion[row.criterion].setdefault(UNSCORED, {})[row.rater] = missing.unscored
            by_criterion[row.criterion].setdefault(FAILED, {})[row.rater] = missing.failed
            if missing.cannot_judge:
                by_criterion[row.criterion].setdefault(CANNOT_JUDGE, {})[row.rater] = missing.cannot_judge
    for ceiling_row in vs_ceiling:
        put(ceiling_row, BESIDE_CEILING, ceiling_row.rater, ceiling_row.estimate)
        put(ceiling_row, CEILING, ceiling_row.rater, ceiling_row.raters)
        put(ceiling_row, MINUS_CEILING, ceiling_row.rater, ceiling_row.difference)
        if ceiling_row.baseline is not None:
            put(ceiling_row, BEST_BASELINE, ceiling_row.rater, ceiling_row.baseline.estimate)
            put(ceiling_row, MINUS_BASELINE, ceiling_row.rater, ceiling_row.baseline.difference)
    for group_row in groups:
        put(group_row, GROUPS, f"{group_row.rater} / {group_row.group}", group_row.estimate)
    return {"criteria": list(by_criterion.values())}
