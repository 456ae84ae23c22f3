"""The contract of a preset, which reads a published folder as records."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, ClassVar, TypeVar

from judgelab.domain import Criterion
from judgelab.errors import InvalidInput
from judgelab.imports.columns.tables import Row, open_table
from judgelab.imports.core.records import RecordChunk
from judgelab.imports.files.json_files import read_document
from judgelab.imports.files.sources import Source
from judgelab.registry import Registry
from judgelab.studies import studies
from judgelab.wording import mark, sentence

T = TypeVar("T")
SIZE = 2000  # records of a chunk


class Folder:
    """The files given to a preset, by name."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = {source.name: source for source in sources}

    def __contains__(self, name: str) -> bool:
        """Return whether a file of that name was given."""
        return name in self._sources

    def names(self) -> list[str]:
        """Return the names of the files in alphabetical order."""
        return sorted(self._sources)

    def rows(self, name: str, *needed: str) -> Iterator[Row]:
        """Yield the rows of a table; raises `InvalidInput` if a needed column is missing."""
        table = open_table(self._sources[name])
        missing = [column for column in needed if column not in table.columns]
        if missing:
            raise InvalidInput(
                sentence(
                    "{file} has no column '{column}' (it has {columns}); is it the published file?",
                    file=name,
                    column=missing[0],
                    columns=", ".join(table.columns),
                )
            )
        yield from table.rows()
        if table.problems.count:
            raise InvalidInput(
                sentence("{file}: {problem}.", file=name, problem=table.problems.kept[0].sentence())
            )

    def document(self, name: str) -> Any:
        """Return the content of a JSON file."""
        return read_document(self._sources[name])


class Preset(ABC):
    """One published data set.

    Attributes:
        title: the name on the screen.
        summary: one sentence about the data.
        needs: the required files.
        study: the study whose criteria are rated.
    """

    title: ClassVar[str]
    summary: ClassVar[str]
    needs: ClassVar[tuple[str, ...]] = ()
    study: ClassVar[str] = "custom"

    def check(self, folder: Folder) -> None:
        """Raise `InvalidInput` if the files are not those of this preset."""
        missing = [name for name in self.needs if name not in folder]
        if missing:
            raise InvalidInput(
                sentence(
                    "{shape} needs {needs}; {missing} is not among the files given ({files}).",
                    shape=self.title,
                    needs=", ".join(self.needs),
                    missing=missing[0],
                    files=", ".join(folder.names()) or sentence("none"),
                )
            )

    def criteria(self, folder: Folder) -> tuple[Criterion, ...]:
        """Return the criteria of the scores."""
        return studies.get(self.study).criteria

    @abstractmethod
    def read(self, folder: Folder) -> Iterator[RecordChunk]:
        """Yield the files' records: items and responses before the scores that name them."""


presets: Registry[type[Preset]] = Registry(mark("preset"), "judgelab.imports.presets")


def preset_for_study(study: str, names: Iterable[str]) -> str | None:
    """Return the preset of a study that fits files with these names, or None."""
    folder = Folder([Source(name, b"") for name in names])
    for shape, kind in presets.items():
        if kind.study != study or study == Preset.study:
            continue
        try:
            kind().check(folder)
        except InvalidInput:
            continue
        return shape
    return None


def pieces(values: Iterable[T]) -> Iterator[list[T]]:
    """Yield the values in lists of `SIZE`."""
    iterator = iter(values)
    while part := list(islice(iterator, SIZE)):
        yield part
