"""The definition of a word in any script, used wherever words are compared or counted.

A word is a run of letters and digits; combining marks belong to their letter, as in Hindi. In scripts without
blanks between words, every character is a word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache

# Scripts without blanks between words: Thai, Lao, Myanmar, Khmer, kana, Chinese characters.
UNSPACED = (
    "\u0e01-\u0e5b\u0e81-\u0edf\u1000-\u109f\u1780-\u17d3\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa"
    "\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff"
)
_UNSPACED = re.compile(rf"[{UNSPACED}]")
_JOINERS = "\u200c\u200d"  # can occur between letters of one word
_ASCII_WORD, _ASCII_QUOTED = re.compile(r"[^\W_]+"), re.compile(r"[^\W_]+(?:'[^\W_]+)*")
LAST_MARK = 0x1FFFF  # no script beyond it has combining marks
MAX_UNSEEN = 0.1  # share of a text's words; a name or a symbol in an English text does not prevent a score


def words_of(text: str, *, quotes: bool = False) -> list[str]:
    """Return the lower-case words of one text.

    Args:
        text: a text in any script.
        quotes: whether an apostrophe joins letters, so that "don't" is one word.

    >>> words_of("की 2024年")
    ['की', '2024', '年']
    """
    if text.isascii():
        return (_ASCII_QUOTED if quotes else _ASCII_WORD).findall(text.lower())
    return _pattern(quotes=quotes).findall(unicodedata.normalize("NFC", text.lower()))


@lru_cache(maxsize=2)
def _pattern(*, quotes: bool) -> re.Pattern[str]:
    marks = "".join(chr(code) for code in range(LAST_MARK) if unicodedata.category(chr(code)).startswith("M"))
    run = rf"[^\W_{UNSPACED}](?:[^\W_{UNSPACED}]|[{marks}{_JOINERS}])*"
    joined = rf"{run}(?:['’]{run})*" if quotes else run
    return re.compile(rf"[{UNSPACED}][{marks}]*|{joined}")


def word_count(text: str) -> int:
    """Return the number of words separated by blanks; in scripts without blanks, every character counts.

    >>> word_count("two words"), word_count("東京は大きい。")
    (2, 6)
    """
    if not _UNSPACED.search(text):
        return len(text.split())
    return sum(len(words_of(part)) if _UNSPACED.search(part) else 1 for part in text.split())


def share_non_ascii(text: str) -> float:
    """Return the share of a text's words with letters or digits other than a to z and 0 to 9."""
    return 0.0 if text.isascii() else _share(words_of(text), lambda word: not word.isascii())


def share_unspaced(text: str) -> float:
    """Return the share of a text's words that are characters of a script without blanks."""
    return 0.0 if text.isascii() else _share(words_of(text), is_unspaced)


def is_unspaced(word: str) -> bool:
    """Return whether the word is a character of a script without blanks between words."""
    return bool(_UNSPACED.match(word))


def _share(words: Sequence[str], has: Callable[[str], bool]) -> float:
    return sum(map(has, words)) / len(words) if words else 0.0
