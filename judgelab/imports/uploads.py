"""An upload: its data files, and the images beside them or in a zip archive or folder with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from judgelab.domain import Problem
from judgelab.errors import ImportProblems
from judgelab.imports.containers import Member, in_archive, in_folder
from judgelab.imports.core.problems import listing
from judgelab.imports.exports import is_export
from judgelab.imports.files import images
from judgelab.imports.files.images import Damaged, ImageFile, ending
from judgelab.imports.files.sources import Source
from judgelab.imports.results import result_files_by_tool
from judgelab.rendering.pictures import image_path
from judgelab.wording import counted, sentence

DATA_ENDINGS = ("csv", "tsv", "txt", "json", "jsonl", "ndjson", "parquet", "xlsx", "eval")
RESULT_ENDINGS = (*DATA_ENDINGS, "score", "docs")  # also of files that are read only with others of a tool
MOST_DATA_MB = 300  # of a data file in an archive: unpacked, it may be much larger than packed
MOST_UNPACKED_MB = 600  # of all files of an export in an archive
MOST_FILES = 10_000  # in one archive or folder

Files = Sequence[tuple[str, bytes | Path]]


@dataclass(frozen=True)
class Upload:
    """The data files of an upload, its images, and what a person should know about them."""

    files: tuple[tuple[str, bytes | Path], ...]
    images: tuple[ImageFile, ...] = ()
    notices: tuple[str, ...] = ()

    def data(self) -> Files:
        """Return the data files of an upload that can have no images; raises `ImportProblems` if it has."""
        if self.images:
            raise _refused(
                self.images[0].path,
                sentence("images belong to items and responses; import them without these files"),
            )
        return self.files


def opened(files: Files, *, preset: str | None = None) -> Upload:
    """Return the data files and the images of an upload; archives and folders are opened.

    A preset knows its own files, so its upload has no others.

    Raises:
        ImportProblems: an image cannot be stored, or an archive or folder cannot be read.
    """
    if preset is not None:
        return Upload(tuple(files))
    homes = [
        content.resolve().parent
        for name, content in files
        if isinstance(content, Path) and ending(name) in DATA_ENDINGS and content.is_file()
    ]
    parts: list[Upload] = []
    problems: list[Problem] = []
    for name, content in files:
        source = Source(name, content)
        try:
            if isinstance(content, Path) and content.is_dir():
                parts.append(_contents(name, list(in_folder(content)), _place(content, homes)))
            elif ending(name) == "zip" and not _is_result_file(source):
                parts.append(_contents(name, list(in_archive(source))))
            elif ending(name) in images.REFUSED_ENDINGS:
                problems.append(images.not_taken(name))
            elif ending(name) in images.ENDINGS:
                path = _place(content, homes) if isinstance(content, Path) else name
                problems += _outside([path])
                parts.append(Upload((), (ImageFile(image_path(path), source.size, source),)))
            else:
                parts.append(Upload(((name, content),)))
        except Damaged as error:
            problems.append(images.damaged(str(error)))
        except ImportProblems as error:
            problems += error.problems
    found = tuple(image for part in parts for image in part.images)
    problems += images.problems_of(found)
    if problems:
        raise ImportProblems(", ".join(name for name, _ in files), problems)
    notices = tuple(notice for part in parts for notice in part.notices)
    return Upload(tuple(file for part in parts for file in part.files), found, notices)


def _place(path: Path, homes: Sequence[Path]) -> str:
    """Return the path of a file or folder beside a data file, as texts in that file would name it."""
    whole = path.resolve()
    for home in homes:
        if whole.is_relative_to(home):
            return whole.relative_to(home).as_posix()
    return whole.name


def _contents(name: str, members: Sequence[Member], place: str = "") -> Upload:
    """Return the data file and the images of an archive or folder.

    Images are named as seen from the data file, or else from the top; `place` is put in front if there is no
    data file.
    """
    if len(members) > MOST_FILES:
        raise _refused(
            name, sentence("{file} has more than {most} files; split it", file=name, most=MOST_FILES)
        )
    top = [member for member in _unwrapped(members) if not member.folder]
    if is_export([member.name for member in top]):
        _check_unpacked(name, top)
        return Upload(tuple((member.name, member.data()) for member in top))
    data = data_files(members)
    pictures = [member for member in members if ending(member.name) in images.ENDINGS]
    problems = [
        images.not_taken(member.name) for member in members if ending(member.name) in images.REFUSED_ENDINGS
    ]
    problems += _outside([member.name for member in (*data, *pictures)])
    if len(members) > 1 and not problems and (results := result_files(name, members)):
        files = tuple((member.name, member.data()) for member in results)
        return Upload(files, (), tuple(_other_files(name, members, results)))
    if len(data) > 1:
        names = listing([member.name for member in data])
        problems.append(
            Problem(
                sentence(
                    "{file} has {n} data files ({names}); leave one in it, or import them without it",
                    file=name,
                    n=len(data),
                    names=names,
                )
            )
        )
    if not (data or pictures or problems):
        problems.append(Problem(sentence("{file} has neither a data file nor an image", file=name)))
    problems += [
        Problem(sentence("{file} has more than {most} MB; split it", file=member.name, most=MOST_DATA_MB))
        for member in data
        if member.inside and member.size > MOST_DATA_MB * 1_000_000
    ]
    if problems:
        raise ImportProblems(name, problems)
    home = data[0].folder if data else None
    found = tuple(
        ImageFile(_path(member, home, place), member.size, member.source, member.inside)
        for member in pictures
    )
    files = tuple((member.own_name, member.data()) for member in data)
    return Upload(files, found, tuple(_left_out(name, members, data)))


def data_files(members: Sequence[Member]) -> list[Member]:
    """Return the data files among files; a text is none beside a data file of another kind: it is a note."""
    data = [member for member in members if ending(member.name) in DATA_ENDINGS]
    return [member for member in data if ending(member.name) != "txt"] or data


def result_files(name: str, members: Sequence[Member]) -> list[Member]:
    """Return the members that evaluation tools wrote: these files belong together, so they are one import.

    Raises:
        ImportProblems: the files in the archive are too large to be unpacked.
    """
    data = [member for member in members if ending(member.name) in RESULT_ENDINGS]
    _check_unpacked(name, data)
    sources = {member.name: Source(member.name, member.data()) for member in data}
    found, _ = result_files_by_tool(list(sources.values()))
    names = {source.name for tool in found for source in tool.sources}
    return [member for member in data if member.name in names]


def _is_result_file(source: Source) -> bool:
    """Return whether an evaluation tool wrote the archive itself, whatever its name."""
    found, _ = result_files_by_tool([source])
    return bool(found)


def _unwrapped(members: Sequence[Member]) -> Sequence[Member]:
    """Return the members without the folder that all of them are in, as in the archive of a folder."""
    folders = {member.name.partition("/")[0] if member.folder else "" for member in members}
    if len(folders) != 1:
        return members
    top = folders.pop()
    return [replace(member, name=member.name.removeprefix(f"{top}/")) for member in members]


def _path(member: Member, home: str | None, place: str) -> str:
    if home is None:
        return image_path(f"{place}/{member.name}" if place else member.name)
    return image_path(member.name.removeprefix(f"{home}/") if home else member.name)


def _check_unpacked(name: str, members: Sequence[Member]) -> None:
    """Refuse an export that is too large for the memory; files in a folder are read where they are."""
    sizes = [member.size for member in members if member.inside]
    if max(sizes, default=0) > MOST_DATA_MB * 1_000_000 or sum(sizes) > MOST_UNPACKED_MB * 1_000_000:
        raise _refused(
            name,
            sentence(
                "a file in {file} has more than {most} MB, or all have more than {total} MB; unpack it, and "
                "import its folder with judgelab import",
                file=name,
                most=MOST_DATA_MB,
                total=MOST_UNPACKED_MB,
            ),
        )


def _outside(names: Sequence[str]) -> list[Problem]:
    """Return a problem for each file whose path is absolute or leads out of the upload."""
    return [
        Problem(sentence("the path {file} leads out of the upload; zip the files again", file=name))
        for name in names
        if not image_path(name)
    ]


def _left_out(name: str, members: Sequence[Member], data: Sequence[Member]) -> Iterator[str]:
    others = [
        member.name for member in members if member not in data and ending(member.name) not in images.ENDINGS
    ]
    if others:
        yield counted(
            "{n} file in {file} is neither data nor an image and was left out: {names}",
            "{n} files in {file} are neither data nor images and were left out: {names}",
            len(others),
            file=name,
            names=listing(others),
        )


def _other_files(name: str, members: Sequence[Member], results: Sequence[Member]) -> Iterator[str]:
    others = [member.name for member in members if member not in results]
    if others:
        yield counted(
            "{n} file in {file} is of no evaluation tool that is known and was left out: {names}",
            "{n} files in {file} are of no evaluation tool that is known and were left out: {names}",
            len(others),
            file=name,
            names=listing(others),
        )


def _refused(name: str, message: str) -> ImportProblems:
    return ImportProblems(name, [Problem(message)])
