"""Tables of agreement to be printed: a row for each rater, a column for each coefficient, notes below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pandas as pd

from judgelab.analysis.data.filter_info import aggregate_name
from judgelab.domain import BASELINE
from judgelab.metaeval.agreement.baselines import OWN_INTERVAL
from judgelab.metaeval.agreement.vs_ceiling_rows import AnyAgreementRow, VsCeilingRow, beats_baseline
from judgelab.metaeval.coefficients.left_out import left_out, of_rows, units_of_n
from judgelab.metaeval.core.result import Estimate, no_interval_reason, printed_ends
from judgelab.report.facts import ReportFacts
from judgelab.report.terms import coefficient_name, join_names
from judgelab.store.judging.no_scores import NONE_MISSING

NAME_COLUMN = "Judge or metric"


class PaperTable(NamedTuple):
    """A table of a report.

    Attributes:
        name: the first part of its files' names.
        title: what its figures compare.
        table: judges and metrics, best first by the first coefficient, then human raters.
        notes: sentences below the table, such as why a rater has no coefficient.
    """

    name: str
    title: str
    table: pd.DataFrame
    notes: list[str]


def paper_tables(facts: ReportFacts, criterion: str) -> list[PaperTable]:
    """Return the tables of one criterion: against the other raters, if possible, and against all.

    The same judge has different numbers in them. The first compares judges and raters with the score of
    the other raters, on responses that two or more rated. The score of all raters exists for every rated
    response and is less noisy, so agreement with it is higher, and no rater can be compared with it.
    """
    result = []
    judged = [row for row in facts.rows if row.criterion == criterion]
    scale = facts.scores.project.scales.get(criterion)
    target = aggregate_name(facts.scores.aggregation, scale)
    if not facts.judged(criterion):
        return []
    if facts.has_ceiling(criterion):
        all_rows: tuple[AnyAgreementRow, ...] = (*facts.vs_ceiling, *facts.ceiling)
        rows = [row for row in all_rows if row.criterion == criterion]
        result.append(
            PaperTable(
                "beside",
                f"judges and raters, each compared with the {target} of all raters but one",
                _vs_ceiling_table(facts, rows),
                [
                    *_notes(facts, rows),
                    *_difference_note(facts, rows, criterion),
                    *_baseline_note(facts, rows),
                    *_note_on_intervals(rows),
                ],
            )
        )
    result.append(
        PaperTable(
            "agreement",
            f"compared with the {target} of all raters",
            _coefficient_table(facts, judged, set()),
            [*_notes(facts, judged), *_note_on_intervals(judged)],
        )
    )
    return result


def _vs_ceiling_table(facts: ReportFacts, rows: Sequence[AnyAgreementRow]) -> pd.DataFrame:
    """Return the table with the differences from raters and best baseline, by the first coefficient."""
    people = {row.rater for row in facts.ceiling}
    table = _coefficient_table(facts, rows, people)
    row_by_rater = {
        row.rater: row
        for row in rows
        if isinstance(row, VsCeilingRow) and row.coefficient == facts.first_coefficient
    }
    symbol = coefficient_name(facts.first_coefficient)
    rows_in_order = [row_by_rater.get(name) for name in table[NAME_COLUMN]]
    table[f"{symbol}, minus raters"] = [
        "–" if row is None else _difference_cell(row.minus_raters(3), row.difference) for row in rows_in_order
    ]
    table[f"{symbol}, minus best baseline"] = [
        "–"
        if row is None or row.baseline is None
        else _difference_cell(row.minus_baseline(3), row.baseline.difference)
        for row in rows_in_order
    ]
    return table


def _difference_note(facts: ReportFacts, rows: Sequence[AnyAgreementRow], criterion: str) -> list[str]:
    """Return on which responses the difference is taken, if it is not that of the numbers printed."""
    ceiling = facts.ceiling_of(criterion)
    differing = [
        (row, _number(raters_value))
        for row in rows
        if isinstance(row, VsCeilingRow) and row.coefficient == facts.first_coefficient
        for raters_value in [row.raters_elsewhere(ceiling, digits=3)]
        if raters_value is not None
    ]
    on_fewer = {row.rater: value for row, value in differing if row.on_fewer_responses(ceiling)}
    without_some = {row.rater: value for row, value in differing if not row.on_fewer_responses(ceiling)}
    notes = []
    if on_fewer:
        subject = "it" if len(on_fewer) == 1 else "each of them"
        scored = "scored" if facts.scores.compared is None else "judged"
        notes.append(
            f"For {join_names(list(on_fewer))}, the difference uses only the {facts.units} that {subject} "
            f"{scored}; on these, the raters reach {_reached(on_fewer)}."
        )
    if without_some:
        subject = "it has" if len(without_some) == 1 else "each of them has"
        notes.append(
            f"For {join_names(list(without_some))}, the difference is the mean over the leave-one-out "
            f"comparisons in which {subject} a value; in these, the raters reach {_reached(without_some)}."
        )
    return notes


def _reached(values: Mapping[str, str]) -> str:
    """Return the raters' value on the responses of one row, or their values by row."""
    if len(values) == 1:
        return next(iter(values.values()))
    return join_names([f"{value} ({rater})" for rater, value in values.items()])


