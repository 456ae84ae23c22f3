"""Exports of other annotation tools, read as tables: one file each."""

from judgelab.imports.tools.base import Tool, read_as_tool, tools
from judgelab.imports.tools.sheet import ToolSheet

__all__ = ["ToolSheet", "Tool", "read_as_tool", "tools"]
