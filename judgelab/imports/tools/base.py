"""The contract of an annotation tool: how to recognise and read its exports."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from judgelab.errors import InvalidInput
from judgelab.imports.core.problems import ProblemLog
from judgelab.imports.files.sources import SAMPLE, Source
from judgelab.imports.tools.sheet import SheetBuilder, ToolSheet
from judgelab.registry import Registry
from judgelab.wording import mark, sentence


class Tool(ABC):
    """One annotation tool.

    Attributes:
        title: the tool's name on the screen.
        summary: one sentence about what is read from an export.
        marks: byte strings, at least one of which is near the beginning of every export.
    """

    title: ClassVar[str]
    summary: ClassVar[str]
    marks: ClassVar[tuple[bytes, ...]]

    @abstractmethod
    def recognises(self, entry: Mapping[str, Any]) -> bool:
        """Return whether an object of the file is from this tool."""

    @abstractmethod
    def add(self, entry: Mapping[str, Any], sheet: SheetBuilder, *, number: int, file: str) -> None:
        """Add the answers in one object; `number` is its line or position in the list."""


tools: Registry[type[Tool]] = Registry(mark("annotation tool"), "judgelab.imports.tools")


def read_as_tool(source: Source, encoding: str, *, tool_name: str = "") -> ToolSheet | None:
    """Return the file as a table if it is an export of an annotation tool, else None.

    Args:
        source: the file.
        encoding: the encoding of its text.
        tool_name: the tool that wrote the file; recognised by the content if empty.

    Raises:
        InvalidInput: the file is not an export of the given tool.
    """
    with source.open() as stream:
        head = stream.read(SAMPLE)
    for name in [tool_name] if tool_name else tools.names():
        tool = tools.get(name)()
        if not any(mark in head for mark in tool.marks):
            continue
        problems = ProblemLog()
        entries = _entries(source, encoding, problems)
        recognised = [(number, entry) for number, entry in entries if tool.recognises(entry)]
        if not recognised or len(recognised) < len(entries):
            continue
        sheet = SheetBuilder(tool.title)
        for number, entry in recognised:
            tool.add(entry, sheet, number=number, file=source.name)
        return sheet.finish(problems)
    if tool_name:
        raise InvalidInput(
            sentence(
                "{file} is not an export from {tool}; choose another format.",
                file=source.name,
                tool=tools.get(tool_name).title,
            )
        )
    return None


def _entries(source: Source, encoding: str, problems: ProblemLog) -> list[tuple[int, Mapping[str, Any]]]:
    from judgelab.imports.files import json_files

    shape = json_files.shape_of(source, encoding)
    if shape == "lines":
        return list(json_files.rows(source, encoding, "lines", problems))
    data = json_files.read_document(source, encoding) if shape else []
    objects = data if isinstance(data, list) else [data]
    return [(number, entry) for number, entry in enumerate(objects, start=1) if isinstance(entry, Mapping)]
