"""Exports of other annotation tools as presets; their columns can be mapped like those of any table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from judgelab.imports.core.records import RecordChunk
from judgelab.imports.presets.base import Folder, Preset, presets
from judgelab.imports.tools import tools
from judgelab.wording import sentence


class ToolExport(Preset):
    """Files exported from one annotation tool.

    Attributes:
        tool: the tool's name.
    """

    tool: ClassVar[str]

    def read(self, folder: Folder) -> Iterator[RecordChunk]:
        """Yield nothing; the files are read as tables, so that their columns can be mapped."""
        yield from ()


for _name, _tool in tools.items():
    presets.register(_name)(
        type(
            f"{_tool.__name__}Export",
            (ToolExport,),
            {"tool": _name, "title": sentence("{tool} export", tool=_tool.title), "summary": _tool.summary},
        )
    )
