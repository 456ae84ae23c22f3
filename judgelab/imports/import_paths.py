"""The files that `import` reads: those named, images in folders beside them, and folders of results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from judgelab.errors import InvalidInput
from judgelab.imports.containers import in_folder
from judgelab.imports.exports import is_export
from judgelab.imports.files.images import ENDINGS, ending
from judgelab.imports.presets import presets
from judgelab.imports.service import collect_files
from judgelab.imports.uploads import MOST_FILES, data_files, result_files


def files_to_import(paths: Sequence[Path], *, preset: str | None) -> list[tuple[str, bytes | Path]]:
    """Return the files at the paths; a folder with images or of results stays one.

    Raises:
        InvalidInput: there is no such file, or a folder that is no export has no images, no files of an
            evaluation tool, and no preset.
    """
    if preset is not None:
        return collect_files(paths)
    folders = [path for path in paths if path.is_dir() and _is_upload(path)]
    rest = [path for path in paths if path not in folders]
    files = collect_files(rest) if rest or not folders else []
    folder = next((path for path in rest if path.is_dir()), None)
    if folder and not is_export([name for name, _ in files]):
        raise InvalidInput(
            f"{folder} is a folder but not a JudgeLab export, nor one data file with images, nor results of "
            f"an evaluation tool; name its files, or its preset, one of {', '.join(presets.names())}."
        )
    return [*files, *((path.resolve().name, path) for path in folders)]


def _is_upload(folder: Path) -> bool:
    """Return whether a folder has images and at most one data file, or files of evaluation tools."""
    members = list(in_folder(folder))
    data = data_files(members)
    if len(data) < 2 and any(ending(member.name) in ENDINGS for member in members):
        return True
    return len(members) <= MOST_FILES and bool(result_files(folder.name, members))
