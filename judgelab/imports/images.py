"""A project's images: import them on their own, list them, delete them."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from typing import Any

from judgelab.errors import ImportProblems, NotFound
from judgelab.imports.core.problems import shortened
from judgelab.imports.files.images import read_images
from judgelab.imports.files.sources import Source
from judgelab.imports.report import ImportReport
from judgelab.imports.uploads import Upload
from judgelab.store.db import audit
from judgelab.store.db.engine import Store
from judgelab.store.db.import_ledger import ImportLedger
from judgelab.store.projects import images
from judgelab.store.projects.images import save_images
from judgelab.store.projects.projects import find_project
from judgelab.store.transfer.importing import save_import
from judgelab.wording import mark, sentence


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
            sources = list({id(image.source): image.source for image in upload.images}.values())
            save_import(
                session,
                ledger.project_id,
                source=shortened(", ".join(source.name for source in sources)),
                sha256=_sha256(sources),
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


def _sha256(sources: Sequence[Source]) -> str:
    """Return the SHA-256 of a file, or of the sums of several."""
    sums = [source.sha256() for source in sources]
    return sums[0] if len(sums) == 1 else hashlib.sha256("".join(sums).encode()).hexdigest()


def image_sizes(store: Store, slug: str) -> dict[str, int]:
    """Return the number of bytes of each image of the project, by path in order."""
    with store.reading() as session:
        return images.image_sizes(session, find_project(session, slug).id)


def delete_images(store: Store, slug: str, paths: Collection[str], *, person_id: int | None = None) -> None:
    """Delete images of the project; texts then say that they are missing.

    Raises:
        NotFound: the project has no image of such a path; nothing was deleted.
    """
    with store.writing() as session:
        project_id = find_project(session, slug).id
        stored = images.image_sizes(session, project_id)
        for path in paths:
            if path not in stored:
                raise NotFound(mark("image"), path, stored)
        images.delete_images(session, project_id, paths)
        detail = {"images": sorted(paths)}
        audit.record(session, "deleted_images", project_id=project_id, person_id=person_id, detail=detail)
