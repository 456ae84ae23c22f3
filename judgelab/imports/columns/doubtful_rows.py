"""Rows that are none of the data: totals below a table, and answers that their annotator rejected."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from judgelab.imports.columns.mapping import CHOSEN, ColumnMapping, Kind
from judgelab.imports.columns.tables import Table
from judgelab.imports.core import fields
from judgelab.imports.core.cells import UncomputedFormula, is_missing
from judgelab.imports.core.problems import ProblemLog, shortened
from judgelab.imports.files.sources import Unreadable
from judgelab.wording import mark

SAMPLE_ROWS = 200
# Prodigy's column `answer`: what the annotator did with the task, whatever the answer to it.
DECISIONS = frozenset({"accept", "reject", "ignore"})
DECIDED = mark("what the annotators did with the task")
_WITHOUT = frozenset({"reject", "ignore"})
_MOST_HELD = 20  # rows of totals below a table; more are an item's
_MOST_LETTERS = 30  # of a label such as "Average score:"
_TOTALS = re.compile(
    r"(?:(?:(?:sub|grand|overall|column)[- ]?)?(?:totals?|sums?|averages?|avg|means?|medians?)"
    r"|std|sd|st\.? ?dev|stdev|std\.? ?dev|standard deviation|variance|minimum|maximum|count"
    r"|gesamt|insgesamt|summe|gesamtsumme|zwischensumme|mittelwert|mittel|durchschnitt|standardabweichung|anzahl"
    r"|somme|moyenne|m[eé]diane|[eé]cart[- ]type|suma|promedio|media|mediana|desviaci[oó]n est[aá]ndar|totale"
    r"|somma|m[eé]dia|soma|итого|всего|среднее|сумма|n = \d+|ø|∅)"
    r"(?:[ _](?:scores?|ratings?|row))?\s*(?:\([^()]*\))?\s*[:.=]?",
    re.IGNORECASE,
)
_NUMBERS = re.compile(r"[-+−±.,%\s()/]*\d[-+−±.,%\s()/\de]*", re.IGNORECASE)
# Columns that say what became of an answer, and their words for one that is not to count.
_STATES = re.compile(
    r"(?:\w+_)?(?:status|state|answer|approval|decision|finished|completed?|approved|valid|passed"
    r"|cancell?ed|skipped|discarded|rejected|excluded?|invalid|deleted|spam"
    r"|attention_check|catch_trial|training|practice|pilot)"
)
_REFUSING = re.compile(
    r"(?:\w+_)?(?:cancell?ed|skipped|discarded|rejected|excluded?|invalid|deleted|spam"
    r"|attention_check|catch_trial|training|practice|pilot)"
)
_ALLOWING = re.compile(r"(?:\w+_)?(?:finished|completed?|approved|valid|passed)")
_REFUSED = frozenset(
    {
        *("reject", "rejected", "ignore", "ignored", "skip", "skipped", "discard", "discarded", "cancelled"),
        *("canceled", "invalid", "exclude", "excluded", "returned", "timed-out", "timed out", "incomplete"),
        *("failed", "spam", "deleted", "not approved", "abgelehnt", "abgebrochen", "ungültig"),
    }
)
_YES, _NO = frozenset({"true", "yes", "1"}), frozenset({"false", "no", "0"})


def leave_out_doubtful_rows(table: Table, mapping: ColumnMapping, kind: Kind) -> ColumnMapping:
    """Let the table's reader leave out rows of totals and rejected answers, and note what it leaves out.

    A row of totals is below all others and has nothing but its label and numbers. A row that may be one, or
    that a column of unknown meaning calls rejected, is read and noted, and so is a last row with nothing but
    a text, which may be a remark. In the mapping returned, a column of
    annotators' decisions beside scores needs no meaning from a person.
    """
    read, notes = table.reader, table.notes
    named = mapping.column("item_id") or mapping.column("question") or ""
    scored = kind in ("ratings", "judgments", "preferences")
    states = [name for name in mapping.ignored if scored and _STATES.fullmatch(fields.snake_case(name))]
    decided = next((name for name in states if _has_decisions(table, name)), "")

    def rows(problems: ProblemLog) -> Iterator[tuple[int, Mapping[str, Any]]]:
        # Rows that are left out, or noted, if no data follow: totals with their label, remarks with "".
        held: list[tuple[int, Mapping[str, Any], str]] = []
        fullest = 0  # the largest number of cells of a row before
        for number, cells in read(problems):
            label = _label_of_totals(cells, named)
            if len(held) < _MOST_HELD and (label or (fullest > 2 and _is_remark(cells))):
                held.append((number, cells, label))
                continue
            for row, before, word in held:
                if word:
                    notes.note("perhaps totals", row, what=word)
                yield row, before
            held.clear()
            fullest = max(fullest, sum(not is_missing(value) for value in cells.values()))
            if decided and cells.get(decided) in _WITHOUT:
                notes.note("rejected", number, what=str(cells[decided]), column=decided)
                continue
            for column in states:
                if _is_refused(column, cells.get(column)):
                    notes.note(
                        "perhaps rejected", number, what=shortened(str(cells[column]), 40), column=column
                    )
            yield number, cells
        for row, before, word in held:
            if word and _has_only_numbers(before.values(), word):
                notes.note("totals", row, what=word)
                continue
            if word:
                notes.note("perhaps totals", row, what=word)
            else:
                notes.note("perhaps a remark", row, what=shortened(_only_text(before), 40))
            yield row, before

    table.reader = rows
    return ColumnMapping(
        tuple(
            use._replace(why=DECIDED) if use.column == decided and use.why != CHOSEN else use
            for use in mapping.uses
        )
    )


def _has_decisions(table: Table, column: str) -> bool:
    """Return whether a column has Prodigy's decisions and nothing else."""
    if fields.snake_case(column) != "answer":
        return False
    try:
        values = [cells.get(column) for _number, cells in islice(table.reader(ProblemLog()), SAMPLE_ROWS)]
    except (Unreadable, UnicodeDecodeError):
        return False  # reported when the file is read
    said = [value for value in values if not is_missing(value)]
    return bool(said) and all(isinstance(value, str) and value in DECISIONS for value in said)


