"""Synonyms from WordNet's own files, found where NLTK keeps them or where Debian's `wordnet-base` puts them.

Princeton University, "About WordNet", 2010; file formats wndb(5WN), base forms as its `morphy` makes them.
Equal to what NLTK's reader gives; that one needs seconds to start and leaves its files open.
"""

from __future__ import annotations

import os
import sys
import zipfile
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

from judgelab.errors import InvalidInput
from judgelab.wording import sentence

USR = Path("/usr")
PARTS = ("noun", "verb", "adj", "adv")
ENDINGS: dict[str, tuple[tuple[str, str], ...]] = {
    "noun": (
        ("s", ""),
        ("ses", "s"),
        ("ves", "f"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "verb": (
        ("s", ""),
        ("ies", "y"),
        ("es", "e"),
        ("es", ""),
        ("ed", "e"),
        ("ed", ""),
        ("ing", "e"),
        ("ing", ""),
    ),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}
Read = Callable[[str], bytes]


def synonyms() -> Callable[[str], frozenset[str]]:
    """Return what gives the single words that share a meaning with a word, in any part of speech.

    Raises:
        InvalidInput: WordNet's files are not on this machine.
    """
    return _wordnet(*_place()).synonyms


class WordNet:
    """WordNet in memory.

    Args:
        read: returns the content of one of its files by name ("data.noun").
    """

    def __init__(self, read: Read) -> None:
        self._data = {part: read(f"data.{part}") for part in PARTS}
        self._index = {part: dict(_index(read(f"index.{part}"))) for part in PARTS}
        self._exceptions = {part: _exceptions(read(f"{part}.exc")) for part in PARTS}
        self.synonyms = lru_cache(maxsize=1 << 16)(self._synonyms)

    def _synonyms(self, word: str) -> frozenset[str]:
        synonyms: set[str] = set()
        for part in PARTS:
            for form in self._forms(word.lower(), part):
                for offset in self._index[part].get(form, b"").split():
                    synonyms.update(_words(self._data[part], int(offset)))
        return frozenset(synonyms)

    def _forms(self, word: str, part: str) -> list[str]:
        base = self._exceptions[part].get(word)
        if base is None:
            base = [word[: -len(old)] + new for old, new in ENDINGS[part] if word.endswith(old)]
        return list(dict.fromkeys([word, *base]))


def _index(content: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield each word with the offsets of its meanings, still as they stand there."""
    for line in content.splitlines():
        if not line.startswith(b" "):
            # lemma pos synset_cnt p_cnt [symbols] sense_cnt tagsense_cnt offsets
            lemma, _, count, rest = line.split(b" ", 3)
            yield lemma.decode(), b" ".join(rest.split()[-int(count) :])


def _exceptions(content: bytes) -> dict[str, list[str]]:
    rows = (line.split() for line in content.decode().splitlines())
    return {row[0]: row[1:] for row in rows if row}


def _words(data: bytes, offset: int) -> Iterator[str]:
    """Yield the single words of one meaning: offset file type count (hexadecimal) [word lex_id] ..."""
    fields = data[offset : data.index(b"\n", offset)].split(b" ")
    for word in fields[4 : 4 + 2 * int(fields[3], 16) : 2]:
        if b"_" not in word:
            yield word.decode().split("(")[0]  # adjectives may bear a marker: "galore(ip)"


def _place() -> tuple[Path, float]:
    """Return WordNet's folder or archive and when it was changed."""
    for place in _places():
        if place.is_file() or (place / "data.noun").is_file():
            return place, place.stat().st_mtime
    raise InvalidInput(
        sentence(
            "WordNet is not installed on this machine; install the Debian package wordnet-base, run "
            "python -m nltk.downloader wordnet, or use METEOR without wordnet=true."
        )
    )


def _places() -> Iterator[Path]:
    home = [Path(part) for part in os.environ.get("NLTK_DATA", "").split(os.pathsep) if part]
    usual = [
        Path.home() / "nltk_data",
        *(Path(sys.prefix) / name for name in ("nltk_data", "share/nltk_data")),
    ]
    shared = [USR / name / "nltk_data" for name in ("share", "local/share", "lib", "local/lib")]
    for folder in (*home, *usual, *shared):
        yield folder / "corpora" / "wordnet"
        yield folder / "corpora" / "wordnet.zip"
    yield from (USR / "share/wordnet", USR / "local/share/wordnet")


@lru_cache(maxsize=1)
def _wordnet(place: Path, _changed: float) -> WordNet:
    if place.is_dir():
        return WordNet(lambda name: (place / name).read_bytes())
    with zipfile.ZipFile(place) as archive:
        return WordNet(lambda name: archive.read(f"wordnet/{name}"))
