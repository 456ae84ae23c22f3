"""How wide a column must be for its longest cell: the grid measures its first rows and cuts the others.

Cells that stand at the right lose their beginning, and with it the sign of a number.
"""

from __future__ import annotations

from collections.abc import Iterable

FONT_SIZE = 13.2  # pixels: the tables' share of `baseFontSize`
PADDING = 20
NARROW = frozenset(" .,:;[](){}|'!-iljtfrI")
NARROW_SHARE, USUAL_SHARE, WIDE_SHARE = 0.3, 0.6, 0.9  # of the font size, measured on IBM Plex Sans
LEAST, MOST = 56, 340


def fitting_width(texts: Iterable[str]) -> int:
    """Return the pixels that the longest of the texts takes in a cell, within reason."""
    widest = max(map(_width, texts), default=0.0)
    return round(min(MOST, max(LEAST, widest * FONT_SIZE + PADDING)))


def _width(text: str) -> float:
    """Return the width of a line in font sizes; signs of other scripts are taken for wide ones."""
    return sum(
        NARROW_SHARE if sign in NARROW else USUAL_SHARE if sign < "\u3000" else WIDE_SHARE for sign in text
    )
