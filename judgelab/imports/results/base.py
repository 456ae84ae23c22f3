"""The contract of an evaluation tool: how to recognise its result files and read what they hold."""

from __future__ import annotations

import csv
import io
import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any, ClassVar, NamedTuple

from judgelab.domain import RaterKind
from judgelab.imports.core.problems import ProblemLog
from judgelab.imports.files import columnar, delimited, json_files
from judgelab.imports.files.encodings import text_kind
from judgelab.imports.files.packed import member_names
from judgelab.imports.files.sources import SAMPLE, Source, Unreadable
from judgelab.registry import Registry
from judgelab.wording import mark


class Score(NamedTuple):
    """A score that a person, judge or metric gave; a judge's without a value says why in `comment`."""

    rater: str
    kind: RaterKind
    criterion: str
    value: Any
    comment: str = ""
    at: Any = None


class Choice(NamedTuple):
    """A choice between a response and another one: "a", "b" (the other), "tie", or None with the reason.

    `first` is the side that was shown first, if that is known.
    """

    rater: str
    kind: RaterKind
    criterion: str
    value: str | None
    system: str
    response: str = ""
    first: str = ""
    comment: str = ""
    at: Any = None


class Result(NamedTuple):
    """One response and a score or choice that it got, or none; `row` is the place in the file.

    `response_id` tells apart responses of one system to one item; texts that differ are told apart without.
    """

    item: str
    row: int
    response: str = ""
    system: str = ""
    question: str = ""
    context: str = ""
    reference: Any = ""
    group: str = ""
    score: Score | None = None
    response_id: str = ""
    choice: Choice | None = None


