"""A project's data without its people: an export with pseudonyms and no comments, which imports again."""

from __future__ import annotations

import tempfile
from pathlib import Path

from judgelab.imports.exports import export_project
from judgelab.imports.service import import_files
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.people import erasure


def export_anonymised(store: Store, slug: str, folder: Path, *, file_format: str = "csv") -> dict[str, int]:
    """Export the project into a folder with a pseudonym for each person; return the rows of each table.

    The project is copied into a temporary database, where everyone is erased as on request: names, consents,
    answers to forms and comments are removed; scores, texts, judges and figures stay.
    """
    with tempfile.TemporaryDirectory() as temporary:
        export, copy = Path(temporary) / "whole", open_store(f"sqlite:///{temporary}/copy.db")
        try:
            export_project(store, slug, export, file_format="parquet")
            import_files(copy, slug, [(path.name, path) for path in sorted(export.iterdir())])
            with copy.writing() as session:
                erasure.erase_everybody(session)
            return export_project(copy, slug, folder, file_format=file_format)
        finally:
            copy.close()
