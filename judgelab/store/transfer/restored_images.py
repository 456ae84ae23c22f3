"""Restore the images that a project's texts show."""

from __future__ import annotations

from collections.abc import Sequence

from judgelab.store.db.import_ledger import ImportLedger
from judgelab.store.projects.images import Image, image_hashes, save_images
from judgelab.store.transfer.restored import Cells
from judgelab.wording import sentence


def restore_images(ledger: ImportLedger, rows: Sequence[Cells]) -> None:
    """Store the images whose path has none; raises `ValueError` for a file that is no image."""
    stored = image_hashes(ledger.session, ledger.project_id, [row["path"] for row in rows])
    images = [
        Image(row["path"], row["content"] + (row["rest"] or b"")) for row in rows if row["path"] not in stored
    ]
    for image in images:
        if image.fault:
            raise ValueError(sentence("{file} is not an image that is taken", file=image.path))
    ledger.unchanged["images"] += len(rows) - len(images)
    save_images(ledger, images)
