"""One rater compared with the humans and the trivial baselines: its row and the verdict on it.

Every statement that a judge is as good as a rater comes from here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from judgelab.metaeval.agreement.baselines import BREVITY, NAMES
from judgelab.metaeval.coefficients.registry import ERRORS
from judgelab.metaeval.core.result import AgreementRow, Estimate, printed_difference
from judgelab.metaeval.core.statistic_defaults import LENGTH

AS_GOOD, BELOW, ABOVE, UNCLEAR, UNKNOWN = "as_good", "below", "above", "unclear", "unknown"
NO_BETTER = "no_better"
MARGIN = 0.1  # non-inferiority margin for the lower end of the interval


@dataclass(frozen=True)
class BestBaseline:
    """The best trivial baseline next to one judge, on the same units and targets.

    Where no unit has two ratings, these are the only ratings, and `beside_raters` is undefined.

    Args:
        name: one of `baselines.NAMES` by key.
        estimate: its agreement; each resample has the best of the baselines in it.
        difference: the judge's minus this.
        beside_raters: this minus that of the raters left out.
    """

    name: str
    estimate: Estimate
    difference: Estimate
    beside_raters: Estimate

    @property
    def rater(self) -> str:
        """Return its name among the rows."""
        return NAMES[self.name]


@dataclass(frozen=True)
class VsCeilingRow:
    """One judge, metric or baseline compared with the humans, under one criterion or averaged over all.

    Args:
        estimate: its agreement with the mean of all humans but one, averaged over the humans left out.
        raters: that of the humans left out, on the units the judge scored.
        difference: `estimate` minus `raters`. Negative is below the raters; for an error, positive is worse.
        baseline: the best trivial baseline on the same units; None where none was asked for, and for one.
    """

    rater: str
    rater_kind: str
    criterion: str
    level: str
    coefficient: str
    estimate: Estimate
    raters: Estimate
    difference: Estimate
    baseline: BestBaseline | None = None

    def raters_elsewhere(self, ceiling: Estimate | None, *, digits: int) -> float | None:
        """Return the raters' agreement on this rater's units, if it prints differently from the ceiling.

        The ceiling uses all units that two raters rated, while the difference uses only those that the judge
        scored, so it need not equal the difference of the two printed numbers. None if both print alike.
        """
        if ceiling is None or ceiling.value is None or self.raters.value is None:
            return None
        value = self.raters.value
        return value if f"{value:.{digits}f}" != f"{ceiling.value:.{digits}f}" else None

    def on_fewer_responses(self, ceiling: Estimate | None) -> bool:
        """Return whether this rater scored fewer responses than the ceiling is based on."""
        return ceiling is not None and self.estimate.n < ceiling.n

    def minus_raters(self, digits: int) -> float | None:
        """Return the difference between the judge's and the raters' printed values."""
        return printed_difference(self.estimate, self.raters, digits)

    def minus_baseline(self, digits: int) -> float | None:
        """Return the difference between the judge's and the best baseline's printed values."""
        return (
            None
            if self.baseline is None
            else printed_difference(self.estimate, self.baseline.estimate, digits)
        )

    def to_json(self) -> dict[str, Any]:
        """Return the row of `judgelab agreement --beside --json`: an agreement row plus the differences."""
        agreement_row = AgreementRow(
            self.rater, self.rater_kind, self.criterion, self.level, self.coefficient, self.estimate
        )
        best = self.baseline
        return {
            **agreement_row.to_json(),
            "raters": self.raters.value,
            "raters_ci": _ends(self.raters),
            "difference": self.difference.value,
            "difference_ci": _ends(self.difference),
            "difference_reason": self.difference.reason,
            "baseline": None if best is None else best.rater,
            "baseline_value": None if best is None else best.estimate.value,
            "baseline_ci": None if best is None else _ends(best.estimate),
            "baseline_difference": None if best is None else best.difference.value,
            "baseline_difference_ci": None if best is None else _ends(best.difference),
        }


def _ends(estimate: Estimate) -> list[float] | None:
    return list(estimate.ci) if estimate.ci else None


AnyAgreementRow = AgreementRow | VsCeilingRow
Row = TypeVar("Row", AgreementRow, VsCeilingRow)


def without_worse_length_baseline(rows: Sequence[Row]) -> list[Row]:
    """Return the rows, keeping only the better of length and brevity under each criterion."""
    pair = {NAMES[LENGTH]: NAMES[BREVITY], NAMES[BREVITY]: NAMES[LENGTH]}
    value = {(row.rater, _place(row)): row.estimate.value or 0.0 for row in rows}

    def worse(row: Row) -> bool:
        other_value = value.get((pair.get(row.rater, ""), _place(row)))
        own_value = row.estimate.value or 0.0
        return other_value is not None and (
            own_value < other_value or (own_value == other_value and row.rater == NAMES[BREVITY])
        )

    return [row for row in rows if not worse(row)]


def _place(row: AnyAgreementRow) -> tuple[str, str, str]:
    return row.criterion, row.level, row.coefficient


def verdict(row: VsCeilingRow | None, *, width: float = 1.0) -> str:
    """Return the verdict on a judge compared with a rater.

    "above" and "below": the interval of the difference excludes 0. "as_good": it contains 0 and its lower end
    is at most 0.1 below the raters. "unclear": there are too few data to say so. "unknown": there is no
    interval. A
    judge that would be "as_good" or "above" but does not surely beat the best trivial baseline, or was not
    compared with one, is "no_better". `width` is the width of the scale for an error, 1 for a coefficient.
    """
    if row is None:
        return UNKNOWN
    position = _beside(row.difference, row.coefficient, width)
    return NO_BETTER if position in (AS_GOOD, ABOVE) and not beats_baseline(row) else position


def beats_baseline(row: VsCeilingRow) -> bool:
    """Return whether the judge surely agrees better than the best trivial baseline."""
    if row.baseline is None:
        return False
    gap = row.baseline.difference
    if gap.value is None or gap.ci is None:
        return False
    return gap.ci[1] < 0 if row.coefficient in ERRORS else gap.ci[0] > 0


def baseline_matches_raters(row: VsCeilingRow, *, width: float = 1.0) -> bool:
    """Return whether the best trivial baseline itself agrees with the raters as well as they do."""
    if row.baseline is None:
        return False
    return _beside(row.baseline.beside_raters, row.coefficient, width) in (AS_GOOD, ABOVE)


def _beside(difference: Estimate, coefficient: str, width: float) -> str:
    if difference.value is None or difference.ci is None:
        return UNKNOWN
    low, high = difference.ci
    if coefficient in ERRORS:
        low, high = -high / width, -low / width
    if low > 0:
        return ABOVE
    if high < 0:
        return BELOW
    return AS_GOOD if low >= -MARGIN else UNCLEAR
