"""Notes of a report's tables: why a rater has no coefficient, what was left out, what a difference uses.

Files of single tables have all their notes. On a page with several tables, a note that is equal under
all of them stands once below them (`notes_on_page`), and more than a few names become a count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from judgelab.domain import BASELINE
from judgelab.metaeval.agreement.baselines import OWN_INTERVAL
from judgelab.metaeval.agreement.vs_ceiling_rows import AnyAgreementRow, VsCeilingRow, beats_baseline
from judgelab.metaeval.coefficients.left_out import left_out, of_rows
from judgelab.metaeval.coefficients.undefined_means import without_counts
from judgelab.metaeval.core.result import no_interval_reason
from judgelab.reporting.facts import ReportFacts
from judgelab.reporting.terms import coefficient_name, join_names, quoted

BASELINES_BESIDE = "Baselines ignore content and are measured like judges. A baseline's row"
MOST_NAMED = 5  # in a note; more metrics are counted


class TableNotes(NamedTuple):
    """The notes of one table.

    Attributes:
        own: what is so for its rows.
        general: what is so for every table of its kind.
    """

    own: list[str]
    general: list[str]


def notes_of_table(
    facts: ReportFacts, rows: Sequence[AnyAgreementRow], *, file: str, criterion: str | None = None
) -> TableNotes:
    """Return the notes of a table.

    Args:
        facts: the report's facts.
        rows: the table's rows.
        file: the CSV file that names every row.
        criterion: set if the table has the differences from raters and best baseline.
    """
    names = _Names({row.rater: row.rater_kind for row in rows}, file)
    own = [
        *_missing_values(facts, rows, names),
        *_missing_intervals(facts, rows, names),
        *_left_out(rows, len(facts.recipe.coefficients), of_pairs=facts.scores.compared is not None),
    ]
    general = _unscored_note(facts, rows)
    if criterion is not None:
        own += _difference_note(facts, rows, criterion)
        definition, not_better = _baseline_notes(facts, rows, names)
        own += not_better
        general += definition
    with_intervals = any(row.rater_kind == BASELINE and row.estimate.ci is not None for row in rows)
    if with_intervals and not _explains_baselines(general):
        general.append(OWN_INTERVAL)
    return TableNotes(own, general)


def notes_on_page(
    tables: Mapping[tuple[str, str], TableNotes],
) -> tuple[dict[tuple[str, str], list[str]], list[str]]:
    """Return the notes below each table, and those below all tables, which are about every one of them.

    Tables are known by their criterion's key and their title.
    """
    general = dict.fromkeys(note for notes in tables.values() for note in notes.general)
    if _explains_baselines(general):
        general.pop(OWN_INTERVAL, None)
    if len(tables) == 1:
        ((place, notes),) = tables.items()
        return {place: [*dict.fromkeys(notes.own), *general]}, []
    counts = Counter(note for notes in tables.values() for note in set(notes.own))
    of_all = {note: None for notes in tables.values() for note in notes.own if counts[note] == len(tables)}
    own = {
        place: [note for note in dict.fromkeys(notes.own) if note not in of_all]
        for place, notes in tables.items()
    }
    return own, [*of_all, *general]


def _explains_baselines(notes: Iterable[str]) -> bool:
    """Return whether one of the notes says what baselines are, and which interval their rows give."""
    return any(note.startswith(BASELINES_BESIDE) for note in notes)


class _Names:
    """Names rows in a note: judges, and metrics unless there are many."""

    def __init__(self, kinds: Mapping[str, str], file: str) -> None:
        self._kinds, self._file = kinds, file

    def listed(self, raters: Sequence[str]) -> str:
        """Return the names, or those of other rows than metrics with the number of metrics."""
        metrics = [name for name in raters if self._kinds.get(name) == "metric"]
        if len(raters) <= MOST_NAMED or len(metrics) < 2:
            return join_names(quoted(raters))
        others = quoted(name for name in raters if name not in metrics)
        return (
            f"{join_names([*others, f'{len(metrics)} metrics'])} (named in {self._file} of the report files)"
        )


def _missing_values(facts: ReportFacts, rows: Sequence[AnyAgreementRow], names: _Names) -> Iterator[str]:
    """Yield each reason for a missing coefficient once, with its raters."""
    coefficients: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row.estimate.value is None:
            name = coefficient_name(row.coefficient)
            coefficients.setdefault((row.rater, row.estimate.reason or ""), []).append(name)
    raters: dict[tuple[str, tuple[str, ...]], list[tuple[str, str]]] = {}
    for (rater, reason), of_names in coefficients.items():
        raters.setdefault((without_counts(reason), tuple(of_names)), []).append((rater, reason))
    for (general, shared), listed in raters.items():
        reasons = {reason for _, reason in listed}
        what = "value" if len(shared) == len(facts.recipe.coefficients) else join_names(shared, "or")
        why = next(iter(reasons)) if len(reasons) == 1 else general
        yield f"No {what} for {names.listed([rater for rater, _ in listed])}: {why}."


def _missing_intervals(facts: ReportFacts, rows: Sequence[AnyAgreementRow], names: _Names) -> Iterator[str]:
    """Yield each reason for a missing interval of a value, with its raters and coefficients."""
    coefficients: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        reason = no_interval_reason(row.estimate)
        if row.estimate.value is not None and reason is not None and row.rater_kind != BASELINE:
            coefficients.setdefault((row.rater, reason), []).append(coefficient_name(row.coefficient))
    raters: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (rater, why), of_names in coefficients.items():
        raters.setdefault((why, tuple(of_names)), []).append(rater)
    for (why, shared), listed in raters.items():
        of_what = "" if len(shared) == len(facts.recipe.coefficients) else f"{join_names(shared)} of "
        yield f"No interval for {of_what}{names.listed(listed)}: {why}."


def _unscored_note(facts: ReportFacts, rows: Sequence[AnyAgreementRow]) -> list[str]:
    """Return what the count of judgments without a score in the column n is of."""
    if not any(facts.unscored_of(row).total > facts.unscored_of(row).failed for row in rows):
        return []
    return [
        "“Unscored” is counted over all of a judge's judgments, including those of "
        f"{facts.units} without a kept rating."
        if facts.scores.compared is None
        else "“Without a choice” is the number of a judge's judgments that contain no choice. They are not "
        "part of n, include those of pairs without a kept comparison, and can be two for a pair judged in "
        "both orders."
    ]


def _left_out(rows: Sequence[AnyAgreementRow], all_coefficients: int, *, of_pairs: bool) -> Iterator[str]:
    """Yield what the figures of the raters leave out, naming the coefficients if it is not true of all."""
    coefficients: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        for phrase in left_out(row.estimate, level=row.level, of_pairs=of_pairs):
            coefficients.setdefault((row.rater, phrase), []).append(coefficient_name(row.coefficient))
    raters: dict[tuple[str, ...], list[tuple[str, list[str]]]] = {}
    for (rater, phrase), names in coefficients.items():
        raters.setdefault(tuple(names), []).append((rater, [phrase]))
    for shared, phrases in raters.items():
        if len(shared) < all_coefficients:
            phrases = [(rater, [f"for {join_names(shared)}, {phrase}"]) for rater, (phrase,) in phrases]
        yield from of_rows(phrases, quoted=True)


def _difference_note(facts: ReportFacts, rows: Sequence[AnyAgreementRow], criterion: str) -> list[str]:
    """Return on which responses the difference is taken, if it is not that of the numbers printed."""
    ceiling = facts.ceiling_of(criterion)
    differing = [
        (row, printed_number(raters_value))
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
            f"For {join_names(quoted(on_fewer))}, the difference in "
            f"{coefficient_name(facts.first_coefficient)} uses only the {facts.units} that {subject} "
            f"{scored}; on these, the raters reach {_reached(on_fewer)}."
        )
    if without_some:
        subject = "it has" if len(without_some) == 1 else "each of them has"
        notes.append(
            f"For {join_names(quoted(without_some))}, the difference is the mean over the leave-one-out "
            f"comparisons in which {subject} a value; in these, the raters reach {_reached(without_some)}."
        )
    return notes


def _reached(values: Mapping[str, str]) -> str:
    """Return the raters' value on the responses of one row, or their values by row."""
    if len(values) == 1:
        return next(iter(values.values()))
    return join_names([f"{value} (“{rater}”)" for rater, value in values.items()])


