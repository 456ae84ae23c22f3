"""A project's data without its people: an export that imports again, with pseudonyms and no comments."""

from __future__ import annotations

import tempfile
from pathlib import Path

from judgelab.imports.exports import export_project
from judgelab.imports.service import import_files
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.people import erasure


def anonymised(store: Store, slug: str, folder: Path, *, file_format: str = "csv") -> dict[str, int]:
    """Write the project with a pseudonym for each person into a folder; return the rows of each table.

    The project is copied into a database of its own, and there everybody is erased as they would be on
    request: names, consents, backgrounds and comments go, scores stay. Texts, judges and figures stay too.
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
