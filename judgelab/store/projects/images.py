"""Store the images that a project's texts show, and find them."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.orm import Session

from judgelab.domain import Problem
from judgelab.store.db.import_ledger import ImportLedger, in_batches
from judgelab.store.models import ImageRow
from judgelab.wording import sentence

MEGABYTE = 1_000_000
MOST_BYTES = 200 * MEGABYTE  # of all images of a project
MOST_BYTES_EACH = 5 * MEGABYTE
HEAD = 16  # bytes that tell the format
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


@dataclass(frozen=True)
class Image:
    """An image under the path by which texts refer to it."""

    path: str
    content: bytes

    @property
    def media_type(self) -> str:
        """Return the media type; empty if the format is not taken."""
        return media_type(self.content[:HEAD])

    @property
    def fault(self) -> bool:
        """Return whether the image is too large or of a format that is not taken."""
        return not self.media_type or len(self.content) > MOST_BYTES_EACH


def media_type(head: bytes) -> str:
    """Return the media type of an image by its first bytes; empty if its format is not taken.

    Drawings in SVG are not: they can hold scripts.

    >>> media_type(b"GIF89a..."), media_type(b"<svg xmlns=")
    ('image/gif', '')
    """
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _MAGIC if head.startswith(magic)), "")


def save_images(ledger: ImportLedger, images: Iterable[Image]) -> None:
    """Store the images; one stored under the same path is replaced.

    Images that take the project over its limit are a problem in the ledger.
    """
    session, project_id = ledger.session, ledger.project_id
    of_project = select(ImageRow.path, ImageRow.sha256).where(ImageRow.project_id == project_id)
    stored = {path: sha256 for path, sha256 in session.execute(of_project)}
    total = session.scalar(select(func.sum(ImageRow.size)).where(ImageRow.project_id == project_id)) or 0
    for image in images:
        sha256 = hashlib.sha256(image.content).hexdigest()
        if stored.get(image.path) == sha256:
            ledger.unchanged["images"] += 1
            continue
        values = {
            "sha256": sha256,
            "media_type": image.media_type,
            "size": len(image.content),
            "content": image.content,
        }
        total += len(image.content)
        if image.path in stored:
            this = (ImageRow.project_id == project_id) & (ImageRow.path == image.path)
            total -= session.scalar(select(ImageRow.size).where(this)) or 0
            session.execute(update(ImageRow).where(this).values(**values))
            ledger.changed["images"] += 1
        else:
            session.execute(insert(ImageRow).values(project_id=project_id, path=image.path, **values))
            ledger.new["images"] += 1
        stored[image.path] = sha256
        if total > MOST_BYTES:
            ledger.problems.append(_too_much(image.path))
            return


def _too_much(path: str) -> Problem:
    return Problem(
        sentence(
            "with {file}, the images of this project have more than {most} MB; make them smaller or leave "
            "some out",
            file=path,
            most=MOST_BYTES // MEGABYTE,
        )
    )


def image_hashes(session: Session, project_id: int, paths: Collection[str]) -> dict[str, str]:
    """Return the SHA-256 of the project's images by path; paths without an image are left out."""
    found: dict[str, str] = {}
    query = select(ImageRow.path, ImageRow.sha256).where(ImageRow.project_id == project_id)
    for part in in_batches(sorted(paths)):
        found |= {path: sha256 for path, sha256 in session.execute(query.where(ImageRow.path.in_(part)))}
    return found


def stored_paths(session: Session, project_id: int) -> frozenset[str]:
    """Return the paths of all images of the project."""
    return frozenset(session.scalars(select(ImageRow.path).where(ImageRow.project_id == project_id)))


def image_sizes(session: Session, project_id: int) -> dict[str, int]:
    """Return the number of bytes of each image of the project, by path in order."""
    query = select(ImageRow.path, ImageRow.size).where(ImageRow.project_id == project_id)
    return {path: size for path, size in session.execute(query.order_by(ImageRow.path))}


def delete_images(session: Session, project_id: int, paths: Collection[str]) -> None:
    """Delete the images of these paths."""
    for part in in_batches(sorted(paths)):
        session.execute(delete(ImageRow).where(ImageRow.project_id == project_id, ImageRow.path.in_(part)))


def find_image(session: Session, project_id: int, sha256: str) -> tuple[str, bytes] | None:
    """Return the media type and content of an image of the project, or None."""
    query = select(ImageRow.media_type, ImageRow.content)
    row = session.execute(
        query.where(ImageRow.project_id == project_id, ImageRow.sha256 == sha256).limit(1)
    ).first()
    return None if row is None else (row.media_type, row.content)
