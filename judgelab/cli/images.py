"""`project images`: listing and deleting the images that texts show."""

from __future__ import annotations

from typing import Annotated

import typer

from judgelab.cli import shared
from judgelab.cli.shared import Json
from judgelab.imports.images import delete_images, image_sizes


def register(projects: typer.Typer) -> None:
    """Add the command to those of `project`."""
    projects.command("images")(images_command)


def images_command(
    project: str,
    delete: Annotated[
        list[str] | None, typer.Option("--delete", help="The path of an image to delete; repeatable.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the images that texts show, or delete some."""
    store = shared.store()
    if delete:
        delete_images(store, project, set(delete))
        shared.emit({"deleted": delete}, as_json=as_json, text=f"deleted {', '.join(delete)}")
        return
    sizes = image_sizes(store, project)
    lines = [f"{path}  {size / 1000:,.0f} kB" for path, size in sizes.items()]
    shared.emit(
        [{"path": path, "bytes": size} for path, size in sizes.items()],
        as_json=as_json,
        text="\n".join(lines) or "There are no images; import them in a zip archive with the data.",
    )
