"""Agreement as a report prints it: a row a rater, a column a coefficient, reasons under the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pandas as pd

from judgelab.metaeval.agreement.vs_ceiling_rows import AnyAgreementRow, VsCeilingRow, beats_baseline
from judgelab.metaeval.coefficients.left_out import left_out_of_rows
from judgelab.metaeval.core.result import Estimate
from judgelab.report.facts import Facts
from judgelab.report.terms import COEFFICIENTS
from judgelab.store.judging.no_scores import NONE_MISSING


class PaperTable(NamedTuple):
    """A table of a report.

    Attributes:
        name: what its files are called, before the criterion.
        title: what the figures in it compare.
        table: raters by the first coefficient, the best first, the raters left out last.
        notes: why raters have no coefficient, for under the table.
    """

    name: str
    title: str
    table: pd.DataFrame
    notes: list[str]


def paper_tables(facts: Facts, criterion: str) -> list[PaperTable]:
    """Return the tables of one criterion: beside the raters where these can be compared, and against all.

    They hold different numbers of one judge. Beside the raters, judge and rater meet the mean of the other
    raters, on the responses that two or more rated; the mean of all raters is there for every rated response
    and is less noisy, so that agreement with it is higher and no rater may be held against it.
    """
    found = []
    judged = [row for row in facts.rows if row.criterion == criterion]
    if not facts.judged(criterion):
        return []
    if facts.has_ceiling(criterion):
        every: tuple[AnyAgreementRow, ...] = (*facts.beside, *facts.ceiling)
        rows = [row for row in every if row.criterion == criterion]
        found.append(
            PaperTable(
                "beside",
                "beside the raters: each against the mean of the other raters",
                _beside(facts, rows),
                [
                    *_notes(facts, rows),
                    *_difference_note(facts, rows, criterion),
                    *_baseline_note(facts, rows),
                ],
            )
        )
    found.append(
        PaperTable(
            "agreement", "against the mean of all raters", _table(facts, judged, set()), _notes(facts, judged)
        )
    )
    return found


def _beside(facts: Facts, rows: Sequence[AnyAgreementRow]) -> pd.DataFrame:
    """Return the table with the distance from the raters, by the first coefficient, as its last column."""
    people = {row.rater for row in facts.ceiling}
    table = _table(facts, rows, people)
    lead = facts.recipe.coefficients[0]
    leading = {row.rater: row for row in rows if isinstance(row, VsCeilingRow) and row.coefficient == lead}
    symbol = COEFFICIENTS.get(lead, lead)
    found = [leading.get(name) for name in table["Rater"]]
    table[f"{symbol}, minus raters"] = [
        "–" if row is None else _apart(row.minus_raters(3), row.difference) for row in found
    ]
    table[f"{symbol}, minus best baseline"] = [
        "–" if row is None or row.baseline is None else _apart(row.minus_baseline(3), row.baseline.difference)
        for row in found
    ]
    return table


def _difference_note(facts: Facts, rows: Sequence[AnyAgreementRow], criterion: str) -> list[str]:
    """Say what the last column is taken on, where a reader who subtracts finds another number."""
    lead = facts.recipe.coefficients[0]
    ceiling = next(
        (r.estimate for r in facts.ceiling if (r.criterion, r.coefficient) == (criterion, lead)), None
    )
    told = [
        f"{row.rater} ({_number(there)} for the raters there)"
        for row in rows
        if isinstance(row, VsCeilingRow) and row.coefficient == lead
        for there in [row.raters_elsewhere(ceiling, digits=3)]
        if there is not None
    ]
    if not told:
        return []
    return [
        "The difference is taken on the responses that the judge or metric scored, which are not all that "
        f"the raters rated, for {', '.join(told)}."
    ]


def _baseline_note(facts: Facts, rows: Sequence[AnyAgreementRow]) -> list[str]:
    """Say what the baselines are, and whom they keep from being called as good as a rater."""
    lead = facts.recipe.coefficients[0]
    judged = [
        row
        for row in rows
        if isinstance(row, VsCeilingRow) and row.coefficient == lead and row.baseline is not None
    ]
    if not judged:
        return []
    said = [
        "Baselines read nothing and are measured as judges are; the last column subtracts the best of them, "
        "chosen anew in each resample, on the responses that the judge or metric scored."
    ]
    equal = [row.rater for row in judged if row.estimate.value is not None and not beats_baseline(row)]
    if equal:
        said.append(f"Not measurably better than the best baseline: {', '.join(equal)}.")
    return said


def _table(facts: Facts, rows: Sequence[AnyAgreementRow], people: set[str]) -> pd.DataFrame:
    names = list(dict.fromkeys(row.rater for row in rows))
    by_key = {(row.rater, row.coefficient): row.estimate for row in rows}
    lead = facts.recipe.coefficients[0]

    def rank(name: str) -> tuple[bool, float]:
        found = by_key.get((name, lead))
        value = None if found is None else found.value
        return name in people, float("inf") if value is None else -value

    lines = []
    for name in sorted(names, key=rank):
        line: dict[str, Any] = {"Rater": name}
        for coefficient in facts.recipe.coefficients:
            line[COEFFICIENTS.get(coefficient, coefficient)] = _cell(by_key.get((name, coefficient)))
        first = by_key.get((name, lead))
        lost = next((facts.unscored_of(row) for row in rows if row.rater == name), NONE_MISSING)
        noted = f" ({', '.join(lost.phrases())})" if lost else ""
        line["n"] = "–" if first is None else f"{first.n:,}{noted}"
        lines.append(line)
    return pd.DataFrame(lines)


def _notes(facts: Facts, rows: Sequence[AnyAgreementRow]) -> list[str]:
    """Return each reason once, with the raters and coefficients that it holds for, and what is left out."""
    lacking: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row.estimate.value is None:
            name = COEFFICIENTS.get(row.coefficient, row.coefficient)
            lacking.setdefault((row.rater, row.estimate.reason or ""), []).append(name)
    together: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (rater, reason), names in lacking.items():
        together.setdefault((reason, tuple(names)), []).append(rater)
    every = len(facts.recipe.coefficients)
    said = []
    for (reason, coefficients), raters in together.items():
        some = "" if len(coefficients) == every else f"{', '.join(coefficients)} of "
        said.append(f"{some}{', '.join(raters)}: {reason}.")
    lead = facts.recipe.coefficients[0]
    return [*said, *left_out_of_rows((row.rater, row.estimate) for row in rows if row.coefficient == lead)]


def _apart(printed: float | None, difference: Estimate) -> str:
    """Return a difference as it comes of the numbers printed, with its interval."""
    return "–" if printed is None else _cell(replace(difference, value=printed), sign="+")


def _cell(found: Estimate | None, *, sign: str = "") -> str:
    if found is None or found.value is None:
        return "–"  # why: the notes
    interval = f" [{_number(found.ci[0], sign)}, {_number(found.ci[1], sign)}]" if found.ci else ""
    return f"{_number(found.value, sign)}{interval}"


def _number(value: float, sign: str = "") -> str:
    return f"{value:{sign}.3f}".replace("-", "−")
