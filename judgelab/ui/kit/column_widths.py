"""The column width that a table's longest cell needs: the grid measures its first rows only.

Right-aligned cells that are too long lose their beginning, and with it the sign of a number.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache

FONT_SIZE = 13.2  # pixels: the tables' share of `baseFontSize`
PADDING = 20
# Widths of characters as shares of the font size, measured on IBM Plex Sans (the bold, where it is wider).
SHARES = {
    sign: share
    for share, signs in {
        0.33: " .,:;!|'’ijl[]",
        0.41: "()t{}frI-/",
        0.54: "cszvxykJLaeogFτρκ",
        0.69: "ABCDGHKNOPQRUVX#&",
        0.9: "mwMW@%",
    }.items()
    for sign in signs
}
USUAL_SHARE, WIDE_SHARE = 0.6, 1.0  # of other characters; those of CJK scripts are wide
LEAST, MOST = 56, 340
ROW_HEIGHT, LINE_HEIGHT, MOST_LINES = 28, 18, 3  # of a table's rows, in pixels
LEAST_WRAPPING = 61  # the grid wraps texts only in rows higher than 4 rem, and `baseFontSize` is 15


def fitting_width(texts: Iterable[str]) -> int:
    """Return the width in pixels of the longest text in a cell, within limits."""
    return min(MOST, max(LEAST, _needed_width(texts)))


def wrapped(names: Iterable[str], width: int) -> tuple[int, int]:
    """Return the width of a column of names, at most `width`, and the height of rows that show them whole."""
    needed = _needed_width(names)
    if needed <= width:
        return max(LEAST, needed), ROW_HEIGHT
    lines = min(MOST_LINES, -(-(needed - PADDING) // (width - PADDING)))
    return width, max(LEAST_WRAPPING, ROW_HEIGHT + LINE_HEIGHT * (lines - 1))


def first_words(text: str, width: int) -> str:
    """Return the text, or as many of its first words as fit a cell of this width in pixels, and "…"."""
    if _fits(text, width):
        return text
    words = text.split(" ")
    for count in range(len(words) - 1, 0, -1):
        start = f"{' '.join(words[:count])} …"
        if _fits(start, width):
            return start
    return text  # not even one word fits; the grid cuts it


def short_labels(labels: Iterable[str], width: int) -> dict[str, str]:
    """Return each label cut to this width in pixels: its first words, or its last.

    The last are used if the first do not fit or others begin alike. Of a last word that is too
    long the grid shows the beginning.
    """
    starts = {label: first_words(label, width) for label in set(labels)}
    counts = Counter(starts.values())
    return {
        label: start if counts[start] == 1 and _fits(start, width) else _last_words(label, width)
        for label, start in starts.items()
    }


def item_labels(questions: Sequence[str], items: Sequence[str], width: int) -> list[str]:
    """Return the id of each item, then its question if any of its words fit a cell of this width.

    If an id is too long, questions stand alone unless their first words do not say which item it is.
    """
    if not all(_fits(item, width) for item in items):
        named = [question or item for question, item in zip(questions, items, strict=True)]
        return _told_apart(named, items, width)
    return [_item_label(question, item, width) for question, item in zip(questions, items, strict=True)]


def _item_label(question: str, item: str, width: int) -> str:
    if not question or question == item:
        return item
    label = f"{item} {question}"
    start = first_words(label, width)
    words = start.removeprefix(f"{item} ").removesuffix(" …").split()
    # One word says little of a question.
    whole = start == label or (start.startswith(f"{item} ") and start != f"{item} …" and len(words) > 1)
    return label if whole and _fits(start, width) else item


def _told_apart(questions: Sequence[str], items: Sequence[str], width: int) -> list[str]:
    """Return each question, after the id of its item if the words that fit do not say which it is.

    That is so if another item's question begins with the same words, or if only one word fits.
    """
    starts = [first_words(question, width) for question in questions]
    beginning = defaultdict(set)
    for start, item in zip(starts, items, strict=True):
        beginning[start].add(item)
    return [
        f"{item} {question}" if len(beginning[start]) > 1 or _one_word(start) else question
        for start, item, question in zip(starts, items, questions, strict=True)
    ]


def _one_word(start: str) -> bool:
    return start.endswith(" …") and start.count(" ") == 1


def _last_words(text: str, width: int) -> str:
    """Return as many of the last words as fit a cell of this width, after "…", at least one."""
    words = text.split(" ")
    ends = [f"… {' '.join(words[first:])}" for first in range(1, len(words))]
    return next((end for end in ends if _fits(end, width)), ends[-1] if ends else text)


def _fits(text: str, width: int) -> bool:
    return _width(text) * FONT_SIZE + PADDING <= width


def _needed_width(texts: Iterable[str]) -> int:
    """Return the width in pixels that the longest text needs in a cell."""
    return round(max(map(_width, set(texts)), default=0.0) * FONT_SIZE + PADDING)


@lru_cache(maxsize=10_000)
def _width(text: str) -> float:
    """Return a text's width in multiples of the font size."""
    return sum(SHARES.get(sign, USUAL_SHARE if sign < "\u3000" else WIDE_SHARE) for sign in text)
