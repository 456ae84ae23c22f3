"""Find names that differ only in spelling; they are kept apart, but a notice lists them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

MAX_NAMES = 100_000  # names that are compared with one another
MAX_PAIRS = 5
_GAPS = re.compile(r"[\s_-]+")
_WHOLE = re.compile(r"0*(\d+?)(?:\.0+)?")


def plain_name(name: str) -> str:
    """Return a name without differences in case, gaps, and zeros around a whole number.

    >>> plain_name("GPT_4 mini") == plain_name("gpt-4-mini"), plain_name("007"), plain_name("7.0")
    (True, '7', '7')
    """
    if whole := _WHOLE.fullmatch(name):
        return whole[1]
    word = name if name.isascii() else unicodedata.normalize("NFKC", name)
    return _GAPS.sub(" ", word).strip().casefold()


class Spellings:
    """Finds names of one kind that look alike.

    Args:
        names: the existing names.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._first: dict[str, str] = {}
        self.alike: dict[tuple[str, str], None] = {}
        for name in names:
            self._first.setdefault(plain_name(name), name)

    def add(self, name: str) -> None:
        """Add a name; if it looks like an earlier one, the pair is kept."""
        if len(self._first) >= MAX_NAMES or len(self.alike) >= MAX_PAIRS:
            return
        first = self._first.setdefault(plain_name(name), name)
        if first != name:
            self.alike.setdefault((first, name))
