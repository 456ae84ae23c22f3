"""The measures of raters that can be drawn: their names, values and formats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.annotation.raters.rater_report import RaterReport
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.ui.kit import text
from judgelab.wording import mark, sentence

NO_VALUE = sentence("no ratings under this criterion")


@dataclass(frozen=True)
class RaterMeasure:
    """One measure of raters.

    Args:
        name: its name in the select box.
        title: the axis title.
        estimate: returns its value from a rater's report and a criterion.
        low: lower end of the axis; wider if the data are.
        high: upper end of the axis; wider if the data are.
        flags: keys of the flags based on it.
        reference: a value to compare with and its name, or None.
        format_value: turns a value into text.
    """

    name: str
    title: str
    estimate: Callable[[RaterReport, str], Estimate]
    low: float
    high: float
    flags: frozenset[str]
    reference: tuple[float, str] | None = None
    format_value: Callable[[float | None], str] = text.number


def estimate_under(report: RaterReport, criterion: str, name: str) -> Estimate:
    """Return the attribute `name` of a criterion's report; undefined, with the reason, if there is none."""
    criterion_report = report.criteria.get(criterion)
    value = None if criterion_report is None else getattr(criterion_report, name)
    return value if isinstance(value, Estimate) else undefined(NO_VALUE)


def _repeats(report: RaterReport, criterion: str) -> Estimate:
    criterion_report = report.criteria.get(criterion)
    return undefined(NO_VALUE) if criterion_report is None else criterion_report.repeats.reliability


MEASURES = {
    "loo": RaterMeasure(
        mark("r with the mean of the others"),
        mark("Pearson's r with the mean of the others, 95 % interval"),
        lambda report, key: estimate_under(report, key, "leave_one_out"),
        0.0,
        1.0,
        frozenset({"agreement", "reversed"}),
    ),
    "pairwise": RaterMeasure(
        mark("Mean r with the other raters"),
        mark("Mean Pearson's r with the other raters, 95 % interval"),
        lambda report, key: estimate_under(report, key, "pairwise"),
        0.0,
        1.0,
        frozenset({"agreement", "reversed"}),
    ),
    "offset": RaterMeasure(
        mark("Offset from the others"),
        mark("Own score minus the others' mean, points, 95 % interval"),
        lambda report, key: estimate_under(report, key, "offset"),
        -0.5,
        0.5,
        frozenset({"leaning"}),
        (0.0, mark("as the others")),
        lambda value: text.signed(value, 2),
    ),
    "seconds": RaterMeasure(
        mark("Seconds per screen"),
        mark("Median seconds per screen, 95 % interval"),
        lambda report, key: report.pace.median,
        0.0,
        10.0,
        frozenset({"fast", "speeding"}),
        format_value=lambda value: text.number(value, 0),
    ),
    "modal": RaterMeasure(
        mark("Share of the modal score"),
        mark("Share of the score given most often, 95 % interval"),
        lambda report, key: estimate_under(report, key, "modal_share"),
        0.0,
        1.0,
        frozenset({"one score", "straight"}),
        format_value=text.per_cent,
    ),
    "gold": RaterMeasure(
        mark("Known scores met"),
        mark("Share of known scores met, 95 % interval"),
        lambda report, key: report.gold,
        0.0,
        1.0,
        frozenset({"gold"}),
        format_value=text.per_cent,
    ),
    "repeats": RaterMeasure(
        mark("Self-agreement"),
        mark("Agreement of repeats beyond chance, 95 % interval"),
        _repeats,
        0.0,
        1.0,
        frozenset({"unsteady"}),
    ),
}


def reference_value(key: str, rule: FilterPolicy) -> tuple[float, str] | None:
    """Return a measure's reference value and its name: the threshold for the filter's own measure."""
    return (rule.threshold, f"{rule.threshold:z.2f}") if key == rule.method else MEASURES[key].reference


def available_measures(reports: list[RaterReport], criterion: str, rule: FilterPolicy) -> list[str]:
    """Return the measures with a value for at least one rater, the filter's own first."""
    order = sorted(MEASURES, key=lambda key: key != rule.method)
    return [
        key
        for key, measure in ((name, MEASURES[name]) for name in order)
        if any(measure.estimate(report, criterion).value is not None for report in reports)
    ]
