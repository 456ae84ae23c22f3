"""The column mapping of an earlier import with the same columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from judgelab.imports.columns.mapping import ColumnMapping, ColumnUse, Kind, guess_kind
from judgelab.store.db.engine import Store
from judgelab.store.transfer.importing import ImportedColumns, find_import
from judgelab.wording import sentence


class RememberedMapping(NamedTuple):
    """The mapping of an earlier import, to be proposed again, and that import."""

    mapping: ColumnMapping
    before: ImportedColumns


def mapping_record(kind: Kind, mapping: ColumnMapping, values: Sequence[str]) -> dict[str, Any]:
    """Return what is stored about an imported file for the next import: its kind, columns and values.

    Empty if a column belongs to one rater, because its name or field would be a person's name.
    """
    if any(use.field != f"rater[{use.column}]" for use in mapping.starting("rater[")):
        return {}
    return {"kind": kind, "columns": mapping.meanings, **({"values": list(values)} if values else {})}


def remembered_mapping(
    store: Store, project_id: int, guessed: ColumnMapping, *, kind: str | None
) -> RememberedMapping | None:
    """Return the mapping of the latest import with exactly these columns; None if it adds nothing.

    Used only by the page, where the mapping is shown before anything is stored. The command line reads a file
    in the same way, whatever was imported before.

    Args:
        store: the database.
        project_id: the project.
        guessed: the meaning of the columns according to their names.
        kind: the kind of file, if a person gave it; otherwise it is guessed from the columns.
    """
    meanings = guessed.meanings
    with store.reading() as session:
        before = find_import(session, project_id, meanings)
    if before is None or (before.columns == meanings and not (guessed.undecided or before.values)):
        return None
    remembered = RememberedMapping(as_remembered(guessed, before.columns, before.source), before)
    return remembered if before.kind == (kind or guess_kind(remembered.mapping)) else None


def as_remembered(guessed: ColumnMapping, columns: Mapping[str, str], source: str) -> ColumnMapping:
    """Return the guessed mapping with the earlier meaning of columns where it differs or was undecided."""
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
