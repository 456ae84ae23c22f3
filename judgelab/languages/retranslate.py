"""Stored sentences said again: an English text finds the template and the values that it was made of.

A sentence that was stored is a plain text; which values it was made with is forgotten. It is recognised by
the words of the catalogue's templates, the most telling one first, and what stood in its places is looked up
in turn.
"""

from __future__ import annotations

import re
import string
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from judgelab.languages import locales
from judgelab.languages.locales import DEFAULT, messages

LEAST_LETTERS, LEAST_WORDS = 12, 2  # of a template's own; with fewer, texts that mean nothing of it would fit
MOST_DEEP = 4
COUNTED = re.compile(r"(.+)( \([\d,]+\))", re.DOTALL)
LONGEST = 2000  # letters; a stored reason is shorter, and what is longer was written by somebody


class _Template(NamedTuple):
    pattern: re.Pattern[str]
    said: str


def recalled(text: str, language: str) -> str | None:
    """Return an English text of the catalogue, its places filled, in a language; None for any other text."""
    if language == DEFAULT or not 0 < len(text) <= LONGEST:
        return None
    return _recalled(text, language, locales.FOLDER)


@lru_cache(maxsize=4096)
def _recalled(text: str, language: str, folder: Path, deep: int = 0) -> str | None:
    known = messages(language)
    if text in known:
        return known[text]
    for template in _templates(language, folder) if deep < MOST_DEEP else ():
        found = template.pattern.fullmatch(text)
        if found:
            values = {
                name: _recalled(value, language, folder, deep + 1) or value
                for name, value in found.groupdict().items()
            }
            return template.said.format(**values)
    return _row(text, language, folder, deep)


def _row(text: str, language: str, folder: Path, deep: int) -> str | None:
    """Return several reasons in a row, or one with how often it came: `no score (3); cut off (2)`."""
    parts, counted = text.split("; "), COUNTED.fullmatch(text)
    if len(parts) > 1:
        said = [_recalled(part, language, folder, deep + 1) for part in parts]
        return "; ".join(new or old for new, old in zip(said, parts, strict=True)) if any(said) else None
    if counted is None:
        return None
    once = _recalled(counted[1], language, folder, deep + 1)
    return None if once is None else f"{once}{counted[2]}"


@cache
def _templates(language: str, _folder: Path) -> tuple[_Template, ...]:
    """Return the templates with places that tell enough, those with most letters of their own first."""
    found = []
    for text, said in messages(language).items():
        parts = list(string.Formatter().parse(text))
        own = "".join(literal for literal, *_ in parts)
        names = [name for _, name, *_ in parts if name]
        if (
            not names
            or not all(map(str.isidentifier, names))
            or sum(c.isalpha() for c in own) < LEAST_LETTERS
        ):
            continue
        if len(re.findall(r"[^\W\d_]{2,}", own)) < LEAST_WORDS:
            continue
        found.append((len(own), _Template(re.compile(_pattern(parts), re.DOTALL), said)))
    found.sort(key=lambda one: -one[0])
    return tuple(template for _, template in found)


def _pattern(parts: list[tuple[str, str | None, str | None, str | None]]) -> str:
    pattern, seen = "", set()
    for literal, name, *_ in parts:
        pattern += re.escape(literal)
        if name:
            pattern += f"(?P={name})" if name in seen else f"(?P<{name}>.+?)"
            seen.add(name)
    return pattern
