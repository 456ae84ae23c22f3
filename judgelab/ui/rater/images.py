"""Where the images of a project's texts are served, and what is said of one that is missing."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import quote

from judgelab.annotation.images import image_hashes
from judgelab.languages import _
from judgelab.store.db.engine import Store
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.rater import address

PATH = "/images/{project}/{sha256}"


def image_sources(store: Store, project: ProjectInfo, paths: Collection[str]) -> dict[str, str]:
    """Return the addresses of the project's images by path; paths without an image are left out."""
    hashes = image_hashes(store, project.id, paths)
    slug = quote(project.slug, safe="")
    return {path: address.path(PATH.format(project=slug, sha256=sha256)) for path, sha256 in hashes.items()}


def missing_image() -> str:
    """Return what is said of a missing image, with {name} for its name."""
    return _("Image not uploaded: {name}", name="{name}")
