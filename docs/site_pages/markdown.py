"""The Markdown that generated pages are made of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence


def cell(text: object) -> str:
    """Return a text as the cell of a table: one line, its bars escaped."""
    return re.sub(r"\s+", " ", str(text)).strip().replace("|", "\\|")


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table, or "" where there are no rows."""
    lines = [f"| {' | '.join(map(cell, row))} |" for row in rows]
    if not lines:
        return ""
    return "\n".join([f"| {' | '.join(heads)} |", "|---" * len(heads) + "|", *lines, ""])


def code(text: object) -> str:
    """Return a text in the typeface of code; nothing stays nothing."""
    return f"`{text}`" if str(text) else ""


def listed(texts: Iterable[object]) -> str:
    """Return texts in the typeface of code, one after the other."""
    return " ".join(code(text) for text in texts)


def page(*parts: str) -> str:
    """Return the parts as a page, with an empty line between them and without those that are empty."""
    return "\n\n".join(part.strip("\n") for part in parts if part.strip()) + "\n"
