"""The images that texts show on the rating screen and on pages."""

from __future__ import annotations

from collections.abc import Collection

from judgelab.store.db.engine import Store
from judgelab.store.projects import images


def image_hashes(store: Store, project_id: int, paths: Collection[str]) -> dict[str, str]:
    """Return the SHA-256 of the project's images by path; paths without an image are left out."""
    if not paths:
        return {}
    with store.reading() as session:
        return images.image_hashes(session, project_id, paths)