def _baseline_note(facts: ReportFacts, rows: Sequence[AnyAgreementRow]) -> list[str]:
    """Return what the baselines are, and which judges are not significantly better than the best of them."""
    judged = [
        row
        for row in rows
        if isinstance(row, VsCeilingRow)
        and row.coefficient == facts.first_coefficient
        and row.baseline is not None
    ]
    if not judged:
        return []
    judged_or_scored = "scored" if facts.scores.compared is None else "judged"
    notes = [
        "Baselines ignore content and are measured like judges; the last column subtracts the best of them, "
        f"chosen anew in each resample, on the {facts.units} that the judge or metric "
        f"{judged_or_scored}. "
        "Differences are between the rounded numbers printed; tables/beside.csv of a report has "
        "unrounded ones."
    ]
    not_better = [row.rater for row in judged if row.estimate.value is not None and not beats_baseline(row)]
    if not_better:
        notes.append(f"Not significantly better than the best baseline: {', '.join(not_better)}.")
    return notes


def _note_on_intervals(rows: Sequence[AnyAgreementRow]) -> list[str]:
    """Return what the interval of a baseline is, if any has one."""
    shown = any(row.rater_kind == BASELINE and row.estimate.ci is not None for row in rows)
    return [OWN_INTERVAL] if shown else []


def _coefficient_table(facts: ReportFacts, rows: Sequence[AnyAgreementRow], people: set[str]) -> pd.DataFrame:
    names = list(dict.fromkeys(row.rater for row in rows))
    by_key = {(row.rater, row.coefficient): row.estimate for row in rows}

    def rank(name: str) -> tuple[bool, float]:
        estimate = by_key.get((name, facts.first_coefficient))
        value = None if estimate is None else estimate.value
        return name in people, float("inf") if value is None else -value

    lines = []
    for name in sorted(names, key=rank):
        line: dict[str, Any] = {NAME_COLUMN: name}
        for coefficient in facts.recipe.coefficients:
            line[coefficient_name(coefficient)] = _cell(by_key.get((name, coefficient)))
        first = by_key.get((name, facts.first_coefficient))
        missing = next((facts.unscored_of(row) for row in rows if row.rater == name), NONE_MISSING)
        phrases = (
            missing.phrases() if facts.scores.compared is None else [f"{missing.total} without a choice"]
        )
        missing_note = f" ({', '.join(phrases)})" if missing else ""
        level = next(row.level for row in rows if row.rater == name)
        line["n"] = "–" if first is None else f"{units_of_n(level, first)}{missing_note}"
        lines.append(line)
    return pd.DataFrame(lines)


def _notes(facts: ReportFacts, rows: Sequence[AnyAgreementRow]) -> list[str]:
    """Return each reason for a missing coefficient once, with its raters, and what was left out."""
    coefficients_by_reason: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row.estimate.value is None:
            name = coefficient_name(row.coefficient)
            coefficients_by_reason.setdefault((row.rater, row.estimate.reason or ""), []).append(name)
    raters_by_reason: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (rater, reason), names in coefficients_by_reason.items():
        raters_by_reason.setdefault((reason, tuple(names)), []).append(rater)
    all_coefficients = len(facts.recipe.coefficients)
    notes = []
    for (reason, coefficients), raters in raters_by_reason.items():
        what = "value" if len(coefficients) == all_coefficients else join_names(coefficients, "or")
        notes.append(f"No {what} for {', '.join(raters)}: {reason}.")
    notes += _without_interval(rows, all_coefficients)
    if any(facts.unscored_of(row).total > facts.unscored_of(row).failed for row in rows):
        notes.append(
            "“Unscored” is counted over all of a judge's judgments, including those of "
            f"{facts.units} without a kept rating."
            if facts.scores.compared is None
            else "“Without a choice” is counted over all of a judge's judgments, including those of pairs "
            "without a kept comparison."
        )
    return [*notes, *_left_out(rows, all_coefficients)]


def _without_interval(rows: Sequence[AnyAgreementRow], all_coefficients: int) -> Iterator[str]:
    """Yield each reason for a missing interval of a value, with its raters and coefficients."""
    coefficients: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        reason = no_interval_reason(row.estimate)
        if row.estimate.value is not None and reason is not None and row.rater_kind != BASELINE:
            coefficients.setdefault((row.rater, reason), []).append(coefficient_name(row.coefficient))
    raters: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (rater, why), names in coefficients.items():
        raters.setdefault((why, tuple(names)), []).append(rater)
    for (why, of_names), listed in raters.items():
        of_what = "" if len(of_names) == all_coefficients else f"{join_names(of_names)} of "
        yield f"No interval for {of_what}{', '.join(listed)}: {why}."


def _left_out(rows: Sequence[AnyAgreementRow], all_coefficients: int) -> Iterator[str]:
    """Yield what the figures of the raters leave out, naming the coefficients if it is not true of all."""
    coefficients: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        for phrase in left_out(row.estimate, level=row.level):
            coefficients.setdefault((row.rater, phrase), []).append(coefficient_name(row.coefficient))
    raters: dict[tuple[str, ...], list[tuple[str, list[str]]]] = {}
    for (rater, phrase), names in coefficients.items():
        raters.setdefault(tuple(names), []).append((rater, [phrase]))
    for shared, phrases in raters.items():
        of_all = len(shared) == all_coefficients
        for note in of_rows(phrases):
            yield note if of_all else f"{note.removesuffix('.')} (for {join_names(shared)})."


def _difference_cell(printed: float | None, difference: Estimate) -> str:
    """Return the difference of the printed numbers, with its interval."""
    return "–" if printed is None else _cell(replace(difference, value=printed), sign="+")


def _cell(estimate: Estimate | None, *, sign: str = "") -> str:
    if estimate is None or estimate.value is None:
        return "–"  # why: the notes
    interval = printed_ends(estimate.ci, 3, sign=sign).replace("-", "−")
    return f"{_number(estimate.value, sign)}{interval}"


def _number(value: float, sign: str = "") -> str:
    return f"{value:{sign}.3f}".replace("-", "−")
