"""The column width that a table's longest cell needs: the grid measures its first rows only.

Right-aligned cells that are too long lose their beginning, and with it the sign of a number.
"""

from __future__ import annotations

from collections.abc import Iterable

FONT_SIZE = 13.2  # pixels: the tables' share of `baseFontSize`
PADDING = 20
NARROW = frozenset(" .,:;[](){}|'!-iljtfrI")
NARROW_SHARE, USUAL_SHARE, WIDE_SHARE = 0.3, 0.6, 0.9  # of the font size, measured on IBM Plex Sans
LEAST, MOST = 56, 340


def fitting_width(texts: Iterable[str]) -> int:
    """Return the width in pixels of the longest text in a cell, within limits."""
    widest = max(map(_width, texts), default=0.0)
    return round(min(MOST, max(LEAST, widest * FONT_SIZE + PADDING)))


def _width(text: str) -> float:
    """Return a text's width in multiples of the font size; characters of CJK scripts count as wide."""
    return sum(
        NARROW_SHARE if sign in NARROW else USUAL_SHARE if sign < "\u3000" else WIDE_SHARE for sign in text
    )
