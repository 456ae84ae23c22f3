"""Import images on their own, for texts that are stored already."""

from __future__ import annotations

from typing import Any

from judgelab.errors import ImportProblems
from judgelab.imports.files.images import read_images
from judgelab.imports.report import ImportReport
from judgelab.imports.uploads import Upload
from judgelab.store.db.engine import Store
from judgelab.store.db.import_ledger import ImportLedger
from judgelab.store.projects.images import save_images
from judgelab.store.projects.projects import find_project
from judgelab.store.transfer.importing import save_import
from judgelab.wording import sentence


def import_images(store: Store, slug: str, upload: Upload, *, dry_run: bool = False) -> ImportReport:
    """Store the images of an upload and return a report.

    Raises:
        ImportProblems: the project would have too many images; nothing was stored.
    """
    with store.writing(dry_run=dry_run) as session:
        ledger = ImportLedger(session, find_project(session, slug).id)
        save_images(ledger, read_images(upload.images))
        if ledger.problems:
            raise ImportProblems(sentence("the images"), ledger.problems)
        if ledger.new.total() or ledger.changed.total():
            for source in {id(image.source): image.source for image in upload.images}.values():
                save_import(
                    session,
                    ledger.project_id,
                    source=source.name,
                    sha256=source.sha256(),
                    counts=ledger.new,
                    columns={},
                )
    counts: dict[str, Any] = dict(ledger.new)
    return ImportReport(
        **counts,
        changed=dict(+ledger.changed),
        unchanged=dict(+ledger.unchanged),
        notices=upload.notices,
    )
