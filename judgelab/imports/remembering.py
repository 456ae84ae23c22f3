"""What the columns of a file meant when a file with the same columns was imported before."""

from __future__ import annotations

from typing import NamedTuple

from judgelab.imports.mapping import ColumnMapping, ColumnUse
from judgelab.store.engine import Store
from judgelab.store.importing import ImportedColumns, imported_with
from judgelab.wording import sentence


class Remembered(NamedTuple):
    """A file's mapping as a person may want it again, and the import it is from."""

    mapping: ColumnMapping
    before: ImportedColumns


def remembered(store: Store, project_id: int, guessed: ColumnMapping) -> Remembered | None:
    """Return the mapping of the newest import with exactly these columns; None where it is the guessed one.

    Only a page asks, where the mapping is seen before anything is stored: a command reads a file in the same
    way whatever was imported before it.
    """
    meanings = guessed.meanings
    with store.reading() as session:
        before = imported_with(session, project_id, meanings)
    if before is None or (before.columns == meanings and not guessed.undecided):
        return None
    return Remembered(as_before(guessed, before), before)


def as_before(guessed: ColumnMapping, before: ImportedColumns) -> ColumnMapping:
    """Return the guessed mapping with what the columns meant before, where that differs or was asked."""
    why = sentence("as in {file}", file=before.source)
    asked = guessed.undecided
    return ColumnMapping(
        tuple(
            use
            if before.columns[use.column] == use.field and use.column not in asked
            else ColumnUse(use.column, before.columns[use.column], why)
            for use in guessed.uses
        )
    )
