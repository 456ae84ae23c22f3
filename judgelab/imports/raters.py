"""The names of raters: one rater is one name, spelt one way."""

from __future__ import annotations

from collections.abc import Iterable

from judgelab.imports.cells import spelling_key
from judgelab.wording import sentence


class RaterNames:
    """Remembers how each rater's name was first spelt.

    Args:
        known: the names of those who rated or judged before.
    """

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._spellings = {spelling_key(name): name for name in known}

    def fault(self, name: str) -> str | None:
        """Return what is wrong with a rater's name, or None; a new name is remembered."""
        if not name:
            return sentence(
                "the row names no rater; fill in the rater, or map its column with --map rater=COLUMN"
            )
        first = self._spellings.setdefault(spelling_key(name), name)
        if first == name:
            return None
        return sentence(
            "'{name}' and '{first}' differ only in capitals or in the form of letters; if they are one rater "
            "write the name one way, if they are two tell them apart",
            name=name,
            first=first,
        )