class ResultFile:
    """A file as far as it is needed: its beginning, or its content."""

    def __init__(self, source: Source) -> None:
        self.source = source

    @property
    def name(self) -> str:
        """Return the file's name, with its folders."""
        return self.source.name

    @cached_property
    def head(self) -> bytes:
        """Return the first bytes; recognising a file takes no more than these."""
        with self.source.open() as stream:
            return stream.read(SAMPLE)

    @cached_property
    def members(self) -> tuple[str, ...]:
        """Return the names in the directory of a zip archive; () if the file is none."""
        return member_names(self.source)

    def mentions(self, *words: str) -> bool:
        """Return whether the beginning has all these keys or words."""
        return all(word.encode() in self.head for word in words)

    @cached_property
    def first_object(self) -> Mapping[str, Any]:
        """Return the first line if it is a JSON object, else {}."""
        line = self.head.split(b"\n", 1)[0]
        try:
            entry = json.loads(line.decode("utf-8-sig"))
        except (ValueError, RecursionError):
            return {}
        return entry if isinstance(entry, dict) else {}

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Return the columns of a Parquet file or of a table written with delimiters; () if it is none."""
        try:
            if self._is_parquet:
                return columnar.parquet_head(self.source)[0]
            if self.head.lstrip()[:1] in (b"{", b"[", b"") or b"\0" in self.head:
                return ()
            return self._repeated_names or delimited.layout_of(self._beginning, "utf-8-sig", _notes()).columns
        except (Unreadable, UnicodeDecodeError):
            return ()

    @cached_property
    def first_rows(self) -> tuple[list[str], ...]:
        """Return up to three rows of a table written with delimiters, as they are; () if it is none."""
        if self.head.lstrip()[:1] in (b"{", b"[", b"") or b"\0" in self.head:
            return ()
        try:
            return tuple(islice(delimited.raw_rows(self._beginning, "utf-8-sig"), 3))
        except (Unreadable, UnicodeDecodeError):
            return ()

    @property
    def _is_parquet(self) -> bool:
        return self.head.startswith(b"PAR1")

    @cached_property
    def _repeated_names(self) -> tuple[str, ...]:
        """Return the header if it names a column twice, as pandas does with an index beside its column."""
        line = self.head.split(b"\n", 1)[0].decode("utf-8-sig", "replace")
        names = next(csv.reader([line]), [])
        return tuple(names) if 1 < len(set(names)) < len(names) else ()

    @property
    def _beginning(self) -> Source:
        return Source(self.name, self.head)

    def document(self) -> Any:
        """Return the content of a JSON file; raises `Unreadable`."""
        return json_files.read_document(self.source)

    def lines(self, problems: ProblemLog) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yield the number and object of each line; a line that is none becomes a problem."""
        yield from json_files.rows(self.source, "utf-8-sig", "lines", problems)

    def objects(self, problems: ProblemLog) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yield the objects of a JSON list or of JSON lines, with their places from 1."""
        if json_files.shape_of(self.source, "utf-8-sig") == "lines":
            yield from self.lines(problems)
            return
        data = self.document()
        for number, entry in enumerate(data if isinstance(data, list) else [data], start=1):
            if isinstance(entry, dict):
                yield number, entry

    def rows(self, problems: ProblemLog) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yield the rows of a table; of columns with the same name, the last one counts."""
        if self._is_parquet:
            yield from columnar.parquet_rows(self.source)
            return
        encoding = text_kind(self.source).encoding
        if self._repeated_names:
            with (
                self.source.open() as stream,
                io.TextIOWrapper(stream, encoding=encoding, newline="") as text,
            ):
                yield from enumerate(csv.DictReader(text), start=2)
            return
        layout = delimited.layout_of(self.source, encoding, _notes())
        yield from delimited.rows(self.source, encoding, layout, problems, _notes())

    def entries(self, problems: ProblemLog) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yield the rows of a table, or the objects of a JSON file, or of its only list {"data": […]}."""
        if self.columns:
            yield from self.rows(problems)
            return
        for number, entry in self.objects(problems):
            inside = entry.get("data")
            if isinstance(inside, list):
                yield from ((place, one) for place, one in enumerate(inside, 1) if isinstance(one, dict))
            else:
                yield number, entry

    def raw_rows(self) -> Iterator[list[str]]:
        """Yield the rows of a table written with delimiters as they are, its header among them."""
        return delimited.raw_rows(self.source, text_kind(self.source).encoding)

    def text(self) -> Iterator[str]:
        """Yield the lines of a text, without their ends."""
        with self.source.open() as stream, io.TextIOWrapper(stream, encoding="utf-8-sig") as text:
            for line in text:
                yield line.rstrip("\r\n")


def _notes() -> Any:
    from judgelab.imports.core.reading_notes import ReadingNotes

    return ReadingNotes()


@dataclass
class Notes:
    """What is said about the files: sentences, and counts of what is not read; problems of single rows.

    `raters` is the kind of raters of whom the files tell none, if a person gave it; `unclear` is the first.
    """

    said: list[str] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    problems: ProblemLog = field(default_factory=ProblemLog)
    raters: RaterKind | None = None
    unclear: str = ""

    def kind_of(self, rater: str) -> RaterKind:
        """Return the kind that a person gave for a rater of whom the files tell none; else ask for it."""
        self.unclear = self.unclear or rater
        return self.raters or "human"

    def leave_out(self, what: str, n: int = 1) -> None:
        """Count something that is not read."""
        self.left_out[what] += n


class Example(NamedTuple):
    """A small file of our own in the tool's shape, and what is in it."""

    files: Mapping[str, str]
    items: int
    responses: int
    human: int
    judged: int
    metrics: int = 0


class ResultTool(ABC):
    """One evaluation tool.

    Attributes:
        title: the tool's name on the screen.
        summary: one sentence about what is read.
        version: the version of the tool whose files were looked at.
        examples: files in its shape, which the conformance test reads.
    """

    title: ClassVar[str]
    summary: ClassVar[str]
    version: ClassVar[str]
    examples: ClassVar[tuple[Example, ...]] = ()

    @abstractmethod
    def recognises(self, file: ResultFile) -> bool:
        """Return whether this tool wrote the file, by its beginning alone."""

    def belongs(self, name: str, files: Sequence[ResultFile]) -> bool:
        """Return whether a file that tells nothing by itself belongs to recognised ones by its place."""
        return False

    @abstractmethod
    def read(self, files: Sequence[ResultFile], notes: Notes) -> Iterator[Result]:
        """Yield the results in all its files; raises `Unreadable` if one is damaged."""


result_tools: Registry[type[ResultTool]] = Registry(mark("evaluation tool"), "judgelab.imports.results")
