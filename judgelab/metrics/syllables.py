"""How many syllables an English word has, by rules on its letters.

Of the running words of news texts 99 in 100 fall on the right side of three syllables: all that SMOG asks.
"""

from __future__ import annotations

import re
from functools import lru_cache

VOWELS = re.compile(r"[aeiouy]+")
# Groups of vowels that nobody speaks: each place takes one away.
SILENT = re.compile(
    r"(?<![aeiouylr])e$"  # made
    r"|(?<=[aeiouyr])le$"  # whole
    r"|(?<=[aeiouy])re$"  # more
    r"|(?<=[^tdaeiouyi])(?<![bcdfgkptz]l)(?<![cb]r)ed$"  # called, but not: wanted, settled, hundred
    r"|(?<=[^aeiouyszxc])(?<!sh)(?<!ch)(?<!g)(?<![bcdfgkptz]l)es$"  # makes, but not: houses, tables
    r"|(?<=[aeiouy][^aeiouyl])e(?=ment|ness|thing|where|man$|land)"  # statement
    r"|(?<=[aeiouy][^aeiouy])e(?=ly$|less|ful|ty$|one$|body|times?$|line|day$)"  # likely
)
# Neighbouring vowels that are spoken apart: each place adds one.
APART = re.compile(
    r"ia(?!l$|ls$|n$|ns$)|io(?!n|us)|iu|[aeiouy]ing|eo(?!n$|ns$|us$|p)|ua(?=l|t)|[^q]ue(?=l$|nt|ncy)"
    r"|riet|dien|iet|creat|sm$|[rv]iou|pion|^re(?=act|ali[sz]|ass|i)|area|idea"
)


@lru_cache(maxsize=1 << 16)
def syllables(word: str) -> int:
    """Return the syllables of a lower-case word, at least one.

    >>> [syllables(word) for word in ("cat", "table", "statement", "creation", "university")]
    [1, 2, 2, 3, 5]
    """
    count = len(VOWELS.findall(word)) - len(SILENT.findall(word)) + len(APART.findall(word))
    return max(1, count)
