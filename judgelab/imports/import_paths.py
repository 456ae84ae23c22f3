"""The files that `import` reads: those named, and images in folders beside them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from judgelab.errors import InvalidInput
from judgelab.imports.containers import in_folder
from judgelab.imports.exports import is_export
from judgelab.imports.files.images import ENDINGS, ending
from judgelab.imports.presets import presets
from judgelab.imports.service import collect_files
from judgelab.imports.uploads import data_files


def files_to_import(paths: Sequence[Path], *, preset: str | None) -> list[tuple[str, bytes | Path]]:
    """Return the files at the paths; a folder with images stays a folder.

    Raises:
        InvalidInput: there is no such file, or a folder that is no export has no images and no preset.
    """
    if preset is not None:
        return collect_files(paths)
    folders = [path for path in paths if path.is_dir() and _is_upload(path)]
    rest = [path for path in paths if path not in folders]
    files = collect_files(rest) if rest or not folders else []
    folder = next((path for path in rest if path.is_dir()), None)
    if folder and not is_export([name for name, _ in files]):
        raise InvalidInput(
            f"{folder} is a folder but not a JudgeLab export, nor one data file with images; name its files, "
            f"or its preset, one of {', '.join(presets.names())}."
        )
    return [*files, *((path.resolve().name, path) for path in folders)]


def _is_upload(folder: Path) -> bool:
    """Return whether a folder has images and at most one data file."""
    members = list(in_folder(folder))
    return len(data_files(members)) < 2 and any(ending(member.name) in ENDINGS for member in members)