def _baseline_notes(
    facts: ReportFacts, rows: Sequence[AnyAgreementRow], names: _Names
) -> tuple[list[str], list[str]]:
    """Return what the baselines are, and which judges are not significantly better than the best of them."""
    judged = [
        row
        for row in rows
        if isinstance(row, VsCeilingRow)
        and row.coefficient == facts.first_coefficient
        and row.baseline is not None
    ]
    if not judged:
        return [], []
    judged_or_scored = "scored" if facts.scores.compared is None else "judged"
    definition = [
        f"{BASELINES_BESIDE} gives the interval of that baseline alone; the column “minus best baseline” "
        f"subtracts the best of them, chosen anew in each resample, on the {facts.units} that the judge or "
        f"metric {judged_or_scored}, as on the page “Trust”. "
        "Differences are between the rounded numbers printed; tables/beside.csv of the report files has "
        "unrounded ones."
    ]
    not_better = [row.rater for row in judged if row.estimate.value is not None and not beats_baseline(row)]
    if not not_better:
        return definition, []
    return definition, [f"Not significantly better than the best baseline: {names.listed(not_better)}."]


def printed_number(value: float, sign: str = "") -> str:
    """Return a number as a report prints it."""
    return f"{value:{sign}.3f}".replace("-", "−")