def _label_of_totals(cells: Mapping[str, Any], named: str) -> str:
    """Return the label of a row that may be one of totals, or "".

    The label names the item, or stands alone among numbers in a row without an item.
    """
    item = cells.get(named)
    if is_label_of_totals(item):
        return str(item).strip()
    if not is_missing(item):
        return ""
    label = next((str(value).strip() for value in cells.values() if is_label_of_totals(value)), "")
    return label if label and _has_only_numbers(cells.values(), label) else ""


def is_label_of_totals(value: Any) -> bool:
    """Return whether a cell is the label of a row of totals, such as "Total", and not a text about one.

    >>> [is_label_of_totals(word) for word in ("Total", "MEAN:", "Average score", "Mittelwert", "N = 12")]
    [True, True, True, True, True]
    >>> [is_label_of_totals(word) for word in ("Total cost of the war?", "Meaning", "Summer", 3)]
    [False, False, False, False]
    """
    if not isinstance(value, str) or len(value) > _MOST_LETTERS:
        return False
    return _TOTALS.fullmatch(value.strip()) is not None


def _is_remark(cells: Mapping[str, Any]) -> bool:
    """Return whether a row has nothing but a text of several words that is no question."""
    text = _only_text(cells)
    return " " in text and not text.endswith("?")


def _only_text(cells: Mapping[str, Any]) -> str:
    """Return the text of a row with only one cell, or ""."""
    filled = [value for value in cells.values() if not is_missing(value)]
    return filled[0].strip() if len(filled) == 1 and isinstance(filled[0], str) else ""


def _has_only_numbers(values: Collection[Any], label: str) -> bool:
    """Return whether a row has numbers, and nothing else besides its label."""
    others: Sequence[Any] = [value for value in values if not is_missing(value)]
    others = [value for value in others if not (isinstance(value, str) and value.strip() == label)]
    return bool(others) and all(map(_is_number, others))


def _is_number(value: Any) -> bool:
    if isinstance(value, (bool, list, dict)):
        return False
    return isinstance(value, (int, float, UncomputedFormula)) or bool(_NUMBERS.fullmatch(str(value)))


def _is_refused(column: str, value: Any) -> bool:
    """Return whether a cell says that an answer is not to count.

    >>> [_is_refused("status", word) for word in ("rejected", "REJECTED", "accepted", None)]
    [True, True, False, False]
    >>> _is_refused("was_cancelled", True), _is_refused("Finished", "False"), _is_refused("rejected", "0")
    (True, True, False)
    """
    word, name = str(value).strip().casefold(), fields.snake_case(column)
    if _REFUSING.fullmatch(name):
        return word in _YES
    return word in _REFUSED or (word in _NO and _ALLOWING.fullmatch(name) is not None)
