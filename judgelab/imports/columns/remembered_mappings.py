"""What the columns of a file meant when a file with the same columns was imported before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from judgelab.imports.columns.mapping import ColumnMapping, ColumnUse, Kind, guess_kind
from judgelab.store.db.engine import Store
from judgelab.store.transfer.importing import ImportedColumns, find_import
from judgelab.wording import sentence


class RememberedMapping(NamedTuple):
    """A file's mapping as a person may want it again, and the import it is from."""

    mapping: ColumnMapping
    before: ImportedColumns


def mapping_record(kind: Kind, mapping: ColumnMapping) -> dict[str, Any]:
    """Return what is kept of an imported file for the next one: what it held, and the field of each column.

    Nothing where a column is a rater's: its name, or its field, is that of a person.
    """
    if any(mapping.starting("rater[")):
        return {}
    return {"kind": kind, "columns": mapping.meanings}


def remembered_mapping(
    store: Store, project_id: int, guessed: ColumnMapping, *, kind: str | None
) -> RememberedMapping | None:
    """Return the mapping of the newest import with exactly these columns; None where it is the guessed one.

    Only a page asks, where the mapping is seen before anything is stored: a command reads a file in the same
    way whatever was imported before it.

    Args:
        store: the database.
        project_id: the project.
        guessed: what the columns mean by their names.
        kind: what a person said that the file holds; without it the columns have to say so.
    """
    meanings = guessed.meanings
    with store.reading() as session:
        before = find_import(session, project_id, meanings)
    if before is None or (before.columns == meanings and not guessed.undecided):
        return None
    remembered = RememberedMapping(as_remembered(guessed, before.columns, before.source), before)
    return remembered if before.kind == (kind or guess_kind(remembered.mapping)) else None


def as_remembered(guessed: ColumnMapping, columns: Mapping[str, str], source: str) -> ColumnMapping:
    """Return the guessed mapping with what the columns meant before, where that differs or was asked."""
    why = sentence("as in {file}", file=source)
    undecided = guessed.undecided
    return ColumnMapping(
        tuple(
            use
            if columns[use.column] == use.field and use.column not in undecided
            else ColumnUse(use.column, columns[use.column], why)
            for use in guessed.uses
        )
    )
