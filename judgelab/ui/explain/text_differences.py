"""Two texts as HTML in which the words that only one of them has are marked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from html import escape

MOST_WORDS = 3_000  # of both texts together; comparing more takes too long
# Scripts written without spaces are compared by character; the rating page (differences.js) does the same.
_UNSPACED = r"\u2e80-\u312f\u31a0-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
_PARTS = re.compile(rf"\s+|[{_UNSPACED}]|[^\s{_UNSPACED}]+")


def marked_differences(first: str, second: str) -> tuple[str, str] | None:
    """Return both texts as escaped HTML with `<mark>` around different words; None if they are too long.

    >>> marked_differences("a good <b> day", "a bad <b> day")
    ('a <mark>good</mark> &lt;b&gt; day', 'a <mark>bad</mark> &lt;b&gt; day')
    """
    one, two = _PARTS.findall(first), _PARTS.findall(second)
    if len(one) + len(two) > 2 * MOST_WORDS:
        return None
    matcher = SequenceMatcher(a=one, b=two, autojunk=False)
    blocks = matcher.get_matching_blocks()
    return (
        "".join(_marked(one, [(block.a, block.size) for block in blocks])),
        "".join(_marked(two, [(block.b, block.size) for block in blocks])),
    )


def _marked(parts: Sequence[str], equal: Sequence[tuple[int, int]]) -> Iterator[str]:
    place = 0
    for start, size in equal:
        different = "".join(parts[place:start])
        if different.strip():
            yield f"<mark>{escape(different)}</mark>"
        else:
            yield escape(different)
        yield escape("".join(parts[start : start + size]))
        place = start + size
