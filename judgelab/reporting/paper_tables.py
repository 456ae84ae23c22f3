"""Tables of agreement to be printed: a row for each rater, a column for each coefficient, notes below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pandas as pd

from judgelab.analysis.data.filter_info import aggregate_name
from judgelab.metaeval.agreement.baselines import shown_name
from judgelab.metaeval.agreement.vs_ceiling_rows import AnyAgreementRow, VsCeilingRow
from judgelab.metaeval.coefficients.left_out import units_of_n
from judgelab.metaeval.core.result import Estimate, printed_ends
from judgelab.reporting.facts import ReportFacts
from judgelab.reporting.table_notes import TableNotes, notes_of_table, notes_on_page, printed_number
from judgelab.reporting.terms import coefficient_heading
from judgelab.store.judging.unscored_counts import NONE_MISSING

NAME_COLUMN = "Judge or metric"


class PaperTable(NamedTuple):
    """A table of a report.

    Attributes:
        name: the first part of its files' names.
        title: what its figures compare.
        table: judges and metrics, best first by the first coefficient, then human raters.
        remarks: what is said below the table of its own rows, and of all such tables.
    """

    name: str
    title: str
    table: pd.DataFrame
    remarks: TableNotes

    @property
    def notes(self) -> list[str]:
        """Return all sentences below the table where it stands alone, as in a file."""
        return [*self.remarks.own, *self.remarks.general]


def paper_tables(facts: ReportFacts, criterion: str) -> list[PaperTable]:
    """Return the tables of one criterion: against the other raters, if possible, and against all.

    The same judge has different numbers in them. The first compares judges and raters with the score of
    the other raters, on responses that two or more rated. The score of all raters exists for every rated
    response and is less noisy, so agreement with it is higher, and no rater can be compared with it.
    """
    result = []
    judged = [_with_shown_name(row) for row in facts.rows if row.criterion == criterion]
    scale = facts.scores.project.scales.get(criterion)
    target = aggregate_name(facts.scores.aggregation, scale)
    if not facts.judged(criterion):
        return []
    if facts.has_ceiling(criterion):
        all_rows: tuple[AnyAgreementRow, ...] = (*facts.vs_ceiling, *facts.ceiling)
        rows = [_with_shown_name(row) for row in all_rows if row.criterion == criterion]
        result.append(
            PaperTable(
                "beside",
                f"judges and raters, each compared with the {target} of all raters but one",
                _vs_ceiling_table(facts, rows),
                notes_of_table(facts, rows, file="tables/beside.csv", criterion=criterion),
            )
        )
    result.append(
        PaperTable(
            "agreement",
            f"compared with the {target} of all raters",
            _coefficient_table(facts, judged, set()),
            notes_of_table(facts, judged, file="tables/agreement.csv"),
        )
    )
    return result


def _with_shown_name(row: AnyAgreementRow) -> AnyAgreementRow:
    return replace(row, rater=shown_name(row.rater))


def tables_on_page(
    facts: ReportFacts,
) -> tuple[dict[str, list[tuple[PaperTable, list[str]]]], list[str]]:
    """Return each criterion's tables with the notes below each, and the notes below all of them."""
    found = {criterion.key: paper_tables(facts, criterion.key) for criterion in facts.scores.project.criteria}
    remarks = {(key, table.title): table.remarks for key, tables in found.items() for table in tables}
    own, shared = notes_on_page(remarks)
    return {
        key: [(table, own[key, table.title]) for table in tables] for key, tables in found.items()
    }, shared


def _vs_ceiling_table(facts: ReportFacts, rows: Sequence[AnyAgreementRow]) -> pd.DataFrame:
    """Return the table with the differences from raters and best baseline, by the first coefficient."""
    people = {row.rater for row in facts.ceiling}
    table = _coefficient_table(facts, rows, people)
    row_by_rater = {
        row.rater: row
        for row in rows
        if isinstance(row, VsCeilingRow) and row.coefficient == facts.first_coefficient
    }
    symbol = coefficient_heading(facts.first_coefficient)
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
            line[coefficient_heading(coefficient)] = _cell(by_key.get((name, coefficient)))
        first = by_key.get((name, facts.first_coefficient))
        missing = next((facts.unscored_of(row) for row in rows if row.rater == name), NONE_MISSING)
        phrases = (
            missing.phrases() if facts.scores.compared is None else [f"and {missing.total} without a choice"]
        )
        missing_note = f" ({', '.join(phrases)})" if missing else ""
        level = next(row.level for row in rows if row.rater == name)
        line["n"] = "–" if first is None else f"{units_of_n(level, first)}{missing_note}"
        lines.append(line)
    return pd.DataFrame(lines)


def _difference_cell(printed: float | None, difference: Estimate) -> str:
    """Return the difference of the printed numbers, with its interval."""
    return "–" if printed is None else _cell(replace(difference, value=printed), sign="+")


def _cell(estimate: Estimate | None, *, sign: str = "") -> str:
    if estimate is None or estimate.value is None:
        return "–"  # why: the notes
    interval = printed_ends(estimate.ci, 3, sign=sign).replace("-", "−")
    return f"{printed_number(estimate.value, sign)}{interval}"
