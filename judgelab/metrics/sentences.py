"""Splitting a text into sentences, by its punctuation and its lines."""

from __future__ import annotations

import re

# After a full stop, question or exclamation mark (with closing quotes) and a blank; at once after those of
# scripts that set no blank; at every line's end.
END = re.compile(r"(?<=[.!?…।॥؟۔։።])[\"'”’)\]]*\s+|(?<=[。！？｡។။])|\n+")
ABBREVIATED = re.compile(
    r"(?:^|[\s(])(?:[A-Z]|Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|vs|No|Fig|e\.g|i\.e|approx|Inc|Ltd|Co)\.$"
)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text without the blanks around them; one without letter or digit is none.

    >>> sentences("Dr. No left. Why? Nobody knows.")
    ['Dr. No left.', 'Why?', 'Nobody knows.']
    """
    parts: list[str] = []
    begin = 0
    for end in END.finditer(text):
        if "\n" not in end.group() and ABBREVIATED.search(text[max(0, end.start() - 12) : end.start()]):
            continue
        parts.append(text[begin : end.end()].strip())
        begin = end.end()
    parts.append(text[begin:].strip())
    return [part for part in parts if any(map(str.isalnum, part))]
