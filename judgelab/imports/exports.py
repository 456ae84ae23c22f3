"""Export a whole project to a folder, and import such a folder."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd

from judgelab.errors import ImportProblems, InvalidInput, NotFound
from judgelab.imports.files.export_tables import BLOCK, FORMATS, check_format, read_table, write_table
from judgelab.imports.files.json_files import read_document
from judgelab.imports.files.sources import Source, Unreadable, explain_file_errors
from judgelab.imports.report import ImportReport
from judgelab.store.db.engine import Session, Store
from judgelab.store.db.import_ledger import ImportLedger
from judgelab.store.projects.projects import find_project
from judgelab.store.transfer.export_tables import BACKGROUNDS, TABLES, ExportTable, Kind
from judgelab.store.transfer.exporting import FORMAT, VERSION, project_record, table_rows
from judgelab.store.transfer.outdated import outdated_notices
from judgelab.store.transfer.restoring import Restorer, differing_settings, restore_project
from judgelab.wording import sentence

HEAD = "project.json"
# Additional tables that are derived from the others and never read back.
GOLD, PROVENANCE = "gold", "provenance"
PROVENANCE_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("item_id", "response_id", "system", "criterion", "rater"), "text"),
    **{"occasion": "int", "score": "float", "comment": "text", "rated_at": "time", "seconds": "float"},
    **{"origin": "text", "blind": "bool", "surplus": "bool", "purpose": "text"},
    **{"guidelines_version": "int", "texts_shown": "text"},
    **{"kept": "bool", "removed_by": "text", "reason": "text"},
    **{"decided": "float", "decided_by": "text"},
}


def export_project(
    store: Store, slug: str, folder: Path, *, file_format: str = "csv", backgrounds: bool = False
) -> dict[str, int]:
    """Write the project to the folder and return the number of rows of each table.

    Args:
        store: the database.
        slug: the project.
        folder: a new or empty folder, or one with an earlier export.
        file_format: one of `FORMATS`.
        backgrounds: whether to write people's answers to forms and their ids on crowd platforms.

    Raises:
        InvalidInput: the format is unknown, or the folder has other files.
    """
    check_format(file_format)
    with explain_file_errors(), store.reading() as session:
        project = find_project(session, slug)
        _check_folder(folder)
        folder.mkdir(parents=True, exist_ok=True)
        # An earlier export is replaced only when everything is written, as the disk may become full.
        with tempfile.TemporaryDirectory(dir=folder, prefix=".unfinished-") as unfinished:
            tables = (*TABLES, BACKGROUNDS) if backgrounds else TABLES
            counts = _write(session, project.id, Path(unfinished), tables, file_format=file_format)
            _clear(folder)
            for path in sorted(Path(unfinished).iterdir()):
                path.replace(folder / path.name)
    return counts


def _write(
    session: Session, project_id: int, folder: Path, tables: Sequence[ExportTable], *, file_format: str
) -> dict[str, int]:
    head = project_record(session, project_id)
    (folder / HEAD).write_text(json.dumps(head, ensure_ascii=False, indent=1), encoding="utf-8")
    return {
        table.name: write_table(
            folder / f"{table.name}.{file_format}", table.kinds, table_rows(session, project_id, table)
        )
        for table in tables
    }


def write_provenance(folder: Path, table: pd.DataFrame, *, file_format: str) -> int:
    """Write the provenance of every rating into an export and return the number of ratings."""
    plain = table[list(PROVENANCE_KINDS)].astype(object)
    rows = plain.where(plain.notna(), None).itertuples(index=False, name=None)
    with explain_file_errors():
        return write_table(folder / f"{PROVENANCE}.{file_format}", PROVENANCE_KINDS, rows)


def is_export(names: Sequence[str]) -> bool:
    """Return whether files with these names are a JudgeLab export."""
    return HEAD in names and any(f"items.{ending}" in names for ending in FORMATS)


def import_export(
    store: Store,
    slug: str,
    files: Sequence[tuple[str, bytes | Path]],
    *,
    dry_run: bool = False,
    grant_roles: bool = False,
) -> ImportReport:
    """Store an exported project as `slug`, or add what is missing to the existing project.

    Raises:
        ImportProblems: texts in the project differ from the export's; nothing was stored.
        InvalidInput: the files are not an export, or one of a newer JudgeLab.
    """
    sources = {name: Source(name, data) for name, data in files}
    head = _read_head(sources[HEAD])
    try:
        with store.writing(dry_run=dry_run) as session:
            notices: list[str] = []
            try:
                project = find_project(session, slug)
                notices = list(differing_settings(session, project.id, head))
            except NotFound:
                project = restore_project(session, head, slug)
            restorer = Restorer(session, project.id, head, grant_roles=grant_roles)
            for table in (*TABLES, BACKGROUNDS):
                source = next((sources[n] for e in FORMATS if (n := f"{table.name}.{e}") in sources), None)
                for rows in _blocks(_rows(source, table, head["version"])) if source else ():
                    restorer.store(table.name, rows)
                if table.name == "responses":
                    restorer.texts_stored()
            ledger = restorer.ledger
            if ledger.problems:
                raise ImportProblems(sentence("the export"), ledger.problems)
            return _report(ledger, (*notices, *restorer.notices()))
    except KeyError as error:
        raise InvalidInput(
            sentence(
                "the export was changed: it refers to {name}, which is missing; export again.",
                name=str(error),
            )
        ) from None
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            sentence("the export was changed ({error}); export again.", error=str(error))
        ) from error


def _check_folder(folder: Path) -> None:
    if folder.is_file():
        raise InvalidInput(f"{folder} is a file; name a folder.")
    if not folder.is_dir() or not any(folder.iterdir()):
        return
    head = folder / HEAD
    if not head.is_file() or f'"{FORMAT}"' not in head.read_text(encoding="utf-8", errors="replace"):
        raise InvalidInput(f"{folder} contains other files; name an empty or a new folder.")


def _clear(folder: Path) -> None:
    """Delete an earlier export's tables; those in another format would be read together with the new ones."""
    for name in (*(table.name for table in (*TABLES, BACKGROUNDS)), GOLD, PROVENANCE):
        for ending in FORMATS:
            (folder / f"{name}.{ending}").unlink(missing_ok=True)


def _read_head(source: Source) -> dict[str, Any]:
    try:
        head = read_document(source)
    except Unreadable as error:
        raise ImportProblems(source.name, [error.problem]) from None
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise InvalidInput(
            sentence("{file} is not from a JudgeLab export; import the tables one by one.", file=source.name)
        )
    if not isinstance(head.get("version"), int):
        raise InvalidInput(
            sentence(
                "{file} was changed after the export: its version is not a number; export again.",
                file=source.name,
            )
        )
    if head["version"] > VERSION:
        raise InvalidInput(
            sentence(
                "the export was written by a newer version of JudgeLab; install that version to read it."
            )
        )
    return head


def _rows(source: Source, table: ExportTable, version: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file, with defaults for columns that older exports did not have."""
    defaults = table.lacking(version)
    kinds = {name: kind for name, kind in table.kinds.items() if name not in defaults}
    yield from ({**defaults, **row} for row in read_table(source, kinds))


def _blocks(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    while block := list(islice(rows, BLOCK)):
        yield block


def _report(ledger: ImportLedger, notices: Sequence[str]) -> ImportReport:
    counts: dict[str, Any] = dict(ledger.new)
    return ImportReport(
        **counts,
        changed=dict(+ledger.changed),
        unchanged=dict(+ledger.unchanged),
        notices=(*outdated_notices(ledger), *notices),
    )
